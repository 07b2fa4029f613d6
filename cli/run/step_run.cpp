// Runs a job in a thread with its ranks held at the step gates while the prompt reads standard
// input.
#include "cli/run/step_run.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <optional>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "cli/run/step_prompt.h"
#include "engine/run/step/breakpoint_check.h"

namespace rankscope::cli {
namespace {

using std::chrono::milliseconds;

/// With --json the standard output is for the result alone.
void say(const Console& console, const std::string& text) {
  if (console.json()) {
    std::fputs(console.err().text(text).c_str(), stderr);
    return;
  }
  console.print(text);
  console.flush();
}

enum class ReadResult { nothing, text, end };

/// What there is on the standard input, after a wait of at most so long. What cannot be read (it is
/// closed, or a folder) is at its end.
ReadResult read_input(int wait_ms, std::string& text) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  const auto later = [] { return errno == EINTR || errno == EAGAIN; };
  const int ready = poll(&input, 1, wait_ms);
  if (ready == 0 || (ready < 0 && later())) return ReadResult::nothing;
  if (ready < 0 || (input.revents & POLLNVAL) != 0) return ReadResult::end;
  std::array<char, 4096> chunk{};
  const auto got = read(STDIN_FILENO, chunk.data(), chunk.size());
  if (got < 0 && later() && (input.revents & POLLERR) == 0) return ReadResult::nothing;
  if (got <= 0) return ReadResult::end;
  text.append(chunk.data(), static_cast<std::size_t>(got));
  return ReadResult::text;
}

/// Lines of standard input, as long as the run lasts: a run may end (a rank dies, Ctrl-C) while the
/// user thinks.
class Input {
 public:
  Input(const Console& console, const StepController& controller)
      : console_(console), controller_(controller) {}

  std::optional<std::string> next_line() {
    if (console_.in_is_terminal()) {
      say(console_, "step> ");
    }
    for (;;) {
      if (const auto end = pending_.find('\n'); end != std::string::npos) {
        auto line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      if (at_end_) return std::nullopt;
      at_end_ = read_input(100, pending_) == ReadResult::end;
      if (controller_.finished()) return std::nullopt;
    }
  }

 private:
  const Console& console_;
  const StepController& controller_;
  std::string pending_;
  bool at_end_ = false;
};

class ControlledRun : public StepTarget {
 public:
  ControlledRun(const Console& console, StepController& controller)
      : console_(console), controller_(controller) {}
  std::vector<std::string> where() override {
    std::vector<std::string> lines;
    for (const auto& view : controller_.ranks()) lines.push_back(describe(view));
    return lines;
  }
  std::string message(Rank sender, int strand) override {
    return controller_.release_message(sender, strand);
  }
  std::string step(Rank rank, int strand) override { return controller_.step(rank, strand); }
  std::string round() override { return controller_.round(); }
  std::string resume() override {
    // A script's next lines are commands for later; only a person at a terminal means "stop now".
    if (!console_.in_is_terminal()) return controller_.resume();
    say(console_, "running; Enter pauses\n");
    std::atomic<bool> back = false;
    const auto pauser = std::async(std::launch::async, [&] { pause_on_line(back); });
    auto answer = controller_.resume();
    back = true;
    pauser.wait();
    return answer;
  }
  std::string add_breakpoint(const Breakpoint& at) override {
    const auto problem = breakpoint_problem(at, controller_.world_size());
    if (!problem.empty()) return problem + "; no breakpoint was set";
    auto answer = controller_.add_breakpoint(at);
    if (at.line > 0) answer += "; only lines with a message verb (send, recv, ...) stop";
    return answer;
  }
  std::string clear_breakpoints() override { return controller_.clear_breakpoints(); }
  void quit() override { controller_.quit(); }
  bool finished() override { return controller_.finished(); }

 private:
  void pause_on_line(const std::atomic<bool>& back) {
    std::string line;
    auto got = ReadResult::nothing;
    while (!back && got == ReadResult::nothing) got = read_input(50, line);
    if (got == ReadResult::text) controller_.pause();
  }

  const Console& console_;
  StepController& controller_;
};

}  // namespace

void run_stepwise(const Console& console, StepController& controller,
                  const std::function<void()>& run) {
  auto job = std::async(std::launch::async, run);
  const auto over = [&] { return job.wait_for(milliseconds(0)) == std::future_status::ready; };
  // Until the ranks have started and stand at their first verbs.
  while (!over() && !controller.wait_still(Deadline::in(milliseconds(50)))) {
  }
  if (!over()) {
    ControlledRun target(console, controller);
    Input input(console, controller);
    try {
      run_step_prompt(
          target, [&] { return input.next_line(); },
          [&](const std::string& line) { say(console, line + "\n"); });
    } catch (...) {  // the answers cannot be written: nobody will release the ranks
      controller.quit();
      throw;
    }
  }
  job.get();
}

}  // namespace rankscope::cli
