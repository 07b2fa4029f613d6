// The commands of live runs: starting, stopping, delays, step gates and breakpoints.
#include "gui/state/app/run_commands.h"

#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/plugin_loader.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/transports.h"
#include "engine/run/step/breakpoint_check.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/samples.h"
#include "gui/state/model/live_marks.h"
#include "gui/state/model/workspace.h"
#include "gui/state/run/question_parser.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

// Returns whether there is something new to see. The time of a held run is not.
bool differ(const LiveState& a, const LiveState& b) {
  const auto facts = [](const LiveState& s) {
    return std::tie(s.running, s.stepping, s.ordered, s.resumed, s.events, s.ranks_done, s.pids,
                    s.ranks, s.answer);
  };
  if (facts(a) != facts(b) || a.places.size() != b.places.size()) return true;
  const bool held = a.stepping && !a.resumed;
  if (!held && a.elapsed_s != b.elapsed_s) return true;
  return !ranges::equal(
      a.places, b.places, {}, [](const auto& v) { return describe(v); },
      [](const auto& v) { return describe(v); });
}

JobSpec without_delays(JobSpec job) {
  job.world.delays_us.clear();
  return job;
}

std::string good_end(const JobResult& result, const std::optional<JobSpec>& job) {
  if (!job || !job->is_simulated())
    return fmt::format("{}: right on all ranks, {} events", result.algorithm, result.events);
  const auto times = result.times_s();
  return fmt::format("{}: {}{} of virtual time", result.algorithm,
                     job->network.ghost ? "" : "right on all ranks, ",
                     time_text(std::llround((times.empty() ? 0 : times.back()) * 1e9)));
}

bool is_idle(const AppState& s) { return !s.live.running; }
bool is_running(const AppState& s) { return s.live.running || s.program.running(); }
bool is_stepping(const AppState& s) { return s.live.stepping; }
bool has_breakpoints(const AppState& s) { return !s.breakpoints.empty(); }

}  // namespace

RunCommands::RunCommands(App& app)
    : CommandGroup(app),
      session_(std::make_unique<Session>(app.options().worker_program, app.options().changed)) {}

RunCommands::Parked RunCommands::park() {
  Parked parked{std::move(session_), std::exchange(started_, std::nullopt)};
  session_ = std::make_unique<Session>(app_.options().worker_program, app_.options().changed);
  state_.live = {};
  same_run_ = false;
  shown_ = true;
  return parked;
}

void RunCommands::unpark(Parked parked) {
  session_ = std::move(parked.session);
  started_ = std::move(parked.started);
  same_run_ = shown_ = true;
  state_.live = session_->live();
}

// ---- The commands ----

constexpr Row<Texts> cmd::run(
    "run [ALGORITHM] [KEY=VALUE...]",
    "Runs a collective on real processes (ring 4, or KEY=VALUE as for `set`)", "Ctrl+R", 0,
    kAnyNumber, Curtain::keeps, does<&RunCommands::run_words, false>, kUndoable | kMovesCursor,
    menu(item(Menu::run, 0, "Run", "", is_idle)), also("start, go, execute"));
constexpr Row<Texts> cmd::live("live [ALGORITHM] [KEY=VALUE...]",
                               "Runs with every rank held before its first message", "F6", 0,
                               kAnyNumber, Curtain::keeps, does<&RunCommands::run_words, true>,
                               kUndoable | kMovesCursor, menu(item(Menu::run, 0, "Step live")),
                               also("debug, hold, step through"));
constexpr Row<Text> cmd::say(
    "say WORDS",
    "Runs what the words say, or what they change: ring 16, rank 2 slow, 64 on a torus, 1 GiB",
    "Ctrl+K", 1, kAnyNumber, Curtain::keeps, does<&RunCommands::say>, kUndoable | kMovesCursor,
    menu(item(Menu::run, 0, "Say what to run …")),
    box("What to run, or what if?", "ring 16, or: what if rank 2 is slow",
        "A run: ring 16; broadcast from 2; ring 64 on fat-tree. Or a change of the run that is "
        "open: 5 ranks; 1 GiB; other direction; without link 0-1; twice as fast; rendezvous."),
    also("what if, question, change"));
