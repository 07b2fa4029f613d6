// All lessons and courses, with how far the student is.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "gui/views/lesson/lesson_parts.h"
#include "lessons/lesson/expand.h"

namespace rankscope::gui {
namespace {

void muted_line(const Look& look, const std::string& text, float width) {
  draw_words(look, text, width, {13, look.palette().muted});
}

// The window below is dimmed.
void dim(ImVec2 room) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(room);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImVec4(0, 0, 0, 0.5F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("##dim", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoInputs |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor();
}

}  // namespace

void LessonBrowser::draw(ViewContext& context) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::min(room.x - look.px(40), look.px(980)),
                    std::min(room.y - look.px(60), look.px(760))};
  dim(room);
  ImGui::SetNextWindowPos({room.x / 2, room.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(20), look.px(16)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, look.palette().panel);
  ImGui::Begin(
      "##lessons", nullptr,
      ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                      !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                              ImGuiHoveredFlags_AllowWhenBlockedByPopup) &&
                      !ImGui::IsWindowAppearing() &&
                      !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
  if (ImGui::IsWindowAppearing()) hands_in_ = false;
  look.push(21, Font::Weight::bold);
  ImGui::TextUnformatted("Lessons");
  Look::pop();
  students(context);
  vertical_gap(look, 6);
  if (!lesson.problem.empty()) {
    draw_empty(context, "There are no lessons here", lesson.problem);
  } else if (lesson.cards.empty()) {
    draw_empty(context, "Reading the lessons …", "");
  } else {
    const float left = look.px(200);
    courses(context, left);
    ImGui::SameLine(0, look.px(16));
    cards(context);
  }
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (beside) context.commands.push(cmd::lesson());
}

// At the right of the title: whose points they are.
void LessonBrowser::students(ViewContext& context) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  const float width = look.px(180), whole = ImGui::GetContentRegionAvail().x;
  ImGui::SameLine();
  ImGui::SetCursorPosX(whole - width - look.px(90));
  ImGui::AlignTextToFramePadding();
  caption(look, "Student");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  if (ImGui::BeginCombo("##student", lesson.student.c_str())) {
    for (const std::string& name : lesson.students)
      if (ImGui::Selectable(name.c_str(), name == lesson.student) && name != lesson.student)
        context.commands.push(cmd::student(name));
    ImGui::Separator();
    caption(look, "Another one (Enter)");
    ImGui::SetNextItemWidth(-1);
    if (ImGui::InputText("##name", name_.data(), name_.size(),
                         ImGuiInputTextFlags_EnterReturnsTrue) &&
        name_[0] != 0) {
      context.commands.push(cmd::student(name_.data()));
      name_[0] = 0;
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button("Close")) context.commands.push(cmd::lesson());
}

void LessonBrowser::courses(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& lesson = context.state.lesson;
  compat::begin_child("courses", {width, 0});
  const auto entry = [&](const std::string& name, const std::string& title,
                         const std::string& below, bool on) {
    ImGui::PushID(name.c_str());
    const ImVec2 at = ImGui::GetCursorPos();
    const float inner = width - look.px(16);
    ImGui::SetCursorPos({at.x + look.px(8), at.y + look.px(6)});
    draw_words(look, title, inner, {14, on ? look.palette().accent : 0, on});
    if (!below.empty()) {
      ImGui::SetCursorPosX(at.x + look.px(8));
      draw_words(look, below, inner, {12, look.palette().muted});
    }
    const float high = ImGui::GetCursorPosY() - at.y + look.px(6);
    ImGui::SetCursorPos(at);
    if (ImGui::InvisibleButton("course", {width, high}))
      context.commands.push(cmd::lesson_course(name));
    const ImVec2 low = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    if (on || ImGui::IsItemHovered())
      ImGui::GetWindowDrawList()->AddRectFilled(
          low, to, with_alpha(look.palette().accent, on ? 0x22 : 0x12), look.px(6));
    ImGui::PopID();
  };
  entry("all", fmt::format("All lessons ({})", lesson.cards.size()), "",
        lesson.chosen_course.empty());
  vertical_gap(look, 8);
  caption(look, "  COURSES", 0, true);
  for (const CourseCard& course : lesson.courses)
    entry(course.name, course.title, course.score(), lesson.chosen_course == course.name);
  ImGui::EndChild();
}

void LessonBrowser::cards(ViewContext& context) {
  const auto& lesson = context.state.lesson;
  compat::begin_child("cards");
  const auto course = ranges::find(lesson.courses, lesson.chosen_course, &CourseCard::name);
  const auto show = [&](const std::string& slug) {
    const auto found = ranges::find(lesson.cards, slug, &LessonCard::slug);
    if (found != lesson.cards.end())
      card(context, *found, static_cast<std::size_t>(found - lesson.cards.begin()));
  };
  if (course == lesson.courses.end()) {
    for (const LessonCard& one : lesson.cards) show(one.slug);
  } else {
    course_page(context, *course);
  }
  ImGui::EndChild();
}

// The course as a check list, and the ways on.
void LessonBrowser::course_page(ViewContext& context, const CourseCard& course) {
  const Look& look = context.look;
  const LessonState& state = context.state.lesson;
  ring_.begin(!context.state.show_palette);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ring_.clear();
  const float width = ImGui::GetContentRegionAvail().x - look.px(18);
  LessonContext shared{context, ring_, markdown_, heights_, width};
  shared.right = ImGui::GetCursorScreenPos().x + width;
  ImGui::Indent(look.px(3));
  if (!course.summary.empty()) muted_line(look, course.summary, width);
  std::string head = course.score();
  if (const std::string due = course.due(); !due.empty()) head += " · " + due;
  vertical_gap(look, 2);
  draw_words(look, head, width, {16, 0, true});
  vertical_gap(look, 6);
  const CourseCard::Item* const next = state.item_to_go_on();
  if (next != nullptr) {
    const std::string label = fmt::format("Go on: {}###next", next->title);
    if (ring_button(shared, label.c_str(), !state.hand_in.open))
      context.commands.push(cmd::lesson_item(next->lesson, next->id));
    next_button(shared, "Hand in …");
  }
  if (ring_button(shared, "Hand in …", next == nullptr && !state.hand_in.open))
    context.commands.push(cmd::hand_in());
  hover_text("Writes what your course asks for: answers, programs and a receipt");
  vertical_gap(look, 8);
  hands_in_ = hands_in_ && state.hand_in.open;
  if (state.hand_in.open) {
    const std::string& name = state.sheet_name.empty() ? state.student : state.sheet_name;
    const std::string now = state.hand_in.to + "\n" + name;
    if (std::exchange(form_, now) != now) {
      to_ = state.hand_in.to;
      sheet_name_ = name;
    }
    if (!std::exchange(hands_in_, true)) ImGui::SetScrollHereY(0);
    draw_hand_in(shared, course, to_, sheet_name_);
    vertical_gap(look, 8);
  }
  draw_course_items(shared, course);
  vertical_gap(look, 12);
  ring_.scroll_to_focus(look.px(24));
  ImGui::Unindent(look.px(3));
}

void LessonBrowser::card(ViewContext& context, const LessonCard& one, std::size_t number) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const float width = ImGui::GetContentRegionAvail().x - look.px(14), pad = look.px(12);
  ImGui::PushID(one.slug.c_str());
  const ImGuiID id = ImGui::GetID("card");
  const float high = std::max(heights_[id], look.px(40));
  const ImVec2 at = ImGui::GetCursorPos(), low = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton("card", {width, high});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to{low.x + width, low.y + high};
  list.AddRectFilled(low, to, hovered ? p.control : p.bar, look.px(8));
  list.AddRect(low, to, hovered ? p.accent : p.panel_edge, look.px(8));
  const float side = look.px(150), left = look.px(42), room = width - side - left - 2 * pad;
  ImGui::SetCursorPos({at.x + pad, at.y + pad * 0.8F});
  draw_words(look, fmt::format("{}", number + 1), left, {16, p.muted, true});
  ImGui::SetCursorPos({at.x + left, at.y + pad * 0.8F});
  ImGui::BeginGroup();
  draw_words(look, one.title, room, {16, 0, true});
  muted_line(look, one.summary, room);
  ImGui::EndGroup();
  const float bottom = ImGui::GetCursorPosY();
  ImGui::SetCursorPos({at.x + width - side - pad, at.y + pad * 0.8F});
  ImGui::BeginGroup();
  caption(look, fmt::format("{} min · {}", one.minutes, points_text(one.most)));
  const double share = one.most > 0 ? one.points / one.most : 0;
  share_bar(look, ImGui::GetCursorScreenPos(), {side, look.px(5)}, share,
            share >= 1 ? p.good : p.accent);
  vertical_gap(look, 10);
  const bool done = one.items > 0 && one.done == one.items;
  caption(look,
          !one.begun ? "not begun"
          : done     ? fmt::format("done: {} points", short_number(one.points))
                     : fmt::format("{} of {} done · {} points", one.done, one.items,
                                   short_number(one.points)),
          done        ? p.good
          : one.begun ? p.text
                      : 0);
  ImGui::EndGroup();
  heights_[id] = std::max(bottom, ImGui::GetCursorPosY()) - at.y + pad * 0.4F;
  ImGui::SetCursorPos({at.x, at.y + high + look.px(8)});
  ImGui::Dummy({width, 0});
  if (hovered && !one.prerequisites.empty())
    ImGui::SetTooltip("Before it: %s",
                      fmt::format("{}", fmt::join(one.prerequisites, ", ")).c_str());
  if (clicked) context.commands.push(cmd::lesson(one.slug));
  ImGui::PopID();
}

}  // namespace rankscope::gui
