// The commands that move the cursor: playing, stepping, rounds, bookmarks and loops.
#include "gui/state/app/playback_commands.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/stage/stage_trouble.h"
#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

/// The playing time of a measured run at speed 1.
constexpr double kMeasuredSeconds = 10;
/// Seconds that the way from one stop to the next takes at speed 1, and what share of them the way back takes.
constexpr double kShortestShot = 0.4, kLongestShot = 1.6, kShotBack = 0.35;
constexpr auto kNothingToPlay = "there is nothing to play: start a run or open a trace";

}  // namespace

// ---- The commands ----

constexpr Row<> cmd::play("play", "Plays the run", "", 0, 0, Curtain::keeps,
                          does<&PlaybackCommands::play>, kMovesCursor);
constexpr Row<> cmd::pause("pause", "Stops playing", "", 0, 0, Curtain::keeps,
                           does<&PlaybackCommands::pause>);
constexpr Row<> cmd::toggle_play("toggle-play", "Plays or pauses", "Space", 0, 0, Curtain::keeps,
                                 does<&PlaybackCommands::toggle_play>, kMovesCursor,
                                 also("animate, space"));
// A recording has the step and not its motion.
constexpr Row<int> cmd::play_step("play-step [N]",
                                  "Plays to the next stop, or step N; again: goes there at once",
                                  "Right, PageDown", 0, 1, Curtain::keeps,
                                  does<&PlaybackCommands::play_step>, kMovesCursor | kUnrecorded,
                                  also("forward, next step"));
constexpr Row<> cmd::play_step_back("play-step-back",
                                    "Plays back to the stop before; again: goes there at once",
                                    "Left, PageUp", 0, 0, Curtain::keeps,
                                    does<&PlaybackCommands::play_to_stop, -1>,
                                    kMovesCursor | kUnrecorded, also("backward, previous step"));
constexpr Row<> cmd::step("step", "Goes to the next stop at once", "", 0, 0, Curtain::keeps,
                          does<&PlaybackCommands::step, 1>, kMovesCursor);
constexpr Row<> cmd::step_back("step-back", "Goes to the stop before at once", "", 0, 0,
                               Curtain::keeps, does<&PlaybackCommands::step, -1>, kMovesCursor);
constexpr Row<> cmd::next_round("next-round", "Goes to the end of the next round", "Shift+Right", 0,
                                0, Curtain::keeps, does<&PlaybackCommands::step, 1>, kMovesCursor);
constexpr Row<> cmd::previous_round("previous-round", "Goes back by one round", "Shift+Left", 0, 0,
                                    Curtain::keeps, does<&PlaybackCommands::step, -1>,
                                    kMovesCursor);
constexpr Row<> cmd::next_event("next-event", "Goes to the next event", "Ctrl+Right", 0, 0,
                                Curtain::keeps, does<&PlaybackCommands::step_event, 1>,
                                kMovesCursor);
constexpr Row<> cmd::previous_event("previous-event", "Goes to the event before", "Ctrl+Left", 0, 0,
                                    Curtain::keeps, does<&PlaybackCommands::step_event, -1>,
                                    kMovesCursor);
constexpr Row<Real> cmd::seek("seek MOMENT", "Goes to a moment: rounds, or microseconds", "", 1, 1,
                              Curtain::keeps, does<&PlaybackCommands::seek>, kMovesCursor,
                              also("jump, go to"));
constexpr Row<> cmd::first("first", "Goes to the start", "Home", 0, 0, Curtain::keeps,
                           does<&PlaybackCommands::first>, kMovesCursor, also("beginning, rewind"));
constexpr Row<> cmd::last("last", "Goes to the end", "End", 0, 0, Curtain::keeps,
                          does<&PlaybackCommands::last>, kMovesCursor);
constexpr Row<Real> cmd::speed("speed X", "Plays X times as fast, 0.1 to 100", "", 1, 1,
                               Curtain::keeps, does<&PlaybackCommands::speed>,
                               also("tempo, velocity"));
constexpr Row<> cmd::faster("faster", "Plays faster", "+", 0, 0, Curtain::keeps,
                            does<&PlaybackCommands::faster>);
