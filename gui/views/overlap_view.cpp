// Shows a training step with and without overlap: sliders for its settings, the exposed time, and both forms over time, by the
// closed form or measured.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/diagrams/overlap/overlap_timeline.h"
#include "engine/diagrams/scene/drawing.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

using State = TrainingState::State;

constexpr double kWide = 540;           ///< Least width for the figures beside the bucket size,
constexpr double kThreeFigures = 760;   ///< for three figures beside it,
constexpr double kThreeBelow = 430;     ///< for three figures below it.
constexpr double kBarsHeight = 240;     ///< A lower pane has no bars over its slider.
constexpr double kPictureHeight = 170;  ///< All sliders are shown if they leave this height.
constexpr int kSettings =
    static_cast<int>(kOverlapFields.size()) - 1;  ///< All but the bucket size.
constexpr float kSpace = 8;

std::string figures_of(const OverlapTimes& times) {
  return fmt::format("{}: computing {}, communicating {}, of that exposed {}",
                     time_text(times.total), time_text(times.computing),
                     time_text(times.communicating), time_text(times.exposed));
}

Scene picture_at(const OverlapStep& step, double width) {
  constexpr double kEdge = 4, kPageMargin = 24;  // without a page's margins: the pane has its own
  OverlapTimeline out{
      .title = "", .caption = "", .panels = {}, .width = width + 2 * (kPageMargin - kEdge)};
  out.panels.push_back({.title = "Averaged after the backward pass",
                        .figures = figures_of(step.times_apart),
                        .ranks = {step.apart}});
  out.panels.push_back({.title = "Averaged while it goes on",
                        .figures = figures_of(step.times),
                        .ranks = {step.overlapped}});
  Scene scene = overlap_timeline(out, system_ruler());
  trim(scene, kEdge);
  return scene;
}

/// Returns a picture that fills the pane's width, enlarged to its height or 1.3 times at most.
Scene picture_of(const OverlapStep& step, double width, double height) {
  constexpr double kLargest = 1.3;
  const Scene scene = picture_at(step, width);
  const double zoom = std::min(height / scene.height, kLargest);
  return picture_at(step, width / zoom);
}

