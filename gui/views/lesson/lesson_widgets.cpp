// Implements the cards, text fields, options, buttons and verdict boxes of lessons.
#include "gui/views/lesson/lesson_widgets.h"

#include <cmath>

#include "lessons/lesson/expand.h"

namespace rankscope::gui {
namespace {

using State = Verdict::State;

int on_resize(ImGuiInputTextCallbackData* data) {
  auto& text = *static_cast<std::string*>(data->UserData);
  text.resize(static_cast<std::size_t>(data->BufTextLen));
  data->Buf = text.data();
  return 0;
}

void focus_frame(const LessonContext& lesson, bool focused) {
  if (!focused) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const float out = lesson.look().px(2);
  ImGui::GetWindowDrawList()->AddRect({low.x - out, low.y - out}, {high.x + out, high.y + out},
                                      lesson.look().palette().accent, lesson.look().px(6), 0,
                                      lesson.look().px(2));
}

/// Escape leaves a field; Dear ImGui would put its first text back, too.
void keep_text(std::string& text, const std::string& before) {
  if (compat::key_pressed(ImGuiKey_Escape, false)) text = before;
}

void after_field(const LessonContext& lesson, ImGuiID name, bool focused, bool entered) {
  if (ImGui::IsItemActive()) lesson.ring.field_is_active(name);
  if (entered) lesson.ring.keep_typing();
  lesson.ring.after(focused);
  focus_frame(lesson, focused);
}

}  // namespace

void vertical_gap(const Look& look, double height) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Dummy({0, look.px(height)});
  ImGui::PopStyleVar();
}

std::string short_number(double value) { return number_text(std::round(value * 100) / 100); }

std::string points_text(double points) {
  return short_number(points) + (points == 1 ? " point" : " points");
}

Card begin_card(LessonContext& lesson, const char* id, ImU32 fill, ImU32 edge, ImU32 stripe,
                double pad) {
  const Look& look = lesson.look();
  Card card{ImGui::GetCursorScreenPos(), look.px(pad), 0, ImGui::GetID(id)};
  card.inner = lesson.width - 2 * card.pad;
  const float high = lesson.heights[card.id];  // of the last frame: it settles within one
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = card.low, to{low.x + lesson.width, low.y + high};
  if (high > 0) {
    list.AddRectFilled(low, to, fill, look.px(8));
    if (edge != 0) list.AddRect(low, to, edge, look.px(8));
    if (stripe != 0)
      list.AddRectFilled(low, {low.x + look.px(4), to.y}, stripe, look.px(8),
                         ImDrawFlags_RoundCornersLeft);
  }
  ImGui::PushID(id);
  ImGui::BeginGroup();
  ImGui::SetCursorScreenPos({low.x + card.pad, low.y + card.pad});
  ImGui::BeginGroup();
  return card;
}

void end_card(LessonContext& lesson, const Card& card) {
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y;
  ImGui::EndGroup();
  ImGui::PopID();
  // The frame has the height of the last frame: another one is needed where it changes.
  const float high = bottom + card.pad - card.low.y;
  if (std::abs(std::exchange(lesson.heights[card.id], high) - high) > 0.5F) settle(lesson);
  ImGui::SetCursorScreenPos({card.low.x, bottom + card.pad});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Dummy({lesson.width, 0});
  ImGui::PopStyleVar();
}

bool text_field(LessonContext& lesson, const char* id, std::string& text, float width,
                const char* hint, bool& entered, bool mono) {
  const ImGuiID name = ImGui::GetID(id);
  const bool focused = lesson.ring.text_item(name);
  lesson.look().push(14, Font::Weight::regular, mono);
  if (focused && lesson.ring.wants_text()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width);
  const std::string before = text;
  ImGui::PushAllowKeyboardFocus(false);  // Tab is the ring's
  entered = ImGui::InputTextWithHint(
      id, hint, text.data(), text.capacity() + 1,
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_EnterReturnsTrue, on_resize, &text);
  ImGui::PopAllowKeyboardFocus();
  Look::pop();
  keep_text(text, before);
  after_field(lesson, name, focused, entered);
  return text != before;
}

