// Draws the panes of the window: the picture, the narration beneath it, the drawer or the side, the score.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "gui/shell.h"
#include "gui/state/model/app_state.h"
#include "gui/state/model/narrator.h"
#include "gui/state/run/sentence.h"
#include "gui/views/base/compat.h"
#include "gui/views/what_if_strip.h"

namespace rankscope::gui {
namespace {

constexpr double kBetween = 8;
constexpr double kLeastPicture = 160;  ///< Least height that an answer leaves the picture.
/// In logical pixels: a smaller window has no room for a picture beside the drawer and above the score.
constexpr double kLeastWide = 960, kLeastHigh = 480;
constexpr double kLeastForProblems = 640;  ///< Least width for a drawer with problems.
/// Least heights for a score in a race or while an answer is given in the picture, and for a narration then and else.
constexpr double kLeastHighAsked = 640, kNarrationAsked = 420, kNarration = 260;
constexpr double kButtons = 216;  ///< Width of the score's buttons.

void begin_panel(const ViewContext& context, const char* id, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  ImGui::SetCursorPos(low);
  draw_ground(look, ImGui::GetCursorScreenPos(), size, look.palette().panel);
  ImGui::SetCursorPos({low.x + look.px(12), low.y + look.px(6)});
  compat::begin_child(id, {size.x - look.px(24), size.y - look.px(14)},
                      ImGuiWindowFlags_NoScrollbar);
}

float two_lines(const Look& look) { return look.text_size("1\n2", 16).y + look.px(20); }

/// Returns the least width in which the text takes as many lines as in `width`: no word stands alone on the last one.
float balanced(const Look& look, const std::string& text, double letters, float width) {
  const auto high = [&](float wide) {
    return look.text_size(text, letters, Font::Weight::regular, wide).y;
  };
  const float most = high(width);
  float low = width / 2, found = width;
  while (found - low > 4) {
    const float middle = (low + found) / 2;
    (high(middle) <= most ? found : low) = middle;
  }
  return found;
}

}  // namespace

bool Shell::has_drawer(const Look& look, ImVec2 size) const {
  const auto& layout = app_.state().settings.layout;
  if (!layout.drawer || !layout.right_open || app_.state().presenting || layout.maximized)
    return false;
  // A lesson or problems are worth the room.
  return size.x >= look.px(kLeastWide) || layout.at(Slot::side) == "lesson" ||
         (layout.at(Slot::side) == "problems" && !app_.state().problems.empty() &&
          size.x >= look.px(kLeastForProblems));
}

bool Shell::has_score(const Look& look, ImVec2 size) const {
  const auto& s = app_.state();
  const auto& layout = s.settings.layout;
  // A race needs the height for its stages, not for one run's picture.
  const bool high = s.lesson.asked.in_picture || layout.at(Slot::main) == "race";
  return layout.drawer && layout.lower_open && !layout.maximized && !s.presenting &&
         layout.at(Slot::lower) == "spacetime" &&
         size.y >= look.px(high ? kLeastHighAsked : kLeastHigh) && s.has_trace() &&
         !s.document->large();
}

void Shell::panes(ViewContext& context, ImVec2 low, ImVec2 size) {
  const auto& layout = app_.state().settings.layout;
  if (app_.state().first_page()) {
    ImGui::SetCursorPos(low);
    places_[static_cast<std::size_t>(Slot::main)] = {low.x, low.y, size.x, size.y};
    first_page_.draw(context, size);
    moves_ = first_page_.moves();
    return;
  }
  first_page_.leave();
  if (const LessonFigure* const large = app_.state().lesson.enlarged_figure())
    return figure_panel(context, *large, low, size, true);
  if (layout.maximized) return with_narration(context, *layout.maximized, low, size);
  if (app_.state().presenting) return presented(context, low, size);
  if (layout.drawer) return beside_drawer(context, low, size);
  in_four(context, low, size);
}

void Shell::presented(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const auto& layout = app_.state().settings.layout;
  float x = 0;
  if (lesson_at_left()) {
    const float left = std::max(std::clamp(static_cast<float>(layout.lesson) * size.x,
                                           std::min(look.px(360), size.x * 0.45F), size.x * 0.6F),
                                size.x * 0.42F);  // wide enough to be read
    lesson_panel(context, low, {left, size.y});
    x = left + look.px(kBetween);
  }
  with_narration(context, Slot::main, {low.x + x, low.y}, {size.x - x, size.y});
}

// Draws the picture, the narration and the score beneath it, and the drawer beside them.
void Shell::beside_drawer(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const auto& s = app_.state();
  auto& layout = app_.mutable_state().settings.layout;
  const float gap = look.px(kBetween);
  float wide = size.x;
  const LessonFigure* const figure = s.stage_is_free() ? s.lesson.figure_here() : nullptr;
  if (s.stage_is_free() && (figure == nullptr || !has_drawer(look, size)))
    return pane(context, Slot::side, low, size);
  if (has_drawer(look, size)) {
    const float drawer = std::clamp(static_cast<float>(layout.right) * size.x,
                                    std::min(look.px(340), size.x * 0.45F), size.x * 0.6F);
    wide = size.x - drawer - gap;
    splitter("right", {low.x + wide, low.y}, {gap, size.y}, true, layout.right,
             static_cast<double>(size.x), -1);
    pane(context, Slot::side, {low.x + wide + gap, low.y}, {drawer, size.y});
  } else if (layout.right_open) {
    ++without_room_;
  }
  if (figure != nullptr) return figure_panel(context, *figure, low, {wide, size.y}, false);
  float high = size.y;
  const bool scored = has_score(look, {size.x, size.y});
  const bool other =
      layout.at(Slot::lower) != "spacetime" || (s.has_trace() && s.document->large());
  if (scored || (layout.lower_open && size.y >= look.px(kLeastHigh) && other)) {
    // Up to 16 ranks have lanes that can be told apart, up to 8 with a name each.
    const int lanes = scored ? std::min(s.document->world_size(), 16) : 0;
    const double around = scored ? 86 + std::max(10.4 * lanes, 15.4 * std::min(lanes, 8)) : 130;
    const float most = size.y * 0.5F, least = std::min(look.px(around), most);
    const float lower = std::clamp(static_cast<float>(layout.lower) * size.y, least, most);
    high = size.y - lower - gap;
    splitter("lower", {low.x, low.y + high}, {wide, gap}, false, layout.lower,
             static_cast<double>(size.y), -1);
    if (scored) score(context, {low.x, low.y + high + gap}, {wide, lower});
    else pane(context, Slot::lower, {low.x, low.y + high + gap}, {wide, lower});
  }
  with_narration(context, Slot::main, low, {wide, high});
}

std::optional<std::string> Shell::sentence_beneath(const View& view) {
  const AppState& s = app_.state();
  const auto& scenes = s.lecture.scenes;
  if (scenes.asks) return scenes.scene()->question->text;
  // In a race it would describe one run only.
  if (!Narrator::tells_of(s) || view.name() == "race") return std::nullopt;
  std::string text = narrator_.sentence(*s.document, s.playback, s.curtain());
  unfinished_ = unfinished_ || narrator_.busy();
  // In a lecture, and beneath the curtain, a step is seen before it is explained.
  const auto& play = s.playback;
  if (s.opens_still() && play.playing && play.until && *play.until > play.moment) return " ";
  return text;
}

// Draws a pane with a question, an answer or a sentence on the step beneath it.
void Shell::with_narration(ViewContext& context, Slot slot, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  const auto& s = app_.state();
  if (asks_prediction(s) && size.y >= look.px(kNarration)) {
    const float high = two_lines(look);
    const StepPrediction& asked = s.lecture.prediction;
    const bool asks =
        !asked.resolved && (!asked.of_scene || s.lecture.scenes.asks || s.playback.playing);
    const std::string step = !asks && Narrator::tells_of(s)
                                 ? narrator_.sentence(*s.document, s.playback)
                                 : std::string();
    unfinished_ = unfinished_ || narrator_.busy();
    narration_at_ = {low.x, low.y + size.y - high, size.x, high};
    draw_prediction(context, {low.x, low.y + size.y - high}, {size.x, high}, step);
    return pane(context, slot, low, {size.x, size.y - high - look.px(kBetween)});
  }
  if (const float asked = what_if_height(context, size.x);
      asked > 0 && size.y - asked > look.px(kLeastPicture)) {
    // On a projector the picture needs the height: the answer's strip has the narration's sentences, too.
    const bool one_strip = s.presenting && Narrator::tells_of(s);
    const bool rests = s.at_present() || s.playback.moment <= 0;
    const std::string step =
        one_strip && !rests ? narrator_.sentence(*s.document, s.playback) : std::string();
    unfinished_ = unfinished_ || narrator_.busy();
    narration_at_ = {low.x, low.y + size.y - asked, size.x, asked};
    draw_what_if(context, {low.x, low.y + size.y - asked}, {size.x, asked}, step);
    size.y -= asked + look.px(kBetween);
    if (one_strip) return pane(context, slot, low, size);
  }
  // While the sentence is made, the strip keeps its height, so that nothing jumps.
  const double least = s.lesson.asked.in_picture ? kNarrationAsked : kNarration;
  const auto beneath = sentence_beneath(view_at(slot));
  if (!beneath || size.y < look.px(least)) return pane(context, slot, low, size);
  const std::string& text = *beneath;
  // Every step has the same height, so that nothing jumps: one line large enough for the back row, or two small ones.
  const float inner = size.x - look.px(40);
  const bool one = text.find('\n') == std::string::npos && look.text_size(text, 21).x <= inner;
  const float high = two_lines(look);
  const auto tall = [&](double letters) {
    return look.text_size(text, letters, Font::Weight::regular, inner).y;
  };
  // Long sentences in narrow windows have smaller letters rather than more room.
  const auto fits = [&](double letters) { return tall(letters) <= high - look.px(6); };
  const double letters = one ? 21 : fits(16) ? 16 : fits(14) ? 14 : 12;
  const float all = std::min(tall(letters), high);
  const float wrap = one ? inner : balanced(look, text, letters, inner);
  look.push(letters);
  const float gap = look.px(kBetween);
  ImGui::SetCursorPos({low.x, low.y + size.y - high});
  narration_at_ = {low.x, low.y + size.y - high, size.x, high};
  draw_ground(look, ImGui::GetCursorScreenPos(), {size.x, high}, look.palette().bar);
  ImGui::SetCursorPos({low.x + look.px(20), low.y + size.y - high + (high - all) / 2});
  colored_lines(look.palette().text, text, low.x + look.px(20) + wrap);
  Look::pop();
  if (one) {
    const float taken = look.text_size(text, 21).x + look.px(20);
    draw_likely_changes(context, {low.x, low.y + size.y - high}, {size.x, high}, taken);
  }
  pane(context, slot, low, {size.x, size.y - high - gap});
}

// Draws the transport and a small time × rank in one.
void Shell::score(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  places_[static_cast<std::size_t>(Slot::lower)] = {low.x, low.y, size.x, size.y};
  if (ImGui::IsMouseHoveringRect(low, {low.x + size.x, low.y + size.y}))
    under_pointer_ = Slot::lower;
  begin_panel(context, "score", low, size);
  const float buttons = look.px(kButtons);
  const ImVec2 top = ImGui::GetCursorPos();
  compat::begin_child("transport", {buttons, 0}, ImGuiWindowFlags_NoScrollbar);
  draw_transport_buttons(context);
  ImGui::EndChild();
  ImGui::SetCursorPos({top.x + buttons + look.px(12), top.y});
  view_in(context, view_at(Slot::lower), Slot::lower);
  ImGui::EndChild();
}

// Draws four panes, or those that are open.
void Shell::in_four(ViewContext& context, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  auto& layout = app_.mutable_state().settings.layout;
  const float gap = look.px(kBetween);
  float left = 0, right = 0, lower = 0;
  if (lesson_at_left()) {
    left = std::clamp(static_cast<float>(layout.lesson) * size.x,
                      std::min(look.px(360), size.x * 0.45F), size.x * 0.6F);
    lesson_panel(context, low, {left, size.y});
    splitter("left", {low.x + left, low.y}, {gap, size.y}, true, layout.lesson,
             static_cast<double>(size.x), 1);
    left += gap;
  }
  if (layout.right_open)
    right = std::clamp(static_cast<float>(layout.right) * size.x, look.px(150), size.x * 0.5F);
  if (layout.lower_open)
    lower = std::clamp(static_cast<float>(layout.lower) * size.y, look.px(90), size.y * 0.75F);
  make_room(look, {size.x - left, size.y}, right, lower);
  const ImVec2 main_low{low.x + left, low.y};
  const ImVec2 main_size{size.x - left - (right > 0 ? right + gap : 0),
                         size.y - (lower > 0 ? lower + gap : 0)};
  pane(context, Slot::main, main_low, main_size);
  if (lower > 0) {
    const float y = low.y + main_size.y;
    splitter("lower", {main_low.x, y}, {main_size.x + (right > 0 ? gap + right : 0), gap}, false,
             layout.lower, static_cast<double>(size.y), -1);
    pane(context, Slot::lower, {main_low.x, y + gap}, {main_size.x, lower});
  }
  if (right > 0) {
    const float x = main_low.x + main_size.x;
    splitter("right", {x, low.y}, {gap, size.y}, true, layout.right, static_cast<double>(size.x),
             -1);
    pane(context, Slot::side, {x + gap, low.y}, {right, lower > 0 ? main_size.y : size.y});
    if (lower > 0)
      pane(context, Slot::side_lower, {x + gap, low.y + main_size.y + gap}, {right, lower});
  }
}

// Leaves out panes that would be too small to read, until there is room again; the status line says so.
void Shell::make_room(const Look& look, ImVec2 size, float& right, float& lower) {
  constexpr double kLeastSide = 200, kLeastMain = 300, kLeastRow = 130;
  const float gap = look.px(kBetween);
  const bool narrow =
      right > 0 && (right < look.px(kLeastSide) || size.x - right - gap < look.px(kLeastMain));
  const bool low =
      lower > 0 && (lower < look.px(kLeastRow) || size.y - lower - gap < look.px(kLeastRow));
  const int columns = right > 0 ? 2 : 1, rows = lower > 0 ? 2 : 1;
  without_room_ = columns * rows - (narrow ? 1 : columns) * (low ? 1 : rows);
  if (narrow) right = 0;
  if (low) lower = 0;
}

// Draws a gap that can be dragged.
void Shell::splitter(const char* id, ImVec2 low, ImVec2 size, bool vertical, double& share,
                     double room, double direction) {
  ImGui::SetCursorPos(low);
  ImGui::InvisibleButton(id, size);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive())
    ImGui::SetMouseCursor(vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  if (ImGui::IsItemDeactivated()) app_.layout_changed();
  if (!ImGui::IsItemActive()) return;
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  share = std::clamp(share + direction * static_cast<double>(vertical ? moved.x : moved.y) / room,
                     0.08, 0.75);
}

void Shell::pane(ViewContext& context, Slot slot, ImVec2 low, ImVec2 size) {
  const Look& look = context.look;
  if (size.x < look.px(60) || size.y < look.px(50)) return;
  const auto& layout = app_.state().settings.layout;
  const std::string id(to_string(slot));
  View& view = view_at(slot);
  places_[static_cast<std::size_t>(slot)] = {low.x, low.y, size.x, size.y};
  if (ImGui::IsMouseHoveringRect(low, {low.x + size.x, low.y + size.y})) under_pointer_ = slot;
  begin_panel(context, id.c_str(), low, size);
  const ImVec2 top = ImGui::GetCursorPos();
  // On a projector the pane's head is its title alone.
  const bool plain = app_.state().presenting;
  const bool tabbed = layout.drawer && !plain && (slot == Slot::main || slot == Slot::side);
  const float width = tabbed ? tabs(context, slot, view,
                                    (size.x - look.px(24)) * (slot == Slot::main ? 0.62F : 0.8F))
                             : title(context, slot, view);
  context.head_from = top.x + width;
  ImGui::SetCursorPos({top.x + size.x - look.px(26), top.y});
  if (!plain && layout.maximized == slot &&
      head_button(context, "restore", true, "All panes again (double-click on the title)"))
    commands_.push(cmd::maximize_off());
  if (!plain && size.x > look.px(300)) view.controls(context);
  ImGui::SetCursorPos({top.x, top.y + look.px(24)});
  view_in(context, view, slot);
  ImGui::EndChild();
}

void Shell::view_in(ViewContext& context, View& view, Slot slot) {
  compat::begin_child("view", {0, 0},
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (view.zooms() && ImGui::IsWindowHovered()) under_mouse_ = slot;
  context.slot = slot;
  context.zooms.clear();
  std::ranges::copy_if(zooms_, std::back_inserter(context.zooms),
                       [&](const Zoom& zoom) { return zoom.slot == slot; });
  if (view.name() == "lesson") lesson_seen_ = true;
  ImGui::PushID(std::string(view.name()).c_str());
  if (is_closed_view(context.state, view.name()))
    draw_empty(context, "Closed until the question is answered",
               "This view shows the whole run. It opens with a right answer, or when the answer is "
               "shown.");
  else view.draw(context);
  ImGui::PopID();
  ImGui::EndChild();
}

// Draws a figure in the place of the runs or, enlarged, of all panes; a click switches between them.
void Shell::figure_panel(ViewContext& context, const LessonFigure& figure, ImVec2 low, ImVec2 size,
                         bool enlarged) {
  const Look& look = context.look;
  places_[static_cast<std::size_t>(Slot::main)] = {low.x, low.y, size.x, size.y};
  begin_panel(context, "figure", low, size);
  const ImVec2 top = ImGui::GetCursorPos();
  head(look, "Figure");
  if (enlarged) {
    ImGui::SetCursorPos({top.x + size.x - look.px(26), top.y});
    context.head_from = top.x + look.px(80);
    if (head_button(context, "back to the page", true, "Escape, E, or a click on the figure"))
      commands_.push(cmd::figure("off"));
  }
  ImGui::SetCursorPos({top.x, top.y + look.px(26)});
  if (figures_.draw_large(context, figure, ImGui::GetContentRegionAvail()))
    commands_.push(enlarged ? cmd::figure("off") : cmd::figure(figure.id));
  ImGui::EndChild();
}

void Shell::lesson_panel(ViewContext& context, ImVec2 low, ImVec2 size) {
  View& view = view_named("lesson");
  lesson_seen_ = true;
  begin_panel(context, "lesson", low, size);
  const ImVec2 top = ImGui::GetCursorPos();
  context.head_from = top.x + head(context.look, view.title()) + context.look.px(8);
  ImGui::SetCursorPos({top.x + size.x - context.look.px(26), top.y});
  if (head_button(context, "close", false, "Closes the lesson: it continues here next time"))
    commands_.push(cmd::lesson_close());
  view.controls(context);
  ImGui::SetCursorPos({top.x, top.y + context.look.px(24)});
  compat::begin_child("view", {0, 0},
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  view.draw(context);
  ImGui::EndChild();
  ImGui::EndChild();
}

namespace {

/// The views that are tabs in a pane's head if there is room; the others are in the list behind them.
constexpr std::array<std::string_view, 6> kPictureTabs = {"stage",  "spacetime", "buffers",
                                                          "matrix", "table",     "statistics"};
constexpr std::array<std::string_view, 5> kDrawer = {"lesson", "code", "inspect", "problems",
                                                     "output"};

const ViewInfo& info_of(std::string_view name) {
  return *ranges::find(kViews, name, &ViewInfo::name);
}

// Returns a short title: "Matrix" for "Communication matrix".
std::string tab_title(std::string_view name) {
  std::string_view title = info_of(name).title;
  for (const std::string_view word : {"Communication ", " and cost"})
    if (const auto at = title.find(word); at != std::string_view::npos) {
      std::string rest(title.substr(0, at));
      rest += title.substr(at + word.size());
      return capitalized(std::move(rest));
    }
  return std::string(title);
}

std::vector<std::string_view> tabs_of(const AppState& state, Slot slot, std::string_view shown) {
  std::vector<std::string_view> names;
  if (slot == Slot::side) {
    names.assign(kDrawer.begin(), kDrawer.end());
    if (!state.program.open() && shown != "output") names.pop_back();
    if (!state.lesson.lesson && shown != "lesson") names.erase(names.begin());
    return names;
  }
  names.assign(kPictureTabs.begin(), kPictureTabs.end());
  if (state.network.shown() != nullptr) names.insert(names.begin() + 3, "network");
  if (state.schedule.editor) names.insert(names.begin() + 3, "schedule");
  return names;
}

/// "Allreduce by ring on 4 ranks with 16 float32", or a program's name.
std::string title_of(const JobSpec& job) {
  if (job.is_program())
    return fmt::format("{} on {}", job.call.algorithm,
                       counted(static_cast<std::uint64_t>(job.world.size), "rank"));
  std::string text = sentence_text(job);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return capitalized(text);
}

}  // namespace

// Draws a pane's title in small capitals; returns at most how wide it is.
float Shell::head(const Look& look, std::string_view title) {
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(2));  // on the line of the buttons' words
  caption(look, ascii_upper(title), 0, true);
  return look.text_size(std::string(title), 12, Font::Weight::semibold).x * 1.35F;
}

void Shell::all_views_popup(const View& view, Slot slot) {
  if (!ImGui::BeginPopup("views")) return;
  for (const auto& one : kViews) {
    if (ImGui::MenuItem(one.title.data(), nullptr, one.name == view.name()))
      commands_.push(cmd::view(slot, one.name));
    hover_text(one.summary);
  }
  ImGui::EndPopup();
}

// Draws the pane's tabs, as many as fit; the last one opens the list of all views.
float Shell::tabs(ViewContext& context, Slot slot, const View& view, float room) {
  const Look& look = context.look;
  std::vector<std::string_view> names = tabs_of(app_.state(), slot, view.name());
  look.push(14, Font::Weight::semibold);
  const float pad = look.px(16), more = ImGui::CalcTextSize("\u2026").x + pad;
  const auto wide = [&](std::string_view name) {
    return ImGui::CalcTextSize(tab_title(name).c_str()).x + pad;
  };
  float all = more;
  std::vector<std::string_view> shown;
  if (ranges::find(names, view.name()) == names.end()) names.insert(names.begin(), view.name());
  all += wide(view.name());
  for (const auto name : names) {
    const bool is_now = name == view.name();
    if (!is_now && all + wide(name) > room) continue;
    if (!is_now) all += wide(name);
    shown.push_back(name);
  }
  const ImVec2 top = ImGui::GetCursorPos();
  float x = top.x;
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, 0});
  ImGui::PushStyleColor(ImGuiCol_Button, 0);
  const auto tab = [&](const char* label, const char* name, bool now) {
    ImGui::SetCursorPos({x, top.y});
    ImGui::PushStyleColor(ImGuiCol_Text, now ? look.palette().text : look.palette().muted);
    const bool pressed = ImGui::Button(fmt::format("{}##{}", label, name).c_str());
    ImGui::PopStyleColor();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (now)
      ImGui::GetWindowDrawList()->AddRectFilled(
          {low.x, high.y + look.px(1)}, {high.x, high.y + look.px(3)}, look.palette().accent);
    x += high.x - low.x + pad;
    return pressed;
  };
  for (const auto name : shown) {
    const ViewInfo& info = info_of(name);
    if (tab(tab_title(name).c_str(), info.name.data(), name == view.name()) && name != view.name())
      commands_.push(cmd::view(slot, name));
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
      commands_.push(cmd::maximize(slot));
    if (ImGui::IsItemHovered() && ContextPopup::clicked())
      popup_.open({ContextThing::Kind::tab, 0, slot, std::string(name)});
    hover_text(info.summary);
  }
  if (tab("\u2026", "all", false)) ImGui::OpenPopup("views");
  hover_text("All views");
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  Look::pop();
  all_views_popup(view, slot);
  ImGui::SetCursorPos(top);
  return x - top.x;
}

