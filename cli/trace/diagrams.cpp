#include "cli/trace/diagrams.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/sizes.h"
#include "cli/vocabulary.h"
#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"
#include "engine/diagrams/graph/alltoall_schematic.h"
#include "engine/diagrams/graph/communication_graph.h"
#include "engine/diagrams/graph/traffic_matrix.h"
#include "engine/diagrams/grid/buffer_grid.h"
#include "engine/diagrams/spacetime/comparison.h"
#include "engine/diagrams/table/statistics_table.h"

namespace rankscope::cli {
namespace {

using Motion = DiagramKind::Motion;

constexpr int kMostMoments = 400;    // of a diagram that is drawn anew for each
constexpr int kMostRanksBelow = 16;  // with buffers below the time-vs-rank diagram
constexpr int kMostRoundsBelow = 64;

Scene draw_spacetime(const TraceAnalysis& analysis, const DiagramRequest& request) {
  return spacetime(analysis, spacetime_options(request), system_ruler());
}

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
  options.legend = request.heading;
  options.title = request.title;
  options.ranks = request.ranks;
  options.width = request.width;
  return options;
}

Scene draw_grid(const TraceAnalysis& analysis, const DiagramRequest& request) {
  return buffer_grid(analysis, grid_options(request), system_ruler());
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

std::optional<std::string> title_of(const DiagramRequest& request) {
  return request.title.empty() ? std::nullopt : std::optional(request.title);
}

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

// Of a diagram whose options are little more than its title.
template <class Options, Scene (*kDraw)(const TraceAnalysis&, const Options&, const Ruler&)>
Scene draw_titled(const TraceAnalysis& analysis, const DiagramRequest& request) {
  Options options;
  options.title = title_of(request);
  return kDraw(analysis, options, system_ruler());
}

Scene draw_comparison(const TraceAnalysis& analysis, const DiagramRequest& request) {
  if (request.other == nullptr)
    throw UserError("--diagram compare needs a second trace: name it with --with FILE");
  ComparisonOptions options;
  options.clock = spacetime_options(request).clock;
  options.labels = request.labels;
  options.portrait = request.portrait;
  options.title = title_of(request);
  return comparison(analysis, *request.other, options, system_ruler());
}

constexpr auto kDiagrams = std::to_array<DiagramKind>({
    {"spacetime", "time-vs-rank: an arrow for each message",
     "title ranks steps labels time portrait critical-path size", Motion::clock, draw_spacetime},
    {"grid", "what the ranks' buffers hold after a round",
     "title ranks steps round values contributions", Motion::rounds, draw_grid},
    {"strip", "the buffers after each round, on one page", "title ranks steps values contributions",
     Motion::none, draw_strip},
    {"graph", "who sends to whom in a round, or in all", "title steps round", Motion::rounds,
     draw_graph},
    {"matrix", "bytes from rank to rank", "title", Motion::none,
     draw_titled<MatrixOptions, traffic_matrix>},
    {"statistics", "rounds, messages, bytes and times, beside their lower bounds", "title",
     Motion::none, draw_titled<StatisticsOptions, statistics_table>},
    {"schematic", "what an all-to-all takes apart, sends and puts together", "title", Motion::none,
     draw_titled<SchematicOptions, alltoall_schematic>},
    {"compare", "two runs on one clock (--with FILE)", "title labels time portrait with",
     Motion::none, draw_comparison},
});

std::vector<std::string> names() {
  std::vector<std::string> list;
  list.reserve(kDiagrams.size());
  for (const auto& kind : kDiagrams) list.emplace_back(kind.name);
  return list;
}

const DiagramKind* find(std::string_view name) {
  const auto found = std::ranges::find(kDiagrams, name, &DiagramKind::name);
  return found == kDiagrams.end() ? nullptr : &*found;
}

bool takes(const DiagramKind& kind, std::string_view option) {
  return fmt::format(" {} ", kind.options).find(fmt::format(" {} ", option)) != std::string::npos;
}

// One scene for each moment: after first - 1, first, ... last rounds.
Flipbook::Panel drawn_by_round(const DiagramKind& kind, const TraceAnalysis& analysis,
                               DiagramRequest request, std::size_t moments) {
  const int first = request.first_step - 1, last = first + static_cast<int>(moments) - 1;
  request.round = first;
  return {kind.draw == draw_graph
              ? communication_graphs(analysis, graph_options(request), first, last, system_ruler())
              : buffer_grids(analysis, grid_options(request), first, last, system_ruler())};
}

void add_buffers(Flipbook& book, const TraceAnalysis& analysis, const DiagramRequest& request) {
  const DiagramKind* grid = find("grid");
  const auto moments = book.moments.size();
  if (grid == nullptr || request.measured || analysis.trace().world_size() > kMostRanksBelow ||
      moments > kMostRoundsBelow)
    return;
  DiagramRequest below = request;
  below.heading = false;
  below.title.clear();
  below.height = 0;
  book.panels.push_back(drawn_by_round(*grid, analysis, below, moments));
}

}  // namespace

std::span<const DiagramKind> diagrams() { return kDiagrams; }

SpacetimeOptions spacetime_options(const DiagramRequest& request) {
  SpacetimeOptions options;
  options.clock =
      request.measured ? SpacetimeOptions::Clock::measured : SpacetimeOptions::Clock::rounds;
  options.labels = request.labels;
  options.portrait = request.portrait;
  options.critical_path = request.critical_path;
  options.title = request.title;
  options.ranks = request.ranks;
  options.first_round = request.first_step;
  options.last_round = request.last_step;
  options.width = request.width;
  options.height = request.height;
  options.text_scale = request.text_scale;
  return options;
}

const DiagramKind& diagram_named(const std::string& name) {
  if (const auto* kind = find(name)) return *kind;
  const auto guess = did_you_mean(name, names());
  std::string known;
  for (const auto& other : names()) known += (known.empty() ? "" : ", ") + other;
  throw UserError(fmt::format("--diagram: there is no diagram '{}'; there are: {}{}{}", name, known,
                              guess.empty() ? "" : "; ", guess));
}

void check_takes(const DiagramKind& kind, std::string_view option) {
  if (takes(kind, option)) return;
  std::vector<std::string_view> others;
  for (const auto& other : kDiagrams)
    if (takes(other, option)) others.push_back(other.name);
  throw UserError(fmt::format("--{} says nothing about the diagram '{}': it is for {}", option,
                              kind.name, fmt::join(others, ", ")));
}

std::string diagram_names() {
  std::string text;
  for (const auto& name : names()) text += (text.empty() ? "" : "|") + name;
  return text;
}

Flipbook animation(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, bool with_buffers) {
  if (analysis.trace().world_size() <= 1 ||
      analysis.rounds().count == 0)  // nothing is sent, so nothing moves
    return motionless(kind.draw(analysis, request));
  if (kind.motion == Motion::clock) {
    Scene scene = kind.draw(analysis, request);
    if (scene.clock_end > 0) {
      Flipbook book =
          flipbook_of(analysis, std::move(scene), !request.measured, request.first_step);
      if (with_buffers) add_buffers(book, analysis, request);
      return book;
    }
    return motionless(std::move(scene));  // an overview of a run too large for single arrows
  }
  if (kind.motion == Motion::none) return motionless(kind.draw(analysis, request));
  Flipbook book;
  book.moments = round_moments(analysis, request.first_step, request.last_step);
  if (book.moments.size() > kMostMoments)
    throw UserError(
        fmt::format("{} steps are too many to be played one by one: choose at most {} "
                    "with --steps A:B",
                    book.moments.size() - 1, kMostMoments - 1));
  book.panels.push_back(drawn_by_round(kind, analysis, request, book.moments.size()));
  book.title = book.panels[0].scenes[0].title;
  book.description =
      fmt::format("{}: {} moments, from the start to the end", book.title, book.moments.size());
  return book;
}

Flipbook motionless(Scene scene) {
  Flipbook book;
  book.title = scene.title;
  book.description = scene.description;
  book.moments.emplace_back();
  book.panels.push_back({{std::move(scene)}});
  return book;
}

std::vector<Rank> parse_ranks(std::string_view text, int world_size) {
  std::vector<Rank> ranks;
  if (world_size == 0) throw UserError("the trace is empty: it has no ranks to choose from");
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    const auto part = text.substr(at, end - at);
    const auto dash = part.find('-', 1);
    const auto first = parse_integer(part.substr(0, dash), "--ranks", 0, world_size - 1);
    const auto last = dash == std::string_view::npos
                          ? first
                          : parse_integer(part.substr(dash + 1), "--ranks", 0, world_size - 1);
    if (last < first)
      throw UserError(fmt::format("--ranks: the range '{}' ends before it starts", part));
    for (auto rank = first; rank <= last; ++rank) {
      if (std::ranges::find(ranks, static_cast<Rank>(rank)) != ranks.end())
        throw UserError(fmt::format("--ranks: rank {} is named twice", rank));
      ranks.push_back(static_cast<Rank>(rank));
    }
    at = end + 1;
  }
  return ranks;
}

std::pair<int, int> parse_steps(std::string_view text, int count) {
  if (count < 1) throw UserError("--steps: this run has no messages, so it has no steps");
  const auto number = [&](std::string_view part) {
    return static_cast<int>(parse_integer(part, "--steps", 1, count));
  };
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {number(text), number(text)};
  const auto first = text.substr(0, colon), last = text.substr(colon + 1);
  if (first.empty() && last.empty())
    throw UserError(fmt::format("--steps: ':' names no step; there are 1:{}", count));
  const std::pair range{first.empty() ? 1 : number(first), last.empty() ? 0 : number(last)};
  if (range.second != 0 && range.second < range.first)
    throw UserError(
        fmt::format("--steps: the range '{}' ends before it starts; there are 1:{}", text, count));
  return range;
}

}  // namespace rankscope::cli
