#include "cli/step_run.h"

#include <array>
#include <chrono>
#include <future>
#include <optional>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "cli/step_prompt.h"

namespace rankscope::cli {
namespace {

using std::chrono::milliseconds;

/// Lines of standard input, as long as the run lasts: a run may end (a rank dies, Ctrl-C) while the
/// user thinks.
class Input {
 public:
  Input(const Console& console, const StepController& controller)
      : console_(console), controller_(controller) {}

  std::optional<std::string> next_line() {
    if (console_.in_is_terminal()) {
      console_.print("step> ");
      std::fflush(stdout);
    }
    for (;;) {
      if (const auto end = pending_.find('\n'); end != std::string::npos) {
        auto line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        return line;
      }
      if (at_end_) return std::nullopt;
      read_more();
      if (controller_.finished()) return std::nullopt;
    }
  }

 private:
  void read_more() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 100) <= 0) return;
    std::array<char, 4096> chunk{};
    const auto got = read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got > 0) pending_.append(chunk.data(), static_cast<std::size_t>(got));
    if (got == 0) at_end_ = true;
  }

  const Console& console_;
  const StepController& controller_;
  std::string pending_;
  bool at_end_ = false;
};

class ControlledRun : public StepTarget {
 public:
  explicit ControlledRun(StepController& controller) : controller_(controller) {}
  std::vector<std::string> where() override {
    std::vector<std::string> lines;
    for (const auto& view : controller_.ranks()) lines.push_back(describe(view));
    return lines;
  }
  std::string message(Rank sender) override { return controller_.release_message(sender); }
  std::string step(Rank rank) override { return controller_.step(rank); }
  std::string round() override { return controller_.round(); }
  std::string resume() override { return controller_.resume(); }
  std::string add_breakpoint(const Breakpoint& at) override {
    return controller_.add_breakpoint(at);
  }
  std::string clear_breakpoints() override { return controller_.clear_breakpoints(); }
  void quit() override { controller_.quit(); }
  bool finished() override { return controller_.finished(); }

 private:
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
    ControlledRun target(controller);
    Input input(console, controller);
    run_step_prompt(
        target, [&] { return input.next_line(); },
        [&](const std::string& line) {
          console.print(line + "\n");
          std::fflush(stdout);
        });
  }
  job.get();
}

}  // namespace rankscope::cli
