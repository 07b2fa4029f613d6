// Time-vs-rank, with the cursor that all views share.
#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/trace/streamed_trace.h"
#include "engine/diagrams/spacetime/overview.h"
#include "engine/diagrams/spacetime/spacetime.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/run/large_run.h"
#include "gui/views/base/view.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/answer_arrows.h"
#include "gui/views/scene/answer_row.h"
#include "gui/views/scene/cursor_line.h"
#include "gui/views/scene/scene_painter.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

/// Returns the moment from which the curtain covers the picture, on the playback's clock: the end of the current step.
double curtain_from(const Playback& playback) noexcept {
  return playback.clock == ClockBase::rounds ? std::ceil(playback.moment - 1e-6) : playback.moment;
}

SpacetimeOptions::Labels labels_named(const std::string& name) {
  using Labels = SpacetimeOptions::Labels;
  return name == "all"     ? Labels::all
         : name == "bytes" ? Labels::bytes
         : name == "none"  ? Labels::none
                           : Labels::chunks;
}

constexpr unsigned kGhost = 0x48;  ///< Opacity of the run before.
constexpr std::size_t kMostGhosts = 1500;
constexpr double kAlike = 0.02;  ///< Ends closer than this part of the axis are one.

/// A question about what comes next is open.
bool is_covered(const AppState& state) {
  return state.curtain() || (state.moves.asked && !state.moves.checked);
}

class SpacetimeView final : public SceneView {
 public:
  void controls(ViewContext& context) override {
    const auto& state = context.state;
    const bool measured = state.playback.clock == ClockBase::measured;
    ask_button(context);
    if (head_button(context, measured ? "measured time" : "logical steps", false,
                    "Time as measured, or in rounds (M)"))
      context.commands.push(cmd::clock_toggle());
    if (head_button(context, "fit", false,
                    "All of the time (double-click). Double-click on a phase: that phase.\n"
                    "The wheel zooms; with Shift, time alone"))
      context.commands.push(cmd::zoom_all());
    if (state.document && state.document->run() &&
        head_button(context, "near", false, "Only the time whose events are in the other views"))
      context.commands.push(cmd::zoom_held());
    if (head_button(context, "labels", false, "What stands on the arrows (L)"))
      context.commands.push(cmd::labels_next());
    if (head_button(context, "turn", state.settings.portrait, "Time to the right, or downwards"))
      context.commands.push(cmd::portrait(Turn::toggle));
    if (head_button(context, "critical path", state.settings.critical_path,
                    "The chain of messages that the end had to wait for"))
      context.commands.push(cmd::critical_path(Turn::toggle));
  }

 protected:
  Request request(const ViewContext& context, double width, double height) override {
    const auto& state = context.state;
    SpacetimeOptions options = spacetime_pane(width, height,
                                              state.playback.clock == ClockBase::rounds
                                                  ? SpacetimeOptions::Clock::rounds
                                                  : SpacetimeOptions::Clock::measured);
    options.labels = labels_named(state.settings.labels);
    options.portrait = state.settings.portrait;
    options.critical_path = state.settings.critical_path;
    options.plan = state.document->plan();
    options.live = state.live.running;
    options.marks = live_marks(state);
    // With many ranks in a low pane, only the step at the cursor has labels.
    constexpr int kManyRanks = 8;
    if (!options.foot && options.clock == SpacetimeOptions::Clock::rounds &&
        state.document->world_size() >= kManyRanks)
      options.labelled_round =
          std::max(1, static_cast<int>(std::ceil(state.playback.moment - 1e-6)));
    // No footer where it would count messages that are still to come, or where a projector needs the room for lanes.
    constexpr int kFewLanes = 8;
    const bool crowded = context.look.projector() && state.document->world_size() > kFewLanes;
    options.foot = options.foot && stretch(state) == 1 && !is_covered(state) && !crowded;
    // The run before lies behind it, on the same scale.
    const DocumentPtr before = run_before(state);
    if (before)
      options.until =
          std::max(before->end(state.playback.clock), state.document->end(state.playback.clock));
    Request wanted;
    if (merged(*state.document, options)) {
      const Span part = window(state);
      const TimeWindow shown{static_cast<std::int64_t>(part.begin * 1e3),
                             static_cast<std::int64_t>(std::ceil(part.end * 1e3))};
      wanted.windowed = wanted.of_run = true;
      auto run = best_counted(*state.document, state.counted);
      wanted.key = fmt::format("{} {} {}x{} {}", shown.begin_ns, shown.end_ns, options.width,
                               options.height, run ? run->counted_share() : 1);
      wanted.make = [document = state.document, run = std::move(run), shown, options] {
        return run ? rankscope::overview(*run, shown, options, system_ruler())
                   : rankscope::overview(document->trace(), shown, options, system_ruler());
      };
      return wanted;
    }
    // A part of the time: names and margins stay as they are, the time between them grows.
    constexpr double kMargins = 130;
    double& length = options.portrait ? options.height : options.width;
    length = std::round(kMargins + (length - kMargins) * stretch(state));
    wanted.key = fmt::format(
        "{} {} {} {} {} {} {} {} {} {}x{}", options.until, options.labelled_round,
        to_string(state.playback.clock), state.settings.labels, options.foot, options.portrait,
        options.live, text_of(options.marks), options.critical_path, options.width, options.height);
    wanted.now = state.playback.moment;
    wanted.make = [document = state.document, options] {
      return spacetime(document->analysis(), options, system_ruler());
    };
    return wanted;
  }

