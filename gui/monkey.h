// Random commands, clicks and keys, with which a test drives the window.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <imgui.h>

#include "gui/state/command/command.h"

namespace rankscope::gui {

class Monkey {
 public:
  explicit Monkey(std::uint64_t seed) : random_(seed) {}

  /// Returns a random command, with plausible or wrong words.
  Command command();
  /// Returns the name of a key, with a command or without.
  std::string key();
  /// Moves, clicks, scrolls and types; called between the backend's new frame and ImGui's.
  void feed(ImGuiIO& io);
  /// Returns true once in `times` calls on average.
  bool now_and_then(int times) { return below(times) == 0; }
  /// Returns whether the command neither ends the program, nor starts another one, nor overloads this machine.
  static bool harmless(const Command& command);

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  const std::string& one_of(const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }
  template <class Range>
  const auto& one_of_all(const Range& range) {
    return range[static_cast<std::size_t>(below(static_cast<int>(range.size())))];
  }
  std::string number();
  std::string file();
  std::string word(const std::string& meaning);
  std::string job_word(bool with_key);
  std::vector<std::string> words_of(const CommandInfo& info);

  std::mt19937_64 random_;
  float x_ = 0, y_ = 0;
  bool down_[3] = {};
};

class MainLoop;

/// Drives the loop at random for `seconds`, and prints each command. Returns the exit code.
int let_monkey_play(MainLoop& loop, std::uint64_t seed, double seconds);

}  // namespace rankscope::gui
