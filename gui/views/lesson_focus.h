// The keyboard's way through a lesson: Tab from field to field and from button to button. Dear ImGui's
// own knows fields only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "gui/views/compat.h"

namespace rankscope::gui {

class FocusRing {
 public:
  /// Before the items of a frame. `listens`: nothing else has the keyboard.
  void begin(bool listens) {
    const bool tab = listens && compat::key_pressed(ImGuiKey_Tab, true) &&
                     (!ImGui::GetIO().WantTextInput || text_);
    std::swap(before_, items_);
    items_.clear();
    listens_ = listens;
    text_ = false;
    const auto size = static_cast<std::ptrdiff_t>(before_.size());
    const auto at = std::ranges::find(before_, focus_);
    const bool there = at != before_.end();
    if (there) place_ = at - before_.begin();
    else focus_ = 0;  // its question was closed: what follows has its place now
    if (!tab || size == 0) return;
    const auto next = ImGui::GetIO().KeyShift ? place_ + size - 1 : there ? place_ + 1 : place_;
    place_ = next % size;
    move_to(before_[static_cast<std::size_t>(place_)]);
  }
  /// The next item of this frame; true: it has the focus.
  bool item(ImGuiID id) {
    items_.push_back(id);
    return focus_ == id;
  }
  /// Before a text field that has the focus: the keyboard becomes its own.
  bool wants_text() { return std::exchange(wish_text_, false); }
  /// After an item: brings it into sight when the focus came to it by a key.
  void after(bool focused) {
    if (focused && std::exchange(wish_sight_, false) && !ImGui::IsItemVisible())
      ImGui::SetScrollHereY(0.4F);
  }
  void field_is_active(ImGuiID id) {
    text_ = true;
    focus_ = id;
  }
  void focus_on(ImGuiID id) noexcept { focus_ = id; }
  /// The letters go to the field with the focus again.
  void keep_typing() noexcept { wish_text_ = true; }
  void clear() noexcept { focus_ = 0; }
  /// Another page: the next Tab goes to its first item.
  void restart() noexcept {
    focus_ = 0;
    place_ = 0;
  }
  bool any() const noexcept { return focus_ != 0; }
  bool typing() const noexcept { return text_; }
  /// A key for the item with the focus.
  bool pressed(ImGuiKey key) const { return listens_ && compat::key_pressed(key, true); }
  /// Enter or Space on something that is no text field.
  bool activated(bool focused) const {
    return focused && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_Space));
  }

 private:
  void move_to(ImGuiID id) {
    focus_ = id;
    wish_text_ = wish_sight_ = true;
    ImGui::SetWindowFocus(nullptr);  // a field that was typed into lets the keyboard go
  }

  std::vector<ImGuiID> items_, before_;
  ImGuiID focus_ = 0;
  std::ptrdiff_t place_ = 0;  ///< Of the focus among the items, or where it was last.
  bool text_ = false, wish_text_ = false, wish_sight_ = false, listens_ = false;
};

}  // namespace rankscope::gui
