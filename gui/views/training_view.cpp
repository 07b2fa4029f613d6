// A training: its settings, start and stop, and plots of loss, accuracy and speedup that grow with it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "engine/training/data/known_data.h"
#include "engine/training/plots/training_plots.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/scene/scene_view.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using Is = TrainingField::Is;
using State = TrainingState::State;

constexpr float kGap = 8;
/// Size of a plot at scale 1: narrower ones stand alone, lower ones have no caption.
constexpr double kLeastWidth = 330, kCaptionedHeight = 300, kCaptionedWidth = 480,
                 kLeastHeight = 110;

enum class Plot : std::uint8_t { accuracy, loss, speedup };
constexpr std::array<const char*, 3> kPlotNames = {"accuracy", "loss", "speedup"};
constexpr std::array<const char*, 3> kPlotTips = {"Share of the test pictures that are right",
                                                  "Loss of the training batches",
                                                  "k*(1)/k*(N), once runs are done"};

Scene plot_of(Plot plot, const TrainingResults& results, const training::PlotFrame& frame) {
  const Ruler& ruler = system_ruler();
  if (plot == Plot::loss) return training::loss_plot(results.runs, ruler, frame);
  if (plot == Plot::accuracy)
    return training::accuracy_plot(results.runs, results.goal, ruler, frame);
  const auto finished = results.finished();
  return training::speedup_plot(training::speedup_table(finished, results.goal), results.goal,
                                ruler, frame);
}

/// Draws a list to choose from; returns what was chosen, or "".
std::string choice_of(const char* id, const std::string& now, const std::string& choices) {
  std::string chosen;
  if (!ImGui::BeginCombo(id, now.c_str())) return chosen;
  for (const std::string_view part : split_at(choices, "|"))
    if (const std::string one(part); ImGui::Selectable(one.c_str(), one == now)) chosen = one;
  ImGui::EndCombo();
  return chosen;
}

/// Returns the names of all data sets, separated by "|".
std::string data_choices() {
  std::string out;
  for (const training::KnownData& one : training::known_data())
    out += (out.empty() ? "" : "|") + std::string(one.name);
  return out;
}

class TrainingView final : public View {
 public:
  // Draws the switches between plots, unless all plots fit beside each other.
  void controls(ViewContext& context) override {
    if (beside_ >= wanted_) return;
    for (int i = wanted_; i-- > 0;) {
      const auto at = static_cast<std::size_t>(i);
      if (head_button(context, kPlotNames[at], chosen_ == static_cast<Plot>(i), kPlotTips[at]))
        chosen_ = static_cast<Plot>(i);
    }
  }

  void draw(ViewContext& context) override {
    const auto& state = context.state.training;
    beside_ = wanted_ = 0;
    head(context);
    notice(context);
    const bool any = state.results && !state.results->runs.empty();
    if (!any && state.state != State::running) return first_form(context);
    if (!any) return draw_empty(context, "The first run begins", state.progress.words);
    plots(context);
  }

 private:
  // ---- The row on top ----

  void head(ViewContext& context) {
    const Look& look = context.look;
    const auto& state = context.state.training;
    const bool running = state.state == State::running;
    const bool any = state.results && !state.results->runs.empty();
    if (!any && !running) return;  // the form has its own button
    const ImVec2 size{look.px(88), 0};
    if (running) {
      if (ImGui::Button("Stop", size)) context.commands.push(cmd::stop_training());
      hover_text("Ends it in order; it goes on from its last checkpoint");
    } else {
      if (accent_button(look, "Train", size, 14)) context.commands.push(cmd::train());
      hover_text("Trains what is still missing with these settings");
    }
    ImGui::SameLine();
    if (ImGui::Button("Settings")) ImGui::OpenPopup("settings");
    ImGui::SetNextWindowSizeConstraints({look.px(280), look.px(120)},
                                        {look.px(560), ImGui::GetIO().DisplaySize.y * 0.8F});
    if (ImGui::BeginPopup("settings")) {
      form(context, look.px(420));
      ImGui::EndPopup();
    }
    earlier(context);
    progress(context);
  }

