// Draws lanes, phases, arrows and marks of a time-vs-rank diagram.
#include "engine/diagrams/spacetime/spacetime.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/scene/label_placer.h"
#include "engine/diagrams/spacetime/overview.h"
#include "engine/diagrams/spacetime/spacetime_geometry.h"
#include "engine/diagrams/spacetime/spacetime_model.h"

namespace rankscope {
namespace {

struct LegendKey {
  enum class Look : std::uint8_t { message, lost, waits, forever, critical, span };
  Look look = Look::message;
  Tone tone = Tone::muted;  ///< Tone of a span.
  std::string text;
};

/// Candidates for an arrow's label; the first that fits is taken.
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

/// Returns the label of all arrows if it would hide the pattern, among many ranks or in a low pane; empty if labels differ or
/// there is room.
std::string common_label(const SpacetimeModel& model, const std::vector<LabelRequest>& requests,
                         bool is_low) {
  constexpr std::size_t kManyLanes = 16;
  std::string common;
  if (!is_low && model.lanes.size() < kManyLanes) return common;
  for (const LabelRequest& one : requests) {
    if (one.texts.empty()) continue;
    if (common.empty()) common = one.texts.front();
    if (one.texts.front() != common) return {};
  }
  return common;
}

/// Returns the end of the spans of ranks that are blocked for ever or lost; 0 if there are none.
double forever_until(const SpacetimeModel& model) {
  double until = 0;
  for (const SpacetimeModel::Span& span : model.spans)
    if (span.forever) until = std::max(until, span.end);
  return until;
}

/// Whatever went wrong comes first, since a small page cuts the end. `common`: what each message carries.
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

/// Returns the keys of what the diagram has.
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

/// The sample of a key, 32 `scale` pixels wide, on this baseline.
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

using Model = SpacetimeModel;
using Clock = SpacetimeOptions::Clock;
using Labels = SpacetimeOptions::Labels;

constexpr double kCrowded = 16;  // lanes so narrow that what is on offer has no label
constexpr double kMarkRoom = 12, kMarkLength = 14, kTitleRoom = 640;

Ink ink_of(const Piece& piece) {
  if (piece.chunk() >= 0 && !piece.whole) return {Tone::chunk, piece.chunk()};
  return {piece.whole ? Tone::whole : Tone::muted};
}

class Layout : SpacetimeGeometry {
 public:
  Layout(const Model& model, const SpacetimeOptions& options, const Ruler& ruler)
      : SpacetimeGeometry(model, options, ruler) {}

  Scene draw() {
    measure(least_width(), widest_label());
    Scene scene = paint();
    // Only now is it known how many labels had no room; the caption that says so must not be cut.
    if (left_out_ > 0 && options_.width <= 0 && least_width() > width_) {
      measure(least_width(), widest_label());
      scene = paint();
    }
    return scene;
  }

 private:
  Scene paint() {
    Scene scene;
    scene.width = std::ceil(width_);
    scene.height = std::ceil(height_);
    scene.title = options_.title;
    scene.clock_end = model_.end;
    scene.clock_axis = clock_axis();
    Drawing drawing(scene, ruler_);
    head(drawing);
    phases(drawing);
    if (rounds()) steps(drawing);
    else times(drawing);
    lanes(drawing);
    spans(drawing);
    arrows(drawing);
    labels(drawing);
    foot(drawing);
    scene.description = fmt::format("{}. {}", options_.title, caption());
    return scene;
  }

  double widest_label() const {
    double widest = 0;
    for (const auto& arrow : model_.arrows)
      for (const auto& text : label_texts(arrow, options_.labels)) {
        widest = std::max(widest, ruler_.width(text, label_font()));
        break;
      }
    return widest;
  }

