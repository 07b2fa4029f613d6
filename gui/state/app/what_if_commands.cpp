// The command what-if.
#include "gui/state/app/what_if_commands.h"

#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/findings/what_if.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

constexpr std::string_view kAsWritten = "as-written";

bool has_what_ifs(const AppState& state) { return !state.what_if.choices.empty(); }

// Returns the job with the change, if it is a setting of the run: buffered sends. Other changes are in the program's text.
std::optional<JobSpec> job_with(const Trace& trace, std::string_view change) {
  std::optional<JobSpec> job = trace.meta().job;
  if (change != "buffered" || !job) return std::nullopt;
  if (job->is_program() || find_algorithm(job->call.algorithm) == nullptr) return std::nullopt;
  if (std::exchange(job->transport.mode, SendMode::buffered) == SendMode::buffered)
    return std::nullopt;
  return job;
}

bool may_be_deadlock(const Document& document) {
  return !document.large() && ranges::any_of(document.findings(), [](const Finding& found) {
    return info(found.kind).blocks || found.kind == Finding::Kind::unmatched;
  });
}

}  // namespace

// ---- The commands ----

constexpr Row<Text> cmd::what_if(
    "what-if receive-first|send-first|isend|irecv|same-tags|buffered|as-written|next",
    "Shows how a deadlock would have ended under a change, as a ghost run", "", 1, 1,
    Curtain::opens, does<&WhatIfCommands::show>,
    menu(item(Menu::run, 9, "What if ... the next one", "next", has_what_ifs, nullptr, true)),
    also("ghost, deadlock, fix"));
constexpr Row<Text> cmd::what_if_run(
    "what-if-run buffered", "Makes a deadlock's run again under this change, on real processes", "",
    1, 1, Curtain::opens, does<&WhatIfCommands::run>, kMovesCursor | kUndoable);

void WhatIfCommands::update(double /*seconds*/, bool& news) { news = find() || news; }

bool WhatIfCommands::find() {
  auto& what_if = state_.what_if;
  const std::uint64_t shown = state_.document ? state_.document->id() : 0;
  if (shown == what_if.shown_id) return false;
  what_if = {};  // another trace was opened
  what_if.shown_id = shown;
  if (!state_.document || !may_be_deadlock(*state_.document)) return true;
  for (WhatIf& one : what_ifs(state_.document->trace())) {
    const bool real = one.name == kAsWritten;
    what_if.choices.push_back({std::string(one.name), std::move(one.label), std::move(one.outcome),
                               std::move(one.proviso), one.ends,
                               job_with(state_.document->trace(), one.name).has_value(),
                               real ? state_.document : Document::make(std::move(one.run), "")});
  }
  if (has_what_ifs(state_)) what_if.now = kAsWritten;
  return true;
}

void WhatIfCommands::run(const Arguments& words) {
  (void)find();
  const auto& all = state_.what_if.choices;
  const auto real = ranges::find(all, kAsWritten, &WhatIfState::Choice::name);
  if (real == all.end())
    throw UserError(
        "there is no deadlock to run again: open or make a run in which ranks are blocked");
  auto job = job_with(real->document->trace(), words[0]);
  if (!job)
    throw UserError(fmt::format(
        "\"{}\" cannot be made on processes: only how an algorithm of ours sends can be changed "
        "from outside. `what-if {}` shows it as a replay of the program's order",
        words[0], words[0]));
  app_.group<RunCommands>().start(RunCommands::in_processes(std::move(*job)), false);
  show_message(fmt::format("the same run on real processes, {}", words[0]));
}

void WhatIfCommands::show(const Arguments& words) {
  (void)find();
  auto& what_if = state_.what_if;
  const auto& all = what_if.choices;
  if (all.empty())
    throw UserError(
        "there is no deadlock to ask about: open or make a run in which ranks are blocked in sends "
        "or receives");
  const bool next = words[0] == "next";
  auto wanted = ranges::find(all, next ? what_if.now : words[0], &WhatIfState::Choice::name);
  if (next && (wanted == all.end() || ++wanted == all.end())) wanted = all.begin();
  if (wanted == all.end()) {
    const auto names = all | std::views::transform(&WhatIfState::Choice::name);
    throw UserError(
        fmt::format("this deadlock has no what-if \"{}\": {}", words[0], fmt::join(names, ", ")));
  }
  what_if.now = wanted->name;
  state_.document = wanted->document;
  what_if.shown_id = state_.document->id();
  auto& playback = app_.group<PlaybackCommands>();
  playback.arrive(false);
  const bool ghost = wanted->name != kAsWritten;
  playback.begin_from(ghost ? 0 : state_.document->end(state_.playback.clock), ghost);
  show_message(ghost ? fmt::format("ghost run, {}: {} (a replay of the program's order)",
                                   wanted->label, wanted->outcome)
                     : "the run as it was");
}

}  // namespace rankscope::gui
