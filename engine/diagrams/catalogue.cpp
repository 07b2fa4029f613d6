// The catalogue of diagrams: a row for each, and the functions that draw what a request asks for.
#include "engine/diagrams/catalogue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "engine/analysis/events/rounds.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/network/run_network.h"
#include "engine/diagrams/overlap/overlap_timeline.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/stage/stage.h"
#include "engine/diagrams/table/statistics_table.h"

namespace rankscope {
namespace {

using Motion = DiagramKind::Motion;

/// Returns a request's title: empty if the diagram needs none, unset if it should make its own.
std::optional<std::string> title_of(const DiagramRequest& request) {
  if (request.title.empty() && request.heading) return std::nullopt;
  return request.title;
}

// ---- Time x rank --------------------------------------------------------------------------------

Scene draw_spacetime(const TraceAnalysis& analysis, const DiagramRequest& request) {
  return spacetime(analysis, spacetime_options(request), system_ruler());
}

Scene spacetime_figure(const TraceAnalysis& analysis, const DiagramRequest& request) {
  constexpr double kLeastWidth = 420;
  DiagramRequest figure = request;
  if (figure.width > 0) figure.width = std::max(figure.width, kLeastWidth);
  return draw_spacetime(analysis, figure);
}

Scene draw_comparison(const TraceAnalysis& analysis, const DiagramRequest& request) {
  if (request.other == nullptr) throw UserError("a comparison needs a second trace: choose one");
  ComparisonOptions options;
  options.clock = spacetime_options(request).clock;
  options.labels = request.labels;
  options.portrait = request.portrait;
  options.title = title_of(request);
  return comparison(analysis, *request.other, options, system_ruler());
}

// ---- Buffers ------------------------------------------------------------------------------------

BufferGridOptions grid_options(const DiagramRequest& request) {
  BufferGridOptions options;
  options.show =
      request.values ? BufferGridOptions::Show::values : BufferGridOptions::Show::contributions;
  options.round = request.round < 0 ? BufferGridOptions::kEnd : request.round;
  if (request.round < 0) {
    options.first_round = request.first_step;
    options.last_round = request.last_step;
  }
  options.in_flight = request.round >= 0;
  options.heading = request.heading;
  options.title = request.title;
  options.ranks = request.ranks;
  options.width = request.width;
  return options;
}

Scene draw_grid(const TraceAnalysis& analysis, const DiagramRequest& request) {
  return buffer_grid(analysis, grid_options(request), system_ruler());
}

std::vector<Scene> draw_grids(const TraceAnalysis& analysis, const DiagramRequest& request,
                              int first, int last) {
  return buffer_grids(analysis, grid_options(request), first, last, system_ruler());
}

Scene draw_strip(const TraceAnalysis& analysis, const DiagramRequest& request) {
  BufferStripOptions options;
  options.grid = grid_options(request);
  options.grid.in_flight = false;
  const int last = request.last_step > 0 ? request.last_step : analysis.rounds().count;
  if (request.last_step > 0 || request.first_step > 1)
    for (int round = request.first_step; round <= last; ++round) options.rounds.push_back(round);
  return buffer_strip(analysis, options, system_ruler());
}

// A figure does not move, so it shows the buffers after each round, legible at the width of a page.
template <bool kValues>
Scene buffers_figure(const TraceAnalysis& analysis, const DiagramRequest& request) {
  constexpr double kPage = 1200;
  DiagramRequest strip = request;
  strip.values = kValues;
  if (strip.width <= 0) strip.width = kPage;
  return draw_strip(analysis, strip);
}

// ---- Who sends how much to whom ------------------------------------------------------------------

GraphOptions graph_options(const DiagramRequest& request) {
  GraphOptions options;
  options.round = std::max(request.round, 0);
  if (request.round < 0) {
    options.first_round = request.first_step;
    options.last_round = request.last_step;
  }
  options.title = title_of(request);
  return options;
}

Scene draw_graph(const TraceAnalysis& analysis, const DiagramRequest& request) {
  return communication_graph(analysis, graph_options(request), system_ruler());
}

std::vector<Scene> draw_graphs(const TraceAnalysis& analysis, const DiagramRequest& request,
                               int first, int last) {
  return communication_graphs(analysis, graph_options(request), first, last, system_ruler());
}

// Draws a diagram whose options are little more than its title.
template <class Options, Scene (*kDraw)(const TraceAnalysis&, const Options&, const Ruler&)>
Scene draw_titled(const TraceAnalysis& analysis, const DiagramRequest& request) {
  Options options;
  options.title = title_of(request);
  return kDraw(analysis, options, system_ruler());
}

constexpr auto kDrawMatrix = draw_titled<MatrixOptions, traffic_matrix>;
constexpr auto kDrawSchematic = draw_titled<SchematicOptions, alltoall_schematic>;

Scene draw_statistics(const TraceAnalysis& analysis, const DiagramRequest& request) {
  StatisticsOptions options;
  options.title = title_of(request);
  options.bounds_below = !request.heading;  // beside a text there is little room
  return statistics_table(analysis, options, system_ruler());
}

// Draws a panel per step of a training program; for other programs, the whole run.
Scene draw_overlap(const TraceAnalysis& analysis, const DiagramRequest& request) {
  const Trace& trace = analysis.trace();
  OverlapTimeline timeline;
  if (request.heading)
    timeline.title =
        request.title.empty() ? run_title(trace.meta(), trace.world_size()) : request.title;
  if (request.width > 0) timeline.width = request.width;
  for (const std::string& phase : phases_that_compute(trace))
    timeline.panels.push_back({.title = phase, .ranks = work_of_ranks(trace, phase)});
  if (timeline.panels.empty()) timeline.panels.push_back({.ranks = work_of_ranks(trace)});
  return overlap_timeline(timeline, system_ruler());
}

// Keeps its title, which says what is split and joined.
Scene schematic_figure(const TraceAnalysis& analysis, const DiagramRequest&) {
  return kDrawSchematic(analysis, {});
}

// ---- The network of a simulated run ---------------------------------------------------------------

Scene draw_network(const TraceAnalysis& analysis, const DiagramRequest& request) {
  NetworkLoadsOptions options;
  options.title = request.title;
  options.round = std::max(request.round, 0);
  options.pane = !request.heading;
  return network_loads(analysis, options, system_ruler());
}

// ---- Chunks moving between ranks -----------------------------------------------------------------

StageOptions stage_options(const DiagramRequest& request) {
  StageOptions options;
  options.width = request.width;
  options.height = request.height;
  options.heading = request.heading;
  options.title = request.title;
  options.values = request.values;
  return options;
}

// Draws a round under way, or the place where a run got stuck.
Scene draw_stage(const TraceAnalysis& analysis, const DiagramRequest& request) {
  constexpr double kUnderWay = 0.42;
  constexpr int kUsual = 2;  // where data that arrived in the first round goes on
  Stage stage(analysis, stage_options(request), system_ruler());
  if (request.round < 0 && stage.stuck()) return stage.at(stage.end());
  const int round = request.round < 0 ? std::min(kUsual, analysis.rounds().count) : request.round;
  return stage.at(round < 1 ? 0 : round - 1 + kUnderWay);
}

Scene stage_figure(const TraceAnalysis& analysis, const DiagramRequest& request) {
  constexpr double kLeastWidth = 480;
  DiagramRequest figure = request;
  if (figure.width > 0) figure.width = std::max(figure.width, kLeastWidth);
  if (figure.width > 0) figure.height = std::round(figure.width * 9 / 16);
  return draw_stage(analysis, figure);
}

std::vector<Scene> draw_stages(const TraceAnalysis& analysis, const DiagramRequest& request,
                               int first, int last, int between) {
  return stage_scenes(analysis, stage_options(request), first, last, between, system_ruler());
}

constexpr auto kDiagrams = std::to_array<DiagramKind>({
    {.name = "spacetime",
     .summary = "time-vs-rank: an arrow for each message",
     .options = "title ranks steps labels time portrait critical-path size",
     .motion = Motion::clock,
     .draw = draw_spacetime,
     .figure = spacetime_figure,
     .view = "spacetime",
     .follows = "time portrait critical-path",
     .aliases = "player"},
    {.name = "stage",
     .summary = "chunks moving between ranks, on the run's own topology",
     .options = "title steps round values size",
     .motion = Motion::between,
     .draw = draw_stage,
     .draw_between = draw_stages,
     .figure = stage_figure,
     .view = "stage",
     .follows = "round values"},
    {.name = "grid",
     .summary = "what the ranks' buffers hold after a round",
     .options = "title ranks steps round values contributions",
     .motion = Motion::rounds,
     .draw = draw_grid,
     .draw_rounds = draw_grids,
     .figure = buffers_figure<false>,
     .view = "buffers",
     .follows = "round values",
     .aliases = "table"},
    {.name = "strip",
     .summary = "the buffers after each round, on one page",
     .options = "title ranks steps values contributions",
     .draw = draw_strip,
     .figure = buffers_figure<true>},
    {.name = "graph",
     .summary = "who sends to whom in a round, or in all",
     .options = "title steps round",
     .motion = Motion::rounds,
     .draw = draw_graph,
     .draw_rounds = draw_graphs,
     .figure = draw_graph,
     .view = "graph",
     .follows = "round"},
    {.name = "matrix",
     .summary = "bytes from rank to rank",
     .options = "title",
     .draw = kDrawMatrix,
     .figure = kDrawMatrix,
     .view = "matrix"},
    {.name = "statistics",
     .summary = "rounds, messages, bytes and times, beside their lower bounds",
     .options = "title",
     .draw = draw_statistics,
     .figure = draw_statistics,
     .view = "statistics"},
    {.name = "overlap",
     .summary = "what each rank computes and communicates at the same time",
     .options = "title",
     .draw = draw_overlap,
     .figure = draw_overlap},
    {.name = "schematic",
     .summary = "what an all-to-all takes apart, sends and puts together",
     .options = "title",
     .draw = kDrawSchematic,
     .figure = schematic_figure,
     .view = "schematic"},
    {.name = "network",
     .summary = "a simulated run's network: how loaded its links are",
     .options = "title round",
     .draw = draw_network,
     .figure = draw_network,
     .view = "network",
     .follows = "round"},
    {.name = "compare",
     .summary = "two runs on one clock (--with FILE)",
     .options = "title labels time portrait with",
     .draw = draw_comparison,
     .view = "compare",
     .follows = "with"},
});

bool listed(std::string_view list, std::string_view word) noexcept {
  const auto words = words_in(list);
  return ranges::find(words, word) != words.end();
}

}  // namespace

std::span<const DiagramKind> diagrams() { return kDiagrams; }

bool DiagramKind::takes(std::string_view option) const noexcept { return listed(options, option); }
bool DiagramKind::shows(std::string_view option) const noexcept { return listed(follows, option); }

const DiagramKind* find_diagram(std::string_view name) noexcept {
  const auto means = [&](const DiagramKind& kind) {
    return kind.name == name || kind.view == name || listed(kind.aliases, name);
  };
  const auto found = name.empty() ? kDiagrams.end() : ranges::find_if(kDiagrams, means);
  return found == kDiagrams.end() ? nullptr : &*found;
}

std::vector<std::string_view> words_in(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

SpacetimeOptions spacetime_options(const DiagramRequest& request) {
  SpacetimeOptions options;
  options.clock =
      request.measured ? SpacetimeOptions::Clock::measured : SpacetimeOptions::Clock::rounds;
  options.labels = request.labels;
  options.portrait = request.portrait;
  options.critical_path = request.critical_path;
  options.heading = options.legend = request.heading;
  options.title = request.title;
  options.ranks = request.ranks;
  options.first_round = request.first_step;
  options.last_round = request.last_step;
  options.width = request.width;
  options.height = request.height;
  options.text_scale = request.text_scale;
  return options;
}

}  // namespace rankscope
