// Keys and letters between the window system and the frames.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {

/// An event of the keyboard or of a mouse button, with the window system's own numbers.
struct KeyEvent {
  enum class Kind {
    modifier,  ///< Shift, Alt, ... down or up; Ctrl up.
    control,   ///< Ctrl down: Dear ImGui drops all letters of a frame in which it is down.
    letter,    ///< A key that types something, down or again; its `text` event comes after it.
    action,    ///< A key that does something, down or again: Tab, Enter, an arrow, Ctrl+V.
    space,     ///< A letter in a field; it does something elsewhere, as it presses buttons.
    button,  ///< A mouse button down: a click that leaves a field comes after the letters typed before it.
    up,    ///< Of a key or a mouse button.
    text,  ///< A character.
  };
  Kind kind = Kind::text;
  int key = 0, scancode = 0, action = 0, mods = 0;
  unsigned character = 0;  ///< Unicode, for `text`.
};

/// Distributes keys over frames. With slow frames, many keys come between two of them; "1 Tab 0 Enter" must mean the same as with
/// a frame after each. So a key that does something has a frame of its own, between those for the letters before and after it.
/// While a field waits for the keyboard, only releases pass, since a key that seems held down would repeat.
class KeyQueue {
 public:
  /// The most frames for which a field that never gets the keyboard holds keys back.
  static constexpr int kLongestHold = 20;

  void push(const KeyEvent& event) { events_.push_back(event); }
  bool empty() const noexcept { return events_.empty(); }

  /// Begins a frame. `hold`: a field has asked for the keyboard and does not have it yet; `typing`: one has it.
  void begin_frame(bool hold, bool typing = false) {
    held_ = hold ? held_ + 1 : 0;
    typing_ = typing;
    waits_ = held_ > 0 && held_ <= kLongestHold;
    closed_ = typed_ = false;
    gone_up_.clear();
  }
  std::optional<KeyEvent> next() {
    if (closed_ || events_.empty()) return std::nullopt;
    const KeyEvent event = events_.front();
    if (waits_ && event.kind != KeyEvent::Kind::up) return std::nullopt;
    if (event.kind == KeyEvent::Kind::control && typed_) return std::nullopt;
    const bool space = event.kind == KeyEvent::Kind::space;
    if (event.kind == KeyEvent::Kind::action || event.kind == KeyEvent::Kind::button ||
        (space && !typing_)) {
      if (typed_ || ranges::find(gone_up_, event.key) != gone_up_.end()) return std::nullopt;
      closed_ = true;  // its release must be seen in a later frame
    }
    if (event.kind == KeyEvent::Kind::up) gone_up_.push_back(event.key);
    typed_ = typed_ || event.kind == KeyEvent::Kind::letter || event.kind == KeyEvent::Kind::text ||
             (space && typing_);
    events_.pop_front();
    return event;
  }

 private:
  std::deque<KeyEvent> events_;
  int held_ = 0;  ///< Frames that held keys back.
  /// Keys released in this frame; pressed again in it, they would seem to be held down.
  std::vector<int> gone_up_;
  bool waits_ = false, closed_ = false, typed_ = false, typing_ = false;
};

}  // namespace rankscope::gui