namespace {

// Dear ImGui breaks lines only at line ends. Where a long line is broken, the field has "\r\n", of which the first is not
// drawn; the text itself has none.
constexpr std::string_view kSoft = "\r\n";

std::size_t letter_at(std::string_view text, std::size_t at) {
  std::size_t size = 1;
  while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U)
    ++size;
  return size;
}

/// Breaks lines that are wider than `width`, behind blanks where there are any.
std::string wrapped_text(std::string_view text, float width) {
  std::string out, line;
  std::size_t blank = std::string::npos;  // behind the last blank of the line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = letter_at(text, at);
    const std::string_view letter = text.substr(at, size);
    at += size;
    if (letter == "\n") {
      out += line + "\n";
      line.clear();
      blank = std::string::npos;
      continue;
    }
    line += letter;
    if (letter == " ") {
      blank = line.size();
      continue;
    }
    if (ImGui::CalcTextSize(line.data(), line.data() + line.size()).x <= width ||
        line.size() == letter.size())
      continue;
    const std::size_t cut = blank == std::string::npos ? line.size() - letter.size() : blank;
    out += line.substr(0, cut);
    out += kSoft;
    line.erase(0, cut);
    blank = std::string::npos;
  }
  return out + line;
}

std::string unwrapped(std::string_view shown) {
  std::string out;
  for (const char c : shown) {
    if (c == '\n' && out.ends_with('\r')) out.pop_back();
    else out += c;
  }
  std::erase(out, '\r');
  return out;
}

/// A field whose text is wrapped while it is typed.
struct WrappedField {
  std::string shown, before;  ///< With breaks; the text before this change.
  float width = 0;
};

void wrap_again(ImGuiInputTextCallbackData& data, WrappedField& field) {
  std::string text;
  std::size_t cursor = 0;
  const std::string_view now(data.Buf, static_cast<std::size_t>(data.BufTextLen));
  const auto at = static_cast<std::size_t>(data.CursorPos);
  const auto drop_last = [&] {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
      text.pop_back();
    if (!text.empty()) text.pop_back();
  };
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i == at) cursor = text.size();
    if (now[i] != '\r') {
      text += now[i];
    } else if (i + 1 < now.size() && now[i + 1] == '\n') {
      if (++i == at) cursor = text.size();
    } else {
      drop_last();  // Backspace behind a break takes the letter before it
      if (i < at) cursor = text.size();
    }
  }
  if (at >= now.size()) cursor = text.size();
  // Delete in front of a break takes the letter behind it.
  const bool deleted = text.size() == field.before.size() + 1 && cursor < text.size() &&
                       text[cursor] == '\n' &&
                       text.substr(0, cursor) + text.substr(cursor + 1) == field.before;
  if (deleted) {
    text.erase(cursor, 1);
    text.erase(cursor, letter_at(text, cursor));
  }
  field.before = text;
  const std::string shown = wrapped_text(text, field.width);
  if (shown == now) return;
  std::size_t place = 0, counted = 0;
  while (place < shown.size() && counted < cursor) {
    if (shown[place] == '\r') place += kSoft.size();
    else ++place, ++counted;
  }
  if (std::string_view(shown).substr(place).starts_with(kSoft)) place += kSoft.size();
  data.DeleteChars(0, data.BufTextLen);
  data.InsertChars(0, shown.data(), shown.data() + shown.size());
  data.CursorPos = data.SelectionStart = data.SelectionEnd = static_cast<int>(place);
  compat::forget_field_undo();
}

int on_edit(ImGuiInputTextCallbackData* data) {
  auto& field = *static_cast<WrappedField*>(data->UserData);
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    field.shown.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = field.shown.data();
  } else {
    wrap_again(*data, field);
  }
  return 0;
}

}  // namespace