constexpr Row<> cmd::slower("slower", "Plays slower", "-", 0, 0, Curtain::keeps,
                            does<&PlaybackCommands::slower>);
constexpr Row<Real, Real> cmd::loop("loop A B|off", "Plays from moment A to B again and again", "",
                                    1, 2, Curtain::keeps, does<&PlaybackCommands::loop>);
constexpr Row<Text> cmd::bookmark("bookmark [NOTE]", "Marks this moment", "Ctrl+B", 0, kAnyNumber,
                                  Curtain::keeps, does<&PlaybackCommands::bookmark>, kUndoable);
constexpr Row<int> cmd::remove_bookmark("remove-bookmark N", "Removes a bookmark, counted from 1",
                                        "", 1, 1, Curtain::keeps,
                                        does<&PlaybackCommands::remove_bookmark>, kUndoable);
constexpr Row<> cmd::next_bookmark("next-bookmark", "Goes to the next bookmark", "Ctrl+Down", 0, 0,
                                   Curtain::keeps, does<&PlaybackCommands::step_bookmark, 1>);
constexpr Row<> cmd::previous_bookmark("previous-bookmark", "Goes to the bookmark before",
                                       "Ctrl+Up", 0, 0, Curtain::keeps,
                                       does<&PlaybackCommands::step_bookmark, -1>);
constexpr Row<Thing, std::int64_t> cmd::select(
    "select message N|rank R|chunk C|event N|none",
    "Selects a message, rank, chunk or event in all views", "", 1, 2, Curtain::keeps,
    does<&PlaybackCommands::select>, also("highlight, follow, show only"));
constexpr Row<ClockBase> cmd::clock("clock [rounds|measured|toggle]",
                                    "The clock: rounds, or as measured", "M", 0, 1, Curtain::keeps,
                                    does<&PlaybackCommands::clock>, kMovesCursor,
                                    also("time axis, microseconds, logical time"));

void PlaybackCommands::update(double seconds, bool& news) {
  auto& play = state_.playback;
  if (!play.playing) {
    play.until.reset();
    if (opening_ == Opening::plays) opening_ = Opening::none;
  }
  if (!play.playing || !state_.has_trace()) return;
  const double end = state_.document->end(play.clock);
  if (play.until) return follow_shot(seconds, news);
  double next = play.moment + seconds * play.speed * a_second(end);
  if (play.loop && play.loop->first >= end) play.loop.reset();  // of a longer run
  const double last = play.loop ? std::min(play.loop->second, end) : end;
  if (next >= last) {
    if (play.loop) next = play.loop->first;
    else if (!state_.live.running) play.playing = false;
  }
  move_to(std::min(next, last));
  news = true;
}

double PlaybackCommands::a_second(double end) const {
  return state_.playback.clock == ClockBase::rounds ? 1 : end / kMeasuredSeconds;
}

void PlaybackCommands::play_to(double target) {
  auto& play = state_.playback;
  const double way = std::abs(target - play.moment),
               a_second = this->a_second(state_.document->end(play.clock));
  double lasts = std::clamp(a_second > 0 ? way / a_second : 0, kShortestShot, kLongestShot);
  if (target < play.moment) lasts *= kShotBack;
  pace_ = way / lasts;
  play.until = target;
  play.playing = true;
  following_ = false;
}

void PlaybackCommands::follow_to(double end) {
  const auto& play = state_.playback;
  const double way = end - play.moment;
  const bool released = state_.live.stepping && !state_.live.resumed && state_.settings.motion;
  if (!released || play.clock != ClockBase::rounds || way < kSameMoment || way > 1 + kSameMoment)
    return move_to(end);
  play_to(end);
  following_ = true;
}

void PlaybackCommands::follow_shot(double seconds, bool& news) {
  auto& play = state_.playback;
  const double target = std::min(*play.until, state_.document->end(play.clock)),
               by = seconds * play.speed * pace_;
  if (std::abs(target - play.moment) <= by) play.playing = false;
  const bool following = following_;
  move_to(play.playing ? play.moment + std::copysign(by, target - play.moment) : target);
  following_ = following_ || following;
  news = true;
}