  // Lists former trainings by their folders' names.
  static void earlier(ViewContext& context) {
    const auto& results = context.state.training.results;
    if (!results || results->earlier.empty()) return;
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetCursorPosX();
    if (context.state.training.state == State::running || room < context.look.px(40)) return;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::min(context.look.px(260), ImGui::GetContentRegionAvail().x));
    const std::string now = fs::path(results->folder).filename().string();
    if (!ImGui::BeginCombo("##earlier", now.c_str())) return;
    for (const std::string& folder : results->earlier)
      if (ImGui::Selectable(fs::path(folder).filename().string().c_str(),
                            folder == results->folder))
        context.commands.push(cmd::training_folder(folder));
    ImGui::EndCombo();
    hover_text("Results of former trainings");
  }

  static void progress(ViewContext& context) {
    const auto& state = context.state.training;
    if (state.state != State::running) return;
    const Look& look = context.look;
    std::string words = state.progress.words;
    if (state.progress.left_s) words += ", " + time_left(*state.progress.left_s);
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < look.px(240)) ImGui::NewLine();
    ImGui::BeginGroup();
    elided(words);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    share_bar(look, at, {width, look.px(4)}, state.progress.share, look.palette().accent);
    ImGui::Dummy({width, look.px(4)});
    ImGui::EndGroup();
  }

  // Draws the error, and what to do about it.
  static void notice(ViewContext& context) {
    const auto& state = context.state.training;
    unread(context);
    if (state.problem.empty()) return;
    colored_lines(context.look.palette().error, state.problem);
    if (!state.no_pictures || state.pictures_that_are.empty()) return;
    const std::string label = fmt::format("Take {} instead", state.pictures_that_are);
    if (ImGui::Button(label.c_str())) {
      context.commands.push(cmd::training("data", state.pictures_that_are));
      context.commands.push(cmd::train());
    }
    hover_text("It is on this computer already");
  }

  // Names logs that are left out of the plots.
  static void unread(ViewContext& context) {
    const auto& results = context.state.training.results;
    if (!results || results->unread.empty()) return;
    std::string words = results->unread.front();
    if (const auto more = results->unread.size() - 1; more > 0)
      words +=
          fmt::format(" ({} of {} logs in this folder)", more + 1, more + 1 + results->runs.size());
    colored_lines(context.look.palette().warning, words);
  }

  // ---- Settings ----

  // Draws the form alone, while nothing has been trained.
  void first_form(ViewContext& context) {
    const Look& look = context.look;
    const float room = ImGui::GetContentRegionAvail().x, width = std::min(room, look.px(640));
    ImGui::Indent(std::max(1.0F, (room - width) / 2));
    const float left = ImGui::GetCursorPosX(), button = look.px(96);
    look.push(16, Font::Weight::semibold);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("Train LeNet-5 by several workers");
    Look::pop();
    ImGui::SameLine(left + width - button);
    if (accent_button(look, "Train", {button, 0}, 14)) context.commands.push(cmd::train());
    colored_lines(look.palette().muted,
                  "Distributed SGD in real processes, for one number of workers N after the other. "
                  "Loss and accuracy are drawn here while it runs.",
                  left + width);
    ImGui::Spacing();
    form(context, width);
    ImGui::Unindent(std::max(1.0F, (room - width) / 2));
  }

  void form(ViewContext& context, float width) {
    const Look& look = context.look;
    const int columns = width >= look.px(540)   ? 4
                        : width >= look.px(400) ? 3
                        : width >= look.px(260) ? 2
                                                : 1;
    const float cell =
        (width - static_cast<float>(columns - 1) * look.px(kGap)) / static_cast<float>(columns);
    const ImVec2 origin = ImGui::GetCursorPos();
    const float row =
        ImGui::GetTextLineHeight() + ImGui::GetFrameHeight() + 2 * ImGui::GetStyle().ItemSpacing.y;
    for (std::size_t i = 0; i < kTrainingFields.size(); ++i) {
      const int at = static_cast<int>(i);
      const ImVec2 place{origin.x + static_cast<float>(at % columns) * (cell + look.px(kGap)),
                         origin.y + static_cast<float>(at / columns) * row};
      ImGui::SetCursorPos(place);
      ImGui::PushID(at);
      caption(look, std::string(kTrainingFields[i].title));
      ImGui::SetCursorPosX(place.x);
      ImGui::SetNextItemWidth(cell);
      field(context, i);
      if (!kTrainingFields[i].help.empty()) hover_text(kTrainingFields[i].help);
      ImGui::PopID();
    }
  }

  void field(ViewContext& context, std::size_t i) {
    const TrainingField& of = kTrainingFields[i];
    const std::string& now = context.state.training.values[i];
    const std::string key(of.key);
    std::string chosen;
    if (of.is == Is::flag) {
      bool on = now == "on";
      if (ImGui::Checkbox(on ? "on" : "off", &on)) chosen = on ? "on" : "off";
    } else if (of.is == Is::choice) {
      chosen = choice_of("##choice", now, std::string(of.choices));
    } else if (of.key == "data") {
      chosen = choice_of("##data", now, data_choices());
    } else {
      auto& typed = typed_[i];
      if (shown_[i] != now) {
        shown_[i] = now;
        std::snprintf(typed.data(), typed.size(), "%s", now.c_str());
      }
      ImGui::InputText("##text", typed.data(), typed.size());
      if (ImGui::IsItemDeactivatedAfterEdit()) chosen = typed.data();
      shown_[i] = chosen.empty() ? shown_[i] : std::string();  // what was wrong with it is undone
    }
    if (!chosen.empty() && chosen != now) context.commands.push(cmd::training(key, chosen));
  }

  // ---- Plots ----

  void plots(ViewContext& context) {
    const Look& look = context.look;
    const auto& results = context.state.training.results;
    const auto scale = static_cast<double>(look.scale());
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const auto fits = [&](int count) {
      return static_cast<double>(room.x) / scale >= count * kLeastWidth + (count - 1) * 8;
    };
    // With one run there is no speedup yet.
    const bool speedup = results->finished().size() > 1;
    wanted_ = speedup ? 3 : 2;
    chosen_ = std::min(chosen_, static_cast<Plot>(wanted_ - 1));
    beside_ = fits(wanted_) ? wanted_ : fits(2) ? 2 : 1;
    const int count = beside_;
    if (static_cast<double>(room.y) / scale < kLeastHeight) return;
    const float width =
        (room.x - static_cast<float>(count - 1) * look.px(kGap)) / static_cast<float>(count);
    const ImVec2 low = ImGui::GetCursorScreenPos();
    for (int i = 0; i < count; ++i) {
      Plot plot = static_cast<Plot>(i);
      if (count == 1) plot = chosen_;
      if (count == 2 && wanted_ == 3 && chosen_ == Plot::speedup && i == 1) plot = Plot::speedup;
      one_plot(context, plot, {low.x + static_cast<float>(i) * (width + look.px(kGap)), low.y},
               {width, room.y});
    }
    ImGui::Dummy(room);
  }

  void one_plot(ViewContext& context, Plot plot, ImVec2 low, ImVec2 size) {
    const Look& look = context.look;
    const auto& state = context.state.training;
    const auto scale = static_cast<double>(look.scale());
    const training::PlotFrame frame{
        .width = static_cast<double>(size.x) / scale,
        .height = static_cast<double>(size.y) / scale,
        .margin = 14,
        .captioned = size.y >= look.px(kCaptionedHeight) && size.x >= look.px(kCaptionedWidth)};
    auto& cache = caches_[static_cast<std::size_t>(plot)];
    const MadeScene* made = cache.get(
        0, fmt::format("{} {:.0f}x{:.0f}", state.results_id, frame.width, frame.height),
        [plot, frame, results = state.results] { return plot_of(plot, *results, frame); });
    if (cache.busy() && context.unfinished != nullptr) *context.unfinished = true;
    if (made == nullptr) return;
    const ScenePlace place{.origin = low, .zoom = scale};
    // Not clipped to its place: a turned text is as wide as it is high before it is turned.
    paint(*ImGui::GetWindowDrawList(), made->scene, look, place, {});
  }

  Plot chosen_ = Plot::accuracy;
  int wanted_ = 0, beside_ = 0;  ///< Numbers of plots, and of those beside each other.
  std::array<SceneCache, kPlotNames.size()> caches_;
  std::array<std::array<char, 256>, kTrainingFields.size()> typed_{};
  TrainingValues shown_;  ///< The values in the fields.
};

}  // namespace

std::unique_ptr<View> make_training_view() { return std::make_unique<TrainingView>(); }

}  // namespace rankscope::gui
