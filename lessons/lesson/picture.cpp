// Draws the pictures of lessons by name, and embeds SVG in pages.
#include "lessons/lesson/picture.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/catalogue.h"
#include "engine/run/job/job.h"
#include "lessons/text/encodings.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// The diagram of this name; null when no figure can show it.
const DiagramKind* figure_named(std::string_view name) {
  const DiagramKind* kind = find_diagram(name);
  return kind != nullptr && kind->name == name && kind->figure != nullptr ? kind : nullptr;
}

/// Virtual times are the same on every machine, so a page may show them.
bool is_simulated(const TraceAnalysis& analysis) {
  const auto& job = analysis.trace().meta().job;
  return job && job->is_simulated();
}

/// Returns whether messages lie so close that labels would hide the arrows.
bool is_too_dense_for_labels(const TraceAnalysis& analysis) {
  constexpr std::size_t kMostOfRank = 2;     // messages per rank and round
  constexpr std::size_t kMostOnClock = 300;  // when placed by time, not by round
  if (is_simulated(analysis)) return analysis.messages().size() > kMostOnClock;
  const auto places = static_cast<std::size_t>(analysis.rounds().count) *
                      static_cast<std::size_t>(analysis.trace().world_size());
  return analysis.messages().size() > kMostOfRank * places;
}

}  // namespace

std::string picture_problem(std::string_view name) {
  if (figure_named(name) != nullptr) return {};
  std::vector<std::string> known;
  for (const DiagramKind& kind : diagrams())
    if (kind.figure != nullptr) known.emplace_back(kind.name);
  return fmt::format(
      "there is no diagram '{}'{}", name,
      nearest_hint(name, known, fmt::format("there are {}", fmt::join(known, ", "))));
}

Scene picture_of(const TraceAnalysis& analysis, std::string_view name, double width,
                 double height) {
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
  request.round = 0;  // a figure by steps ends after the first at the earliest
  request.values = name == "strip";
  return kind->draw(analysis, request);
}

std::string svg_data_url(std::string_view svg) {
  return "data:image/svg+xml;base64," + base64(svg);
}

std::string_view picture_for_view(std::string_view view) {
  if (view == "code") return "";
  const DiagramKind* kind = find_diagram(view);
  if (kind != nullptr && kind->view == "buffers") return "strip";
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
  const EmbeddedSource* source = source_of_algorithm(algorithm);
  return source == nullptr ? std::string_view{} : source->text;
}

std::optional<double> start_round(std::string_view at) noexcept {
  if (at.empty()) return 0;
  if (at == "end") return std::numeric_limits<double>::infinity();
  constexpr std::string_view kRound = "round ";
  if (!at.starts_with(kRound)) return std::nullopt;
  at.remove_prefix(kRound.size());
  const auto round = as_number<int>(at);
  return round && *round >= 0 ? round : std::nullopt;
}

std::string view_problem(std::string_view view) {
  std::vector<std::string> known;
  for (const DiagramKind& kind : diagrams()) {
    if (kind.figure == nullptr || kind.view.empty()) continue;
    known.emplace_back(kind.view);
    for (const std::string_view alias : words_in(kind.aliases)) known.emplace_back(alias);
  }
  known.emplace_back("code");
  if (view.empty() || ranges::find(known, view) != known.end()) return {};
  return fmt::format(
      "there is no view '{}'{}", view,
      nearest_hint(view, known, fmt::format("there are {}", fmt::join(known, ", "))));
}

}  // namespace rankscope