void PlaybackCommands::arrive(bool same_run) {
  auto& play = state_.playback;
  // A large run has no rounds, only time.
  if (state_.document->large()) play.clock = ClockBase::measured;
  if (!same_run) {
    play.loop.reset();
    play.until.reset();
    play.playing = false;
    play.moment = 0;
    state_.selection = {};
    // A held run is watched at its end until the cursor is moved.
    following_ = std::exchange(follows_next_, false);
    opening_ = following_ || start_at_ || state_.opens_still() || state_.document->large()
                   ? Opening::none
                   : Opening::due;
  }
  const double end = state_.document->end(play.clock);
  if (start_at_) move_to(*start_at_);
  else if (following_) follow_to(end);
  else play.moment = std::min(play.moment, end);
  if (opening_ == Opening::due) play_opening();
}

void PlaybackCommands::play_opening() {
  auto& play = state_.playback;
  const auto& stops = state_.document->stops(play.clock);
  if (stops.size() < 2) return;  // a run that grows has it later
  play_to(stops[1]);
  opening_ = Opening::plays;
  if (!state_.settings.motion) finish_motion();
}

void PlaybackCommands::finish_motion() {
  if ((opening_ != Opening::plays && !following_) || !state_.playback.until) return;
  begin_from(*state_.playback.until, false);
}

void PlaybackCommands::begin_from(double moment, bool plays) {
  moved();
  state_.playback.until.reset();
  move_to(moment);
  state_.playback.playing = plays;
}

void PlaybackCommands::move_to(double moment) {
  if (!state_.document) return;
  const double end = state_.document->end(state_.playback.clock);
  state_.playback.moment = std::clamp(moment, 0.0, end);
  following_ = state_.playback.moment >= end;
  const auto& horizon = state_.lesson.horizon;
  if (!horizon || state_.playback.clock != ClockBase::rounds ||
      state_.playback.moment <= *horizon + kSameMoment)
    return;
  state_.playback.moment = *horizon;
  state_.playback.playing = following_ = false;
  show_message("the rest of the run opens with a right answer, or when the answer is shown");
}

double PlaybackCommands::next_of(const std::vector<double>& stops, int direction) const {
  const auto& play = state_.playback;
  if (direction > 0) {
    const auto next = ranges::upper_bound(stops, play.moment + kSameMoment);
    return next == stops.end() ? state_.document->end(play.clock) : *next;
  }
  const auto at = ranges::lower_bound(stops, play.moment - kSameMoment);
  return at == stops.begin() ? 0 : *std::prev(at);
}

void PlaybackCommands::step_by(const std::vector<double>& stops, int direction) {
  state_.playback.playing = false;
  move_to(next_of(stops, direction));
}

void PlaybackCommands::play() {
  require_trace(kNothingToPlay);
  auto& play = state_.playback;
  const double end = play.loop ? play.loop->second : state_.document->end(play.clock);
  if (play.moment >= end - kSameMoment) move_to(play.loop ? play.loop->first : 0);
  play.until.reset();
  play.playing = true;
}

void PlaybackCommands::play_step(const Arguments& words) {
  require_trace(kNothingToPlay);
  if (!words.empty()) {
    const auto& stops = state_.document->stops(state_.playback.clock);
    const auto number = words.number<std::size_t>(0, "the step's number");
    if (number < 1 || number >= stops.size())
      throw UserError(fmt::format("there is no step {}: the last one is {}", number,
                                  std::max<std::size_t>(stops.size(), 1) - 1));
    app_.execute(cmd::seek({stops[number - 1]}));
  }
  play_to_stop(1);
}

void PlaybackCommands::play_to_stop(int direction) {
  require_trace(kNothingToPlay);
  const auto& play = state_.playback;
  const auto& at_once = direction > 0 ? cmd::step : cmd::step_back;
  const double target = next_of(state_.document->stops(play.clock), direction);
  const bool there = std::abs(target - play.moment) < kSameMoment;
  if (there || !state_.settings.motion) return void(app_.execute(at_once()));
  const bool forward = !play.until || *play.until >= play.moment;
  if (play.playing && forward == (direction > 0)) return void(app_.execute(cmd::seek({target})));
  play_to(target);
}