class OverlapView final : public View {
 public:
  OverlapView() {
    for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i] = slider_steps(kOverlapFields[i]);
  }

  void controls(ViewContext& context) override {
    const OverlapState& state = context.state.overlap;
    if (!state.measured) return;
    if (head_button(context, "measured", state.shows_measured, "The last step that ran"))
      context.commands.push(cmd::overlap_measured());
    if (head_button(context, "closed form", !state.shows_measured,
                    "What the times of the layers and of the network make of it"))
      context.commands.push(cmd::overlap_closed_form());
  }

  void draw(ViewContext& context) override {
    const Look& look = context.look;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.x < look.px(160) || room.y < look.px(90)) return;
    const bool wide = room.x >= look.px(kWide);
    const int columns = columns_of(look, room.x), rows = (kSettings + columns - 1) / columns;
    const bool all = room.y >= look.px((wide ? 140 : 225) + 48 * rows + kPictureHeight);
    const float left = wide ? room.x * 0.42F : room.x;
    ImGui::BeginGroup();
    bucket(context, left, room.y >= look.px(kBarsHeight));
    ImGui::EndGroup();
    if (wide) {
      ImGui::SameLine(0, look.px(24));
      ImGui::BeginGroup();
    }
    figures(context, room.x >= look.px(wide ? kThreeFigures : kThreeBelow));
    buttons(context, all);
    if (wide) ImGui::EndGroup();
    if (all) {
      ImGui::Spacing();
      settings(context, room.x);
    }
    notice(context, all);
    picture(context);
  }

 private:
  // ---- Bucket size ----

  // Above the slider, bars show the exposed time with each size.
  void bucket(ViewContext& context, float width, bool bars) {
    const OverlapState& state = context.state.overlap;
    slider(context, 0, width, [&](ImVec2 low) {
      if (!bars) return;
      const Look& look = context.look;
      const auto& sizes = state.forecast.sizes;
      const auto count = static_cast<float>(sizes.size());
      // The place of the slider's grab for each size.
      constexpr float kPadding = 2;
      const float length = width - 2 * kPadding, high = look.px(38);
      const float grab = std::max(length / count, ImGui::GetStyle().GrabMinSize);
      const float each = (length - grab) / (count - 1), first = low.x + kPadding + grab / 2;
      std::int64_t most = 1;
      for (const auto& [size, times] : sizes) most = std::max(most, times.exposed);
      auto& list = *ImGui::GetWindowDrawList();
      const int now = nearest_step(steps_[0], state.values[0]);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const float middle = first + each * static_cast<float>(i);
        const float part = static_cast<float>(sizes[i].second.exposed) / static_cast<float>(most);
        list.AddRectFilled(
            {middle - each * 0.36F, low.y + high * (1 - part)},
            {middle + each * 0.36F, low.y + high + 1},
            static_cast<int>(i) == now ? look.color({Tone::error}) : look.palette().control_hovered,
            look.px(1));
      }
      ImGui::Dummy({width, high});
      if (ImGui::IsItemHovered()) {
        const float at = (ImGui::GetMousePos().x - first) / each;
        const auto which = static_cast<std::size_t>(std::clamp(at + 0.5F, 0.0F, count - 1));
        hover_text(fmt::format("Buckets of {}: {} exposed, the step takes {}",
                               overlap_text(kOverlapFields[0], sizes[which].first),
                               time_text(sizes[which].second.exposed),
                               time_text(sizes[which].second.total)));
      }
    });
  }

  // Draws a caption with the value, what `above` draws, and the slider.
  template <class Above>
  void slider(ViewContext& context, std::size_t i, float width, const Above& above) {
    const Look& look = context.look;
    const OverlapField& field = kOverlapFields[i];
    const double value = context.state.overlap.values[i];
    ImGui::PushID(static_cast<int>(i));
    const float left = ImGui::GetCursorPosX();
    caption(look, std::string(field.title));
    const std::string text = overlap_text(field, value);
    ImGui::SameLine();
    ImGui::SetCursorPosX(left + width - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::TextUnformatted(text.c_str());
    ImGui::SetCursorPosX(left);
    above(ImGui::GetCursorScreenPos());
    ImGui::SetCursorPosX(left);
    ImGui::SetNextItemWidth(width);
    const auto& steps = steps_[i];
    int at = nearest_step(steps, value);
    const int before = at;
    ImGui::SliderInt("##value", &at, 0, static_cast<int>(steps.size()) - 1, "",
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
    if (at != before) {
      Command command =
          cmd::overlap(field.key, fmt::format("{}", steps[static_cast<std::size_t>(at)]));
      command.more = ImGui::IsItemActive();
      context.commands.push(std::move(command));
    }
    hover_text(field.help);
    ImGui::PopID();
  }

  // ---- Figures ----

  static void figure(const Look& look, const char* name, const std::string& value,
                     const std::string& below, ImU32 color) {
    ImGui::BeginGroup();
    caption(look, name);
    look.push(22, Font::Weight::semibold);
    colored_text(color, value);
    Look::pop();
    caption(look, below);
    ImGui::EndGroup();
  }

  static void figures(ViewContext& context, bool three) {
    const Look& look = context.look;
    const OverlapState& state = context.state.overlap;
    const OverlapStep& step = state.shown();
    const auto& p = look.palette();
    figure(look, "exposed communication", time_text(step.times.exposed),
           fmt::format("{} without overlap", time_text(step.times_apart.exposed)),
           step.times.exposed > 0 ? look.color({Tone::error}) : p.good);
    hover_text("Time in which a rank communicates and computes nothing");
    ImGui::SameLine(0, look.px(28));
    const double saved =
        1 - double(step.times.total) / double(std::max<std::int64_t>(step.times_apart.total, 1));
    figure(
        look, "step", time_text(step.times.total),
        saved >= 0
            ? fmt::format("{:.0f} % less than {}", 100 * saved, time_text(step.times_apart.total))
            : fmt::format("{:.0f} % more than {}", -100 * saved, time_text(step.times_apart.total)),
        p.text);
    hover_text("From the beginning of the backward pass to the end of the last allreduce");
    if (!three) return;
    ImGui::SameLine(0, look.px(28));
    const std::string best = overlap_text(kOverlapFields[0], state.forecast.best_bucket());
    figure(look, "buckets", fmt::format("{}", step.overlapped.communicating.size()),
           state.shows_measured ? measured_line(*state.measured)
                                : fmt::format("best size here: {}", best),
           p.text);
    if (state.shows_measured)
      hover_text(
          "The closed form from the trace's own moments; it differs from the exposed time by the "
          "slack at most");
  }

  static std::string measured_line(const MeasuredOverlap& measured) {
    return fmt::format("closed form: {} ± {}", time_text(measured.closed_form),
                       time_text(measured.slack));
  }

  void buttons(ViewContext& context, bool all) {
    const Look& look = context.look;
    const OverlapState& state = context.state.overlap;
    if (ImGui::GetContentRegionAvail().y >= look.px(40)) ImGui::Spacing();
    const ImVec2 size{look.px(88), 0};
    if (state.state == State::running) {
      if (ImGui::Button("Stop", size)) context.commands.push(cmd::stop_overlap());
    } else {
      if (accent_button(look, "Run it", size, 14)) context.commands.push(cmd::run_overlap());
      hover_text(fmt::format("On {:.0f} processes of this computer, with delays for the latency",
                             overlap_value(state.values, "ranks")));
    }
    if (state.measured) {
      ImGui::SameLine();
      if (ImGui::Button("Open trace")) context.commands.push(cmd::open_overlap());
      hover_text("The messages of the last step that ran, in the other views");
    }
    if (all) return;
    ImGui::SameLine();
    if (ImGui::Button("Settings")) ImGui::OpenPopup("overlap-settings");
    hover_text("Ranks, network and layers");
    ImGui::SetNextWindowSizeConstraints({look.px(280), look.px(80)},
                                        {look.px(660), ImGui::GetIO().DisplaySize.y * 0.8F});
    if (ImGui::BeginPopup("overlap-settings")) {
      settings(context, look.px(580));
      ImGui::EndPopup();
    }
  }

  // Returns how many columns leave room for a name and its value above a slider.
  static int columns_of(const Look& look, float width) {
    return width >= look.px(1000)  ? kSettings
           : width >= look.px(580) ? 4
           : width >= look.px(430) ? 3
                                   : 2;
  }

  // The sliders of all but the bucket size.
  void settings(ViewContext& context, float width) {
    const Look& look = context.look;
    const int columns = columns_of(look, width);
    const float gap = look.px(2 * kSpace);
    const float cell =
        (width - static_cast<float>(columns - 1) * gap) / static_cast<float>(columns);
    const ImVec2 origin = ImGui::GetCursorPos();
    float bottom = origin.y;
    for (int i = 0; i < kSettings; ++i) {
      const int column = i % columns;
      if (column == 0 && i > 0) bottom = ImGui::GetCursorPosY();
      ImGui::SetCursorPos({origin.x + static_cast<float>(column) * (cell + gap), bottom});
      ImGui::BeginGroup();
      slider(context, static_cast<std::size_t>(i + 1), cell, [](ImVec2) {});
      ImGui::EndGroup();
    }
  }

  /// Draws progress, a problem or, if `all`, a note on what is shown.
  static void notice(ViewContext& context, bool all) {
    const OverlapState& state = context.state.overlap;
    const Look& look = context.look;
    if (!all && state.state != State::running && state.problem.empty()) return;
    ImGui::Spacing();
    ImGui::PushTextWrapPos(0);
    if (state.state == State::running) {
      caption(look, fmt::format("{:.0f} processes make the step, first without overlap, then with "
                                "it …",
                                overlap_value(state.values, "ranks")));
    } else if (!state.problem.empty()) {
      colored_text(look.palette().error, state.problem);
    } else if (state.shows_measured) {
      caption(look, fmt::format("Measured: {}. Of the ranks, the one that ends last is shown.",
                                settings_text(state.measured->values)));
    } else {
      caption(look,
              "By the closed form, with ring allreduces: every rank does the same, and one "
              "allreduce runs at a time. Nothing has been run.");
    }
    ImGui::PopTextWrapPos();
  }

  static std::string settings_text(const OverlapValues& values) {
    return fmt::format(
        "buckets of {} on {:.0f} ranks, {} of latency by delays",
        overlap_text(kOverlapFields[0], values[0]), overlap_value(values, "ranks"),
        overlap_text(kOverlapFields[overlap_field("latency")], overlap_value(values, "latency")));
  }

  void picture(ViewContext& context) {
    const Look& look = context.look;
    const ImVec2 low = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    if (room.x < look.px(200) || room.y < look.px(60)) return;
    const auto scale = static_cast<double>(look.scale());
    const double width = std::floor(static_cast<double>(room.x) / scale),
                 height = std::floor(static_cast<double>(room.y) / scale);
    const OverlapState& state = context.state.overlap;
    const MadeScene* made = cache_.get(
        0, fmt::format("{} {}x{}", state.id, width, height),
        [step = state.shown(), width, height] { return picture_of(step, width, height); });
    if (cache_.busy() && context.unfinished != nullptr) *context.unfinished = true;
    if (made == nullptr) return;
    if (!made->error.empty()) return draw_empty(context, "This cannot be drawn", made->error);
    const double fits = std::min(static_cast<double>(room.x) / made->scene.width,
                                 static_cast<double>(room.y) / made->scene.height);
    const ScenePlace place{.origin = low, .zoom = fits};
    ImGui::InvisibleButton("picture", room);
    PaintOptions options;
    if (ImGui::IsItemHovered())
      options.hovered = group_at(made->scene, place.back(ImGui::GetIO().MousePos), 3);
    paint(*ImGui::GetWindowDrawList(), made->scene, look, place, options);
    if (options.hovered >= 0)
      hover_text(made->scene.groups[static_cast<std::size_t>(options.hovered)].story);
  }

  std::array<std::vector<double>, kOverlapFields.size()> steps_;
  SceneCache cache_;
};

}  // namespace

std::unique_ptr<View> make_overlap_view() { return std::make_unique<OverlapView>(); }

}  // namespace rankscope::gui
