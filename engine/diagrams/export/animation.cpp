// Makes a flipbook of a diagram: on its clock, or one scene a round.
#include "engine/diagrams/export/animation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/events/rounds.h"
#include "engine/analysis/narration/narration.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostMoments = 400;  // in a diagram that is redrawn for each
constexpr int kMostRanksBelow = 16;        // with buffers below the time-vs-rank diagram
constexpr std::size_t kMostRoundsBelow = 64;
constexpr std::size_t kMostMarks = 300'000;  // of all scenes together
constexpr std::size_t kMostMarksOfVideo = 800'000;
constexpr int kMostBetween = 16, kMostBetweenOfVideo = 48;  // 30 a second for kPace
constexpr double kPace = 1.6;  // lift off, travel, dock, be added: more to follow than an arrow

// Returns the scenes per moment: enough for smooth motion, few enough for a long run of many ranks.
int scenes_between(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, std::size_t moments, bool for_video) {
  const int round = request.first_step;
  const auto marks = kind.draw_between(analysis, request, round - 1, round, 1).back().marks.size();
  const std::size_t most = for_video ? kMostMarksOfVideo : kMostMarks;
  const std::size_t room = most / std::max<std::size_t>(marks * moments, 1);
  const int most_between = for_video ? kMostBetweenOfVideo : kMostBetween;
  return static_cast<int>(std::clamp<std::size_t>(room, 1, static_cast<std::size_t>(most_between)));
}

// Draws the scenes of each moment: after first - 1, first, ... last rounds.
Flipbook::Panel drawn_by_round(const DiagramKind& kind, const TraceAnalysis& analysis,
                               const DiagramRequest& request, std::size_t moments,
                               bool for_video = false) {
  const int first = request.first_step - 1, last = first + static_cast<int>(moments) - 1;
  DiagramRequest of_rounds = request;
  of_rounds.round = first;
  if (kind.motion == DiagramKind::Motion::rounds)
    return {kind.draw_rounds(analysis, of_rounds, first, last), 1};
  const int between = scenes_between(kind, analysis, of_rounds, moments, for_video);
  return {kind.draw_between(analysis, of_rounds, first, last, between), between};
}

void add_buffers(Flipbook& book, const TraceAnalysis& analysis, const DiagramRequest& request) {
  const DiagramKind* grid = find_diagram("grid");
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

Flipbook animation(const DiagramKind& kind, const TraceAnalysis& analysis,
                   const DiagramRequest& request, bool with_buffers, bool for_video) {
  using Motion = DiagramKind::Motion;
  if (kind.motion == Motion::none || analysis.trace().world_size() <= 1 ||
      analysis.rounds().count == 0)  // nothing is sent, so nothing moves
    return motionless(kind.draw(analysis, request));
  if (kind.motion == Motion::clock) {
    Scene scene = kind.draw(analysis, request);
    if (scene.clock_end > 0) {
      Flipbook book =
          flipbook_of(analysis, std::move(scene), !request.measured, request.first_step);
      if (!request.measured) narrate(book, analysis, request.first_step);
      if (with_buffers) add_buffers(book, analysis, request);
      return book;
    }
    return motionless(std::move(scene));  // an overview of a run too large for single arrows
  }
  Flipbook book;
  book.moments = round_moments(analysis, request.first_step, request.last_step);
  if (book.moments.size() > kMostMoments)
    throw UserError(
        fmt::format("{} steps are too many to be played one by one: choose at most {} "
                    "with --steps A:B",
                    book.moments.size() - 1, kMostMoments - 1));
  narrate(book, analysis, request.first_step);
  book.panels.push_back(drawn_by_round(kind, analysis, request, book.moments.size(), for_video));
  if (kind.motion == Motion::between) book.pace = kPace;
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

namespace {

constexpr int kMostDescribed = 32;  // steps
constexpr double kCaptionEdge = 14, kCaptionLine = 20;

}  // namespace

void narrate(Flipbook& book, const TraceAnalysis& analysis, int first_step) {
  if (analysis.large()) return;
  const Narration narration(analysis);
  for (std::size_t i = 0; i < book.moments.size(); ++i) {
    const int step = first_step - 1 + static_cast<int>(i);
    if (i == 0 && step > 0) continue;  // "before step 3"
    if (step > narration.steps()) return;
    std::string& caption = book.moments[i].caption;
    caption = narration.sentence(step);
    if (step > 0 && step == narration.steps() && narration.went_wrong())
      caption += " " + narration.sentence(step + 1);
  }
}

void show_captions(Flipbook& book) {
  double width = 0;
  for (const auto& panel : book.panels) width = std::max(width, panel.scenes.front().width);
  const Ruler& ruler = system_ruler();
  std::vector<std::vector<std::string>> texts;
  std::size_t most = 1;
  for (const auto& moment : book.moments) {
    texts.push_back(wrapped(moment.caption, kBody, width - 2 * kCaptionEdge, ruler));
    most = std::max(most, texts.back().size());
  }
  book.captions.clear();
  for (const auto& lines : texts) {
    Scene& scene = book.captions.emplace_back();
    scene.width = width;
    scene.height = kCaptionLine * static_cast<double>(most) + kCaptionEdge;
    Drawing pen(scene, ruler);
    double y = 0;
    for (const std::string& line : lines) pen.text(line, {kCaptionEdge, y += kCaptionLine}, kBody);
  }
}

std::string described(const std::string& description, const TraceAnalysis& analysis, int step) {
  if (analysis.large() || analysis.trace().size() == 0) return description;
  const Narration narration(analysis);
  std::string text = description;
  const auto add = [&](int number) {
    if (!text.empty()) text += '\n';
    if (number > 0 && number <= narration.steps()) text += fmt::format("Step {}. ", number);
    text += narration.sentence(number);
  };
  if (step >= 0) {
    add(step);
    return text;
  }
  const bool all = narration.steps() <= kMostDescribed;
  for (int number = 0; number <= narration.steps() + 1; ++number)
    if (all || number == 0 || number > narration.steps()) add(number);
  return text;
}

}  // namespace rankscope
