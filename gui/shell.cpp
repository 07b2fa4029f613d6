// Hands keys to what uses them, and draws a frame around the panes: bars, error, status line, tour.
#include "gui/shell.h"

#include <cfloat>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kGap = 8, kSentence = 40, kTransport = 62, kStatus = 24;
/// On a projector: the height at the foot where a mouse opens the transport, and the foot line's.
constexpr double kFoot = 8, kFootLine = 3;

}  // namespace

Shell::Shell(App& app) : app_(app), views_(all_views()) {}

View& Shell::view_named(const std::string& name) {
  const auto found =
      ranges::find_if(views_, [&](const auto& view) { return view->name() == name; });
  return found == views_.end() ? *views_.front() : **found;
}

View& Shell::view_at(Slot slot) { return view_named(app_.state().settings.layout.at(slot)); }

bool Shell::wants_keys() const {
  return compat::field_has_keyboard() || dialogs_.open() || app_.state().show_palette ||
         ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
}

bool Shell::press(const std::string& key, bool again) {
  if (key == "Tab" || key == "Shift+Tab") walks_ = true;
  else if (key != "Space" && key != "Up" && key != "Down") walks_ = false;
  if (app_.state().lecture.blank) {  // any key shows the window again
    commands_.push(cmd::blank(Turn::off));
    return true;
  }
  if (key == "Escape") {
    // A menu, or a field between the panes, uses the key.
    const bool taken = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup) ||
                       (compat::field_has_keyboard() && !covered());
    if (!taken) escape();
    return false;  // fields and lists use it, too
  }
  const auto& state = app_.state();
  if (!covered() && strip_.takes_key(state, commands_, key)) return true;
  if (key == "Ctrl+R" && state.lecture.scenes.open() && !state.lecture.scenes.arriving) {
    commands_.push(cmd::scene("again"));
    return true;
  }
  // A key that is held down scrubs through what has happened, but releases no process and does not quit.
  const bool forward = key == "Right" || key == "PageDown" || key == "F10" || key == "Shift+F10" ||
                       (key == "F5" && state.presenting);
  const bool releases =
      forward && state.holds() && state.at_present() && !compat::field_has_keyboard();
  if (again && (releases || key == "Ctrl+Q")) return true;
  if (!state.quit_question.empty() && key != "Ctrl+Q") return false;  // the box uses the key
  if (press_clicker(key)) return true;
  const bool reading =
      state.lesson.lesson && !state.lesson.browser && !state.show_palette && !dialogs_.open();
  if (reading && lesson_seen_ && view_named("lesson").takes_key(key)) return false;
  if (state.lesson.browser && !state.show_palette && browser_.takes_key(key)) return false;
  // No field has a use for these.
  const bool pages = lesson_seen_ || state.settings.layout.maximized;
  if (reading && pages && (key == "PageDown" || key == "PageUp")) {
    commands_.push(key == "PageDown" ? cmd::lesson_next_page() : cmd::lesson_page_before());
    return true;
  }
  if (wants_keys() && may_be_typed(key)) return false;
  if (state.first_page() && !covered() && !(walks_ && compat::focus_is_seen()) &&
      first_page_.takes_key(commands_, key))
    return true;
  // Tab moves the focus from control to control, and the space bar presses the framed one.
  if (key == "Space" && walks_ && compat::focus_is_seen()) return false;
  if (!compat::field_has_keyboard() && !covered()) {
    const auto& layout = state.settings.layout;
    const Slot slot = under_mouse_.value_or(layout.maximized.value_or(Slot::main));
    if (auto own = view_at(slot).command_of(state, key)) {
      commands_.push(std::move(*own));
      return true;
    }
  }
  if (state.lecture.prediction.stands() && !state.lecture.prediction.options.empty() &&
      !covered()) {
    const bool digit = key.size() == 1 && key[0] >= '1' && key[0] <= '9';
    if (digit || key == "Backspace") {
      commands_.push(digit ? cmd::predict_choice(key) : cmd::predict_back());
      return true;
    }
  }
  const CommandInfo* const info = command_of_key(key);
  if (info == nullptr) return false;
  // Only a step forward from the present of a held run moves processes.
  const bool forwards = info->name == cmd::play_step.name,
             back = info->name == cmd::play_step_back.name;
  const bool moves = forwards && state.holds() && state.at_present();
  // A key that is held down goes from stop to stop without the motion between them.
  if (moves) commands_.push(cmd::next_stop());
  else if (again && (forwards || back)) commands_.push(forwards ? cmd::step() : cmd::step_back());
  else commands_.push(Command(*info));
  return !compat::field_has_keyboard();  // a field uses Ctrl+Z and the like, too
}