bool long_text_field(LessonContext& lesson, const char* id, std::string& text, float width,
                     bool& entered) {
  const ImGuiID name = ImGui::GetID(id);
  const bool focused = lesson.ring.text_item(name);
  if (focused && lesson.ring.wants_text()) ImGui::SetKeyboardFocusHere();
  const std::string before = text;
  const float inside =
      width - 2 * ImGui::GetStyle().FramePadding.x - ImGui::GetStyle().ScrollbarSize;
  WrappedField field{wrapped_text(text, inside), text, inside};
  const auto lines =
      std::clamp(ranges::count(field.shown, '\n') + 2, std::ptrdiff_t{4}, std::ptrdiff_t{12});
  ImGui::PushAllowKeyboardFocus(false);
  entered = ImGui::InputTextMultiline(
      id, field.shown.data(), field.shown.capacity() + 1,
      {width, ImGui::GetTextLineHeight() * static_cast<float>(lines) + lesson.look().px(12)},
      ImGuiInputTextFlags_CallbackResize | ImGuiInputTextFlags_CallbackEdit |
          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_NoHorizontalScroll,
      on_edit, &field);
  ImGui::PopAllowKeyboardFocus();
  text = unwrapped(field.shown.c_str());
  keep_text(text, before);
  after_field(lesson, name, focused, entered);
  return text != before;
}

bool ring_button(LessonContext& lesson, const char* label, bool primary, float width,
                 bool enabled) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const bool focused = enabled && lesson.ring.item(ImGui::GetID(label));
  look.push(14, primary ? Font::Weight::semibold : Font::Weight::regular);
  ImGui::PushStyleColor(ImGuiCol_Button, primary && enabled ? p.accent : p.control);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, primary && enabled ? p.accent : p.control_hovered);
  ImGui::PushStyleColor(ImGuiCol_Text, !enabled ? p.muted : primary ? p.on_accent : p.text);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(12), look.px(6)});
  const bool clicked = ImGui::Button(label, {width, 0});
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(3);
  Look::pop();
  if (clicked && enabled) lesson.ring.focus_on(ImGui::GetID(label));
  lesson.ring.after(focused);
  focus_frame(lesson, focused);
  return enabled && (clicked || lesson.ring.activated(focused));
}

bool option_row(LessonContext& lesson, const char* id, const std::string& text, float width,
                const OptionLook& how) {
  const Look& look = lesson.look();
  const auto& p = look.palette();
  const bool focused = how.enabled && lesson.ring.item(ImGui::GetID(id));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = look.px(28), pad = look.px(4), right = how.mark == 0 ? 0 : look.px(24);
  const auto& blocks = lesson.markdown.of(text);
  float high = 0;
  {  // the text first: its height is the row's
    const ImVec2 from = ImGui::GetCursorPos();
    ImGui::SetCursorPos({from.x + left, from.y + pad});
    ImGui::BeginGroup();
    draw_markdown(look, blocks, width - left - right);
    ImGui::EndGroup();
    high = ImGui::GetItemRectSize().y + 2 * pad;
    ImGui::SetCursorPos(from);
  }
  const bool clicked = ImGui::InvisibleButton(id, {width, std::max(high, look.px(24))});
  const bool hovered = how.enabled && ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered)
    list.AddRectFilled(at, {at.x + width, at.y + high}, with_alpha(p.accent, 0x18), look.px(5));
  const ImVec2 c{at.x + look.px(11), at.y + pad + look.px(10)};
  const float r = look.px(7.5);
  const ImU32 ring = how.on ? p.accent : p.muted;
  if (how.round) {
    list.AddCircle(c, r, ring, 24, look.px(1.5));
    if (how.on) list.AddCircleFilled(c, r - look.px(3), p.accent, 24);
  } else {
    const ImVec2 low{c.x - r, c.y - r}, to{c.x + r, c.y + r};
    if (how.on) list.AddRectFilled(low, to, p.accent, look.px(3));
    else list.AddRect(low, to, ring, look.px(3), 0, look.px(1.5));
    if (how.on) {
      const ImVec2 points[] = {{c.x - r * 0.5F, c.y},
                               {c.x - r * 0.1F, c.y + r * 0.45F},
                               {c.x + r * 0.55F, c.y - r * 0.45F}};
      list.AddPolyline(points, 3, p.on_accent, 0, look.px(2));
    }
  }
  if (how.mark != 0)
    verdict_icon(look, {at.x + width - look.px(12), c.y}, 7,
                 how.mark > 0 ? State::right : State::wrong);
  lesson.ring.after(focused);
  focus_frame(lesson, focused);
  if (clicked && how.enabled) lesson.ring.focus_on(ImGui::GetID(id));
  return how.enabled && (clicked || lesson.ring.activated(focused));
}

