// Somebody who uses the application by keys and mouse.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/gui/screen.h"
#include "tests/support/catch.h"

namespace rankscope::test {

/// The application with a script that a person's deeds are to fulfil: `wait KEY VALUE`, then `print`
/// tells the test to go on.
struct SimulatedUser {
  explicit SimulatedUser(std::vector<std::string> lines, std::vector<std::string> arguments = {}) {
    lines.insert(lines.begin(), "layout standard");  // hands know where its panes lie
    for (auto& line : lines)                         // "@/name": in the screen's folder
      if (const auto at = line.find("@/"); at != std::string::npos)
        line.replace(at, 1, screen.folder());
    arguments.insert(arguments.begin(),
                     {gui_program(), "--size", "1280x800", "--script", screen.write_script(lines)});
    gui = std::make_unique<Background>(arguments, screen.environment(), screen / "gui");
  }
  void keys(const std::vector<std::string>& names) const {
    for (const auto& name : names) does({"key", name});
  }
  // The pointer lies over the window, so that its keys are the window's.
  void look() const {
    does({"search", "--sync", "--onlyvisible", "--name", "^rankscope", "mousemove", "640", "790"});
  }

  void click(int x, int y) const {
    does({"search", "--onlyvisible", "--name", "^rankscope", "mousemove", std::to_string(x),
          std::to_string(y), "sleep", "0.2", "mousedown", "1", "sleep", "0.1", "mouseup", "1"});
  }
  /// In steps, as a hand does.
  void drag(int from_x, int from_y, int to_x, int to_y) const {
    std::vector<std::string> words{"search",
                                   "--onlyvisible",
                                   "--name",
                                   "^rankscope",
                                   "mousemove",
                                   std::to_string(from_x),
                                   std::to_string(from_y),
                                   "sleep",
                                   "0.3",
                                   "mousedown",
                                   "1"};
    for (int part = 1; part <= 4; ++part)
      for (const auto& word : {std::string("sleep"), std::string("0.15"), std::string("mousemove"),
                               std::to_string(from_x + (to_x - from_x) * part / 4),
                               std::to_string(from_y + (to_y - from_y) * part / 4)})
        words.push_back(word);
    for (const char* word : {"sleep", "0.3", "mouseup", "1"}) words.emplace_back(word);
    does(words);
  }
  void type(const std::string& text) const { does({"type", "--delay", "60", text}); }
  /// xdotool on the window.
  void does(const std::vector<std::string>& words) const { screen.run_xdotool(*gui, words); }

  void says(const std::string& text) const {
    const bool said = gui->says(text);
    INFO(text << '\n' << gui->out() << '\n' << gui->err());
    REQUIRE(said);
  }
  void ends_well() const {
    const int code = gui->end();
    INFO(gui->out() << '\n' << gui->err());
    REQUIRE(code == 0);
  }

  Screen screen{"1280x800"};
  std::unique_ptr<Background> gui;
};

}  // namespace rankscope::test