constexpr Row<Text> cmd::sample(
    "sample NAME",
    "Runs tree, ring, doubling, alltoall, hierarchical, deadlock or sixteen: the first page", "", 1,
    1, Curtain::keeps, does<&RunCommands::sample>, kUndoable | kMovesCursor);
constexpr Row<Text> cmd::plugin(
    "plugin FILE", "Loads algorithms of your own from a shared library", "", 1, 1, Curtain::keeps,
    does<&RunCommands::plugin>, menu(item(Menu::run, 0, "Load a plug-in …")),
    file_box(
        NameBox::Files::open_plugin, "Load a plug-in", "mine.so",
        "A source with RANKSCOPE_ALGORITHM, compiled against rankscope_algorithm.hpp. It stays "
        "until the window is closed."),
    also("own algorithm, extension, shared library"));
constexpr Row<> cmd::rerun("rerun",
                           "This again: the run that is shown, the race, the program; a trace that "
                           "cannot be run here is played once more",
                           "F5", 0, 0, Curtain::opens, does<&RunCommands::rerun>,
                           kUndoable | kMovesCursor, also("repeat, again, restart"));
constexpr Row<> cmd::stop("stop", "Ends the current run, or race", "Shift+F5", 0, 0, Curtain::keeps,
                          does<&RunCommands::stop>,
                          menu(item(Menu::run, 0, "Stop", "", is_running)),
                          also("cancel, abort, end"));
constexpr Row<Text, Text> cmd::set(
    "set KEY VALUE",
    "Changes the job: algorithm, ranks, count, dtype, op, root, transport, mode, segment, group, "
    "seed, input, delay.R, timeout; of simulated ones topology, links, alpha, bandwidth and more",
    "", 2, 2, Curtain::keeps, does<&RunCommands::set>, kUndoable);
constexpr Row<int, int> cmd::release(
    "release [RANK [STRAND]]",
    "Releases one message: of the lowest round, or of this sender (and its strand)", "F10", 0, 2,
    Curtain::keeps, does<&RunCommands::release>,
    menu(item(Menu::run, 1, "Release one message", "", is_stepping)), also("one message, send it"));
constexpr Row<int> cmd::step_rank("step-rank RANK", "Lets one rank do one message verb", "", 1, 1,
                                  Curtain::keeps, does<&RunCommands::step_rank>);
constexpr Row<> cmd::release_round("release-round", "Releases all messages of the next round",
                                   "Shift+F10", 0, 0, Curtain::keeps,
                                   does<&RunCommands::release_round>,
                                   menu(item(Menu::run, 1, "Release one round", "", is_stepping)));
constexpr Row<> cmd::gate_pause("gate-pause", "Holds all ranks before their next message", "F7", 0,
                                0, Curtain::keeps, does<&RunCommands::pause>);
constexpr Row<> cmd::gate_resume("gate-resume", "Lets the ranks run to a breakpoint or to the end",
                                 "F8", 0, 0, Curtain::keeps, does<&RunCommands::resume>,
                                 menu(item(Menu::run, 1, "Let the ranks run", "", is_stepping)),
                                 also("continue, go on"));
constexpr Row<int, Real> cmd::delay(
    "delay RANK MS", "Makes a rank wait before each message, also in the current run", "", 2, 2,
    Curtain::keeps, does<&RunCommands::delay>, kUndoable, also("slow rank, straggler, late"));
constexpr Row<int> cmd::kill("kill RANK", "Kills a rank's process, to show what follows", "", 1, 1,
                             Curtain::keeps, does<&RunCommands::kill>,
                             also("crash, die, lost rank, fault"));
constexpr Row<SourceLine> cmd::break_at("break FILE:LINE", "Sets a breakpoint, or removes it", "",
                                        1, 1, Curtain::keeps, does<&RunCommands::toggle_break>,
                                        kUndoable, also("breakpoint"));
constexpr Row<> cmd::clear_breakpoints("clear-breakpoints", "Removes all breakpoints", "", 0, 0,
                                       Curtain::keeps, does<&RunCommands::clear_breakpoints>,
                                       kUndoable,
                                       menu(item(Menu::run, 1, "Clear breakpoints", "",
                                                 has_breakpoints)));