// Returns whether something lies over the panes.
bool Shell::covered() const {
  const auto& s = app_.state();
  return dialogs_.open() || s.show_palette || s.show_shortcuts || s.show_settings ||
         s.lesson.browser || s.tour_step >= 0;
}

bool Shell::press_clicker(const std::string& key) {
  const auto& s = app_.state();
  if (!s.lecturing() || s.lesson.browser || s.show_palette || s.show_shortcuts || dialogs_.open())
    return false;
  const bool typed = compat::field_has_keyboard();
  const bool next = key == "PageDown" || (key == "Right" && !typed);
  const bool back = key == "PageUp" || (key == "Left" && !typed);
  if (next || back) {
    commands_.push(next ? cmd::next_stop() : cmd::previous_stop());
    return true;
  }
  // The clicker's button that begins a slide show.
  const bool nothing = !s.has_trace() && !s.lesson.lesson && !s.lecture.scenes.open();
  if (key != "F5" || (s.presenting && nothing) || (s.recording && !s.presenting)) return false;
  if (s.presenting) commands_.push(cmd::next_stop());
  else commands_.push(cmd::present(Turn::on));
  return true;
}

void Shell::carry_out() {
  for (const auto& command : commands_.take()) {
    if (lacks_arguments(command)) dialogs_.ask_for(command.name);
    else app_.execute(command);
  }
}

void Shell::escape() {
  if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return;  // Escape ends the drag
  const auto& s = app_.state();
  if (!s.quit_question.empty()) commands_.push(cmd::quit_off());
  else if (dialogs_.open()) dialogs_.ask_for("");
  else if (s.show_palette) commands_.push(cmd::palette());
  else if (s.show_shortcuts) commands_.push(cmd::shortcuts());
  else if (s.show_settings) commands_.push(cmd::settings());
  else if (s.show_welcome) commands_.push(cmd::welcome(Turn::off));
  else if (s.lesson.browser) commands_.push(cmd::lesson());
  else if (s.tour_step >= 0) commands_.push(cmd::tour_off());
  else if (s.lecture.scenes.strip) commands_.push(cmd::scenes());
  else if (s.lecture.prediction.open() && !s.lecture.prediction.of_scene)
    commands_.push(cmd::predict_off());
  else if (!s.lecture.strokes.empty()) commands_.push(cmd::pen_clear());
  else if (s.lecture.pen) commands_.push(cmd::pen(Turn::off));
  else if (s.lecture.spotlight) commands_.push(cmd::spotlight(Turn::off));
  else if (s.lecture.countdown && s.lecture.countdown->left_s == 0)
    commands_.push(cmd::countdown_off());
  else if (s.lesson.enlarged_figure() != nullptr) commands_.push(cmd::figure("off"));
  else if (s.settings.layout.maximized) commands_.push(cmd::maximize_off());
  else if (s.presenting) commands_.push(cmd::present(Turn::off));
  else commands_.push(cmd::select_none());
}

