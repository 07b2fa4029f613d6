// One line on a terminal that shows how far a long run is, and disappears at its end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::cli {

class ProgressLine {
 public:
  explicit ProgressLine(const Console& console);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// On a terminal, and only once a run has lasted a moment.
  void show(const RunProgress& progress);
  /// "120 of 300 graded", at once.
  void show(std::string_view text);
  void clear();

 private:
  const Console& console_;
  const bool enabled_;
  bool shown_ = false;
};

/// ", about 12 min left", when the last of `done` was ready after `last_s`, and it is `elapsed_s` now: while nothing gets
/// ready, the time grows shorter. Empty: it is too soon to know, or not worth saying, or the rest takes longer than others.
std::string time_left_text(std::size_t done, std::size_t all, double elapsed_s, double last_s);

/// "3.2 s  5 of 8 ranks done  1234 events  rank 2: blocked in recv from rank 1", at most `width`
/// columns.
std::string progress_text(const RunProgress& progress, int width);

}  // namespace rankscope::cli