void RunCommands::require(const JobSpec& job) {
  if (job.world.size > kMostShownRanks)
    throw UserError(
        fmt::format("the window runs up to {} ranks: the command `rankscope run` takes more, and "
                    "its trace can be opened here",
                    kMostShownRanks));
  validate(job);
}

JobSpec RunCommands::in_processes(JobSpec job) {
  if (!transport_can(job.transport.name, &Transport::processes) && !job.is_simulated())
    job.transport.name = kDefaultTransport;
  return job;
}

// Forgets the run before.
void RunCommands::clear() {
  same_run_ = false;
  shown_ = true;
  state_.result.reset();
  state_.problems.clear();
}

void RunCommands::start(bool stepping) {
  const JobSpec& job = state_.settings.job;
  require(job);
  clear();
  app_.group<PlaybackCommands>().follow_end(stepping);
  state_.playback.playing = false;
  send_breakpoints();
  session_->start(job, stepping);
  started_ = job;
  asked_by_ = app_.group<ScriptCommands>().line_now();
  show_message(stepping ? "every rank is held before its first message: release one (F10)"
                        : "running");
}

void RunCommands::start(JobSpec job, bool stepping) {
  require(job);
  state_.settings.job = std::move(job);
  start(stepping);
}

void RunCommands::watch(const JobSpec& spec, Session::Source source) {
  clear();
  app_.group<PlaybackCommands>().follow_end(true);
  session_->start(spec, std::move(source));
}

bool RunCommands::make_way() {
  const bool ends_run = running();
  if (ends_run) session_->stop();  // its pictures would take the place of what was opened
  shown_ = false;
  app_.group<PlaybackCommands>().follow_end(false);
  state_.result.reset();
  return ends_run;
}

void RunCommands::run_words(const Arguments& words, bool stepping) {
  if (words.empty() && stepping) app_.group<ExecCommands>().refuse_hold();
  if (words.empty() && app_.group<ExecCommands>().again()) return;
  // "allreduce.ring ranks=4", or a sentence: "ring 4".
  JobSpec job = words.empty() ? app_.group<NetworkCommands>().as_it_stands(state_.settings.job)
                              : state_.settings.job;
  std::string said;
  std::vector<std::string> set;
  for (const auto& word : words.all()) {
    const bool is_name = word.find('.') != std::string::npos || find_algorithm(word) != nullptr;
    if (is_name || word.find('=') != std::string::npos) set.push_back(word);
    else said += (said.empty() ? "" : " ") + word;
  }
  if (!said.empty()) job = parse_job(job, said).job;
  set_job_words(job, set);
  start(stepping ? in_processes(std::move(job)) : std::move(job), stepping);
}

// Never another run in the place of the one that is shown.
void RunCommands::rerun() {
  if (!state_.race.runs.empty())
    return app_.group<RaceCommands>().start(race_words_of(state_.race.runs));
  if (app_.group<ExecCommands>().again()) return;
  if (shown_ || !state_.has_trace())
    return start(app_.group<NetworkCommands>().as_it_stands(state_.settings.job),
                 state_.live.stepping);
  const TraceMeta& meta = state_.document->trace().meta();
  if (const auto& faults = meta.faults) {
    const auto code = state_.lesson.code.find(faults->exercise);
    if (code != state_.lesson.code.end() && !code->second.file.empty() &&
        app_.execute(cmd::grade(faults->exercise)))
      return;
  }
  std::string why = "the run of a program is made again by the command that made it";
  if (meta.job && find_algorithm(meta.job->call.algorithm) != nullptr) {
    try {
      const JobSpec job = app_.group<NetworkCommands>().as_it_stands(*meta.job);
      require(job);
      return start(job, false);
    } catch (const UserError& e) {
      why = e.what();
    }
  }
  app_.group<PlaybackCommands>().begin_from(0, true);
  show_message("played again, not run: " + why);
}

void RunCommands::pause() {
  app_.group<ExecCommands>().refuse_hold();
  session_->pause();
}

void RunCommands::stop() {
  if (app_.group<ExecCommands>().stop_program()) return;
  if (!app_.group<RaceCommands>().stop()) session_->stop();
}

