#include "lessons/picture.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/error.h"
#include "engine/core/suggest.h"
#include "engine/diagrams/alltoall_schematic.h"
#include "engine/diagrams/buffer_grid.h"
#include "engine/diagrams/communication_graph.h"
#include "engine/diagrams/ruler.h"
#include "engine/diagrams/spacetime.h"
#include "engine/diagrams/statistics_table.h"
#include "engine/diagrams/traffic_matrix.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"spacetime", "grid",      "strip",     "graph",
                                                    "matrix",    "schematic", "statistics"};

// In values, as the questions ask for them, and no wider than a page.
BufferGridOptions grid_options() {
  constexpr double kWidth = 900;
  BufferGridOptions options;
  options.show = BufferGridOptions::Show::values;
  options.round = BufferGridOptions::kEnd;
  options.width = kWidth;
  return options;
}

}  // namespace

std::span<const std::string_view> picture_names() { return kNames; }

Scene picture_of(const Trace& trace, std::string_view name) {
  const Ruler& ruler = system_ruler();
  if (name == "spacetime") return spacetime(trace, SpacetimeOptions{}, ruler);
  if (name == "grid") return buffer_grid(trace, grid_options(), ruler);
  if (name == "strip") {
    BufferStripOptions options;
    options.grid = grid_options();
    return buffer_strip(trace, options, ruler);
  }
  if (name == "graph") return communication_graph(trace, GraphOptions{}, ruler);
  if (name == "matrix") return traffic_matrix(trace, MatrixOptions{}, ruler);
  if (name == "schematic") return alltoall_schematic(trace, SchematicOptions{}, ruler);
  if (name == "statistics") return statistics_table(trace, StatisticsOptions{}, ruler);
  const std::vector<std::string> known(kNames.begin(), kNames.end());
  const std::string meant = did_you_mean(name, known);
  throw UserError(fmt::format("there is no diagram '{}'{}{}", name, meant.empty() ? "" : "; ", meant));
}

std::string_view picture_for_view(std::string_view view) {
  if (view == "buffers") return "strip";
  if (view == "code") return "";
  return std::ranges::find(kNames, view) == kNames.end() ? "spacetime" : view;
}

std::string_view program_text(std::string_view algorithm) {
  std::string stem(algorithm);
  std::ranges::replace(stem, '.', '_');
  const EmbeddedSource* source = find_embedded_source(stem);
  return source == nullptr ? std::string_view{} : source->text;
}

}  // namespace rankscope