void PlaybackCommands::play_towards(double target) {
  const auto& play = state_.playback;
  const bool there = std::abs(target - play.moment) < kSameMoment;
  const bool plays_there =
      play.playing && play.until && std::abs(*play.until - target) < kSameMoment;
  if (there || plays_there || !state_.settings.motion) return jump(target);
  moved();
  play_to(target);
}

void PlaybackCommands::toggle_play() {
  if (state_.playback.playing) state_.playback.playing = false;
  else play();
}

void PlaybackCommands::step(int direction) {
  if (direction > 0 && state_.holds() && state_.at_present())
    return show_message("this is the present: release a message (F10) or a round (Shift+F10)");
  if (state_.has_trace()) step_by(state_.document->stops(state_.playback.clock), direction);
}

void PlaybackCommands::step_event(int direction) {
  if (!state_.has_trace()) return;
  if (state_.selection.rank < 0)
    throw UserError("select a rank first: click one, or `select rank 2`");
  step_by(state_.document->stops_of(state_.playback.clock, state_.selection.rank), direction);
}

void PlaybackCommands::jump(double moment) {
  opening_ = Opening::none;
  state_.playback.playing = false;
  move_to(moment);
}

void PlaybackCommands::seek(const Arguments& words) {
  const auto moment = words.number<double>(0, "the moment");
  if (!std::isfinite(moment)) throw UserError("the moment is not finite");
  jump(moment);
}
void PlaybackCommands::last() {
  state_.playback.playing = false;
  if (state_.document) move_to(state_.document->end(state_.playback.clock));
}

void PlaybackCommands::speed(const Arguments& words) {
  const auto speed = words.number<double>(0, "the speed");
  if (!(speed > 0)) throw UserError("the speed must be positive, such as 0.5 or 2");
  set_speed(speed);
}
void PlaybackCommands::set_speed(double speed) {
  state_.playback.speed = std::clamp(speed, Playback::kSlowest, Playback::kFastest);
}

void PlaybackCommands::loop(const Arguments& words) {
  auto& play = state_.playback;
  if (words[0] == "off") return play.loop.reset();
  if (words.size() < 2) throw UserError("usage: loop FROM TO, or loop off");
  const auto from = words.number<double>(0, "the beginning"),
             to = words.number<double>(1, "the end");
  if (!(from < to) || from < 0) throw UserError("a loop goes from one moment to a later one");
  if (!state_.document) throw UserError(kNothingToPlay);
  const double end = state_.document->end(play.clock);
  if (from >= end)
    throw UserError(fmt::format("a loop begins before the end, which is at {:g}", end));
  play.loop = {from, std::min(to, end)};
}

void PlaybackCommands::bookmark(const Arguments& words) {
  require_trace("there is no trace to put a bookmark into");
  const Bookmark mark{state_.playback.moment, state_.playback.clock, words.rest(0)};
  if (ranges::find(state_.bookmarks, mark) != state_.bookmarks.end()) return;
  state_.bookmarks.push_back(mark);
  ranges::stable_sort(state_.bookmarks, {}, &Bookmark::moment);
}

void PlaybackCommands::remove_bookmark(const Arguments& words) {
  const auto number = words.number<std::size_t>(0, "the bookmark's number");
  if (number < 1 || number > state_.bookmarks.size())
    throw UserError(fmt::format("there are {} bookmarks", state_.bookmarks.size()));
  state_.bookmarks.erase(state_.bookmarks.begin() + static_cast<std::ptrdiff_t>(number - 1));
}

void PlaybackCommands::step_bookmark(int direction) {
  std::vector<double> stops;
  for (const auto& mark : state_.bookmarks)
    if (mark.clock == state_.playback.clock) stops.push_back(mark.moment);
  const bool any = ranges::any_of(stops, [&](double stop) {
    return (stop - state_.playback.moment) * direction > kSameMoment;
  });
  if (any) step_by(stops, direction);
}

