// The time limit of a program outside of runs, which have limits of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {

class ExecLimit {
 public:
  /// Until its first rank joins, a program that computes has up to `start` seconds more, to import modules on a busy machine.
  explicit ExecLimit(double seconds, double start = 60) : seconds_(seconds), start_(start) {}
  /// Returns whether the program was outside of runs for too long. Call it repeatedly; `cpu_s` returns the CPU seconds of its
  /// processes.
  bool passed(const ProgramHost& host, const std::function<double()>& cpu_s);
  /// Returns why the limit has passed; else empty.
  const std::string& text() const noexcept { return text_; }

 private:
  bool computes(Clock::time_point now, const std::function<double()>& cpu_s);

  const double seconds_, start_;
  bool joined_ = false;                      ///< A rank has joined.
  std::optional<Clock::time_point> looked_;  ///< When the processor time was last looked at.
  double cpu_s_ = 0;
  bool computed_ = true;  ///< It computed in the second before `looked_`.
  /// When a run last went on, else the first join or the start.
  Clock::time_point last_run_ = Clock::now();
  std::string text_;
};

}  // namespace rankscope::cli
