// What `rankscope bench` found for each release: a file of one line each, and its plot.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/profile/bench_goals.h"

namespace rankscope::cli {

/// One release on one machine: how many times as good as promised it was, by the goal's key.
struct BenchRelease {
  std::string version;
  std::string machine;
  std::map<std::string, double> scores = {};
};

/// "AMD EPYC, 2 processors".
std::string machine_name();

/// A CSV file with a head; a release without a figure has an empty field. Throws UserError with the line.
std::vector<BenchRelease> parse_history(std::string_view text, std::string_view file);
std::string history_text(const std::vector<BenchRelease>& releases);

/// Adds what was measured; the release's own line of the same machine is replaced. A goal that was not measured now
/// keeps its figure.
void add_release(std::vector<BenchRelease>& releases, std::string_view version,
                 std::string_view machine, const std::vector<Goal>& goals);

/// The same in a file, which need not exist. Throws UserError.
void add_to_history(const std::string& file, const std::vector<Goal>& goals);
/// The goals of the newest release beside earlier ones (history_plot.h), as SVG. Throws UserError: there is no file, or
/// nothing in it.
void plot_history(const std::string& history, const std::string& svg);

}  // namespace rankscope::cli
