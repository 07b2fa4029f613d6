// The table of a right click's entries, and their commands for a thing.
#include "gui/state/model/context_menu.h"

#include <array>
#include <optional>

#include <fmt/format.h>

namespace rankscope::gui {
namespace {

using ThingKind = ContextThing::Kind;
using Commands = std::vector<Command>;

/// A row. `does` returns no commands if it cannot be done now.
struct ContextRow {
  ThingKind kind;
  int section;
  const char* label;  ///< "{}" stands for the thing's number.
  Commands (*does)(const AppState& state, const ContextThing& thing);
  const CommandInfo* key_of = nullptr;  ///< The command whose key does the same.
};

int rank_of(const ContextThing& thing) { return static_cast<int>(thing.number); }

static_assert(static_cast<int>(ThingKind::problem) == static_cast<int>(Thing::problem));
Thing thing_of(ThingKind kind) { return static_cast<Thing>(kind); }

// The thing is there when its rows are asked: see is_there().
const MessageRecord& message_of(const AppState& state, const ContextThing& thing) {
  return state.document->rounds().messages[static_cast<std::size_t>(thing.number)];
}
const Problem& problem_of(const AppState& state, const ContextThing& thing) {
  return state.problems[static_cast<std::size_t>(thing.number)];
}

Commands selects(const AppState&, const ContextThing& thing) {
  return {cmd::select(thing_of(thing.kind), thing.number)};
}
Commands copies(const AppState&, const ContextThing& thing) {
  return {cmd::copy_text(thing_of(thing.kind), thing.number)};
}

Commands to_event(std::uint64_t event) {
  return event == kNoEvent ? Commands{}
                           : Commands{cmd::select(Thing::event, static_cast<std::int64_t>(event))};
}
/// Selects the event and shows its line in the code, if there is one.
Commands to_line(const AppState& state, std::uint64_t event) {
  if (event == kNoEvent || state.document->line_name(event).empty()) return {};
  Commands all = to_event(event);
  all.push_back(cmd::view(Slot::side, "code"));
  return all;
}

/// Returns where the message arrived, or else where its receive was posted.
std::uint64_t receive_of(const MessageRecord& message) {
  return message.received != kNoEvent ? message.received : message.recv_posted;
}

Commands to_send(const AppState& state, const ContextThing& thing) {
  return to_event(message_of(state, thing).sent);
}

Commands to_receive(const AppState& state, const ContextThing& thing) {
  return to_event(receive_of(message_of(state, thing)));
}

Commands to_sending_line(const AppState& state, const ContextThing& thing) {
  return to_line(state, message_of(state, thing).sent);
}

Commands to_receiving_line(const AppState& state, const ContextThing& thing) {
  return to_line(state, receive_of(message_of(state, thing)));
}

Commands follow_message(const AppState& state, const ContextThing& thing) {
  const int chunk = state.document->analysis().pieces().of(message_of(state, thing)).chunk();
  return chunk < 0 ? Commands{} : Commands{cmd::select(Thing::chunk, chunk)};
}

Commands zoom_to_message(const AppState&, const ContextThing& thing) {
  return {cmd::select(Thing::message, thing.number), cmd::zoom_selection()};
}

Commands to_next_event(const AppState&, const ContextThing& thing) {
  return {cmd::select(Thing::rank, thing.number), cmd::next_event()};
}
Commands to_previous_event(const AppState&, const ContextThing& thing) {
  return {cmd::select(Thing::rank, thing.number), cmd::previous_event()};
}
Commands to_line_of_rank(const AppState& state, const ContextThing& thing) {
  const auto& play = state.playback;
  const auto cursors = state.document->cursors(play.clock, play.moment);
  const auto at = static_cast<std::size_t>(thing.number);
  if (at >= cursors.size()) return {};
  const Trace& trace = state.document->trace();
  for (Cursor k = cursors[at]; k-- > 0;)
    if (trace[k].rank == thing.number && state.document->source_line(k)) return to_line(state, k);
  return {};
}
Commands list_events(const AppState&, const ContextThing& thing) {
  return {cmd::filter(fmt::format("rank:{}", thing.number))};
}
bool steps_live(const AppState& state) { return state.live.running && state.live.stepping; }
Commands release_rank(const AppState& state, const ContextThing& thing) {
  return steps_live(state) ? Commands{cmd::release_rank(rank_of(thing))} : Commands{};
}
Commands step_rank(const AppState& state, const ContextThing& thing) {
  return steps_live(state) ? Commands{cmd::step_rank(rank_of(thing))} : Commands{};
}
Commands kill_rank(const AppState& state, const ContextThing& thing) {
  const auto at = static_cast<std::size_t>(thing.number);
  const auto& pids = state.live.pids;
  const bool lives = state.live.running && at < pids.size() && pids[at] > 0;
  return lives ? Commands{cmd::kill(rank_of(thing))} : Commands{};
}
Commands slow_rank(const AppState& state, const ContextThing& thing) {
  const bool ours = thing.number < state.settings.job.world.size && state.document->path().empty();
  return ours ? Commands{cmd::delay(rank_of(thing), 20), cmd::rerun()} : Commands{};
}

Commands to_line_of_event(const AppState& state, const ContextThing& thing) {
  return to_line(state, static_cast<std::uint64_t>(thing.number));
}
Commands to_rank_of_event(const AppState& state, const ContextThing& thing) {
  const auto at = static_cast<std::uint64_t>(thing.number);
  return {cmd::select(Thing::rank, state.document->trace()[at].rank)};
}

std::optional<std::uint64_t> event_of_problem(const AppState& state, const ContextThing& thing) {
  const Problem& problem = problem_of(state, thing);
  if (!state.has_trace()) return std::nullopt;
  if (!problem.circle.empty()) return problem.circle.front().second;
  if (!problem.places.empty()) return problem.places.front().second;
  return std::nullopt;
}
Commands show_problem(const AppState& state, const ContextThing& thing) {
  if (const auto event = event_of_problem(state, thing)) return to_event(*event);
  const Problem& problem = problem_of(state, thing);
  if (problem.rank < 0 || !state.has_trace()) return {};
  return {cmd::select(Thing::rank, problem.rank)};
}
Commands line_of_problem(const AppState& state, const ContextThing& thing) {
  const auto event = event_of_problem(state, thing);
  return event ? to_line(state, *event) : Commands{};
}

Commands show_tab(const AppState& state, const ContextThing& thing) {
  if (state.settings.layout.at(thing.slot) == thing.view) return {};
  return {cmd::view(thing.slot, thing.view)};
}
Commands maximize_tab(const AppState& state, const ContextThing& thing) {
  if (state.settings.layout.maximized) return {cmd::maximize_off()};
  return {cmd::view(thing.slot, thing.view), cmd::maximize(thing.slot)};
}
template <Slot kTo>
Commands move_tab(const AppState& state, const ContextThing& thing) {
  if (thing.slot == kTo || (kTo == Slot::side_lower && state.settings.layout.drawer)) return {};
  return {cmd::view(kTo, thing.view)};
}

Commands copy_shown(const AppState&, const ContextThing& thing) {
  return {cmd::copy_picture(thing.slot)};
}
Commands export_shown(const AppState& state, const ContextThing&) {
  return state.has_trace() && !state.live.running ? Commands{cmd::export_picture()} : Commands{};
}
Commands fit_shown(const AppState&, const ContextThing& thing) {
  return {cmd::zoom_fit(thing.slot)};
}
Commands select_nothing(const AppState& state, const ContextThing&) {
  return state.selection == Selection{} ? Commands{} : Commands{cmd::select_none()};
}

constexpr std::array kRows = {
    ContextRow{ThingKind::rank, 0, "Select rank {}", selects},
    ContextRow{ThingKind::rank, 0, "Its next event", to_next_event, &cmd::next_event},
    ContextRow{ThingKind::rank, 0, "Its event before", to_previous_event, &cmd::previous_event},
    ContextRow{ThingKind::rank, 0, "Show its line in the code", to_line_of_rank},
    ContextRow{ThingKind::rank, 0, "List its events", list_events},
    ContextRow{ThingKind::rank, 1, "Release its next message", release_rank},
    ContextRow{ThingKind::rank, 1, "Let it do one verb", step_rank},
    ContextRow{ThingKind::rank, 1, "Make it slow, and run again", slow_rank},
    ContextRow{ThingKind::rank, 1, "Kill its process", kill_rank},
    ContextRow{ThingKind::rank, 2, "Copy as text", copies},
    ContextRow{ThingKind::message, 0, "Select message {}", selects},
    ContextRow{ThingKind::message, 0, "Follow its chunk", follow_message},
    ContextRow{ThingKind::message, 0, "Go to its send", to_send},
    ContextRow{ThingKind::message, 0, "Go to its receive", to_receive},
    ContextRow{ThingKind::message, 0, "Show the line that sends it", to_sending_line},
    ContextRow{ThingKind::message, 0, "Show the line that receives it", to_receiving_line},
    ContextRow{ThingKind::message, 0, "Zoom to its time", zoom_to_message},
    ContextRow{ThingKind::message, 2, "Copy as text", copies},
    ContextRow{ThingKind::chunk, 0, "Follow chunk {}", selects},
    ContextRow{ThingKind::chunk, 2, "Copy as text", copies},
    ContextRow{ThingKind::event, 0, "Select the event", selects},
    ContextRow{ThingKind::event, 0, "Select its rank", to_rank_of_event},
    ContextRow{ThingKind::event, 0, "Show its line in the code", to_line_of_event},
    ContextRow{ThingKind::event, 2, "Copy as text", copies},
    ContextRow{ThingKind::problem, 0, "Show where it is", show_problem},
    ContextRow{ThingKind::problem, 0, "Show its line in the code", line_of_problem},
    ContextRow{ThingKind::problem, 2, "Copy as text", copies},
    ContextRow{ThingKind::tab, 0, "Show it here", show_tab},
    ContextRow{ThingKind::tab, 0, "All of the window, or back", maximize_tab},
    ContextRow{ThingKind::tab, 1, "Move to the main pane", move_tab<Slot::main>},
    ContextRow{ThingKind::tab, 1, "Move to the lower row", move_tab<Slot::lower>},
    ContextRow{ThingKind::tab, 1, "Move to the side", move_tab<Slot::side>},
    // Every picture has these, below the entries of the thing that was clicked in it.
    ContextRow{ThingKind::picture, 3, "Select nothing", select_nothing},
    ContextRow{ThingKind::picture, 3, "All of the picture", fit_shown, &cmd::zoom_fit},
    ContextRow{ThingKind::picture, 3, "Copy the picture", copy_shown, &cmd::copy_picture},
    ContextRow{ThingKind::picture, 3, "Export a picture …", export_shown, &cmd::export_picture},
};

bool is_in_picture(ThingKind kind) {
  return kind == ThingKind::rank || kind == ThingKind::message || kind == ThingKind::chunk ||
         kind == ThingKind::picture;
}

bool is_there(const AppState& state, const ContextThing& thing) {
  const auto below = [&](std::uint64_t count) {
    return thing.number >= 0 && static_cast<std::uint64_t>(thing.number) < count;
  };
  switch (thing.kind) {
    case ThingKind::problem: return below(state.problems.size());
    case ThingKind::tab: return is_view(thing.view);
    case ThingKind::picture: return state.has_trace();
    case ThingKind::message:
      return state.has_trace() && below(state.document->rounds().messages.size());
    case ThingKind::event: return state.has_trace() && below(state.document->trace().size());
    case ThingKind::chunk:
      return state.has_trace() && below(static_cast<std::uint64_t>(state.document->chunks()));
    default:  // ranks
      return state.has_trace() && below(static_cast<std::uint64_t>(state.document->world_size()));
  }
}

}  // namespace

std::string context_title(const ContextThing& thing) {
  constexpr std::array<const char*, 7> kNames = {"Rank {}",    "Message {}", "Chunk {}", "Event {}",
                                                 "Problem {}", "",           ""};
  const bool counts_from_one = thing.kind == ThingKind::problem;
  return fmt::format(fmt::runtime(kNames[static_cast<std::size_t>(thing.kind)]),
                     thing.number + (counts_from_one ? 1 : 0));
}

std::vector<ContextEntry> context_menu(const AppState& state, const ContextThing& thing) {
  std::vector<ContextEntry> all;
  if (!is_there(state, thing)) return all;
  int section = -1;
  for (const ContextRow& row : kRows) {
    const bool here =
        row.kind == thing.kind || (row.kind == ThingKind::picture && is_in_picture(thing.kind));
    if (!here) continue;
    auto commands = row.does(state, thing);
    if (commands.empty()) continue;
    const auto keys = row.key_of == nullptr ? std::vector<std::string>{} : keys_of(*row.key_of);
    all.push_back({fmt::format(fmt::runtime(row.label), thing.number), std::move(commands),
                   keys.empty() ? "" : keys.front(), section >= 0 && row.section != section});
    section = row.section;
  }
  return all;
}

}  // namespace rankscope::gui
