// The palette: every command can be found, by its name, by its summary and by what people call it.
#include "gui/state/search/palette.h"

#include <algorithm>

#include "engine/core/base/text.h"
#include "gui/state/model/app_state.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::gui;

namespace {

const PaletteLine* line_of(const std::vector<PaletteLine>& lines, std::string_view command) {
  const auto found = std::ranges::find_if(
      lines, [&](const PaletteLine& line) { return !line.whole && line.command.name == command; });
  return found == lines.end() ? nullptr : &*found;
}

std::string first_of(const std::string& typed) {
  const auto lines = palette_lines(Settings(), {}, typed);
  return lines.empty() ? "" : lines.front().command.text();
}

}  // namespace

TEST_CASE("palette: every command is in it, with its words and its keys", "[gui_state]") {
  const Settings settings;
  const auto all = palette_lines(settings, {}, "");
  CHECK(all.size() == command_infos().size());
  for (const CommandInfo* const row : command_infos()) {
    const CommandInfo& info = *row;
    INFO(info.name);
    const PaletteLine* const listed = line_of(all, info.name);
    REQUIRE(listed != nullptr);
    CHECK(listed->usage == info.usage);
    CHECK(listed->shortcut == info.shortcut);
    // By its name it comes first, and by what it does it is found.
    CHECK(first_of(std::string(info.name)) == info.name);
    CHECK(line_of(palette_lines(settings, {}, ascii_lower(info.summary)), info.name) != nullptr);
  }
}

TEST_CASE("palette: the mouse and the keys lead to it", "[gui_state]") {
  // So that each command can be reached by both: its line is clicked, or chosen by arrows and Enter.
  CHECK(cmd::palette.menu.count > 0);
  CHECK(command_of_key("Ctrl+P") == &cmd::palette);
}

TEST_CASE("palette: commands are found by what people call them", "[gui_state]") {
  const std::pair<const char*, const char*> calls[] = {
      {"dark mode", "theme"},     {"font size", "scale"}, {"slow rank", "delay"},
      {"crash", "kill"},          {"solution", "reveal"}, {"exit", "quit"},
      {"full screen", "present"}, {"svg", "export"},      {"full window", "maximize"}};
  for (const auto& [typed, command] : calls) {
    INFO(typed);
    CHECK(line_of(palette_lines(Settings(), {}, typed), command) != nullptr);
  }
  for (const CommandInfo* const info : command_infos())
    for (const char c : info->common.words) CHECK((c < 'A' || c > 'Z'));
  CHECK(first_of("ring 16") == "say ring 16");
  CHECK(first_of("theme li") == "theme");
  CHECK(palette_lines(Settings(), {}, "zzzz").empty());
}
