// Grades a program for a code exercise in the background: `rankscope exercise` does it, in a process of its own.
// What students' programs do, and all that contains them, stays out of the application.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "gui/state/code/code_state.h"

namespace rankscope::gui {

struct CodeOrder {
  std::string exercise;
  std::string file;              ///< What was handed in: a file or a folder.
  std::filesystem::path traces;  ///< Folder for the run that breaks a rule.
  bool no_sandbox = false;
};

class CodeCheck {
 public:
  /// `program`: the command `rankscope`. `changed` is called from another thread when there is news.
  CodeCheck(std::string program, std::function<void()> changed);
  /// Ends what runs, and waits for its end.
  ~CodeCheck();
  CodeCheck(const CodeCheck&) = delete;
  CodeCheck& operator=(const CodeCheck&) = delete;

  bool running() const noexcept { return running_; }
  /// Of what runs, or ran last.
  const CodeOrder& order() const noexcept { return order_; }
  /// Throws UserError while another one runs.
  void start(CodeOrder order);
  void stop() noexcept { stopping_ = true; }
  /// Takes over what has happened since the last call. True when there is something new.
  bool update(CodeState& code_state);

 private:
  struct Ended {
    int status = 0;
    std::string out, errors;
  };
  void work();
  Ended carry_out();
  void read_progress(std::string& errors);

  const std::string program_;
  const std::function<void()> changed_;
  CodeOrder order_;
  std::thread thread_;
  bool running_ = false;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  int done_ = 0, all_ = 0;      // guarded
  std::optional<Ended> ended_;  // guarded
};

/// What the command wrote, into the desk: `out` and `errors` are its two outputs. For tests, too.
void take_grading(CodeState& code_state, int status, const std::string& out,
                  const std::string& errors);

}  // namespace rankscope::gui