// Draws the view's title, where another view is chosen.
float Shell::title(ViewContext& context, Slot slot, const View& view) {
  const Look& look = context.look;
  const ImVec2 top = ImGui::GetCursorPos();
  const auto& scenes = app_.state().lecture.scenes;
  float width = 0;
  if (app_.state().presenting && slot == Slot::main && scenes.open()) {
    look.push(16, Font::Weight::semibold);
    ImGui::TextUnformatted(scenes.scene()->title.c_str());
    width = ImGui::GetItemRectSize().x + look.px(16);
    ImGui::SameLine();
    colored_text(look.palette().muted,
                 fmt::format("{} of {}", scenes.place() + 1, scenes.order.size()));
    Look::pop();
  } else if (app_.state().presenting && app_.state().has_trace()) {
    // A stage needs no title; the back row must see which run it is.
    const auto& job = app_.state().document->trace().meta().job;
    const bool alone = view.name() == "stage" && job;
    look.push(14, Font::Weight::semibold);
    const std::string name = alone ? "" : std::string(view.title()) + (job ? "   " : "");
    ImGui::TextUnformatted(name.c_str());
    width = ImGui::GetItemRectSize().x;
    Look::pop();
    if (job) {
      look.push(14);
      ImGui::SetCursorPos({top.x + width, top.y});
      const std::string said =
          fitted_text(title_of(*job), ImGui::GetContentRegionAvail().x - look.px(16));
      colored_text(look.palette().muted, said);
      width += ImGui::GetItemRectSize().x;
      Look::pop();
    }
    width += look.px(16);
  } else {
    width = head(look, view.title()) + look.px(16);
  }
  // Makes the title a button.
  ImGui::SetCursorPos(top);
  if (ImGui::InvisibleButton("choose", {width, look.px(18)})) ImGui::OpenPopup("views");
  hover_text("Another view here; double-click: all of the window");
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    commands_.push(cmd::maximize(slot));
  all_views_popup(view, slot);
  return width;
}

}  // namespace rankscope::gui
