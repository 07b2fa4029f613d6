// Writes and clears the progress line; writes the file of --output whole or not at all.
#include "cli/terminal/output.h"

#include <cerrno>
#include <cmath>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"

namespace rankscope::cli {
namespace {

constexpr double kLongRun = 0.7;  // seconds

}  // namespace

ProgressLine::ProgressLine(const Console& console)
    : console_(console), enabled_(console.err_is_terminal() && !console.quiet()) {}

std::string time_left_text(std::size_t done, std::size_t all, double elapsed_s, double last_s) {
  constexpr std::size_t kFewest = 3;
  constexpr double kSoonest = 5, kMinute = 60, kInSeconds = 90;
  if (done < kFewest || done >= all || elapsed_s < kSoonest) return "";
  const double left = last_s / static_cast<double>(done) * static_cast<double>(all) - elapsed_s;
  if (left <= 0) return "";
  if (left < kInSeconds) return fmt::format(", about {:.0f} s left", std::ceil(left));
  return fmt::format(", about {:.0f} min left", std::ceil(left / kMinute));
}

void ProgressLine::show(const RunProgress& progress) {
  if (progress.elapsed_s < kLongRun) return;
  std::string text = fmt::format("{:.1f} s  {} of {} ranks done  {} events", progress.elapsed_s,
                                 progress.ranks_done, progress.world_size, progress.events);
  // One rank at a time, each for a second, as a line has no room for all.
  if (!progress.ranks.empty()) {
    const auto rank = static_cast<std::size_t>(progress.elapsed_s) % progress.ranks.size();
    text += fmt::format("  rank {}: {}", rank, progress.ranks[rank]);
  }
  show(text);
}

void ProgressLine::show(std::string_view text) {
  if (!enabled_) return;
  shown_ = true;
  std::string line = console_.err().text(text);
  while (!line.empty() && display_width(line) >= console_.width()) {
    // Removes a whole code point.
    while ((static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) line.pop_back();
    line.pop_back();
  }
  std::fputs(("\r\x1b[K" + line).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void write_whole(const std::string& path, const std::function<void(std::ostream&)>& contents) {
  NewFile file(path, "Choose another place with --output.");
  file.write(contents);
  file.finish();
}

void write_whole(const std::string& path, std::string_view bytes) {
  write_whole(path, [&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

void need_file_name(const std::string& output) {
  if (output.empty()) throw UserError("--output: the name of the file is empty");
}

void check_stdout() {
  std::cout.flush();
  if (!std::cout)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                            "cannot write to the standard output");
}

}  // namespace rankscope::cli
