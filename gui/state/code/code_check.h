// Grades a program for a code exercise in the background: `rankscope exercise` does it, in a process of its own.
// Students' programs, and whatever contains them, stay out of the application.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "gui/state/code/code_state.h"
#include "gui/state/run/child_command.h"

namespace rankscope::gui {

struct CodeOrder {
  std::string exercise;
  std::string file;              ///< The program: a file or a folder.
  std::filesystem::path traces;  ///< Folder for the run that breaks a rule.
  bool no_sandbox = false;
};

class CodeCheck {
 public:
  /// `program`: the command `rankscope`. `changed` is called from another thread when there is news.
  CodeCheck(std::string program, std::function<void()> changed)
      : program_(std::move(program)), child_(std::move(changed)) {}

  bool running() const noexcept { return child_.running(); }
  /// Returns the state of the current or last grading.
  const CodeOrder& order() const noexcept { return order_; }
  /// Throws UserError while another one runs.
  void start(CodeOrder order);
  void stop() noexcept { child_.stop(); }
  /// Takes in what has happened since the last call. Returns whether there is something new.
  bool update(CodeState& code_state);

 private:
  bool read_progress(std::string_view line);

  const std::string program_;
  CodeOrder order_;
  std::mutex mutex_;
  int done_ = 0, all_ = 0;  // guarded
  ChildCommand child_;      ///< The last member: its thread uses the others.
};

/// Takes what `rankscope --json exercise` said. Throws json::exception for what it did not say.
void take_verdict(CodeState& code_state, const nlohmann::json& verdict);
/// Reads the command's two outputs into the desk.
void take_grading(CodeState& code_state, int status, const std::string& out,
                  const std::string& errors);

}  // namespace rankscope::gui