  void overlay(ViewContext& context, ImDrawList& list, const Scene& scene,
               const ScenePlace& place) override {
    if (!scene.clock_axis) return;
    const auto& play = context.state.playback;
    if (context.state.document->run()) draw_held(context, list, scene, place);
    if (is_covered(context.state))
      draw_curtain(context, list, *scene.clock_axis, place, curtain_from(play));
    const double top = top_of_bands(scene, *scene.clock_axis);
    const double end = context.state.document->end(play.clock);
    std::string text = cursor_text(play, end);
    if (context.state.holds() && !context.state.at_present())
      draw_cursor(context, list, *scene.clock_axis, place, top, end, "now", Tone::muted);
    else if (context.state.holds()) text += " · now";
    draw_cursor(context, list, *scene.clock_axis, place, top, play.moment, text);
    draw_ghosts_in_time(context, list, scene, place);
    if (const DocumentPtr before = run_before(context.state))
      draw_before(context, list, *before, *scene.clock_axis, place);
  }
  float footer_height(const ViewContext& context, float width) const override {
    return asks_below(context) ? ask_height(context, width) : parting_height(context, width);
  }
  void footer(ViewContext& context, float width) override {
    if (asks_below(context)) draw_ask(context, width);
    else draw_answer_row(context, width, AnswerPlace::picture);
  }
  bool shows_time() const override { return true; }
  bool picked(ViewContext& context, const std::string& group) override {
    return pick_live(context, group);
  }
  bool covers(const ViewContext& context, const Scene& scene, Point at) const override {
    return is_covered(context.state) && scene.clock_axis &&
           scene.clock_axis->time_at(at) > curtain_from(context.state.playback);
  }

  // On a phase's band: the click before has moved the cursor into it.
  bool double_clicked(ViewContext& context, const Scene& scene, Point,
                      std::int32_t group) override {
    if (group < 0 || !scene.groups[static_cast<std::size_t>(group)].id.starts_with("phase-"))
      return false;
    context.commands.push(cmd::zoom_phase());
    return true;
  }

  bool dragged(ViewContext& context, const Scene& scene, Point at) override {
    if (!scene.clock_axis || at.x < scene.clock_axis->knots.front().at.x - 12) return false;
    const ClockAxis& axis = *scene.clock_axis;
    const bool on_name = axis.across.x == 0 && at.y > axis.knots.front().at.y + axis.across.y + 4;
    if (on_name && context.state.playback.clock == ClockBase::rounds &&
        ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
      const double steps = context.state.document->rounds().count;
      context.commands.push(cmd::play_step(
          static_cast<int>(std::clamp(std::ceil(axis.time_at(at)), 1.0, std::max(1.0, steps)))));
      return false;
    }
    context.commands.push(cmd::seek({scene.clock_axis->time_at(at), 3}));
    return true;
  }