// Moves the cursor to the event, too.
void PlaybackCommands::select_event(std::uint64_t number, Selection& selection) {
  const auto& document = *state_.document;
  const auto clock = state_.playback.clock;
  const auto& event = document.trace()[number];
  selection.event = static_cast<std::int64_t>(number);
  selection.rank = event.rank;
  const auto& messages = document.rounds().messages;
  const auto found = ranges::find_if(messages, [&](const auto& m) {
    return event.op != 0 && (m.send == event.op || m.recv == event.op);
  });
  jump(document.moment_of(clock, number));
  if (found == messages.end()) return;
  selection.message = found - messages.begin();
  // A message that is never received is visible at the end of its round only.
  if (found->received == kNoEvent)
    move_to(std::max(state_.playback.moment,
                     document.arrives(clock, static_cast<std::size_t>(selection.message))));
}

std::string PlaybackCommands::lead_to_wrong_result() {
  if (!state_.has_trace() || state_.document->large() || state_.opens_still()) return {};
  const TraceAnalysis& analysis = state_.document->analysis();
  const StageTrouble trouble = stage_trouble(analysis);
  if (trouble.wrong.empty()) return {};
  const auto& first = trouble.wrong.front();
  Selection selection;
  selection.rank = first.rank;
  if (const auto whole = analysis.pieces().whole(); first.element < whole)
    selection.chunk = Partition(whole, analysis.trace().world_size()).chunk_of(first.element);
  state_.selection = selection;
  jump(state_.document->end(state_.playback.clock));
  return trouble.headline;
}

void PlaybackCommands::select(const Arguments& words) {
  if (words[0] == "none") {
    state_.selection = {};
    return;
  }
  require_trace("there is no trace to select in");
  if (words.size() < 2)
    throw UserError("usage: select message N, rank R, chunk C, event N, or none");
  const auto number = words.number<std::int64_t>(1, "what to select");
  constexpr std::array kThings = {Thing::rank, Thing::message, Thing::chunk, Thing::event};
  if (const auto thing = named(kThings, words[0])) return select_thing(*thing, number);
  throw UserError(fmt::format("select message, rank, chunk, event or none, not \"{}\"", words[0]));
}

void PlaybackCommands::select_thing(Thing thing, std::int64_t number) {
  Selection selection;
  const auto need = [&](std::uint64_t count) {
    if (number < 0 || static_cast<std::uint64_t>(number) >= count)
      throw UserError(
          fmt::format("there is no {} {}: the trace has {}", to_string(thing), number, count));
  };
  const auto& document = *state_.document;
  if (thing == Thing::message) {
    need(document.rounds().messages.size());
    selection.message = number;
    selection.rank = document.rounds().messages[static_cast<std::size_t>(number)].to;
  } else if (thing == Thing::rank) {
    need(static_cast<std::uint64_t>(document.world_size()));
    selection.rank = static_cast<Rank>(number);
  } else if (thing == Thing::chunk) {
    need(static_cast<std::uint64_t>(document.chunks()));
    selection.chunk = static_cast<int>(number);
  } else {
    need(document.trace().size());
    select_event(static_cast<std::uint64_t>(number), selection);
  }
  state_.selection = selection;
}

void PlaybackCommands::clock(const Arguments& words) {
  auto& play = state_.playback;
  const ClockBase before = play.clock;
  const auto chosen = switched(before == ClockBase::measured, words.empty() ? "toggle" : words[0],
                               "measured", "rounds");
  if (!chosen) throw UserError("the clock is rounds or measured");
  const bool measured = *chosen;
  if (measured && state_.lesson.horizon)
    throw UserError(
        "the time that was measured opens with the answer, as the rest of the run does");
  if (!measured && state_.document && state_.document->large())
    throw UserError("a run of this many events is shown on measured time only");
  play.clock = measured ? ClockBase::measured : ClockBase::rounds;
  play.loop.reset();
  if (play.until && before != play.clock) {  // a moment of the other clock
    play.until.reset();
    play.playing = false;
    opening_ = Opening::none;
  }
  if (!state_.document || before == play.clock) return;
  // Finds the nearest place on the other clock.
  const auto& document = *state_.document;
  const Cursor cursor = document.cursor(before, play.moment);
  play.moment = play.moment <= 0 ? 0
                : cursor >= document.trace().size()
                    ? document.end(play.clock)
                    : document.moment_of(play.clock, cursor == 0 ? 0 : cursor - 1);
  if (play.clock == ClockBase::rounds) play.moment = std::floor(play.moment + kSameMoment);
}

}  // namespace rankscope::gui
