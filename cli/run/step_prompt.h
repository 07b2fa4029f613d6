// The prompt of `rankscope run --step`: reads commands, drives the step gates.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/console.h"
#include "engine/run/step/step_controller.h"

namespace rankscope::cli {

/// A run that the prompt drives: a StepController, or a test's. Each order waits until the ranks stand still again and
/// returns in one line what happened.
struct StepTarget {
  virtual ~StepTarget() = default;
  virtual std::vector<std::string> where() = 0;  ///< A line for each rank and strand.
  /// `sender` -1 stands for the first in order, kAnyStrand for any strand.
  virtual std::string message(Rank sender, int strand) = 0;
  virtual std::string step(Rank rank, int strand) = 0;
  virtual std::string round() = 0;
  virtual std::string resume() = 0;
  virtual std::string add_breakpoint(const Breakpoint& breakpoint) = 0;
  virtual std::string clear_breakpoints() = 0;
  virtual void quit() = 0;
  virtual bool finished() = 0;
};

/// A typed command; `problem` says why a line is none.
struct StepCommand {
  enum class Kind { message, step, round, resume, breakpoint, clear, where, help, quit, none };
  Kind kind = Kind::none;
  Rank rank = -1;
  int strand = kAnyStrand;
  Breakpoint breakpoint;
  std::string problem;
};
/// An empty line repeats the last command, as debuggers have it.
StepCommand parse_step_command(std::string_view line, const StepCommand& last);

/// Returns the next line; nothing at the end of the input.
using LineSource = std::function<std::optional<std::string>()>;
/// Prints an answer.
using LineSink = std::function<void(const std::string&)>;

/// Prompts until the run is over or the user quits. At the end of the input the run continues without stops.
void run_step_prompt(StepTarget& target, const LineSource& next_line, const LineSink& say);

}  // namespace rankscope::cli
