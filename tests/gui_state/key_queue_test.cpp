// Keys that come faster than frames.
#include "gui/state/command/key_queue.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace rankscope::gui;

namespace {

using Kind = KeyEvent::Kind;

// 'T' Tab, 'E' Enter, 'S' Shift, 'C' Ctrl and 'M' a mouse button go down and up; other letters are typed.
void type(KeyQueue& queue, const std::string& keys) {
  for (const char c : keys) {
    const Kind kind = c == 'S'               ? Kind::modifier
                      : c == 'C'             ? Kind::control
                      : c == 'M'             ? Kind::button
                      : c == '_'             ? Kind::space
                      : c == 'T' || c == 'E' ? Kind::action
                                             : Kind::letter;
    queue.push({.kind = kind, .key = c});
    if (kind == Kind::letter)
      queue.push({.kind = Kind::text, .character = static_cast<unsigned char>(c)});
    queue.push({.kind = Kind::up, .key = c});
  }
}

// What a frame gets: letters, keys; "-" stands for a key that goes up, "s" for Shift, "c" for Ctrl.
std::string frame(KeyQueue& queue, bool hold = false, bool typing = false) {
  queue.begin_frame(hold, typing);
  std::string got;
  while (const auto event = queue.next()) {
    if (event->kind == Kind::text) got += static_cast<char>(event->character);
    if (event->kind == Kind::action || event->kind == Kind::button || event->kind == Kind::space)
      got += static_cast<char>(event->key);
    if (event->kind == Kind::modifier) got += 's';
    if (event->kind == Kind::control) got += 'c';
    if (event->kind == Kind::up && event->key < 'a') got += '-';
  }
  return got;
}

}  // namespace

TEST_CASE("key queue: a key that does something has a frame of its own", "[gui_state]") {
  KeyQueue queue;
  type(queue, "abTcdET");
  const std::vector<std::string> wanted = {"ab", "T", "-cd", "E", "-T", "-", ""};
  for (const auto& each : wanted) CHECK(frame(queue) == each);
  CHECK(queue.empty());
}

TEST_CASE("key queue: a click comes after the letters before it, and before those after it",
          "[gui_state]") {
  KeyQueue queue;
  type(queue, "abMcdME");
  for (const char* each : {"ab", "M", "-cd", "M", "-E", "-", ""}) CHECK(frame(queue) == each);
}

TEST_CASE("key queue: a space is a letter where a field has the keyboard", "[gui_state]") {
  KeyQueue queue;
  type(queue, "a_b");
  CHECK(frame(queue, false, true) == "a_-b");
  type(queue, "a_b");
  for (const char* each : {"a", "_", "-b"}) CHECK(frame(queue) == each);
}

TEST_CASE("key queue: a key that is pressed twice between two frames is pressed twice",
          "[gui_state]") {
  KeyQueue queue;
  type(queue, "TTET");
  for (const char* each : {"T", "-", "T", "-E", "-T", "-"}) CHECK(frame(queue) == each);
  CHECK(queue.empty());
}

TEST_CASE("key queue: letters come together, Shift with them", "[gui_state]") {
  KeyQueue queue;
  type(queue, "aSbSc");
  CHECK(frame(queue) == "as-bs-c");
  CHECK(frame(queue).empty());
}

TEST_CASE("key queue: letters before Ctrl have a frame without it", "[gui_state]") {
  KeyQueue queue;
  type(queue, "abCE");
  for (const char* each : {"ab", "c-E", "-"}) CHECK(frame(queue) == each);
  CHECK(queue.empty());
}

TEST_CASE("key queue: nothing is typed while a field waits for the keyboard", "[gui_state]") {
  KeyQueue queue;
  type(queue, "Tab");
  CHECK(frame(queue) == "T");
  CHECK(frame(queue, true) == "-");  // or Tab would repeat
  CHECK(frame(queue, true).empty());
  CHECK(frame(queue) == "ab");
}

TEST_CASE("key queue: a field that never gets the keyboard does not keep it for good",
          "[gui_state]") {
  KeyQueue queue;
  type(queue, "a");
  int frames = 1;
  while (frame(queue, true).empty()) REQUIRE(++frames < 100);
  CHECK(frames == KeyQueue::kLongestHold + 1);
}
