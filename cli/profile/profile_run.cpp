// The progress line of a profile, and its records as files.
#include "cli/profile/profile_run.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope::cli {
namespace {

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out)
    throw UserError(
        fmt::format("cannot write {}: is the folder there, and may you write to it?", file));
}

}  // namespace

Profiler::Options profiler_options(const Console& console, int interrupt_fd) {
  Profiler::Options options;
  options.runner.interrupt_fd = interrupt_fd;
  if (console.err_is_terminal() && !console.quiet()) {
    options.on_progress = [&console](const ProfileProgress& progress) {
      const auto line = fmt::format("{} of {}  round {}/{}  {}", progress.done + 1, progress.total,
                                    progress.round, progress.rounds, progress.what);
      const auto width = static_cast<std::size_t>(std::max(20, console.width() - 1));
      fmt::print(stderr, "\r\033[K{}", line.substr(0, width));
      std::fflush(stderr);
    };
  }
  return options;
}

void clear_progress(const Console& console) {
  if (console.err_is_terminal() && !console.quiet()) fmt::print(stderr, "\r\033[K");
}

void write_records(const std::vector<ProfileRecord>& records, const std::string& csv,
                   const std::string& json) {
  if (!csv.empty()) write_text(csv, to_csv(records));
  if (!json.empty()) write_text(json, to_json(records));
}

}  // namespace rankscope::cli