  // A title that is longer than the others is cut; the file's metadata has all of it.
  double least_width() const {
    const double title = ruler_.width(options_.title, font(21, Font::Weight::bold));
    const double texts = std::max({std::min(title, kTitleRoom * scale_),
                                   ruler_.width(caption(), font(13, Font::Weight::semibold)),
                                   options_.legend ? legend_width() : 0});
    return std::max(360 * scale_, texts + 2 * margin_ * scale_);
  }

  ClockAxis clock_axis() const {
    ClockAxis axis;
    const int knots = rounds() ? static_cast<int>(std::ceil(model_.end)) : 1;
    for (int i = 0; i <= std::max(knots, 1); ++i) {
      const double time = rounds() ? i : i * model_.end;
      axis.knots.push_back({time, at_edge(along(time), lane_begin())});
    }
    const double across = lane_end() - lane_begin();
    axis.across = at_edge(0, across);
    return axis;
  }

  // ---- Parts ----

  void head(Drawing& d) const {
    if (options_.title.empty()) return;
    const double margin = margin_ * scale_;
    const Font f = font(21, Font::Weight::bold);
    d.text(ruler_.fitted(options_.title, f, width_ - 2 * margin), {margin, margin + 16 * scale_},
           f);
  }

  void phases(Drawing& d) const {
    std::vector<std::string> seen;
    std::vector<int> times;
    for (const auto& phase : model_.phases) {
      const auto color = ranges::find(seen, phase.name) - seen.begin();
      if (color == std::ssize(seen)) seen.push_back(phase.name), times.push_back(0);
      const int time = ++times[static_cast<std::size_t>(color)];
      const double from = along(phase.begin) + 1,
                   size = std::max(1.0, along(phase.end) - along(phase.begin) - 2);
      const double row = (kBand + kBandGap) * scale_ * phase.row;
      d.new_group({time == 1 ? fmt::format("phase-{}", phase.name)
                             : fmt::format("phase-{}-{}", phase.name, time),
                   fmt::format("phase {}", phase.name)});
      const Font f = font(12, Font::Weight::semibold);
      const Box box = portrait() ? Box{margin_ * scale_ + row, from, kBand * scale_, size}
                                 : Box{from, top_ + row, size, kBand * scale_};
      d.box(box, Ink{Tone::phase, static_cast<int>(color)}, {}, 4 * scale_);
      const std::string name = fitted_phase(phase.name, size - 8 * scale_, ruler_.measure(f));
      if (name.empty()) continue;
      if (portrait()) d.upward(name, box.center(), f, {Tone::text});
      else d.level(name, box.center(), f, {Tone::text});
    }
    d.group(-1);
  }

  Point at_edge(double along, double across) const noexcept {
    return portrait() ? Point{across, along} : Point{along, across};
  }

  void grid_line(Drawing& d, double time) const {
    const double t = along(time);
    d.line(at_edge(t, lane_begin()), at_edge(t, lane_end()), {Tone::grid}, 1.2).dotted = true;
  }

  void tick(Drawing& d, double time, std::string text, const Font& f) const {
    const double t = along(time);
    if (portrait())
      d.text(std::move(text), {left_ - 8 * scale_, t + 0.36 * f.size}, f, {Tone::muted},
             Anchor::end);
    else if (t + ruler_.width(text, f) / 2 <= width_ - 2)
      d.text(std::move(text), {t, lane_end() + 16 * scale_}, f, {Tone::muted}, Anchor::middle);
  }

  void steps(Drawing& d) const {
    const int count = model_.last_round - model_.first_round + 1;
    double column = length_;
    for (int i = 0; i < count; ++i) column = std::min(column, along(i + 1) - along(i));
    const Font f = font(12);
    const auto widest = ruler_.width(fmt::format("step {}", model_.last_round), f) + 12;
    const double room = portrait() ? ruler_.height(f) + 4 : 0;
    const bool words = portrait() ? false : column >= widest;
    const double number = ruler_.width(fmt::format("{}", model_.last_round), f) + 6;
    const int every =
        std::max(1, static_cast<int>(std::ceil((portrait() ? room : number) / column)));
    for (int i = 0; i <= count; ++i)
      if (column >= 8 || i % every == 0 || i == count) grid_line(d, i);
    for (int i = 0; i < count; ++i) {
      const int step = model_.first_round + i;
      if (!words && i % every != 0) continue;
      tick(d, i + 0.5, words ? fmt::format("step {}", step) : fmt::format("{}", step), f);
    }
    if (const double forever = forever_until(model_); forever > count && words)
      tick(d, (count + forever) / 2, "for ever", f);
  }

