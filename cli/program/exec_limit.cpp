// Measures how long a program has been in no run, and says who was missing.
#include "cli/program/exec_limit.h"

#include <fmt/format.h>

namespace rankscope::cli {

bool ExecLimit::computes(Clock::time_point now, const std::function<double()>& cpu_s) {
  constexpr double kBetween = 1, kShare = 0.02;
  const double since = looked_ ? std::chrono::duration<double>(now - *looked_).count() : kBetween;
  if (since < kBetween) return computed_;
  const double cpu = cpu_s();
  computed_ = !looked_ || cpu - cpu_s_ > kShare * since;
  cpu_s_ = cpu;
  looked_ = now;
  return computed_;
}

bool ExecLimit::passed(const ProgramHost& host, const std::function<double()>& cpu_s) {
  if (!text_.empty()) return true;
  const auto now = Clock::now();
  if (host.running() > 0) last_run_ = now;
  const bool began = host.started() > 0;
  if (!began && !joined_ && !host.waiting().empty()) {
    joined_ = true;
    last_run_ = now;
  }
  const double waited = std::chrono::duration<double>(now - last_run_).count();
  if (waited <= seconds_) return false;
  if (!began && !joined_ && waited <= seconds_ + start_ && computes(now, cpu_s)) return false;
  text_ = fmt::format("the program {} within {:g} s",
                      began ? "did not end after its last run" : "made no run",
                      waited > seconds_ + start_ ? seconds_ + start_ : seconds_);
  for (const std::string& line : host.waiting()) text_ += "; " + line;
  return true;
}

}  // namespace rankscope::cli