ImU32 verdict_color(const Look& look, State state) {
  const auto& p = look.palette();
  switch (state) {
    case State::right: return p.good;
    case State::partly: return p.warning;
    case State::wrong: return p.error;
    case State::malformed: return p.warning;
    case State::by_hand:
    case State::not_graded: return p.accent;
    case State::unanswered: break;
  }
  return p.muted;
}

void verdict_icon(const Look& look, ImVec2 c, double radius, State state) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float r = look.px(radius), thick = look.px(2);
  const ImU32 color = verdict_color(look, state), on = look.palette().panel;
  if (state == State::unanswered) return list.AddCircle(c, r, color, 24, look.px(1.5));
  if (state == State::partly) {
    list.AddCircle(c, r, color, 24, thick);
    list.PathArcTo(c, r, 1.5708F, 4.7124F, 16);
    return list.PathFillConvex(color);
  }
  list.AddCircleFilled(c, r, color, 24);
  if (state == State::right) {
    const ImVec2 points[] = {
        {c.x - r * 0.5F, c.y}, {c.x - r * 0.12F, c.y + r * 0.4F}, {c.x + r * 0.5F, c.y - r * 0.4F}};
    list.AddPolyline(points, 3, on, 0, thick);
  } else if (state == State::wrong) {
    const float d = r * 0.4F;
    list.AddLine({c.x - d, c.y - d}, {c.x + d, c.y + d}, on, thick);
    list.AddLine({c.x - d, c.y + d}, {c.x + d, c.y - d}, on, thick);
  } else if (state == State::by_hand || state == State::not_graded) {  // it waits
    for (const float at : {-0.45F, 0.0F, 0.45F})
      list.AddCircleFilled({c.x + at * r, c.y}, thick * 0.55F, on);
  } else {  // something to know
    list.AddLine({c.x, c.y - r * 0.5F}, {c.x, c.y + r * 0.1F}, on, thick);
    list.AddCircleFilled({c.x, c.y + r * 0.5F}, thick * 0.6F, on);
  }
}

void verdict_box(LessonContext& lesson, State state, const std::string& title,
                 const std::string& says, const std::string& last) {
  const Look& look = lesson.look();
  const ImU32 color = verdict_color(look, state);
  const Card card =
      begin_card(lesson, "verdict", with_alpha(color, 0x1C), with_alpha(color, 0x90), 0, 10);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  verdict_icon(look, {at.x + look.px(9), at.y + look.px(10)}, 8, state);
  ImGui::Indent(look.px(26));
  const float room = card.inner - look.px(26);
  draw_words(look, title, room, {14, color, true});
  if (!says.empty()) draw_words(look, says, room, {14});
  if (!last.empty()) draw_words(look, last, room, {12, look.palette().muted});
  ImGui::Unindent(look.px(26));
  end_card(lesson, card);
}

void next_button(const LessonContext& lesson, const char* label) {
  const float end = ImGui::GetItemRectMax().x + lesson.look().px(34) + ImGui::CalcTextSize(label).x;
  if (end < lesson.right) ImGui::SameLine();
}

}  // namespace rankscope::gui
