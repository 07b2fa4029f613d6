// Draws a course's check list, and what is handed in for it.
#include <fmt/format.h>

#include "gui/views/lesson/lesson_parts.h"
#include "lessons/text/list_text.h"

namespace rankscope::gui {
namespace {

using State = Verdict::State;

/// From this width on, an item is one line.
constexpr double kWide = 560;

State mark_of(ItemStanding standing) {
  switch (standing) {
    case ItemStanding::right: return State::right;
    case ItemStanding::partly: return State::partly;
    case ItemStanding::wrong: return State::wrong;
    case ItemStanding::by_hand:
    case ItemStanding::readable:
    case ItemStanding::shown: return State::by_hand;
    case ItemStanding::unreadable:
    case ItemStanding::not_graded: return State::malformed;
    case ItemStanding::open:
    case ItemStanding::not_begun:
    case ItemStanding::ungraded:
    case ItemStanding::changed: break;
  }
  return State::unanswered;
}

/// "Task 2" of "Task 2: all-reduction operation".
std::string head_of(const std::string& title) { return title.substr(0, title.find(':')); }

std::string points_of(const CourseCard::Item& item) {
  return item.points ? fmt::format("{} of {}", short_number(*item.points), short_number(item.most))
                     : points_text(item.most);
}

void item_row(LessonContext& lesson, const CourseCard::Item& item, bool here) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const bool wide = lesson.width >= look.px(kWide);
  const bool there = !item.lesson.empty(), says = !item.program && !item.says.empty();
  const float left = look.px(26), right = look.px(72), read = wide ? look.px(240) : 0;
  const ImVec2 from = ImGui::GetCursorPos(), low = ImGui::GetCursorScreenPos();
  const float pad = look.px(4), room = lesson.width - left - right - read - look.px(8);
  ImGui::SetCursorPos({from.x + left, from.y + pad});
  ImGui::BeginGroup();
  draw_words(look, item.title, room, {14, there ? p.text : p.muted, here});
  const bool opens =
      there && lesson.lesson().busy && lesson.lesson().opening == item.lesson + "/" + item.id;
  const CodeState* const code = item.program ? lesson.lesson().program(item.id) : nullptr;
  const std::string state =
      opens ? std::string("opening …")
      : code != nullptr && (code->again || code->state == CodeState::State::running)
          ? std::string("is being graded …")
      : there ? fmt::format("{}{}{}", to_string(item.standing), !says ? "" : ": " + item.says,
                            wide ? "" : " · " + item.lesson_title)
              : std::string("not yet here");
  // The empty circle says as much.
  if (!wide || says || opens || item.standing != ItemStanding::open)
    draw_words(look, state, room, {12, p.muted});
  ImGui::EndGroup();
  const float high = ImGui::GetItemRectSize().y + 2 * pad;
  ImGui::SetCursorPos(from);
  ImGui::PushID(item.lesson.c_str());
  ImGui::PushID(item.id.c_str());
  const bool focused = there && lesson.ring.item(ImGui::GetID("item"));
  const bool clicked = ImGui::InvisibleButton("item", {lesson.width - read, high});
  const bool hovered = there && ImGui::IsItemHovered();
  lesson.ring.after(focused);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 to{low.x + lesson.width - read, low.y + high};
  if (hovered || here || opens)
    list.AddRectFilled(low, to, with_alpha(p.accent, hovered ? 0x20 : 0x12), look.px(5));
  if (focused) list.AddRect(low, to, p.accent, look.px(5), 0, look.px(2));
  if (hovered && !item.says.empty()) hover_text(item.says);
  verdict_icon(look, {low.x + look.px(12), low.y + pad + look.px(9)}, 7, mark_of(item.standing));
  const auto face = look.face({13, Font::Weight::regular, false});
  const std::string points = points_of(item);
  face.draw(list, {to.x - face.extent(points).x - look.px(6), low.y + pad + look.px(1)},
            item.points ? p.text : p.muted, points);
  if (there && (clicked || lesson.ring.activated(focused))) {
    lesson.ring.lead();
    lesson.context.commands.push(cmd::lesson_item(item.lesson, item.id));
  }
  if (wide && there) {
    ImGui::SetCursorPos({from.x + lesson.width - read, from.y});
    const bool reads = ImGui::InvisibleButton("read", {read, high});
    const bool over = ImGui::IsItemHovered();
    if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    look.push(12);
    const std::string whole = fmt::format("Read: {} ({} min)", item.lesson_title, item.minutes);
    // The minutes give way to the name.
    std::string text = whole;
    if (ImGui::CalcTextSize(text.c_str()).x > read - look.px(14))
      text = fitted_text("Read: " + item.lesson_title, read - look.px(14));
    list.AddText({to.x + look.px(12), low.y + pad + look.px(2)}, over ? p.accent : p.muted,
                 text.c_str());
    Look::pop();
    if (text != whole) hover_text(whole);
    if (reads) lesson.context.commands.push(cmd::lesson(item.lesson));
  }
  ImGui::PopID();
  ImGui::PopID();
  ImGui::SetCursorPos({from.x, from.y + high});
  ImGui::Dummy({0, 0});
}

/// Draws the receipt: first the missing items, then each item.
void receipt(LessonContext& lesson, const CourseCard& card, const HandInState& now) {
  const Look& look = lesson.look();
  const HandInReceipt& done = *now.receipt;
  const auto lacking =
      ranges::count_if(done.check.items, [](const HandInItem& item) { return item.lacks(); });
  std::string says = fmt::format("{} with {}. Receipt {} (also in receipt.txt).", now.to,
                                 first_few(done.files, 8), done.checksum);
  verdict_box(lesson,
              now.stale      ? State::malformed
              : lacking == 0 ? State::right
                             : State::partly,
              now.stale      ? "Answers have changed since this was written: write it again"
              : lacking == 0 ? "Written: nothing is missing"
                             : fmt::format("Written, with {} of {} items missing or unreadable",
                                           lacking, done.check.items.size()),
              says, "Upload it where your course asks for it; until then, write it again at will.");
  vertical_gap(look, 8);
  for (const HandInItem& item : done.check.items) {
    if (item.says.empty() && !item.lacks()) continue;
    const std::size_t part = item.entry->part;
    std::string line = fmt::format(
        "{} · {}: {}", part < card.parts.size() ? head_of(card.parts[part].title) : card.title,
        item.title, to_string(item.standing));
    if (!item.says.empty()) line += "; " + item.says;
    draw_words(look, line, lesson.width, {13});
    vertical_gap(look, 2);
  }
  for (const std::string& remark : done.check.remarks)
    draw_words(look, remark, lesson.width, {13, look.palette().warning});
}

}  // namespace

