// Measures how long a program has been in no run, and says who was missing.
#include "cli/program/exec_limit.h"

#include <fmt/format.h>

namespace rankscope::cli {

bool ExecLimit::passed(const ProgramHost& host) {
  if (!text_.empty()) return true;
  const auto now = Clock::now();
  if (host.running() > 0) last_run_ = now;
  const bool began = host.started() > 0;
  const double limit = seconds_ + (began ? 0 : start_);
  if (std::chrono::duration<double>(now - last_run_).count() <= limit) return false;
  text_ = fmt::format("the program {} within {:g} s",
                      began ? "did not end after its last run" : "made no run", limit);
  for (const std::string& line : host.waiting()) text_ += "; " + line;
  return true;
}

}  // namespace rankscope::cli