  void times(Drawing& d) const {
    const Font f = font(12);
    const double step = round_figure((portrait() ? 48 : 96) * scale_ / length_ * model_.end);
    for (double t = 0; t <= model_.end * 1.0001; t += step) {
      grid_line(d, t);
      tick(d, t, t == 0 ? "0" : microseconds_text(t), f);
    }
  }

  void lanes(Drawing& d) const {
    const double thick = std::clamp(lane_pitch_ * 0.09, std::min(2.0, lane_pitch_ * 0.4), 7.0);
    const Font f = lane_font();
    const bool words = !portrait() || lane_names_width() + 4 <= lane_pitch_;
    const std::size_t every = label_every(words);
    for (std::size_t i = 0; i < model_.lanes.size(); ++i) {
      const int lane = static_cast<int>(i);
      d.box(span_box(0, model_.end, lane, thick), Ink{Tone::lane}, {}, thick / 2);
      const LiveBadge* const stands = options_.marks.badge(model_.lanes[i]);
      d.group(-1);
      if (stands != nullptr) d.new_group({fmt::format("rank-{}", model_.lanes[i]), stands->story});
      if (stands != nullptr && !portrait()) stand(d, *stands, lane);
      if (i % every != 0) continue;
      const std::string name =
          words ? lane_name(model_.lanes[i]) : fmt::format("{}", model_.lanes[i]);
      if (portrait()) d.level(name, {across(lane), time_zero_ - 14 * scale_}, f);
      else
        d.text(name, {left_ - 12 * scale_, across(lane) + 0.36 * f.size - (badges_below() ? 8 : 0)},
               f, {Tone::text}, Anchor::end);
    }
    d.group(-1);
  }

  // Draws where the rank is in its program: below its name, or as a sign beside it.
  void stand(Drawing& d, const LiveBadge& stands, int lane) const {
    const Point right{left_ - 12 * scale_, across(lane)};
    if (badges_below()) badge(d, stands, {right.x, right.y + 10}, font(12));
    else if (lane_pitch_ >= 8)
      badge_sign(d, stands.kind, {left_ - 6 * scale_, right.y}, std::min(lane_pitch_ / 3, 4.0));
  }

  std::size_t label_every(bool words) const {
    const Font f = lane_font();
    const double widest = ruler_.width(fmt::format("{}", std::ranges::max(model_.lanes)), f) + 4;
    const double room = !portrait() ? ruler_.height(f) : words ? 0 : widest;
    return static_cast<std::size_t>(std::max(1.0, std::ceil(room / lane_pitch_)));
  }

