// The table of all commands: the palette, the shortcut sheet and `--help` show it in this order.
#include <array>

#include "gui/state/command.h"

namespace rankscope::gui {
namespace {

constexpr int kAny = -1;

// Keys: arrows and PageUp/PageDown step, as presenters' clickers send PageUp and PageDown; function
// keys run and release; plain letters only for what a lecture needs without looking.
constexpr std::array kInfos{
    // ---- Running ----
    CommandInfo{"run", "run [ALGORITHM] [KEY=VALUE...]",
                "Runs a collective on real processes; KEY=VALUE as for `set`", "Ctrl+R", 0, kAny},
    CommandInfo{"rerun", "rerun", "Runs the last job once more", "F5", 0, 0},
    CommandInfo{"stop", "stop", "Ends the run that goes on", "Shift+F5", 0, 0},
    CommandInfo{"set", "set KEY VALUE",
                "Changes the job: algorithm, ranks, count, dtype, op, root, transport, mode, "
                "segment, group, seed, input, delay.R or timeout",
                "", 2, 2},
    CommandInfo{"live", "live [ALGORITHM] [KEY=VALUE...]",
                "Runs with every rank held before its first message", "F6", 0, kAny},
    CommandInfo{"release", "release [RANK]",
                "Releases one message: of the lowest round, or of this sender", "F10", 0, 1},
    CommandInfo{"step-rank", "step-rank RANK", "Lets one rank do one message verb", "", 1, 1},
    CommandInfo{"release-round", "release-round", "Releases all messages of the next round",
                "Shift+F10", 0, 0},
    CommandInfo{"gate-pause", "gate-pause", "Holds all ranks before their next message", "F7", 0,
                0},
    CommandInfo{"gate-resume", "gate-resume", "Lets the ranks run to a breakpoint or to the end",
                "F8", 0, 0},
    CommandInfo{"kill", "kill RANK", "Kills a rank's process, to show what follows", "", 1, 1},
    CommandInfo{"break", "break FILE:LINE", "Sets a breakpoint, or removes it", "", 1, 1},
    CommandInfo{"clear-breakpoints", "clear-breakpoints", "Removes all breakpoints", "", 0, 0},
    // ---- Files ----
    CommandInfo{"open", "open FILE", "Opens a trace", "Ctrl+O", 1, 1},
    CommandInfo{"compare", "compare FILE|keep|off", "Shows a second trace beside the first", "", 1,
                1},
    CommandInfo{"save", "save FILE", "Saves the trace", "Ctrl+S", 1, 1},
    CommandInfo{"workspace", "workspace FILE",
                "Writes a script that brings back the trace, the views and the bookmarks",
                "Ctrl+Shift+S", 1, 1},
    CommandInfo{"export", "export FILE [DIAGRAM]",
                "Writes a picture or data; the file's ending says which", "Ctrl+E", 1, 2},
    // ---- Playback ----
    CommandInfo{"play", "play", "Plays the run", "", 0, 0},
    CommandInfo{"pause", "pause", "Stops playing", "", 0, 0},
    CommandInfo{"toggle-play", "toggle-play", "Plays or pauses", "Space", 0, 0},
    CommandInfo{"step", "step", "Goes to the next stop", "Right, PageDown", 0, 0},
    CommandInfo{"step-back", "step-back", "Goes to the stop before", "Left, PageUp", 0, 0},
    CommandInfo{"next-round", "next-round", "Goes to the end of the next round", "Shift+Right", 0,
                0},
    CommandInfo{"previous-round", "previous-round", "Goes back by one round", "Shift+Left", 0, 0},
    CommandInfo{"next-event", "next-event", "Goes to the next event", "Ctrl+Right", 0, 0},
    CommandInfo{"previous-event", "previous-event", "Goes to the event before", "Ctrl+Left", 0, 0},
    CommandInfo{"seek", "seek MOMENT", "Goes to a moment: rounds, or microseconds", "", 1, 1},
    CommandInfo{"first", "first", "Goes to the start", "Home", 0, 0},
    CommandInfo{"last", "last", "Goes to the end", "End", 0, 0},
    CommandInfo{"speed", "speed X", "Plays X times as fast, 0.1 to 100", "", 1, 1},
    CommandInfo{"faster", "faster", "Plays faster", "+", 0, 0},
    CommandInfo{"slower", "slower", "Plays slower", "-", 0, 0},
    CommandInfo{"loop", "loop A B|off", "Plays from moment A to B again and again", "", 1, 2},
    CommandInfo{"bookmark", "bookmark [NOTE]", "Marks this moment", "Ctrl+B", 0, kAny},
    CommandInfo{"remove-bookmark", "remove-bookmark N", "Removes a bookmark, counted from 1", "", 1,
                1},
    CommandInfo{"next-bookmark", "next-bookmark", "Goes to the next bookmark", "Ctrl+Down", 0, 0},
    CommandInfo{"previous-bookmark", "previous-bookmark", "Goes to the bookmark before", "Ctrl+Up",
                0, 0},
    // ---- What is shown ----
    CommandInfo{"select", "select message N|rank R|event N|none",
                "Selects a message, rank or event in all views", "", 1, 2},
    CommandInfo{"view", "view SLOT NAME", "Shows a view at main, lower, side or side_lower", "", 2,
                2},
    CommandInfo{"maximize", "maximize SLOT|off", "Gives the whole window to one view", "", 1, 1},
    CommandInfo{"panel", "panel left|right|lower [on|off|toggle]", "Opens or closes a panel", "", 1,
                2},
    CommandInfo{"theme", "theme [dark|light|contrast|next]", "Changes the colours", "T", 0, 1},
    CommandInfo{"scale", "scale [X]", "Size of everything, 0.75 to 3", "Ctrl+0", 0, 1},
    CommandInfo{"bigger", "bigger", "Makes everything bigger", "Ctrl++", 0, 0},
    CommandInfo{"smaller", "smaller", "Makes everything smaller", "Ctrl+-", 0, 0},
    CommandInfo{"clock", "clock [rounds|measured|toggle]", "What time is: rounds, or as measured",
                "M", 0, 1},
    CommandInfo{"labels", "labels all|chunks|bytes|none", "What stands beside messages", "", 1, 1},
    CommandInfo{"values", "values [on|off|toggle]", "Buffers show elements, not contributions", "V",
                0, 1},
    CommandInfo{"portrait", "portrait [on|off|toggle]", "Time runs down, not to the right", "", 0,
                1},
    CommandInfo{"critical-path", "critical-path [on|off|toggle]",
                "Marks the messages that made the run as long as it is", "C", 0, 1},
    CommandInfo{"motion", "motion [on|off|toggle]", "Messages move, or jump", "", 0, 1},
    CommandInfo{"present", "present [on|off|toggle]", "Large, full screen, without panels", "P", 0,
                1},
    // ---- The window ----
    CommandInfo{"palette", "palette", "Searches all commands", "Ctrl+P", 0, 0},
    CommandInfo{"shortcuts", "shortcuts", "Shows all keys", "F1", 0, 0},
    CommandInfo{"settings", "settings", "Shows the settings", "Ctrl+Comma", 0, 0},
    CommandInfo{"welcome", "welcome [on|off|toggle]", "Shows the welcome page", "", 0, 1},
    CommandInfo{"tour", "tour [N|off]", "Shows the window step by step", "Shift+F1", 0, 1},
    CommandInfo{"sample", "sample NAME", "Opens a sample", "", 1, 1},
    // ---- Scripts ----
    CommandInfo{"record", "record FILE|off", "Writes all commands to a script", "", 1, 1},
    CommandInfo{"script", "script FILE", "Carries out a script, a command a line", "", 1, 1},
    CommandInfo{"queue", "queue COMMAND",
                "Carries a command out when the ones before it, and what they started, are done",
                "", 1, 1},
    CommandInfo{"wait", "wait run|SECONDS|KEY VALUE",
                "In scripts: waits for the run to end, or so long, or until the state is so", "", 1,
                kAny},
    CommandInfo{"expect", "expect KEY VALUE", "In scripts: fails unless the state is so", "", 2,
                kAny},
    CommandInfo{"print", "print KEY", "Writes a value of the state to the standard output", "", 1,
                1},
    CommandInfo{"screenshot", "screenshot FILE", "Writes the window as a picture", "F12", 1, 1},
    CommandInfo{"undo", "undo", "Takes the last change back", "Ctrl+Z", 0, 0},
    CommandInfo{"redo", "redo", "Makes it again", "Ctrl+Shift+Z", 0, 0},
    CommandInfo{"filter", "filter [QUERY|off]",
                "Lists the events of a query, such as rank:2 op:recv size:>1KiB", "Ctrl+F", 0,
                kAny},
    CommandInfo{"copy-picture", "copy-picture [SLOT]",
                "Puts the picture of a view on the clipboard", "Ctrl+Shift+C", 0, 1},
    CommandInfo{"compare-clock", "compare-clock [shared|separate|toggle]",
                "Two runs on one scale of time, or each on its own", "", 0, 1},
    CommandInfo{"zoom", "zoom fit|phase|selection|in|out|FROM TO",
                "Shows a part of the time: all, a phase, what is selected, or two moments", "", 1,
                2},
    CommandInfo{"quit", "quit", "Ends the program", "Ctrl+Q", 0, 0},
};

}  // namespace

std::span<const CommandInfo> command_infos() { return kInfos; }

}  // namespace rankscope::gui
