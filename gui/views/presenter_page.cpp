// Draws the presenter's window.
#include "gui/views/presenter_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr double kNotes = 21, kTold = 16;
/// In a narrower window, the next step stands below the notes.
constexpr double kSideBySide = 760;
/// In a lower window the clock is small, and the next step stands beside the notes.
constexpr double kLowWindow = 520, kLowWindowBeside = 420;

std::string clock_text(int seconds) {
  const int hours = seconds / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, seconds / 60 % 60, seconds % 60)
                   : fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

/// Returns all notes of a page, one below another; empty if it has none.
std::string notes_of(const Step& step) {
  std::string text;
  for (const Block& block : step.blocks) {
    if (block.kind != Block::Kind::note) continue;
    if (!text.empty()) text += "\n\n---\n\n";
    if (!block.title.empty()) text += "**" + block.title + "**\n\n";
    text += block.text;
  }
  return text;
}

/// Returns the second of the lecture at which the scene is planned to be over.
int due_by(const ScenesState& scenes) {
  return static_cast<int>(std::lround(60 * scenes.minutes(true)));
}

int questions_of(const Step& step) {
  return static_cast<int>(ranges::count(step.blocks, Block::Kind::question, &Block::kind));
}

bool is_low(const Look& look) { return ImGui::GetIO().DisplaySize.y < look.px(kLowWindow); }

void gap(const Look& look, double height) { ImGui::Dummy({0, look.px(height)}); }

void head_line(const Look& look, const char* title) {
  caption(look, title, 0, true);
  gap(look, 2);
}

}  // namespace

void PresenterPage::header(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  const ImVec2 at = ImGui::GetCursorPos();
  look.push(21, Font::Weight::bold);
  const int minute = context.state.lecture.minute_of_day;
  const std::string time = fmt::format("{}:{:02}", minute / 60, minute % 60);
  const float wide = ImGui::CalcTextSize(time.c_str()).x;
  const auto& scenes = context.state.lecture.scenes;
  const std::string title = scenes.open()               ? scenes.lecture->title
                            : lesson.lesson             ? lesson.lesson->title
                            : context.state.has_trace() ? context.state.document->headline()
                                                        : "Nothing is open";
  ImGui::TextUnformatted(fitted_text(title, width - wide - look.px(24)).c_str());
  ImGui::SetCursorPos({at.x + width - wide, at.y});
  colored_text(look.palette().muted, time);
  Look::pop();
  std::string where;
  if (scenes.open())
    where = fmt::format("Scene {} of {}: {}", scenes.place() + 1, scenes.order.size(),
                        scenes.scene()->title);
  else if (const Step* const page = lesson.page_shown())
    where = fmt::format("Page {} of {}: {}", lesson.page() + 1, lesson.pages(), page->title);
  if (!where.empty()) caption(look, fitted_text(where, width), look.palette().muted);
}

// Draws the lecture's time beside the planned one, and a countdown.
void PresenterPage::clocks(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& lecture = context.state.lecture;
  const auto& lesson = context.state.lesson;
  const auto& scenes = context.state.lecture.scenes;
  const int planned = scenes.open()   ? static_cast<int>(std::lround(scenes.minutes()))
                      : lesson.lesson ? lesson.lesson->minutes
                                      : 0;
  const bool late = planned > 0 && lecture.timer_s > planned * 60;
  const ImVec2 at = ImGui::GetCursorPos();
  const bool tight = is_low(look);
  look.push(tight ? 21 : 44, Font::Weight::semibold);
  const std::string passed = clock_text(lecture.timer_s);
  const ImVec2 size = ImGui::CalcTextSize(passed.c_str());
  colored_text(!lecture.timer_runs ? p.muted : late ? p.warning : p.text, passed);
  Look::pop();
  float x = at.x + size.x + look.px(12);
  if (planned > 0) {
    std::string of =
        late ? fmt::format("{} min planned", planned) : fmt::format("of {} min", planned);
    if (scenes.open()) of += fmt::format(", scene due by {}", clock_text(due_by(scenes)));
    ImGui::SetCursorPos({x, at.y + size.y - look.px(tight ? 24 : 30)});
    look.push(16);
    colored_text(late ? p.warning : p.muted, of);
    x += ImGui::CalcTextSize(of.c_str()).x + look.px(16);
    Look::pop();
  }
  ImGui::SetCursorPos({x, at.y + size.y - look.px(tight ? 28 : 36)});
  if (ImGui::Button(lecture.timer_runs ? "Pause" : "Go on")) context.commands.push(cmd::timer());
  ImGui::SameLine();
  if (ImGui::Button("From 0:00")) context.commands.push(cmd::timer_reset());
  if (const auto& down = lecture.countdown) {
    const std::string text = down->left_s == 0
                                 ? "time is up"
                                 : clock_text(down->left_s) + (down->paused ? " (paused)" : "");
    look.push(tight ? 21 : 28, Font::Weight::bold);
    const float wide = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPos({at.x + width - wide, at.y + size.y - look.px(tight ? 26 : 38)});
    colored_text(p.accent, text);
    Look::pop();
  }
  ImGui::SetCursorPos({at.x, at.y + size.y + look.px(4)});
  if (planned > 0) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float high = look.px(5);
    const float share =
        std::min(1.0F, static_cast<float>(lecture.timer_s) / (60 * static_cast<float>(planned)));
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(low, {low.x + width, low.y + high}, p.control, high / 2);
    if (share > 0)
      list.AddRectFilled(low, {low.x + std::max(high, width * share), low.y + high},
                         late ? p.warning : p.accent, high / 2);
  }
  gap(look, 8);
}