  // Draws a span to the end of the picture: the rank is blocked or lost.
  void forever(Drawing& d, const Model::Span& span, const std::string& id) const {
    const double thick = std::clamp(lane_pitch_ * 0.4, 1.5, 22 * scale_);
    const Box box = span_box(span.begin, span.end, span.lane, thick);
    // The span appears as soon as the cursor reaches the end of what happened.
    constexpr double kJustBefore = 0.01;
    const double ended = model_.arrows.empty() ? 0 : model_.run_end;
    d.new_group({id, span.story, std::min(span.begin, ended) - kJustBefore, span.end});
    const bool fault = span.tone == Tone::error;
    d.box(box, Ink{Tone::page}, {}, 3);  // no lane below it
    const Ink ink{fault ? Tone::error : Tone::muted};
    Mark& mark =
        d.box(box, Ink{span.tone, span.index, fault ? 0.22F : 0.5F}, ink, 3, thick < 8 ? 0.8 : 1.2);
    mark.dotted = mark.hatched = true;
    const Font f = font(12, Font::Weight::semibold);
    const double words = ruler_.width(span.label, f) + 12 * scale_;
    // Behind the arrows of the last step, or at the end.
    const double last = box.right() - words - 6 * scale_;
    const double from = rounds()
                            ? std::min(std::max(box.x, along(model_.run_end)) + 6 * scale_, last)
                            : box.x + 6 * scale_;
    if (portrait() || thick < ruler_.height(f) || last < box.x + 6 * scale_) return;
    const Box plate{from, box.y + 1.5, words, box.height - 3};
    d.box(plate, Ink{Tone::panel}, {}, 3);
    d.level(span.label, plate.center(), f, fault ? Ink{Tone::error} : Ink{Tone::text});
  }

  void spans(Drawing& d) const {
    const double thick = std::clamp(lane_pitch_ * 0.16, 3.0, 12.0);
    for (std::size_t i = 0; i < model_.spans.size(); ++i) {
      const auto& span = model_.spans[i];
      if (span.hidden) continue;
      if (span.forever) {
        forever(d, span, fmt::format("s{}", i));
        continue;
      }
      const double gap = rounds() ? 1 : 0;
      Box box = span_box(span.begin, span.end, span.lane,
                         span.tone == Tone::blocked ? thick * 0.7 : thick);
      if (!portrait()) box.x += gap;
      else box.y += gap;
      if (span.beside) (portrait() ? box.x : box.y) += thick + 1;
      if (rounds()) {  // this clock shows no durations
        double& long_side = portrait() ? box.height : box.width;
        long_side = std::min(long_side, kMarkLength * scale_);
      }
      d.new_group({fmt::format("s{}", i), span.story, span.begin, span.end});
      Mark& mark = d.box(box, Ink{span.tone, span.index}, {}, std::min(2.0, box.width / 2));
      if (span.tone == Tone::blocked) mark.hatched = true;
    }
    d.group(-1);
  }

  Point from(const Model::Arrow& a) const { return at(a.shown_begin, a.from); }
  Point to(const Model::Arrow& a) const { return at(a.shown_end, a.to); }
  double stroke() const noexcept { return std::clamp(lane_pitch_ / 32, 1.0, 2.0); }

  void arrows(Drawing& d) {
    groups_.clear();
    for (const auto& a : model_.arrows) {
      // Messages on offer have no time, so they do not fade with the future.
      groups_.push_back(a.hidden    ? -1
                        : a.offered ? d.new_group({a.id, a.story})
                                    : d.new_group({a.id, a.story, a.begin, a.end}));
      if (a.hidden) continue;
      if (a.waits && !rounds()) continue;  // it would lie on the bar of its sender
      if (a.critical) d.line(from(a), to(a), {Tone::accent, 0, 0.35F}, stroke() * 4.5);
      Mark& mark = d.arrow(from(a), to(a),
                           a.received || a.under_way || a.offered
                               ? ink_of(a.piece)
                               : Ink{a.waits || model_.lost ? Tone::muted : Tone::error},
                           stroke());
      mark.dotted = !a.received;
    }
    d.group(-1);
  }

