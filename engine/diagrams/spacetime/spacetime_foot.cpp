// Writes the labels and the caption of a time-vs-rank diagram and draws its legend.
#include "engine/diagrams/spacetime/spacetime_foot.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope {

std::vector<std::string> label_texts(const SpacetimeModel::Arrow& arrow,
                                     SpacetimeOptions::Labels labels) {
  using Labels = SpacetimeOptions::Labels;
  std::vector<std::string> texts;
  const std::string chunk = arrow.route.empty() ? arrow.piece.label() : arrow.route,
                    bytes = amount_text(arrow.bytes);
  if (labels == Labels::none || arrow.bytes == 0) return texts;
  if (labels == Labels::all && !chunk.empty()) texts.push_back(chunk + " · " + bytes);
  if (labels != Labels::bytes && !chunk.empty()) texts.push_back(chunk);
  if (labels == Labels::bytes || chunk.empty()) texts.push_back(bytes);
  return texts;
}

std::string common_label(const SpacetimeModel& model, const std::vector<LabelRequest>& requests) {
  constexpr std::size_t kManyLanes = 16;
  std::string common;
  if (model.lanes.size() < kManyLanes) return common;
  for (const LabelRequest& one : requests) {
    if (one.texts.empty()) continue;
    if (common.empty()) common = one.texts.front();
    if (one.texts.front() != common) return {};
  }
  return common;
}

double forever_until(const SpacetimeModel& model) {
  double until = 0;
  for (const SpacetimeModel::Span& span : model.spans)
    if (span.forever) until = std::max(until, span.end);
  return until;
}

std::string spacetime_caption(const SpacetimeModel& model, bool rounds, int labels_left_out,
                              const std::string& common) {
  std::string text = model.outcome.empty() ? "" : model.outcome + " · ";
  if (model.unreceived > 0)
    text += counted(model.unreceived, "message") + " " + model.unreceived_words + " · ";
  if (model.waiting > 0)
    text += fmt::format("{} {} for ever · ", counted(model.waiting, "message"),
                        model.waiting == 1 ? "waits" : "wait");
  if (model.under_way > 0) text += counted(model.under_way, "message") + " on the way · ";
  const int steps = model.last_round - model.first_round + 1;
  const auto sent = static_cast<std::uint64_t>(ranges::count_if(
      model.arrows, [](const auto& arrow) { return !arrow.hidden && !arrow.offered; }));
  text += fmt::format("{} · {} · {} in all, {} from the busiest rank",
                      counted(static_cast<std::uint64_t>(steps), "step"), counted(sent, "message"),
                      amount_text(model.total_bytes), amount_text(model.busiest_bytes));
  if (!rounds) text += " · " + microseconds_text(model.run_end);
  if (!common.empty()) text += " · each: " + common;
  if (labels_left_out > 0)
    text += fmt::format(" · {} left out",
                        counted(static_cast<std::uint64_t>(labels_left_out), "label"));
  return text;
}

std::vector<LegendKey> spacetime_keys(const SpacetimeModel& model, bool rounds) {
  using Look = LegendKey::Look;
  std::vector<LegendKey> keys{{Look::message, Tone::muted, "message"}};
  if (model.unreceived > 0)
    keys.push_back({model.lost ? Look::waits : Look::lost, Tone::error, model.unreceived_words});
  if (rounds && model.waiting > 0) keys.push_back({Look::waits, Tone::muted, "on offer"});
  if (ranges::any_of(model.arrows, &SpacetimeModel::Arrow::offered))
    keys.push_back({Look::waits, Tone::muted, "offered: click to release"});
  else if (model.under_way > 0) keys.push_back({Look::waits, Tone::muted, "on its way"});
  if (ranges::any_of(model.arrows, &SpacetimeModel::Arrow::critical))
    keys.push_back({Look::critical, Tone::accent, "critical path"});
  const auto span = [&](Tone tone, const char* text) {
    if (ranges::any_of(model.spans, [&](const auto& s) { return s.tone == tone; }))
      keys.push_back({Look::span, tone, text});
  };
  span(Tone::reducing, "combined (reduction)");
  span(Tone::copying, rounds ? "stored" : "copied");
  span(Tone::computing, "computing");
  span(Tone::blocked, "blocked");
  const auto lost = [](const auto& s) { return s.forever && s.label.ends_with("lost"); };
  const auto stuck = [&](const auto& s) { return s.forever && s.tone == Tone::error && !lost(s); };
  if (ranges::any_of(model.spans, stuck))
    keys.push_back({Look::forever, Tone::error, "blocked for ever"});
  if (ranges::any_of(model.spans, lost)) keys.push_back({Look::forever, Tone::error, "lost"});
  if (ranges::any_of(model.spans, &SpacetimeModel::Span::beside))
    keys.push_back({Look::span, Tone::chunk, "communicating beside"});
  return keys;
}

void paint_key(Drawing& d, const LegendKey& key, Point at, double scale) {
  const Point left{at.x, at.y - 4 * scale}, right{at.x + 24 * scale, at.y - 4 * scale};
  switch (key.look) {
    case LegendKey::Look::message: d.arrow(left, right, {Tone::muted}, 1.5); break;
    case LegendKey::Look::lost: d.arrow(left, right, {Tone::error}, 1.5).dotted = true; break;
    case LegendKey::Look::waits: d.arrow(left, right, {Tone::muted}, 1.5).dotted = true; break;
    case LegendKey::Look::forever: {
      Mark& mark = d.box({at.x + 2 * scale, at.y - 9 * scale, 20 * scale, 10 * scale},
                         Ink{key.tone, 0, 0.22F}, Ink{key.tone}, 2);
      mark.hatched = mark.dotted = true;
      break;
    }
    case LegendKey::Look::critical:
      d.line(left, right, {Tone::accent, 0, 0.35F}, 6.5);
      d.arrow(left, right, {Tone::muted}, 1.5);
      break;
    case LegendKey::Look::span: {
      const Box box{at.x + 4 * scale, at.y - 8 * scale, 16 * scale, 8 * scale};
      Mark& mark = d.box(box, Ink{key.tone}, {}, 2);
      if (key.tone == Tone::blocked) mark.hatched = true;
    }
  }
}

}  // namespace rankscope