void PresenterPage::notes(ViewContext& context, ImVec2 size) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  compat::begin_child("notes", size);
  const LectureScene* const scene = context.state.lecture.scenes.scene();
  const std::string page =
      scene != nullptr ? fmt::format("scene {}", context.state.lecture.scenes.now)
      : lesson.lesson  ? fmt::format("{} {}", lesson.lesson->slug, lesson.page())
                       : std::string();
  if (std::exchange(page_, page) != page) ImGui::SetScrollY(0);
  head_line(look, "NOTES");
  const Step* const step = lesson.page_shown();
  const std::string text = scene != nullptr  ? scene->notes
                           : step != nullptr ? notes_of(*step)
                                             : std::string();
  const float width = ImGui::GetContentRegionAvail().x - look.px(8);
  if (!text.empty()) {
    draw_markdown(look, markdown_.of(text), width, {is_low(look) ? kTold : kNotes});
  } else {
    const char* const why =
        scene != nullptr              ? "This scene has no notes."
        : step == nullptr             ? "No lesson is open: Ctrl+L in the other window shows all."
        : lesson.lesson->student_copy ? "A student's copy of a lesson has no notes."
                                      : "This page has no notes.";
    draw_words(look, why, width, {kTold, look.palette().muted});
  }
  ImGui::EndChild();
}

void PresenterPage::run(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& s = context.state;
  head_line(look, "THE RUN");
  if (!s.has_trace() || s.document->large()) {
    draw_words(look, s.has_trace() ? "A run of this size has no sentences." : "No run is shown.",
               width, {kTold, look.palette().muted});
    return;
  }
  const int steps = s.document->rounds().count;
  const int done = s.document->rounds_done(s.playback.clock, s.playback.moment);
  draw_words(look,
             done >= steps ? fmt::format("after step {} of {}", steps, steps)
             : done == 0   ? fmt::format("before step 1 of {}", steps)
                           : fmt::format("step {} of {}", done, steps),
             width, {kTold, 0, true});
  draw_words(look, now_.sentence(*s.document, s.playback), width, {kTold});
  gap(look, 14);
  head_line(look, "NEXT STEP");
  const std::string ahead = ahead_.ahead(*s.document, s.playback);
  draw_words(look, ahead.empty() && !ahead_.busy() ? "The run ends here." : ahead, width,
             {kTold, ahead.empty() ? look.palette().muted : 0});
  if (context.unfinished != nullptr && (now_.busy() || ahead_.busy())) *context.unfinished = true;
}

void PresenterPage::lesson(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  if (!lesson.lesson || context.state.lecture.scenes.open()) return;
  gap(look, 14);
  head_line(look, "NEXT PAGE");
  const Step* const step = lesson.page_shown(1);
  if (step == nullptr)
    return draw_words(look, "This is the last page.", width, {kTold, look.palette().muted});
  draw_words(look, step->title, width, {kTold});
  if (const int questions = questions_of(*step); questions > 0)
    draw_words(look,
               questions == 1 ? "with a question" : fmt::format("with {} questions", questions),
               width, {13, look.palette().muted});
}

