// The history of speed: a file with the figures of each release, and its plot.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench.h"
#include "engine/diagrams/scene/ruler.h"

namespace rankscope::cli {

/// The scores of a release on one machine: how many times as good as promised it was, by the goal's key.
struct BenchRelease {
  std::string version;
  std::string machine;
  std::map<std::string, double> scores = {};
};

/// Returns the name of this machine: "AMD EPYC, 2 processors".
std::string machine_name();

/// Reads a CSV file with a head, in which a missing figure is an empty field. Throws UserError with the line.
std::vector<BenchRelease> parse_history(std::string_view text, std::string_view file);
std::string history_text(const std::vector<BenchRelease>& releases);

/// Adds what was measured to the release's line for this machine. A goal that was not measured now keeps its figure.
void add_release(std::vector<BenchRelease>& releases, std::string_view version,
                 std::string_view machine, const std::vector<Goal>& goals);

/// Does the same in a file, which need not exist. Throws UserError.
void add_to_history(const std::string& file, const std::vector<Goal>& goals);

/// Draws the goals of the newest release's machine: a row for each, best first, on one logarithmic axis with a line at 1,
/// which is what is promised. The newest figure is a disc, or a ring where the goal is missed; earlier ones are ticks.
/// `releases` are from old to new, with at least one figure.
Scene history_plot(const std::vector<BenchRelease>& releases, const Ruler& ruler);
/// Writes this picture of a file as SVG. Throws UserError for a missing file and for one without figures.
void plot_history(const std::string& history, const std::string& svg);

}  // namespace rankscope::cli