 private:
  /// Draws brackets around the events that the other views show.
  static void draw_held(const ViewContext& context, ImDrawList& list, const Scene& scene,
                        const ScenePlace& place) {
    const ClockAxis& axis = *scene.clock_axis;
    const Look& look = context.look;
    const PhaseBand held = context.state.document->part();
    const double from = axis.knots.front().time, to = axis.knots.back().time;
    if (held.end < from || held.begin > to) return;
    const ImVec2 low = place.at(axis.at(std::max(held.begin, from))),
                 high = place.at(axis.at(std::min(held.end, to)));
    const float bottom = place.at({0, axis.knots.front().at.y + axis.across.y}).y;
    const float width = std::max(high.x - low.x, look.px(2)), tick = look.px(5);
    const float left = (low.x + high.x - width) / 2, right = left + width;
    const ImU32 ink = look.palette().accent;
    for (const auto& [y, inwards] :
         {std::pair(low.y - look.px(3), tick), std::pair(bottom + look.px(3), -tick)}) {
      list.AddLine({left, y}, {right, y}, ink, look.px(2));
      if (held.begin >= from) list.AddLine({left, y}, {left, y + inwards}, ink, look.px(2));
      if (held.end <= to) list.AddLine({right, y}, {right, y + inwards}, ink, look.px(2));
    }
  }
  /// Returns the run that a what-if is compared with, where its messages can lie behind the new ones; else null.
  static DocumentPtr run_before(const AppState& state) {
    const WhatIfRun& asked = state.asked;
    const bool answered = asked.any && asked.run != 0 && asked.before && state.document &&
                          asked.run == state.document->run_id();
    if (!answered || asked.before->large() || state.document->large() || is_covered(state))
      return nullptr;
    const auto many = [](const Document& run) {
      return run.rounds().messages.size() > kMostGhosts;
    };
    if (many(*asked.before) || many(*state.document)) return nullptr;
    const bool one_clock = asked.before->simulated() == state.document->simulated();
    return one_clock || state.playback.clock == ClockBase::rounds ? asked.before : nullptr;
  }
  static void draw_before(const ViewContext& context, ImDrawList& list, const Document& before,
                          const ClockAxis& axis, const ScenePlace& place) {
    const Look& look = context.look;
    const auto clock = context.state.playback.clock;
    const int world = context.state.document->world_size();
    const auto at = [&](Rank rank, double time) {
      const Point on = axis.at(time);
      const double share = (rank + 0.5) / world;
      return place.at({on.x + axis.across.x * share, on.y + axis.across.y * share});
    };
    const ImU32 ghost = with_alpha(look.palette().text, kGhost);
    // In logical time, what is as it was lies where it lay.
    const auto& messages = before.rounds().messages;
    std::set<std::tuple<int, Rank, Rank>> now;
    if (const Rounds& all = context.state.document->rounds(); clock == ClockBase::rounds)
      for (std::size_t i = 0; i < all.messages.size(); ++i)
        now.emplace(all.round[i], all.messages[i].from, all.messages[i].to);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& one = messages[i];
      if (now.contains(std::tuple(before.rounds().round[i], one.from, one.to))) continue;
      if (std::min(one.from, one.to) < 0 || std::max(one.from, one.to) >= world) continue;
      list.AddLine(at(one.from, before.leaves(clock, i)), at(one.to, before.arrives(clock, i)),
                   ghost, look.px(1.5));
    }
    if (std::abs(before.end(clock) - context.state.document->end(clock)) <
        kAlike * axis.knots.back().time)
      return;
    const Point on = axis.at(before.end(clock));
    const ImVec2 low = place.at(on), high = place.at({on.x + axis.across.x, on.y + axis.across.y});
    const ImU32 ink = look.palette().muted;
    list.AddLine(low, high, ink, look.px(1.5));
    const auto face = look.face({12, Font::Weight::semibold, false});
    const std::string_view text = "before";
    const ImVec2 size = face.extent(text);
    const float x = std::min(low.x + look.px(4), list.GetClipRectMax().x - size.x - look.px(2));
    list.AddRectFilled({x - look.px(2), high.y - size.y}, {x + size.x + look.px(2), high.y},
                       look.palette().panel, look.px(2));
    face.draw(list, {x, high.y - size.y}, ink, text);
  }
  /// One row is enough: the stage has it where both are seen.
  static bool asks_below(const ViewContext& context) {
    return !context.state.settings.layout.shows("stage") && context.state.moves.asked;
  }
  /// Height of the sentence on where a prediction parts from the run.
  float parting_height(const ViewContext& context, float width) const {
    const auto& layout = context.state.settings.layout;
    const bool first = layout.at(layout.maximized.value_or(Slot::main)) == name();
    return first && context.state.lesson.prediction.parting
               ? answer_row_height(context, width, AnswerPlace::picture)
               : 0;
  }
  // More messages than can be distinguished: parts of the measured time are shown, and in short ones the
  // messages one by one.
  bool merged(const Document& document, const SpacetimeOptions& options) {
    if (document.large()) return true;
    if (options.clock != SpacetimeOptions::Clock::measured) return false;
    if (merged_of_ != document.id()) {
      merged_of_ = document.id();
      merged_ = needs_overview(document.analysis(), options);
    }
    return merged_;
  }

  std::uint64_t merged_of_ = 0;
  bool merged_ = false;
};

}  // namespace

std::unique_ptr<View> make_spacetime_view() { return std::make_unique<SpacetimeView>(); }

}  // namespace rankscope::gui
