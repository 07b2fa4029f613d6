// Writes the commands that restore the window.
#include "gui/state/model/workspace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/command/commands.h"

namespace rankscope::gui {
namespace {

void add_look(const Settings& settings, const std::string& filter, std::vector<Command>& lines) {
  if (!filter.empty()) lines.push_back(cmd::filter(filter));  // first, since it opens a view
  const auto& layout = settings.layout;
  lines.push_back(cmd::layout(layout.drawer ? "stage" : "standard"));  // a drawer, or four panes
  for (const Slot slot : kSlots)
    if (!layout.drawer || slot != Slot::side_lower)
      lines.push_back(cmd::view(slot, layout.at(slot)));
  for (const auto& panel : kPanels)
    lines.push_back(cmd::panel(panel.name, turned(layout.*panel.open)));
  lines.push_back(cmd::maximize_off());
  if (layout.maximized) lines.push_back(cmd::maximize(*layout.maximized));
  lines.push_back(cmd::theme(settings.theme));
  lines.push_back(cmd::labels(settings.labels));
  lines.push_back(cmd::curtain(settings.curtain));
  for (const auto& one : kSwitches) lines.push_back(one.command(turned(settings.*one.on)));
}

}  // namespace

std::string race_words_of(const std::vector<DocumentPtr>& runs) {
  std::string words;
  for (const DocumentPtr& run : runs)
    words += (words.empty() ? "" : " ") + run->trace().meta().algorithm;
  if (runs.empty()) return words;
  const JobSpec job = runs.front()->trace().meta().job.value_or(JobSpec());
  words += fmt::format(" on {} ranks with {} {} {}", job.world.size, fmt::join(job.call.shape, "x"),
                       to_string(job.call.dtype), to_string(job.call.op));
  return job.call.root == 0 ? words : words + fmt::format(" from {}", job.call.root);
}

std::string workspace_text(const AppState& state, const std::string& trace,
                           const std::vector<std::string>& meant) {
  const auto& play = state.playback;
  const Command wait = cmd::wait({"run"});
  std::vector<Command> lines{cmd::open(trace), wait};
  if (!meant.empty()) lines.insert(lines.end(), {Command(cmd::meant, meant), wait});
  const bool compared = state.other && !state.other->path().empty();
  if (compared) lines.insert(lines.end(), {cmd::compare(state.other->path()), wait});
  add_look(state.settings, state.event_filter, lines);
  if (const std::string race = race_words_of(state.race.runs); !race.empty())
    lines.insert(lines.end(), {cmd::race(parse_words(race)), wait});
  for (const auto& mark : state.bookmarks) {
    lines.push_back(cmd::clock(mark.clock));
    lines.push_back(cmd::seek(mark.moment));
    lines.push_back(mark.note.empty() ? cmd::bookmark() : cmd::bookmark(mark.note));
  }
  for (const auto& [file, line] : state.breakpoints) lines.push_back(cmd::break_at({file, line}));
  lines.push_back(cmd::clock(play.clock));
  if (play.loop) lines.push_back(cmd::loop(play.loop->first, play.loop->second));
  lines.push_back(cmd::seek(play.moment));
  lines.push_back(Command(cmd::speed, {fmt::format("{:.3g}", play.speed)}));
  std::string text = "# a rankscope workspace: rankscope-gui --script THIS_FILE\n";
  for (const auto& line : lines) text += line.text() + "\n";
  return text;
}

}  // namespace rankscope::gui
