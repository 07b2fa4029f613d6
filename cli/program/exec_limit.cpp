// Measures how long a program has been in no run, and says who was missing.
#include "cli/program/exec_limit.h"

#include <fmt/format.h>

namespace rankscope::cli {
namespace {

/// Seconds to start and to import what it needs, before its time begins.
constexpr double kStart = 10;

}  // namespace

bool ExecLimit::passed(const ProgramHost& host) {
  if (!text_.empty()) return true;
  const auto now = Clock::now();
  if (host.running() > 0) last_run_ = now;
  const double start = host.started() == 0 ? kStart : 0;
  if (std::chrono::duration<double>(now - last_run_).count() <= seconds_ + start) return false;
  text_ =
      fmt::format("the program {} within {:g} s",
                  host.started() == 0 ? "made no run" : "did not end after its last run", seconds_);
  for (const std::string& line : host.waiting()) text_ += "; " + line;
  return true;
}

}  // namespace rankscope::cli