void PresenterPage::next_scene(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& scenes = context.state.lecture.scenes;
  if (!scenes.open()) return;
  gap(look, 14);
  head_line(look, "NEXT SCENE");
  const auto next = scenes.neighbour(1);
  if (!next)
    return draw_words(look, "This is the last scene.", width, {kTold, look.palette().muted});
  const LectureScene& scene = scenes.lecture->scenes[*next];
  draw_words(look, scene.title, width, {kTold});
  if (scene.question)
    draw_words(look, "asks: " + scene.question->text, width, {13, look.palette().muted});
}

void PresenterPage::next(ViewContext& context, ImVec2 size) {
  compat::begin_child("next", size);
  const float width = ImGui::GetContentRegionAvail().x - context.look.px(8);
  run(context, width);
  next_scene(context, width);
  lesson(context, width);
  ImGui::EndChild();
}

void PresenterPage::buttons(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& lecture = context.state.lecture;
  const float high = look.px(40), wide = look.px(110);
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Button("Back", {wide, high})) context.commands.push(cmd::previous_stop());
  hover_text("One step back (PageUp)");
  ImGui::SameLine();
  if (accent_button(look, "Next", {wide, high}, 16)) context.commands.push(cmd::next_stop());
  hover_text("The next step, then the next page (PageDown)");
  float right = at.x + width;
  // Draws from the right edge, and leaves out tools without room.
  const auto tool = [&](const char* label, bool on, Command command, const char* tip) {
    const float size = ImGui::CalcTextSize(label).x + look.px(24);
    if (right - size < at.x + 2 * wide + look.px(32)) return;
    right -= size;
    ImGui::SetCursorPos({right, at.y});
    if (on) ImGui::PushStyleColor(ImGuiCol_Button, look.palette().selection);
    const bool pressed = ImGui::Button(label, {size, high});
    if (on) ImGui::PopStyleColor();
    hover_text(tip);
    if (pressed) context.commands.push(std::move(command));
    right -= look.px(8);
  };
  tool(lecture.blank ? "Show again" : "Black", lecture.blank, cmd::blank(),
       "Makes the other window black (.)");
  tool(lecture.countdown ? "End countdown" : "2:00", lecture.countdown.has_value(),
       lecture.countdown ? cmd::countdown_off() : cmd::countdown("2:00"),
       "Counts two minutes down in the other window");
  tool("Curtain", context.state.curtain(), cmd::curtain_toggle(),
       "Covers the steps that have not been played (K)");
  tool("Spotlight", lecture.spotlight, cmd::spotlight(), "A bright circle around the mouse (S)");
  tool("Pen", lecture.pen, cmd::pen(), "Draws over the other window (D)");
}

void PresenterPage::draw(ViewContext& context) {
  const Look& look = context.look;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(room);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(24), look.px(18)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("presenter", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::PopStyleVar(3);
  const float width = ImGui::GetContentRegionAvail().x;
  header(context, width);
  gap(look, 2);
  clocks(context, width);
  gap(look, 6);
  const bool strip = context.state.lecture.scenes.open() && !is_low(look);
  const float row = strip ? SceneStrip::height(look) + look.px(8) : 0;
  const float foot = look.px(40) + look.px(14) + row;
  const ImVec2 from = ImGui::GetCursorPos();
  const float high = std::max(look.px(80), ImGui::GetContentRegionAvail().y - foot);
  if (width >= look.px(is_low(look) ? kLowWindowBeside : kSideBySide)) {
    const float left = std::round(width * 0.58F);
    notes(context, {left, high});
    ImGui::SetCursorPos({from.x + left + look.px(24), from.y});
    next(context, {width - left - look.px(24), high});
  } else {
    const float upper = std::round(high * 0.55F);
    notes(context, {width, upper});
    ImGui::SetCursorPos({from.x, from.y + upper + look.px(8)});
    next(context, {width, high - upper - look.px(8)});
  }
  if (strip) {
    ImGui::SetCursorPos({from.x, from.y + high + look.px(8)});
    strip_.draw(context, {width, row - look.px(8)});
  }
  ImGui::SetCursorPos({from.x, from.y + high + row + look.px(12)});
  buttons(context, width);
  ImGui::End();
}

}  // namespace rankscope::gui
