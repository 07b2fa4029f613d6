// The keyboard's way through a lesson: Tab from field to field and from button to button. Dear ImGui's
// own knows fields only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "gui/views/compat.h"

namespace rankscope::gui {

class FocusRing {
 public:
  /// Tab was pressed, now: in a slow frame letters come before it and after it, and each belong to a
  /// field. False: it is none of ours.
  bool tab(bool back) {
    if (!listens_ || (ImGui::GetIO().WantTextInput && !text_ && !awaiting_)) return false;
    take_letters();
    typed_.push_back(back ? kTabBack : kTab);
    return true;
  }
  /// Before the items of a frame. `listens`: nothing else has the keyboard.
  void begin(bool listens) {
    std::swap(before_, items_);
    items_.clear();
    listens_ = listens;
    text_ = false;
    const auto at = std::ranges::find(before_, focus_);
    there_ = at != before_.end();
    if (there_) {
      place_ = at - before_.begin();
      trail_.assign(before_.begin(), at);
    } else if (focus_ != 0) {  // its question was closed: Tab goes to what follows
      clear();
      place_ = 0;
      for (const ImGuiID id : trail_)
        if (const auto left = std::ranges::find(before_, id); left != before_.end())
          place_ = left - before_.begin() + 1;
    }
    if (!typed_.empty()) hand_out();
  }
  /// Keys have come that another frame is needed for.
  bool waiting() const noexcept { return !typed_.empty(); }
  /// The next item of this frame; true: it has the focus.
  bool item(ImGuiID id) {
    items_.push_back(id);
    return focus_ == id;
  }
  /// Before a text field that has the focus: the keyboard becomes its own.
  bool wants_text() {
    awaiting_ = awaiting_ || wish_text_;
    return std::exchange(wish_text_, false);
  }
  /// The keyboard is on its way to the field with the focus.
  bool awaiting() const noexcept { return awaiting_; }
  /// Letters came before the field had the keyboard: it must not have them selected, or the next one
  /// replaces them.
  bool early = false;
  /// After an item: it is to be seen when the focus came to it by a key.
  void after(bool focused) {
    if (!focused || !std::exchange(wish_sight_, false)) return;
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
    awaiting_ = false;
    focus_ = id;
  }
  void focus_on(ImGuiID id) noexcept { focus_ = id; }
  /// The letters go to the field with the focus again.
  void keep_typing() noexcept { wish_text_ = true; }
  void clear() noexcept {
    focus_ = 0;
    awaiting_ = false;
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
  static constexpr ImWchar kTab = 1, kTabBack = 2;  ///< No letters.

  void take_letters() {
    auto& queue = ImGui::GetIO().InputQueueCharacters;
    for (const ImWchar letter : queue) typed_.push_back(letter);
    queue.resize(0);
  }
  // Letters for the field that has the keyboard; or one step, and the letters after it.
  void hand_out() {
    take_letters();
    if (typed_.front() == kTab || typed_.front() == kTabBack) {
      const bool back = typed_.front() == kTabBack;
      typed_.pop_front();
      const auto size = static_cast<std::ptrdiff_t>(before_.size());
      if (size > 0) {
        place_ = (back ? place_ + size - 1 : there_ ? place_ + 1 : place_) % size;
        move_to(before_[static_cast<std::size_t>(place_)]);
      }
    }
    while (!typed_.empty() && typed_.front() != kTab && typed_.front() != kTabBack) {
      ImGui::GetIO().AddInputCharacter(typed_.front());
      typed_.pop_front();
    }
  }
  void move_to(ImGuiID id) {
    focus_ = id;
    wish_text_ = wish_sight_ = true;
    early = awaiting_ = false;
    ImGui::SetWindowFocus(nullptr);  // a field that was typed into lets the keyboard go
  }

  std::vector<ImGuiID> items_, before_;
  std::vector<ImGuiID> trail_;  ///< What stood before the focus.
  ImGuiID focus_ = 0;
  std::ptrdiff_t place_ = 0;   ///< Of the focus among the items, or where it was last.
  std::deque<ImWchar> typed_;  ///< Letters and Tabs that no frame has had yet.
  ImVec2 sight_{0, 0};         ///< Top and bottom of what is to be seen.
  bool has_sight_ = false, there_ = false;
  bool text_ = false, wish_text_ = false, awaiting_ = false, wish_sight_ = false, listens_ = false;
};

}  // namespace rankscope::gui
