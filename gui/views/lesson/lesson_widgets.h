// The widgets of questions: fields, choices, buttons, boxes, icons.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/ranges.h"
#include "gui/views/base/compat.h"
#include "gui/views/lesson/lesson_text.h"
#include "lessons/grading/grade.h"

namespace rankscope::gui {

class FocusRing {
 public:
  /// Handles Tab, pressed before this frame; returns false if it is for another control.
  bool tab(bool back) {
    if (!listens_ || (compat::field_has_keyboard() && !text_)) return false;
    requested_step_ = back ? -1 : 1;
    return true;
  }
  /// Before the items of a frame. `listens`: nothing else has the keyboard.
  void begin(bool listens) {
    std::swap(before_, items_);
    items_.clear();
    listens_ = listens;
    text_ = false;
    const auto at = ranges::find(before_, focus_);
    there_ = at != before_.end();
    if (there_) {
      place_ = at - before_.begin();
      trail_.assign(before_.begin(), at);
    } else if (focus_ != 0) {  // its question was closed: Tab goes to what follows
      clear();
      place_ = 0;
      for (const ImGuiID id : trail_)
        if (const auto left = ranges::find(before_, id); left != before_.end())
          place_ = left - before_.begin() + 1;
    }
    if (requested_step_ != 0) step(std::exchange(requested_step_, 0));
  }
  /// Adds the next item of this frame; returns whether it has the focus.
  bool item(ImGuiID id) {
    items_.push_back(id);
    return focus_ == id;
  }
  /// A press of the student leads to a question, which takes the keyboard; a script's command does not.
  void lead() noexcept { leads_ = true; }
  bool led() noexcept { return std::exchange(leads_, false); }
  void offer_to_text(bool on) noexcept { offered_to_text_ = on; }
  /// The same as item(), for a text field.
  bool text_item(ImGuiID id) {
    if (std::exchange(offered_to_text_, false)) {
      focus_ = id;
      text_requested_ = true;
      awaited_ = 0;
    }
    return item(id);
  }
  /// Before a text field that has the focus: it is to ask for the keyboard.
  bool wants_text() {
    if (std::exchange(text_requested_, false)) awaited_ = 1;
    else if (awaited_ > 0) ++awaited_;
    // The answer comes one or two frames later. Dear ImGui drops a request that another movement meets.
    return awaited_ % kAskAgain == 1;
  }
  /// The keyboard is on its way to the field with the focus.
  bool awaiting() const noexcept { return awaited_ > 0; }
  /// After an item: it is to be seen when the focus came to it by a key.
  void after(bool focused) {
    if (!focused || !std::exchange(scroll_requested_, false)) return;
    sight_ = {ImGui::GetItemRectMin().y, ImGui::GetItemRectMax().y};
    has_sight_ = true;
  }
  /// In the window that scrolls, after all items.
  void scroll_to_focus(float margin) {
    if (!std::exchange(has_sight_, false)) return;
    const float top = ImGui::GetWindowPos().y + margin,
                bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - margin;
    if (sight_.x >= top && sight_.y <= bottom) return;
    const float middle = (top + bottom) / 2;
    ImGui::SetScrollY(std::max(ImGui::GetScrollY() + (sight_.x + sight_.y) / 2 - middle, 0.0F));
  }
  void field_is_active(ImGuiID id) {
    text_ = true;
    awaited_ = 0;
    focus_ = id;
  }
  void focus_on(ImGuiID id) noexcept { focus_ = id; }
  /// The letters go to the field with the focus again.
  void keep_typing() noexcept {
    text_requested_ = true;
    awaited_ = 1;
  }
  void clear() noexcept {
    focus_ = 0;
    awaited_ = 0;
  }
  /// Another page: the next Tab goes to its first item.
  void restart() noexcept {
    clear();
    place_ = 0;
  }
  bool any() const noexcept { return focus_ != 0; }
  /// A key for the item with the focus.
  bool pressed(ImGuiKey key) const { return listens_ && compat::key_pressed(key, true); }
  /// Enter or Space on something that is no text field.
  bool activated(bool focused) const {
    return focused && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_Space));
  }

 private:
  static constexpr int kAskAgain = 3;

  void step(std::ptrdiff_t by) {
    const auto size = static_cast<std::ptrdiff_t>(before_.size());
    if (size == 0) return;
    if (by < 0) place_ = (place_ + size - 1) % size;
    else place_ = (there_ ? place_ + 1 : place_) % size;
    move_to(before_[static_cast<std::size_t>(place_)]);
  }
  void move_to(ImGuiID id) {
    focus_ = id;
    text_requested_ = scroll_requested_ = true;
    awaited_ = 0;
    ImGui::SetWindowFocus(nullptr);  // a field that was typed into lets the keyboard go
  }

  std::vector<ImGuiID> items_, before_;
  std::vector<ImGuiID> trail_;  ///< The items before the focus.
  ImGuiID focus_ = 0;
  std::ptrdiff_t place_ = 0;  ///< Index of the focus among the items, or where it was last.
  std::ptrdiff_t requested_step_ = 0;
  int awaited_ = 0;     ///< Frames since the keyboard was asked for.
  ImVec2 sight_{0, 0};  ///< Top and bottom of what is to be seen.
  bool has_sight_ = false, there_ = false;
  bool text_ = false, text_requested_ = false, scroll_requested_ = false, listens_ = false;
  bool offered_to_text_ = false, leads_ = false;
};