void RunCommands::say(const Arguments& words) {
  if (const std::string said = words.rest(0); said.starts_with("race ")) {
    return app_.group<RaceCommands>().start(said.substr(said.find(' ') + 1));
  }
  app_.group<ChangeCommands>().say(words.rest(0));
}

void RunCommands::sample(const Arguments& words) {
  start(job_of(sample_named(words[0]), state_.settings.job), false);
  state_.show_welcome = false;
}

void RunCommands::set(const std::string& key, const std::string& value) {
  JobSpec job = state_.settings.job;
  set_job_word(job, key, value);
  require(job);
  state_.settings.job = job;
  if (key.starts_with("delay.")) session_->set_delays(job.world.delays_us);
}

void RunCommands::delay(const Arguments& words) {
  const auto milliseconds = words.number<double>(1, "the delay");
  set("delay." + words[0], fmt::format("{}", milliseconds * 1e3));
}

void RunCommands::plugin(const Arguments& words) {
  const auto names = load_plugin(words.rest(0));
  const std::string_view first = names.front();
  show_message(fmt::format("{} can be run: say {}", fmt::join(names, ", "),
                           require_algorithm(first).short_name()));
}

void RunCommands::kill(const Arguments& words) {
  const auto rank = words.number<Rank>(0, "the rank");
  if (!session_->kill_rank(rank))
    throw UserError(fmt::format("there is no running process of rank {}", rank));
}

void RunCommands::release(const Arguments& words) {
  session_->release_message(words.empty() ? -1 : words.number<Rank>(0, "the rank"),
                            words.size() < 2 ? kAnyStrand : words.number<int>(1, "the strand"));
}

void RunCommands::toggle_break(const Arguments& words) {
  const auto& text = words[0];
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw UserError("usage: break FILE:LINE");
  Breakpoint at;
  // The name in the code's pane, which shows the mark.
  at.file = breakpoint_file(text.substr(0, colon));
  at.line = number_of<unsigned>(text.substr(colon + 1), "the line");
  auto& all = state_.breakpoints;
  const std::pair point{at.file, at.line};
  if (const auto found = ranges::find(all, point); found != all.end()) {
    all.erase(found);
  } else {
    if (at.file.empty() || at.line == 0)
      throw UserError("a breakpoint is FILE:LINE, such as allreduce_ring.cpp:30");
    if (const auto problem = breakpoint_problem(at, kMostShownRanks); !problem.empty())
      throw UserError(problem + "; no breakpoint was set");
    all.push_back(point);
  }
  send_breakpoints();
}

void RunCommands::clear_breakpoints() {
  state_.breakpoints.clear();
  send_breakpoints();
}

void RunCommands::send_breakpoints() {
  std::vector<Breakpoint> breakpoints;
  for (const auto& [file, line] : state_.breakpoints) breakpoints.push_back({file, line, "", -1});
  session_->set_breakpoints(std::move(breakpoints));
}

void RunCommands::follow_job() {
  if (!started_ || !(state_.live.running || state_.result)) return;
  const auto& job = state_.settings.job;
  if (state_.live.running && without_delays(job) == without_delays(*started_))
    return session_->set_delays(job.world.delays_us);
  if (job != *started_) start(state_.live.stepping);
}

bool RunCommands::held() const {
  const auto live = session_->live();
  if (differ(live, state_.live))
    return false;  // what has happened is shown first, as the answer to an order
  using State = RankView::State;
  const auto some = [&](auto... states) {
    return ranges::any_of(live.places,
                          [&](const RankView& view) { return ((view.state == states) || ...); });
  };
  // Ranks that are all done are held no longer: their run is about to end.
  return live.stepping && !live.resumed && !live.ordered && some(State::held, State::blocked) &&
         !some(State::running);
}

void RunCommands::update(double /*seconds*/, bool& news) {
  follow_session(news);
  follow_question(news);
}

