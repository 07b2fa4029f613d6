#include "lessons/lesson/picture.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"
#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "engine/diagrams/table/statistics_table.h"

namespace rankscope {
namespace {

constexpr std::array<std::string_view, 7> kNames = {"spacetime", "grid",      "strip",     "graph",
                                                    "matrix",    "schematic", "statistics"};

// After each round; so wide that it is still read when it is as wide as a page.
Scene buffers(const TraceAnalysis& analysis, BufferGridOptions::Show show) {
  constexpr double kWidth = 1200;
  BufferStripOptions options;
  options.grid.show = show;
  options.grid.width = kWidth;
  return buffer_strip(analysis, options, system_ruler());
}

}  // namespace

std::span<const std::string_view> picture_names() { return kNames; }

std::string picture_problem(std::string_view name) {
  if (std::ranges::find(kNames, name) != kNames.end()) return {};
  const std::vector<std::string> known(kNames.begin(), kNames.end());
  const std::string meant = did_you_mean(name, known);
  return fmt::format("there is no diagram '{}'; {}", name,
                     meant.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : meant);
}

Scene picture_of(const TraceAnalysis& analysis, std::string_view name) {
  const Ruler& ruler = system_ruler();
  if (name == "spacetime") return spacetime(analysis, SpacetimeOptions{}, ruler);
  if (name == "grid") return buffers(analysis, BufferGridOptions::Show::contributions);
  if (name == "strip") return buffers(analysis, BufferGridOptions::Show::values);
  if (name == "graph") return communication_graph(analysis, GraphOptions{}, ruler);
  if (name == "matrix") return traffic_matrix(analysis, MatrixOptions{}, ruler);
  if (name == "schematic") return alltoall_schematic(analysis, SchematicOptions{}, ruler);
  if (name == "statistics") return statistics_table(analysis, StatisticsOptions{}, ruler);
  throw UserError(picture_problem(name));
}

std::string svg_data_url(std::string_view svg) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "data:image/svg+xml;base64,";
  out.reserve(out.size() + svg.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < svg.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < svg.size() ? static_cast<unsigned char>(svg[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > svg.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63U];
  }
  return out;
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