  void labels(Drawing& d) {
    left_out_ = 0;
    const Box area{4, 4, width_ - 8, (portrait() ? height_ : lane_end() + 2) - 8};
    LabelPlacer placer(ruler_, label_font(), area);
    for (const Mark& mark : d.scene().marks)
      if (mark.kind == Mark::Kind::text) placer.block(mark.box);
    if (rounds())
      for (const auto& span : model_.spans)
        if (!span.forever) placer.avoid(span_box(span.begin, span.end, span.lane, kMarkRoom));
    std::vector<LabelRequest> requests;
    for (const auto& a : model_.arrows)
      requests.push_back(
          {from(a), to(a),
           (a.waits && (!rounds() || lane_pitch_ < kCrowded)) ||
                   (options_.labelled_round > 0 && a.round != options_.labelled_round)
               ? std::vector<std::string>()
               : label_texts(a, options_.labels)});
    common_ = pane() ? common_label(model_, requests, is_low()) : "";
    if (!common_.empty()) return;
    const auto places = placer.place(requests);
    std::size_t missing = 0, placed = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      placed += places[i] ? 1 : 0;
      if (places[i] || requests[i].texts.empty()) continue;
      ++missing;
      left_out_ += model_.arrows[i].hidden ? 0 : 1;
    }
    if (pane() &&
        missing > placed) {  // a few labels would hide the pattern; the pointer shows each
      left_out_ = 0;
      return;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i] || model_.arrows[i].hidden) continue;
      const auto& piece = model_.arrows[i].piece;
      const Ink fill = model_.arrows[i].waits ? Ink{Tone::muted} : ink_of(piece);
      const Ink ink = fill.tone == Tone::chunk ? Ink{Tone::on_chunk, fill.index} : Ink{Tone::page};
      d.group(groups_[i]);
      if (model_.arrows[i].offered) {  // hollow: it has not been sent
        d.box(places[i]->pill, Ink{Tone::page}, fill, places[i]->pill.height / 2, 1.4);
        d.level(places[i]->text, places[i]->pill.center(), label_font());
        continue;
      }
      d.box(places[i]->pill, fill, {}, places[i]->pill.height / 2);
      d.level(places[i]->text, places[i]->pill.center(), label_font(), ink);
    }
    d.group(-1);
  }

  // ---- Foot ----

  bool pane() const noexcept { return options_.may_grow && !options_.heading; }
  std::string caption() const { return spacetime_caption(model_, rounds(), left_out_, common_); }

  double key_width(const LegendKey& key) const {
    return 32 * scale_ + ruler_.width(key.text, font(12)) + 20 * scale_;
  }
  double legend_width() const {
    double x = 0;
    for (const LegendKey& key : spacetime_keys(model_, rounds())) x += key_width(key);
    return x;
  }

  void foot(Drawing& d) {
    if (!options_.foot) return;
    const double base = height_ - margin_ * scale_ * 0.6;
    const double room = width_ - 2 * margin_ * scale_;
    const Font f = font(13, Font::Weight::semibold);
    d.text(fitted_parts(caption(), room, ruler_.measure(f)), {margin_ * scale_, base}, f);
    if (!legend_) return;
    Point key_at{margin_ * scale_, base - 26 * scale_};
    for (const LegendKey& key : spacetime_keys(model_, rounds())) {
      const double next = key_at.x + key_width(key);
      if (next - 20 * scale_ > width_ - margin_ * scale_) break;
      paint_key(d, key, key_at, scale_);
      d.text(key.text, {key_at.x + 32 * scale_, key_at.y}, font(12), {Tone::muted});
      key_at.x = next;
    }
  }

  std::vector<std::int32_t> groups_;
  int left_out_ = 0;
  std::string common_;  ///< The contents of every message.
};

}  // namespace

Scene spacetime(const TraceAnalysis& analysis, const SpacetimeOptions& given, const Ruler& ruler) {
  const Trace& trace = analysis.trace();
  if (trace.size() == 0)
    throw UserError("the trace is empty: there is nothing to draw (was the run stopped at once?)");
  SpacetimeOptions options = given;
  if (!options.heading) options.title.clear();
  else if (options.title.empty()) options.title = run_title(trace.meta(), trace.world_size());
  if (needs_overview(analysis, options)) return overview(analysis, options, ruler);
  const bool planned = options.plan != nullptr && options.clock == Clock::rounds;
  Model model = planned ? planned_model(analysis, options) : spacetime_model(analysis, options);
  model.end = std::max(model.end, options.until);
  return Layout(model, options, ruler).draw();
}

}  // namespace rankscope
