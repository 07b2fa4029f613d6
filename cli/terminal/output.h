// The line on a terminal that shows the progress of a command, and the file that --output names.
#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "cli/terminal/console.h"
#include "engine/run/conductor/process_runner.h"

namespace rankscope::cli {

/// Shows nothing where the standard error is no terminal, or with --quiet.
class ProgressLine {
 public:
  explicit ProgressLine(const Console& console);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows a run's state: "3.2 s  5 of 8 ranks done  1234 events  rank 2: blocked in recv from rank 1", once it has lasted
  /// a moment.
  void show(const RunProgress& progress);
  /// Shows "120 of 300 graded" at once, or as much of it as the terminal is wide.
  void show(std::string_view text);
  bool is_enabled() const noexcept { return enabled_; }
  void clear();

 private:
  const Console& console_;
  const bool enabled_;
  bool shown_ = false;
};

/// Returns ", about 12 min left" at `elapsed_s`, by the pace of the `done` items, the last of which was ready at `last_s`. It
/// counts down until the next item. Returns "" for the first items and seconds, and when the estimate has run out.
std::string time_left_text(std::size_t done, std::size_t all, double elapsed_s, double last_s);

/// Writes a file whole or not at all. Throws UserError.
void write_whole(const std::string& path, const std::function<void(std::ostream&)>& contents);
void write_whole(const std::string& path, std::string_view bytes);

/// Throws UserError for an empty name.
void need_file_name(const std::string& output);

/// Flushes std::cout and throws when that fails, as a full disk must not look like success.
void check_stdout();

}  // namespace rankscope::cli
