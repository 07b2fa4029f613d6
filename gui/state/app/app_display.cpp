// Commands about what the window shows, and how.
#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/app/app.h"
#include "gui/state/app/view_infos.h"
#include "gui/state/app/words.h"
#include "gui/state/files/layouts.h"

namespace rankscope::gui {
namespace {

constexpr std::array<double, 10> kScales = {0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3};

Slot slot_named(const std::string& name) {
  for (const Slot slot : kSlots)
    if (name == to_string(slot)) return slot;
  throw UserError(fmt::format("there is no pane \"{}\": main, lower, side or side_lower", name));
}

}  // namespace

void App::view(const Words& words) {
  const Slot slot = slot_named(words[0]);
  if (!is_view(words[1]))
    throw UserError(fmt::format("there is no view \"{}\": {}", words[1],
                                fmt::join(kViews | std::views::transform(&ViewInfo::name), ", ")));
  auto& layout = state_.settings.layout;
  auto& here = layout.at(slot);
  // A view is in one pane: the two change places.
  for (auto& other : layout.view)
    if (other == words[1]) other = here;
  here = words[1];
}

void App::maximize(const Words& words) {
  auto& maximized = state_.settings.layout.maximized;
  if (words.front() == "off") return maximized.reset();
  const Slot slot = slot_named(words.front());
  maximized = maximized == slot ? std::nullopt : std::optional(slot);
}

void App::panel(const Words& words) {
  auto& layout = state_.settings.layout;
  const Words rest(words.begin() + 1, words.end());
  for (const auto& [name, open] : {std::pair<std::string_view, bool*>{"left", &layout.left_open},
                                   {"right", &layout.right_open},
                                   {"lower", &layout.lower_open}}) {
    if (words.front() != name) continue;
    *open = switched(*open, rest);
    return;
  }
  throw UserError("the panels are left, right and lower");
}

void App::layout(const Words& words) {
  auto& settings = state_.settings;
  if (words.size() < 2) {
    if (words.front() == "save" || words.front() == "remove")
      throw UserError(fmt::format("usage: layout {} NAME", words.front()));
    settings.layout = layout_named(settings, words.front());
  } else if (words.front() == "save") {
    save_layout(settings, words[1]);
    tell(fmt::format("this layout is now called {}", words[1]));
  } else if (words.front() == "remove") {
    remove_layout(settings, words[1]);
  } else {
    throw UserError("usage: layout NAME, layout save NAME or layout remove NAME");
  }
}

namespace {
std::optional<Slot> pane_of(const std::vector<std::string>& words) {
  return words.empty() ? std::nullopt : std::optional(slot_named(words.front()));
}
}  // namespace

void App::zoom_in(const Words& words) { requests_.zooms.push_back({2, false, pane_of(words)}); }
void App::zoom_out(const Words& words) { requests_.zooms.push_back({-2, false, pane_of(words)}); }
void App::zoom_fit(const Words& words) { requests_.zooms.push_back({0, true, pane_of(words)}); }

void App::theme(const Words& words) {
  auto& theme = state_.settings.theme;
  if (words.empty() || words.front() == "next") {
    theme = kThemes[(static_cast<std::size_t>(theme) + 1) % kThemes.size()];
  } else {
    const auto found =
        std::ranges::find(kThemes, words.front(), [](ThemeKind k) { return to_string(k); });
    if (found == kThemes.end()) throw UserError("the themes are dark, light and contrast");
    theme = *found;
  }
  requests_.look_changed = true;
}

void App::scale(const Words& words) {
  const auto scale = words.empty() ? 1 : number_of<double>(words.front(), "the scale");
  if (!(scale >= Settings::kLeastScale && scale <= Settings::kMostScale))
    throw UserError(
        fmt::format("the scale goes from {} to {}", Settings::kLeastScale, Settings::kMostScale));
  state_.settings.ui_scale = scale;
  requests_.look_changed = true;
}
void App::bigger(const Words&) {
  const auto next = std::ranges::upper_bound(kScales, state_.settings.ui_scale + 1e-6);
  scale({fmt::format("{}", next == kScales.end() ? kScales.back() : *next)});
}
void App::smaller(const Words&) {
  const auto at = std::ranges::lower_bound(kScales, state_.settings.ui_scale - 1e-6);
  scale({fmt::format("{}", at == kScales.begin() ? kScales.front() : *std::prev(at))});
}

void App::labels(const Words& words) {
  auto& labels = state_.settings.labels;
  if (words.empty() || words.front() == "next") {
    const auto now = std::ranges::find(kLabels, labels);
    labels = *(now == kLabels.end() || std::next(now) == kLabels.end() ? kLabels.begin()
                                                                       : std::next(now));
    return;
  }
  if (std::ranges::find(kLabels, words.front()) == kLabels.end())
    throw UserError(fmt::format("labels are {}", fmt::join(kLabels, ", ")));
  labels = words.front();
}
void App::values(const Words& words) {
  state_.settings.values = switched(state_.settings.values, words);
}
void App::portrait(const Words& words) {
  state_.settings.portrait = switched(state_.settings.portrait, words);
}
void App::critical_path(const Words& words) {
  state_.settings.critical_path = switched(state_.settings.critical_path, words);
}
void App::motion(const Words& words) {
  state_.settings.motion = switched(state_.settings.motion, words);
}
void App::present(const Words& words) {
  state_.presenting = switched(state_.presenting, words);
  requests_.look_changed = true;  // the letters grow
}
void App::palette(const Words&) { state_.show_palette = !state_.show_palette; }
void App::shortcuts(const Words&) { state_.show_shortcuts = !state_.show_shortcuts; }
void App::settings(const Words&) { state_.show_settings = !state_.show_settings; }
void App::welcome(const Words& words) {
  state_.show_welcome = switched(state_.show_welcome, words);
  state_.settings.welcomed = true;
}
void App::tour(const Words& words) {
  if (!words.empty() && words.front() == "off") state_.tour_step = -1;
  else if (!words.empty() && words.front() == "next") ++state_.tour_step;
  else state_.tour_step = words.empty() ? 0 : number_of<int>(words.front(), "the tour's step");
  state_.show_welcome = false;
}

}  // namespace rankscope::gui