CourseLine course_line(const CourseCard& card, const CourseCard::Item& item) {
  const auto part = ranges::find_if(card.parts, [&](const CourseCard::Part& one) {
    return ranges::any_of(one.items, [&](const auto& other) { return &other == &item; });
  });
  CourseLine out{head_of(card.title), item.title, "", ""};
  if (part != card.parts.end()) {
    out.place += fmt::format(" · {} · {}", head_of(part->title), item.title);
    out.points = fmt::format("{} in {}", part->score(), head_of(part->title));
  }
  out.scored = out.points;
  if (const std::string due = card.due(); !due.empty()) out.points += " · " + due;
  return out;
}

void next_in_course(LessonContext& lesson, std::string_view exercise) {
  const CourseCard* const card = lesson.lesson().course();
  const CourseCard::Item* const item = lesson.lesson().item_of(exercise);
  if (item == nullptr) return;
  const CourseCard::Item* const next = card->next(item);
  const Look& look = lesson.look();
  vertical_gap(look, 8);
  if (next == nullptr) {
    if (ring_button(lesson, "All is answered: hand in …", true))
      lesson.context.commands.push(cmd::hand_in());
    return;
  }
  look.push(14);
  const std::string title = fitted_text("Next: " + next->title, lesson.width - look.px(26));
  Look::pop();
  if (ring_button(lesson, (title + "###next").c_str(), true)) {
    lesson.ring.lead();
    lesson.context.commands.push(cmd::lesson_item(next->lesson, next->id));
  }
}

void draw_course_items(LessonContext& lesson, const CourseCard& card, bool to_here) {
  const Look& look = lesson.look();
  const CourseCard::Item* const here = lesson.lesson().item_here();
  for (std::size_t i = 0; i < card.parts.size(); ++i) {
    const CourseCard::Part& part = card.parts[i];
    ImGui::PushID(static_cast<int>(i));
    vertical_gap(look, i == 0 ? 2 : 12);
    draw_words(look, fmt::format("{} · {}", part.title, part.score()), lesson.width, {14, 0, true});
    vertical_gap(look, 3);
    for (const CourseCard::Item& item : part.items) {
      if (to_here && &item == here) ImGui::SetScrollHereY(0.3F);
      item_row(lesson, item, &item == here);
    }
    ImGui::PopID();
  }
  for (const std::string& remark : card.remarks)
    draw_words(look, remark, lesson.width, {13, look.palette().warning});
}

void draw_hand_in(LessonContext& lesson, const CourseCard& card, std::string& to,
                  std::string& name) {
  const Look& look = lesson.look();
  const HandInState& now = lesson.lesson().hand_in;
  const float outside = lesson.width;
  const Card box = begin_card(lesson, "hand in", look.palette().bar, look.palette().panel_edge);
  lesson.width = box.inner;
  lesson.right = box.low.x + outside - box.pad;
  draw_words(look, "Hand in: " + card.title, box.inner, {16, 0, true});
  draw_words(look,
             "Your answers, programs and a receipt are written into one folder, or into a file "
             "whose name ends in .zip.",
             box.inner, {13, look.palette().muted});
  vertical_gap(look, 8);
  bool entered = false, named = false;
  caption(look, "Your name, as it stands on the sheet");
  text_field(lesson, "##name", name, box.inner, "", named, false);
  vertical_gap(look, 6);
  caption(look, "Folder or zip file");
  text_field(lesson, "##to", to, box.inner, "", entered);
  vertical_gap(look, 8);
  const std::string& was = lesson.lesson().sheet_name;
  const bool other = name != (was.empty() ? lesson.lesson().student : was);
  const bool pressed = ring_button(lesson, now.busy ? "Writing …###write" : "Write it###write",
                                   true, 0, !now.busy && !to.empty());
  next_button(lesson, "Close");
  if (ring_button(lesson, "Close")) lesson.context.commands.push(cmd::lesson_course(card.name));
  if ((named || pressed || entered) && other && !name.empty())
    lesson.context.commands.push(cmd::hand_in_as(name));
  if ((pressed || entered) && !now.busy && !to.empty())
    lesson.context.commands.push(cmd::hand_in(to));
  if (!now.problem.empty()) {
    vertical_gap(look, 8);
    verdict_box(lesson, State::malformed, "It could not be written", now.problem, "");
  } else if (now.receipt) {
    vertical_gap(look, 8);
    receipt(lesson, card, now);
  }
  lesson.width = outside;
  end_card(lesson, box);
}

}  // namespace rankscope::gui
