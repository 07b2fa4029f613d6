// Draws the pictures of lessons by name, and embeds SVG in pages.
#include "lessons/lesson/picture.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/catalogue.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/network/flow/link_bytes.h"
#include "engine/network/router.h"
#include "engine/run/job/job.h"
#include "engine/run/sim/changed_topology.h"
#include "lessons/text/base64.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// Null: a figure cannot be it.
const DiagramKind* figure_named(std::string_view name) {
  const DiagramKind* kind = find_diagram(name);
  return kind != nullptr && kind->name == name && kind->figure != nullptr ? kind : nullptr;
}

/// The one diagram that is not in the table: ranks may have other places in the topology, which only the job says.
constexpr std::string_view kNetwork = "network";

/// Virtual times are the same on every machine, so a page may show them.
bool is_simulated(const TraceAnalysis& analysis) {
  const std::string& job = analysis.trace().meta().job_json;
  try {
    return !job.empty() && job_from_json(job).is_simulated();
  } catch (const UserError&) {  // of another version
    return false;
  }
}

/// So many messages of a round cross in one place that labels would hide the arrows, and most have no room anyway.
bool is_too_dense_for_labels(const TraceAnalysis& analysis) {
  constexpr std::size_t kMostOfRank = 2;     // messages of a rank in a round
  constexpr std::size_t kMostOnClock = 300;  // where times say the place, and not rounds
  if (is_simulated(analysis)) return analysis.messages().size() > kMostOnClock;
  const auto places = static_cast<std::size_t>(analysis.rounds().count) *
                      static_cast<std::size_t>(analysis.trace().world_size());
  return analysis.messages().size() > kMostOfRank * places;
}

/// By link, of the busier direction: bytes carried over those that fit into the run's time.
std::vector<double> loads_of(const TraceAnalysis& analysis, const Topology& topology,
                             const std::vector<Rank>& places) {
  const Router router(topology);
  const auto place = [&](Rank rank) {
    return places.empty() ? rank : places[static_cast<std::size_t>(rank)];
  };
  std::vector<double> carried(2 * topology.links.size());
  std::vector<Hop> route;
  for (const MessageRecord& message : analysis.messages()) {
    route.clear();
    router.find(place(message.from), place(message.to), route);
    for (const Hop hop : route) {
      const auto link = static_cast<std::size_t>(hop.link);
      carried[2 * link + way_of(topology.links[link], hop)] += static_cast<double>(message.bytes);
    }
  }
  const double seconds = static_cast<double>(analysis.statistics().duration_ns) * 1e-9;
  std::vector<double> loads;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const double used = seconds_needed(topology.links[i], carried[2 * i], carried[2 * i + 1]);
    loads.push_back(seconds > 0 ? std::min(used / seconds, 1.0) : 0);
  }
  return loads;
}

/// Its links, and how much of their bandwidth the run used. The numbers are those of the topology, also where ranks have other
/// places.
Scene network_picture(const TraceAnalysis& analysis, bool heading) {
  const JobSpec job = job_from_json(analysis.trace().meta().job_json);
  if (!job.is_simulated() || job.topology.empty())
    throw UserError(
        "the diagram 'network' shows a simulated run's topology: give the run a 'topology'");
  const Topology topology = topology_of(job);
  if (topology.uniform_ranks > 0)
    throw UserError("a uniform network has no links to draw: choose another topology");
  const auto places = parse_placement(job.placement, topology.ranks());
  TopologyPictureOptions options;
  options.loads = loads_of(analysis, topology, places);
  options.pane = !heading;
  return topology_picture(topology, options, system_ruler());
}

}  // namespace

std::string picture_problem(std::string_view name) {
  if (name == kNetwork || figure_named(name) != nullptr) return {};
  std::vector<std::string> known{std::string(kNetwork)};
  for (const DiagramKind& kind : diagrams())
    if (kind.figure != nullptr) known.emplace_back(kind.name);
  return fmt::format(
      "there is no diagram '{}'{}", name,
      nearest_hint(name, known, fmt::format("there are {}", fmt::join(known, ", "))));
}

Scene picture_of(const TraceAnalysis& analysis, std::string_view name, double width,
                 double height) {
  if (name == kNetwork) return network_picture(analysis, width <= 0);
  const DiagramKind* kind = figure_named(name);
  if (kind == nullptr) throw UserError(picture_problem(name));
  DiagramRequest request;
  request.width = width;
  request.height = height;
  request.heading = width <= 0;
  request.measured = is_simulated(analysis);
  if (name == "spacetime" && is_too_dense_for_labels(analysis))
    request.labels = SpacetimeOptions::Labels::none;
  return kind->figure(analysis, request);
}

bool has_moments(std::string_view name) {
  const DiagramKind* kind = figure_named(name);
  return kind != nullptr && kind->options.find("contributions") != std::string_view::npos;
}

Scene moments_of(const TraceAnalysis& analysis, std::string_view name, int first, int last,
                 double width, double height) {
  const DiagramKind* kind = figure_named(name);
  if (kind == nullptr) throw UserError(picture_problem(name));
  DiagramRequest request;
  request.width = width;
  request.height = height;
  request.heading = false;
  request.first_step = first;
  request.last_step = last;
  if (last > 0) return kind->figure(analysis, request);
  request.round = 0;  // the steps of a figure end after one, at least
  request.values = name == "strip";
  return kind->draw(analysis, request);
}

std::string svg_data_url(std::string_view svg) {
  return "data:image/svg+xml;base64," + base64(svg);
}

std::string_view picture_for_view(std::string_view view) {
  if (view == "code") return "";
  const DiagramKind* kind = find_diagram(view);
  if (kind != nullptr && kind->view == "buffers") return "strip";  // what changes: all of it
  return kind == nullptr || kind->figure == nullptr ? "spacetime" : kind->name;
}

std::string picture_shown_by(const Lesson& lesson, const Block& block) {
  if (block.kind == Block::Kind::run) {
    const LessonRun* const run = lesson.find_run(block.id);
    const std::string_view picture = run == nullptr ? "" : picture_for_view(run->view);
    return std::string(picture.empty() ? "code" : picture);
  }
  const LessonFigure* const figure = lesson.find_figure(block.id);
  return figure != nullptr && figure->file.empty() ? figure->diagram : block.id;
}

std::string_view program_text(std::string_view algorithm) {
  std::string stem(algorithm);
  std::ranges::replace(stem, '.', '_');
  const EmbeddedSource* source = find_embedded_source(stem);
  return source == nullptr ? std::string_view{} : source->text;
}

}  // namespace rankscope