/// Everything that the parts of a lesson share while it is drawn.
struct LessonContext {
  ViewContext& context;
  FocusRing& ring;
  MarkdownCache& markdown;
  std::map<ImGuiID, float>& heights;  ///< Heights of boxes in the last frame.
  float width = 0;                    ///< Width of the text column, in pixels.
  float right = 0;                    ///< Its right edge, where buttons flow.
  bool looks_at_verdict = false;      ///< A verdict that was asked for is brought into sight.

  const Look& look() const { return context.look; }
  const LessonState& lesson() const { return context.state.lesson; }
  void text(const std::string& markdown_text, float room, const TextStyle& style = {}) const {
    draw_markdown(look(), markdown.of(markdown_text), room, style);
  }
};

/// A card: what is drawn inside stands on it. end_card() closes it.
struct Card {
  ImVec2 low;
  float pad = 0, inner = 0;
  ImGuiID id = 0;
};
/// Asks for another frame: heights or places of this one are not the last.
inline void settle(const LessonContext& lesson) {
  if (lesson.context.unfinished != nullptr) *lesson.context.unfinished = true;
}
Card begin_card(LessonContext& lesson, const char* id, ImU32 fill, ImU32 edge, ImU32 stripe = 0,
                double pad = 14);
void end_card(LessonContext& lesson, const Card& card);

/// A field of text. True when it was changed; `entered`: Enter came.
bool text_field(LessonContext& lesson, const char* id, std::string& text, float width,
                const char* hint, bool& entered, bool mono = true);
/// A field of several lines, which are wrapped. True when it was changed; `entered`: Ctrl+Enter came.
bool long_text_field(LessonContext& lesson, const char* id, std::string& text, float width,
                     bool& entered);
/// A button; `primary` in the accent's colour.
bool ring_button(LessonContext& lesson, const char* label, bool primary = false, float width = 0,
                 bool enabled = true);
/// The next button stands beside the last one where there is room, else below it.
void next_button(const LessonContext& lesson, const char* label);
/// One of several (round) or any of several (square), with a text. True when it was chosen.
/// `mark`: beside it, once the answer is known: right or wrong.
struct OptionLook {
  bool round = true, on = false, enabled = true;
  int mark = 0;  ///< 1: right; -1: wrong.
};
bool option_row(LessonContext& lesson, const char* id, const std::string& text, float width,
                const OptionLook& how);

/// Check mark, half disc, cross, exclamation mark: words stand beside it.
void verdict_icon(const Look& look, ImVec2 center, double radius, Verdict::State state);
/// Calm: a tinted box with an icon, a word, and what there is to say.
void verdict_box(LessonContext& lesson, Verdict::State state, const std::string& title,
                 const std::string& says, const std::string& last);
ImU32 verdict_color(const Look& look, Verdict::State state);
void vertical_gap(const Look& look, double height);
/// At most two decimals.
std::string short_number(double value);
std::string points_text(double points);

}  // namespace rankscope::gui
