// The time limit of a program that is in no run: a run has one of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {

class ExecLimit {
 public:
  /// Until its first rank joins, a program has up to `start` seconds more, as long as it computes: to import what it needs, on
  /// a machine that is busy.
  explicit ExecLimit(double seconds, double start = 60) : seconds_(seconds), start_(start) {}
  /// To be called again and again while the program runs; `cpu_s` returns the processor time of its processes. True once it
  /// made no run, or was in none any more, for too long.
  bool passed(const ProgramHost& host, const std::function<double()>& cpu_s);
  /// Why the program was ended; empty as long as it was not.
  const std::string& text() const noexcept { return text_; }

 private:
  bool computes(Clock::time_point now, const std::function<double()>& cpu_s);

  const double seconds_, start_;
  bool joined_ = false;                      ///< Some rank waits for the others.
  std::optional<Clock::time_point> looked_;  ///< When the processor time was last looked at.
  double cpu_s_ = 0;
  bool computed_ = true;                       ///< In the second before.
  Clock::time_point last_run_ = Clock::now();  ///< When one went on, or the program began.
  std::string text_;
};

}  // namespace rankscope::cli
