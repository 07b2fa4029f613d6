// Runs a command in a process of its own, and collects its output and exit code.
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
    /// Returns whether somebody ended it: here, or with Ctrl-C on its terminal.
    bool was_interrupted() const noexcept { return was_stopped || status == 130; }
  };
  /// Returns whether a line of standard error is progress, and not part of Ended::errors. Called from another thread.
  using TakeLine = std::function<bool(std::string_view line)>;

  /// `changed` is called from another thread when there is news, and every 0.3 s while the command runs.
  explicit ChildCommand(std::function<void()> changed) : changed_(std::move(changed)) {}
  /// Ends the command, and waits for its end.
  ~ChildCommand();
  ChildCommand(const ChildCommand&) = delete;
  ChildCommand& operator=(const ChildCommand&) = delete;

  bool running() const noexcept { return running_; }
  /// Starts a command; only one runs at a time. `words`: the program and its arguments.
  void start(std::vector<std::string> words, TakeLine take_line = {});
  /// Asks the command to end, asks again after 9 s, and kills it after 10 s.
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
  std::optional<Ended> ended_;  // guarded by mutex_
};

/// The command's error: message and hint of its JSON, or the raw text.
struct ChildFailure {
  std::string problem;
  bool no_boxes = false;  ///< This machine allows no sandboxes.
};
ChildFailure child_failure(const std::string& errors);

}  // namespace rankscope::gui
