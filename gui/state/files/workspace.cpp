// Writes the commands that make a window look as it does.
#include "gui/state/files/workspace.h"

#include <fmt/format.h>

#include "gui/state/app/command.h"
#include "gui/state/app/race_commands.h"

namespace rankscope::gui {
namespace {

void add_look(const Settings& settings, const std::string& filter, std::vector<Command>& lines) {
  if (!filter.empty()) lines.push_back({"filter", {filter}});  // before the views: it shows one
  const auto& layout = settings.layout;
  lines.push_back(
      {"layout", {layout.drawer ? "stage" : "standard"}});  // with a drawer, or four panes
  for (const Slot slot : kSlots)
    if (!layout.drawer || slot != Slot::side_lower)
      lines.push_back({"view", {std::string(to_string(slot)), layout.at(slot)}});
  const auto say = [](bool on) { return on ? "on" : "off"; };
  for (const auto& panel : kPanels)
    lines.push_back({"panel", {std::string(panel.name), say(layout.*panel.open)}});
  lines.push_back({"maximize", {"off"}});
  if (layout.maximized) lines.push_back({"maximize", {std::string(to_string(*layout.maximized))}});
  lines.push_back({"theme", {std::string(to_string(settings.theme))}});
  lines.push_back({"labels", {settings.labels}});
  lines.push_back({"curtain", {settings.curtain}});
  for (const auto& one : kSwitches)
    lines.push_back({std::string(one.command), {say(settings.*one.on)}});
}

}  // namespace

std::string workspace_text(const AppState& state, const std::string& trace,
                           const std::vector<std::string>& meant) {
  const auto& play = state.playback;
  std::vector<Command> lines{{"open", {trace}}, {"wait", {"run"}}};
  if (!meant.empty()) lines.insert(lines.end(), {{"meant", meant}, {"wait", {"run"}}});
  const bool compared = state.other && !state.other->path().empty();
  if (compared) lines.insert(lines.end(), {{"compare", {state.other->path()}}, {"wait", {"run"}}});
  add_look(state.settings, state.event_filter, lines);
  if (const std::string race = race_words_of(state.race.runs); !race.empty())
    lines.insert(lines.end(), {parse_command("race " + race), {"wait", {"run"}}});
  for (const auto& mark : state.bookmarks) {
    lines.push_back({"clock", {std::string(to_string(mark.clock))}});
    lines.push_back({"seek", {fmt::format("{}", mark.moment)}});
    lines.push_back(
        {"bookmark", mark.note.empty() ? std::vector<std::string>{} : std::vector{mark.note}});
  }
  for (const auto& [file, line] : state.breakpoints)
    lines.push_back({"break", {fmt::format("{}:{}", file, line)}});
  lines.push_back({"clock", {std::string(to_string(play.clock))}});
  if (play.loop)
    lines.push_back(
        {"loop", {fmt::format("{}", play.loop->first), fmt::format("{}", play.loop->second)}});
  lines.push_back({"seek", {fmt::format("{}", play.moment)}});
  lines.push_back({"speed", {fmt::format("{:.3g}", play.speed)}});
  std::string text = "# a rankscope workspace: rankscope-gui --script THIS_FILE\n";
  for (const auto& line : lines) text += line.text() + "\n";
  return text;
}

}  // namespace rankscope::gui