void RunCommands::follow_session(bool& news) {
  if (auto live = session_->live(); differ(live, state_.live)) {
    news = true;
    // The answer to an order is the latest news.
    if (live.running && !live.answer.empty() && live.answer != state_.live.answer)
      show_message(live.answer);
    state_.live = std::move(live);
  }
  auto document = session_->take_document();
  const auto error = session_->take_error();
  auto result = session_->take_result();
  if (!shown_) return;  // a trace was opened meanwhile
  news = news || document || error || result;
  if (document)
    app_.group<FileCommands>().show(std::move(document), std::exchange(same_run_, true));
  if (error) {
    app_.group<ScriptCommands>().report(asked_by_, *error);
    app_.group<ChangeCommands>().forget();
  }
  if (!result) return;
  state_.result = std::move(result);
  state_.problems = problems_of(state_.result, state_.document.get());
  if (state_.lesson.keeps_end())
    return show_message("the run stands before what is asked: answer, and it goes on");
  app_.group<ViewCommands>().show_problems();
  // A lesson places the cursor itself.
  if (!state_.lesson.lesson) (void)app_.group<PlaybackCommands>().lead_to_wrong_result();
  // The problems say where each rank stands in a deadlock.
  if (const auto& deadlock = state_.result->deadlock) show_message(deadlock->headline, true);
  else if (!state_.result->ok()) show_message(state_.result->message, true);
  else show_message(good_end(*state_.result, started_));
}

namespace {

bool is_held(const AppState& state) { return state.live.stepping && !state.live.places.empty(); }

}  // namespace

constexpr Row<> cmd::who_can_move(
    "who-can-move ask|check|off",
    "Covers the messages on offer and asks which ranks can move; checks the answer", "", 1, 1,
    Curtain::keeps, does<&RunCommands::ask>,
    menu(item(Menu::run, 1, "Who can move?", "ask", is_held)));
constexpr Row<int> cmd::moves("moves RANK", "Says that a rank can move, or takes that back", "", 1,
                              1, Curtain::keeps, does<&RunCommands::moves>);

std::string RunCommands::places() const {
  std::string text;
  for (const RankView& view : state_.live.places) text += describe(view) + "\n";
  return text;
}

void RunCommands::ask(const Arguments& words) {
  if (words[0] == "check") return check();
  if (words[0] == "off") {
    state_.moves = {};
    return;
  }
  if (words[0] != "ask")
    throw UserError(fmt::format("say ask, check or off, not \"{}\"", words[0]));
  if (!is_held(state_) || state_.live.resumed || state_.live.ordered)
    throw UserError(
        "no rank is held: start a run step by step (F6), and ask while it stands still");
  app_.group<PlaybackCommands>().move_to(
      state_.document ? state_.document->end(state_.playback.clock) : 0);
  state_.moves = {};
  state_.moves.asked = true;
  asked_of_ = places();
  show_message("Who can move? Click the ranks that can go on now, then check.");
}

void RunCommands::moves(const Arguments& words) {
  auto& question = state_.moves;
  if (!question.asked) throw UserError("nobody has asked who can move: `who-can-move ask` does");
  if (question.checked) throw UserError("the answer is checked: `who-can-move ask` asks again");
  const auto rank = words.number<Rank>(0, "the rank");
  const int world = state_.document ? state_.document->world_size() : 0;
  if (rank < 0 || rank >= world)
    throw UserError(fmt::format("there is no rank {}: they are 0 to {}", rank, world - 1));
  const auto known = ranges::find(question.chosen, rank);
  if (known != question.chosen.end()) question.chosen.erase(known);
  else question.chosen.insert(ranges::upper_bound(question.chosen, rank), rank);
}

void RunCommands::check() {
  auto& question = state_.moves;
  if (!question.asked) throw UserError("nobody has asked who can move: `who-can-move ask` does");
  question.checked = true;
  question.right = movable_ranks(state_);
  const bool right = question.right == question.chosen;
  question.says = fmt::format(
      "{} {} can move: {}", right ? "Right:" : "Not quite:", rank_list(question.right),
      question.right.empty() ? "each waits for a message that nobody has sent."
                             : "what comes next is a send, or a receive whose message is there.");
  show_message(question.says);
}

void RunCommands::follow_question(bool& news) {
  if (!state_.moves.asked || (is_held(state_) && places() == asked_of_)) return;
  state_.moves = {};
  news = true;
}

}  // namespace rankscope::gui
