// The command `rankscope` in a process of its own: its end, its output, and its lines.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace rankscope::gui {

class ChildCommand {
 public:
  struct Ended {
    int status = 0;  ///< Exit code; -1 if it could not be started (`errors` says why).
    std::string out, errors;
    bool was_stopped = false;
  };
  /// Returns whether a line of its standard error is news, and no error. Called from another thread.
  using TakeLine = std::function<bool(std::string_view line)>;

  /// `changed` is called from another thread when there is news, and while it runs some times a second.
  explicit ChildCommand(std::function<void()> changed) : changed_(std::move(changed)) {}
  /// Ends the command, and waits for its end.
  ~ChildCommand();
  ChildCommand(const ChildCommand&) = delete;
  ChildCommand& operator=(const ChildCommand&) = delete;

  bool running() const noexcept { return running_; }
  /// Starts a command; only one runs at a time. `words`: the program and its arguments.
  void start(std::vector<std::string> words, TakeLine take_line = {});
  /// Asks the command to end, asks again, and at last kills it.
  void stop() noexcept { stopping_ = true; }
  /// Returns the outcome once, after the end.
  std::optional<Ended> take_end();

 private:
  void work();
  Ended carry_out();
  void take_lines(std::string& errors);

  const std::function<void()> changed_;
  std::vector<std::string> words_;
  TakeLine take_line_;
  std::thread thread_;
  bool running_ = false;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::optional<Ended> ended_;  // guarded
};

/// The command's message on its failure: the words of its JSON, or the raw text.
struct ChildFailure {
  std::string problem;
  bool no_boxes = false;  ///< This machine allows no boxes.
};
ChildFailure child_failure(const std::string& errors);

}  // namespace rankscope::gui
