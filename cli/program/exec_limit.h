// The time limit of a program that is in no run: a run has one of its own.
#pragma once

#include <string>

#include "engine/core/base/deadline.h"
#include "engine/run/conductor/program_host.h"

namespace rankscope::cli {

class ExecLimit {
 public:
  /// A program has `start` seconds more until its first run: to import what it needs, on a machine that is busy.
  explicit ExecLimit(double seconds, double start = 60) : seconds_(seconds), start_(start) {}
  /// To be called again and again while the program runs. True once it made no run, or was in none any more, for too
  /// long.
  bool passed(const ProgramHost& host);
  /// Why the program was ended; empty as long as it was not.
  const std::string& text() const noexcept { return text_; }

 private:
  const double seconds_, start_;
  Clock::time_point last_run_ = Clock::now();  ///< When one went on, or the program began.
  std::string text_;
};

}  // namespace rankscope::cli
