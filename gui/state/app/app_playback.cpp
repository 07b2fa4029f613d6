// Commands that move the cursor.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gui/state/app/app.h"
#include "gui/state/app/words.h"

namespace rankscope::gui {
namespace {
constexpr double kNear = 1e-6;  ///< Moments closer than this are the same.
}

void App::move_to(double moment) {
  if (!state_.document) return;
  const double end = state_.document->end(state_.playback.clock);
  state_.playback.moment = std::clamp(moment, 0.0, end);
  following_ = state_.playback.moment >= end;
}

void App::step_by(const std::vector<double>& stops, int direction) {
  auto& play = state_.playback;
  play.playing = false;
  if (direction > 0) {
    const auto next = std::ranges::upper_bound(stops, play.moment + kNear);
    move_to(next == stops.end() ? state_.document->end(play.clock) : *next);
  } else {
    const auto at = std::ranges::lower_bound(stops, play.moment - kNear);
    move_to(at == stops.begin() ? 0 : *std::prev(at));
  }
}

void App::play(const Words&) {
  if (!state_.has_trace()) throw UserError("there is nothing to play: start a run or open a trace");
  auto& play = state_.playback;
  const double end = play.loop ? play.loop->second : state_.document->end(play.clock);
  if (play.moment >= end - kNear) move_to(play.loop ? play.loop->first : 0);
  play.playing = true;
}

void App::pause(const Words&) { state_.playback.playing = false; }

void App::toggle_play(const Words& words) {
  if (state_.playback.playing) pause(words);
  else play(words);
}

void App::step(const Words&) {
  if (state_.has_trace()) step_by(state_.document->stops(state_.playback.clock), 1);
}
void App::step_back(const Words&) {
  if (state_.has_trace()) step_by(state_.document->stops(state_.playback.clock), -1);
}

void App::next_event(const Words&) {
  if (!state_.has_trace()) return;
  if (state_.selection.rank < 0)
    throw UserError("select a rank first: click one, or `select rank 2`");
  step_by(state_.document->stops_of(state_.playback.clock, state_.selection.rank), 1);
}
void App::previous_event(const Words&) {
  if (!state_.has_trace()) return;
  if (state_.selection.rank < 0)
    throw UserError("select a rank first: click one, or `select rank 2`");
  step_by(state_.document->stops_of(state_.playback.clock, state_.selection.rank), -1);
}

void App::seek(const Words& words) {
  const auto moment = number_of<double>(words.front(), "the moment");
  if (!std::isfinite(moment)) throw UserError("the moment is not finite");
  state_.playback.playing = false;
  move_to(moment);
}
void App::first(const Words&) {
  state_.playback.playing = false;
  move_to(0);
}
void App::last(const Words&) {
  state_.playback.playing = false;
  if (state_.document) move_to(state_.document->end(state_.playback.clock));
}

void App::speed(const Words& words) {
  const auto speed = number_of<double>(words.front(), "the speed");
  if (!(speed > 0)) throw UserError("the speed must be positive, such as 0.5 or 2");
  state_.playback.speed = std::clamp(speed, Playback::kSlowest, Playback::kFastest);
}
void App::faster(const Words&) {
  state_.playback.speed = std::min(state_.playback.speed * std::sqrt(2.0), Playback::kFastest);
}
void App::slower(const Words&) {
  state_.playback.speed = std::max(state_.playback.speed / std::sqrt(2.0), Playback::kSlowest);
}

void App::loop(const Words& words) {
  auto& play = state_.playback;
  if (words.front() == "off") return play.loop.reset();
  if (words.size() < 2) throw UserError("usage: loop FROM TO, or loop off");
  const auto from = number_of<double>(words[0], "the beginning"),
             to = number_of<double>(words[1], "the end");
  if (!(from < to) || from < 0) throw UserError("a loop goes from one moment to a later one");
  if (!state_.document) throw UserError("there is nothing to play: start a run or open a trace");
  const double end = state_.document->end(play.clock);
  if (from >= end)
    throw UserError(fmt::format("a loop begins before the end, which is at {:g}", end));
  play.loop = {from, std::min(to, end)};
}

void App::bookmark(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is no trace to put a bookmark into");
  const Bookmark mark{state_.playback.moment, state_.playback.clock,
                      fmt::format("{}", fmt::join(words, " "))};
  if (std::ranges::find(state_.bookmarks, mark) != state_.bookmarks.end()) return;
  state_.bookmarks.push_back(mark);
  std::ranges::stable_sort(state_.bookmarks, {}, &Bookmark::moment);
}

void App::remove_bookmark(const Words& words) {
  const auto number = number_of<std::size_t>(words.front(), "the bookmark's number");
  if (number < 1 || number > state_.bookmarks.size())
    throw UserError(fmt::format("there are {} bookmarks", state_.bookmarks.size()));
  state_.bookmarks.erase(state_.bookmarks.begin() + static_cast<std::ptrdiff_t>(number - 1));
}

void App::next_bookmark(const Words&) {
  std::vector<double> stops;
  for (const auto& mark : state_.bookmarks)
    if (mark.clock == state_.playback.clock) stops.push_back(mark.moment);
  const bool any =
      std::ranges::any_of(stops, [&](double s) { return s > state_.playback.moment + kNear; });
  if (any) step_by(stops, 1);
}
void App::previous_bookmark(const Words&) {
  std::vector<double> stops;
  for (const auto& mark : state_.bookmarks)
    if (mark.clock == state_.playback.clock) stops.push_back(mark.moment);
  const bool any =
      std::ranges::any_of(stops, [&](double s) { return s < state_.playback.moment - kNear; });
  if (any) step_by(stops, -1);
}

void App::select(const Words& words) {
  Selection selection;
  if (words.front() == "none") {
    state_.selection = selection;
    return;
  }
  if (!state_.has_trace()) throw UserError("there is no trace to select in");
  if (words.size() < 2) throw UserError("usage: select message N, rank R, event N, or none");
  const auto number = number_of<std::int64_t>(words[1], "what to select");
  const auto need = [&](std::uint64_t count, const char* what) {
    if (number < 0 || static_cast<std::uint64_t>(number) >= count)
      throw UserError(fmt::format("there is no {} {}: the trace has {}", what, number, count));
  };
  const auto& document = *state_.document;
  if (words[0] == "message") {
    need(document.rounds().messages.size(), "message");
    selection.message = number;
    selection.rank = document.rounds().messages[static_cast<std::size_t>(number)].to;
  } else if (words[0] == "rank") {
    need(static_cast<std::uint64_t>(document.world_size()), "rank");
    selection.rank = static_cast<Rank>(number);
  } else if (words[0] == "event") {
    need(document.trace().size(), "event");
    const auto& event = document.trace()[static_cast<std::uint64_t>(number)];
    selection.event = number;
    selection.rank = event.rank;
    const auto& messages = document.rounds().messages;
    const auto found = std::ranges::find_if(messages, [&](const auto& m) {
      return event.op != 0 && (m.send == event.op || m.recv == event.op);
    });
    if (found != messages.end()) selection.message = found - messages.begin();
    state_.playback.playing = false;
    move_to(document.moment_of(state_.playback.clock, static_cast<std::uint64_t>(number)));
    // A message that nobody receives is seen at the end of its round only.
    if (found != messages.end() && found->received == kNoEvent)
      move_to(std::max(
          state_.playback.moment,
          document.arrives(state_.playback.clock, static_cast<std::size_t>(selection.message))));
  } else {
    throw UserError(fmt::format("select message, rank, event or none, not \"{}\"", words[0]));
  }
  state_.selection = selection;
}

void App::clock(const Words& words) {
  auto& play = state_.playback;
  const ClockBase before = play.clock;
  const std::string& word = words.empty() ? "toggle" : words.front();
  const bool measured = word == "toggle" ? before == ClockBase::rounds : word == "measured";
  if (!measured && word != "rounds" && word != "toggle")
    throw UserError("the clock is rounds or measured");
  if (!measured && state_.document && state_.document->large())
    throw UserError("so many events are shown on measured time only");
  play.clock = measured ? ClockBase::measured : ClockBase::rounds;
  play.loop.reset();
  if (!state_.document || before == play.clock) return;
  // The same place on the other clock, as nearly as there is one.
  const auto& document = *state_.document;
  const Cursor cursor = document.cursor(before, play.moment);
  play.moment = play.moment <= 0 ? 0
                : cursor >= document.trace().size()
                    ? document.end(play.clock)
                    : document.moment_of(play.clock, cursor == 0 ? 0 : cursor - 1);
  if (play.clock == ClockBase::rounds) play.moment = std::floor(play.moment + kNear);
}

}  // namespace rankscope::gui