void Shell::draw(const Look& look) {
  unfinished_ = keeps_keys_ = moves_ = false;
  places_ = {};
  sentence_at_ = transport_at_ = narration_at_ = {};
  without_room_ = 0;
  lesson_seen_ = false;
  ViewContext context{app_.state(), commands_, look, &unfinished_, &keeps_keys_};
  zooms_ = std::exchange(app_.requests().zooms, {});
  const auto target =
      under_mouse_.value_or(app_.state().settings.layout.maximized.value_or(Slot::main));
  for (Zoom& zoom : zooms_) zoom.slot = zoom.slot.value_or(target);
  under_mouse_.reset();
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(room);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  const bool bars = !app_.state().presenting;
  ImGui::Begin("rankscope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   (bars ? ImGuiWindowFlags_MenuBar : 0));
  ImGui::PopStyleVar(3);
  if (bars) draw_menu_bar(context);
  const float gap = look.px(kGap);
  float top = bars ? ImGui::GetCursorPosY() + gap : gap;
  if (bars && app_.state().settings.layout.left_open) {
    ImGui::SetCursorPos({gap * 2, top - gap / 2});
    compat::begin_child("sentence", {room.x - 4 * gap, look.px(kSentence)},
                        ImGuiWindowFlags_NoScrollbar);
    sentence_bar_.draw(context);
    sentence_at_ = {gap, top - gap / 2, room.x - 2 * gap, look.px(kSentence)};
    ImGui::EndChild();
    top += look.px(kSentence);
  }
  const float status = bars ? look.px(kStatus) : 0;
  const bool nothing_to_play = app_.state().first_page() || app_.state().stage_is_free() ||
                               app_.state().lesson.enlarged_figure() != nullptr ||
                               has_score(look, {room.x - 2 * gap, room.y - top - status - gap});
  const float transport = nothing_to_play ? 0
                          : bars          ? look.px(kTransport)
                                          : look.px(kFoot) - gap / 2;
  const float high = std::max(look.px(60), room.y - top - transport - status - gap);
  panes(context, {gap, top}, {room.x - 2 * gap, high});
  if (transport > 0 && bars) {
    ImGui::SetCursorPos({gap, top + high + gap * 0.5F});
    compat::begin_child("transport", {room.x - 2 * gap, transport}, ImGuiWindowFlags_NoScrollbar);
    draw_transport_bar(context);
    transport_at_ = {gap, top + high + gap * 0.5F, room.x - 2 * gap, transport};
    ImGui::EndChild();
  }
  if (bars) status_line(context, {gap * 2, room.y - status}, {room.x - 4 * gap, status});
  popup_.draw(context);
  ImGui::End();
  if (transport > 0 && !bars) foot_line(context, room);
  else transport_open_ = false;
  draw_on_top(context);
  app_.mutable_state().typing = ImGui::GetIO().WantTextInput;
}

void Shell::foot_line(ViewContext& context, ImVec2 room) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& play = app_.state().playback;
  const float gap = look.px(kGap), line = look.px(kFootLine), high = look.px(kTransport);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool near =
      mouse.y <= room.y && mouse.y >= room.y - (transport_open_ ? high : look.px(kFoot));
  transport_open_ = mouse_moves_ && (near || (transport_open_ && ImGui::IsAnyItemActive()));
  const double end = app_.state().has_trace() ? app_.state().document->axis_end(play.clock) : 0;
  if (!transport_open_) {
    ImDrawList& above = *ImGui::GetForegroundDrawList();
    const float from = 2 * gap, wide = room.x - 4 * gap, y = room.y - gap / 2 - line / 2;
    const auto at = [&](double moment) {
      return from + wide * static_cast<float>(end > 0 ? std::clamp(moment / end, 0.0, 1.0) : 0);
    };
    above.AddRectFilled({from, y}, {from + wide, y + line}, p.control, line / 2);
    above.AddRectFilled({from, y}, {at(play.moment), y + line}, p.accent, line / 2);
    if (end > 0)
      for (const auto& phase : app_.state().document->phases(play.clock))
        if (phase.begin > 0)
          above.AddRectFilled({at(phase.begin) - line / 2, y - line / 2},
                              {at(phase.begin) + line / 2, y + 1.5F * line}, p.muted);
    transport_at_ = {from, y, wide, line};
    return;
  }
  ImGui::SetNextWindowPos({0, room.y - high});
  ImGui::SetNextWindowSize({room.x, high});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, p.bar);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {gap, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("##transport", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing);
  draw_transport_bar(context);
  transport_at_ = {0, room.y - high, room.x, high};
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

bool Shell::lesson_at_left() const {
  const auto& layout = app_.state().settings.layout;
  if (!app_.state().lesson.lesson || layout.at(Slot::main) == "lesson") return false;
  return app_.state().presenting || !layout.shows("lesson");
}

Area Shell::place_of(const std::string& slot) const {
  const auto named = [&](Slot one) {
    return slot.empty() ? one == under_pointer_ : to_string(one) == slot;
  };
  for (const Slot one : {Slot::main, Slot::lower, Slot::side, Slot::side_lower}) {
    const Area& place = places_[static_cast<std::size_t>(one)];
    if (named(one) && place.width > 0) return place;
  }
  const auto largest =
      ranges::max_element(places_, {}, [](const Area& a) { return a.width * a.height; });
  return *largest;
}

const Area& Shell::picture_area() const {
  const Slot slot = app_.state().settings.layout.maximized.value_or(Slot::main);
  const Area& picture = places_[static_cast<std::size_t>(slot)];
  return picture.width > 0 ? picture : places_[static_cast<std::size_t>(Slot::side)];
}

// Returns whether an error is shown over the picture: in the narration's place, or at its foot.
bool Shell::says_error() const {
  const auto& s = app_.state();
  const QuestionState* const asked = s.lesson.question_state(s.lesson.in_view);
  const bool said_there = asked != nullptr && asked->problem == s.error;
  return !s.error.empty() && !said_there && !covered() && picture_area().width > 0;
}

void Shell::error_card(const ViewContext& context) const {
  if (!says_error()) return;
  const auto& s = app_.state();
  const Area& picture = picture_area();
  const Look& look = context.look;
  const bool narrates = narration_at_.width > 0;
  const Area& area = narrates ? narration_at_ : picture;
  // A lesson that fills the window has its buttons at its foot.
  const float out = narrates ? 0 : look.px(8), foot = s.stage_is_free() ? look.px(52) : out;
  ImGui::SetNextWindowPos({area.x + out, area.y + area.height - foot}, ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSizeConstraints({0, narrates ? area.height : 0}, {FLT_MAX, FLT_MAX});
  ImGui::SetNextWindowSize({area.width - 2 * out, 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.palette().bar);
  ImGui::PushStyleColor(ImGuiCol_Border, look.palette().error);
  ImGui::Begin("##error", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  look.push(16, Font::Weight::semibold);
  ImGui::TextWrapped("%s", s.error.c_str());
  Look::pop();
  ImGui::End();
  ImGui::PopStyleColor(2);
}

void Shell::draw_on_top(ViewContext& context) {
  const auto& s = app_.state();
  error_card(context);
  tour(context);
  strip_.draw_over(context);
  if (s.lesson.browser) browser_.draw(context);
  dialogs_.draw(context);
  overlays_.draw(context, dialogs_.open() || s.show_palette || s.show_settings ||
                              s.show_shortcuts || s.show_welcome || s.lesson.browser);
}

// Draws the last message and the number of problems.
void Shell::status_line(ViewContext& context, ImVec2 low, ImVec2 size) {
  const auto& s = app_.state();
  ImGui::SetCursorPos(low);
  compat::begin_child("status", size, ImGuiWindowFlags_NoScrollbar);
  const auto& p = context.look.palette();
  context.look.push(12);
  std::string right;
  const bool notes = ranges::all_of(
      s.problems, [](const Problem& one) { return one.severity == Problem::Severity::note; });
  const bool any = !s.problems.empty() && !s.lesson.keeps_end();
  if (any) right = counted(s.problems.size(), notes ? "note" : "problem");
  else if (s.recording) right = "recording a lecture";
  else if (without_room_ > 0)
    right = without_room_ == 1 ? "no room for 1 pane (Ctrl+-)"
                               : fmt::format("no room for {} panes (Ctrl+-)", without_room_);
  const float wide = right.empty() ? 0 : ImGui::CalcTextSize(right.c_str()).x;
  // The tooltip shows a shortened message whole. An error over the picture is not repeated.
  const std::string message = says_error() && s.error == s.message ? "" : first_line(s.message);
  const std::string shown = fitted_text(message, size.x - wide - context.look.px(32));
  colored_text(s.message_is_error ? p.error : p.muted, shown);
  if (shown != message) hover_text(message);
  if (!right.empty()) {
    ImGui::SetCursorPos({size.x - wide - context.look.px(8), 0});
    colored_text(notes ? p.muted : p.error, right);
  }
  if (any) {
    hover_text("Shows them");
    if (ImGui::IsItemClicked())
      commands_.push(cmd::view(s.settings.layout.drawer ? Slot::side : Slot::lower, "problems"));
  }
  Look::pop();
  ImGui::EndChild();
}

namespace {

/// The part of the window that a step of the tour explains.
enum class TourPart : std::uint8_t { sentence, picture, view, transport };

struct TourStep {
  TourPart part;
  std::string_view view;  ///< For TourPart::view: the view, outlined where it is shown.
  const char *title, *text;
};
constexpr std::array<TourStep, 7> kTour = {{
    {TourPart::sentence, "", "Choose what to run",
     "The sentence on top is the form: press a word to put another in its place, or Ctrl+K and say "
     "it (ring 16, broadcast from 2). Run starts real processes; a change runs them again at "
     "once."},
    {TourPart::picture, "", "The stage",
     "Every rank with its buffer, chunk by chunk, and the messages on their way between them. The "
     "sentence beneath it says what each step does (N)."},
    {TourPart::view, "spacetime", "Time × rank",
     "Ranks from top to bottom, time to the right: each arrow is a message. Click or drag to move "
     "the cursor; the wheel zooms."},
    {TourPart::view, "buffers", "Buffers",
     "What every rank holds at the cursor: whose data is in each chunk, or the values themselves "
     "(V)."},
    {TourPart::view, "code", "Code",
     "The algorithm's own source. A number stands where that rank is; click beside a line for a "
     "breakpoint."},
    {TourPart::transport, "", "Step through it",
     "Space plays; the arrow keys (or a presenter's clicker) step forwards and back. + and - "
     "change the speed."},
    {TourPart::sentence, "", "Live",
     "F6 holds the processes themselves: release one message at a time with F10, and watch who is "
     "blocked."},
}};

bool is_area(const Area& area) { return area.width > 0 && area.height > 0; }

}  // namespace

// Returns the part that a step explains; empty if it is not shown.
Area Shell::toured(int step) const {
  const auto& one = kTour[static_cast<std::size_t>(step)];
  const auto at = [&](Slot slot) { return places_[static_cast<std::size_t>(slot)]; };
  switch (one.part) {
    case TourPart::sentence: return sentence_at_;
    case TourPart::transport: return is_area(transport_at_) ? transport_at_ : at(Slot::lower);
    case TourPart::picture: return at(Slot::main);
    case TourPart::view:
      for (const Slot slot : kSlots)
        if (app_.state().settings.layout.at(slot) == one.view && is_area(at(slot))) return at(slot);
      return {};
  }
  return {};
}

void Shell::tour(ViewContext& context) {
  const int step = app_.state().tour_step;
  if (step < 0) return;
  if (step >= static_cast<int>(kTour.size())) return commands_.push(cmd::tour_off());
  const auto& one = kTour[static_cast<std::size_t>(step)];
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const Area area = toured(step);
  const float around = look.px(3);
  if (is_area(area))
    ImGui::GetForegroundDrawList()->AddRect(
        {area.x - around, area.y - around},
        {area.x + area.width + around, area.y + area.height + around}, look.palette().accent,
        look.px(10), 0, look.px(3));
  // Above a part that is low in the window, below one that is high.
  const bool low = is_area(area) && area.y + area.height / 2 > room.y * 0.55F;
  const float y = !is_area(area) ? room.y - look.px(110)
                  : low          ? area.y - look.px(14)
                                 : std::min(area.y + area.height + look.px(14), room.y * 0.9F);
  const bool tall = is_area(area) && area.height > room.y * 0.55F;
  ImGui::SetNextWindowPos({room.x / 2, tall ? room.y * 0.9F : y}, ImGuiCond_Always,
                          {0.5F, low || tall || !is_area(area) ? 1.0F : 0.0F});
  ImGui::SetNextWindowSize({look.px(460), 0});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.palette().bar);
  ImGui::PushStyleColor(ImGuiCol_Border, look.palette().accent);
  ImGui::Begin("##tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
  look.push(16, Font::Weight::semibold);
  ImGui::TextUnformatted(fmt::format("{} of {}: {}", step + 1, kTour.size(), one.title).c_str());
  Look::pop();
  ImGui::TextWrapped("%s", one.text);
  if (step + 1 < static_cast<int>(kTour.size())) {
    if (ImGui::Button("Next")) commands_.push(cmd::tour(step + 1));
    ImGui::SameLine();
  }
  if (ImGui::Button("End the tour")) commands_.push(cmd::tour_off());
  ImGui::End();
  ImGui::PopStyleColor(2);
}

}  // namespace rankscope::gui
