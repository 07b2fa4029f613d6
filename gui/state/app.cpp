#include "gui/state/app.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.h"
#include "gui/state/settings_file.h"

namespace rankscope::gui {
namespace {

constexpr std::size_t kMostUndo = 200;
constexpr std::array<std::string_view, 17> kMoves = {
    "run",         "live",           "rerun",      "sample",         "open", "play",
    "toggle-play", "step",           "step-back",  "next-round",     "seek", "first",
    "last",        "previous-round", "next-event", "previous-event", "clock"};
/// At speed 1 a measured run plays for so long, whatever it took.
constexpr double kMeasuredSeconds = 10;

// Whether there is something new to see. While a run is held, time goes on, but nobody waits for it.
bool differ(const LiveState& a, const LiveState& b) {
  const auto facts = [](const LiveState& s) {
    return std::tie(s.running, s.stepping, s.resumed, s.events, s.ranks_done, s.pids, s.ranks,
                    s.answer);
  };
  if (facts(a) != facts(b) || a.places.size() != b.places.size()) return true;
  const bool held = a.stepping && !a.resumed;
  if (!held && a.elapsed_s != b.elapsed_s) return true;
  return !std::ranges::equal(
      a.places, b.places, {}, [](const auto& v) { return describe(v); },
      [](const auto& v) { return describe(v); });
}

}  // namespace

App::App(AppOptions options) : options_(std::move(options)) {
  std::string complaint;
  if (options_.remember) state_.settings = read_settings(&complaint);
  if (!complaint.empty()) tell(complaint, true);
  state_.show_welcome = !state_.settings.welcomed;
  session_ = std::make_unique<Session>(options_.worker_program, options_.changed);
  state_.lesson.student = state_.settings.student;
  state_.lesson.lecturer = state_.settings.lecturer;
  lessons_ = std::make_unique<LessonRoom>(state_.lesson, options_.changed, options_.remember);
}

App::~App() {
  if (loading_.valid()) loading_.wait();
  if (exporting_.valid()) exporting_.wait();
  if (copying_.valid()) copying_.wait();
  if (discarding_.valid()) discarding_.wait();
  session_.reset();
  lessons_.reset();
  remember();
}

void App::remember() {
  if (!options_.remember || !settings_changed_) return;
  settings_changed_ = false;
  try {
    write_settings(state_.settings);
  } catch (const UserError& e) {
    tell(e.what(), true);
  }
}

void App::tell(std::string message, bool is_error) {
  state_.message = std::move(message);
  state_.message_is_error = is_error;
}

void App::complain(const std::string& what) {
  state_.problems.insert(state_.problems.begin(), {Problem::Severity::error, what, "", "", -1});
  tell(what, true);
}

App::Edits App::edits() const {
  return {state_.bookmarks, state_.breakpoints, state_.settings.job, state_.settings.layout};
}

void App::bring_back(const Edits& edits) {
  state_.bookmarks = edits.bookmarks;
  state_.settings.job = edits.job;
  state_.settings.layout = edits.layout;
  if (std::exchange(state_.breakpoints, edits.breakpoints) != edits.breakpoints) send_breakpoints();
}

bool App::execute(const Command& command) {
  const auto entry = std::ranges::find(entries(), command.name, &Entry::name);
  try {
    const std::string problem = command_problem(command);
    if (!problem.empty()) throw UserError(problem);
    if (entry == entries().end())
      throw UserError(fmt::format("\"{}\" is not made yet", command.name));
    if (entry->undoable) {
      undo_.push_back(edits());
      redo_.clear();
      if (undo_.size() > kMostUndo) undo_.erase(undo_.begin());
    }
    // What was wrong with an earlier command is told no longer once something else is done. Those that
    // look at the message leave it.
    static constexpr std::array<std::string_view, 5> kLook = {"expect", "print", "wait", "queue",
                                                              "screenshot"};
    const bool looks = std::ranges::find(kLook, command.name) != kLook.end();
    if (!looks && std::exchange(command_failed_, false)) tell("");
    (this->*entry->run)(command.words);
    // Who moves the cursor has it where it is wanted.
    if (command.name != "show-run" && std::ranges::find(kMoves, command.name) != kMoves.end())
      start_at_.reset();
    settings_changed_ = true;
    record_line(command);
    return true;
  } catch (const UserError& e) {
    tell(e.what(), true);
    command_failed_ = true;
    return false;
  }
}

// A script's lines come again with the command that runs it. What was queued is written when it is
// carried out: in a script, a `queue` would put it behind all that follows.
void App::record_line(const Command& command) {
  if (!recording_.is_open() || command.name == "record" || command.name == "queue") return;
  if (told_in() == recording_number_) return;
  recording_ << command.text() << '\n' << std::flush;
}

void App::discard(DocumentPtr document) {
  using namespace std::chrono_literals;
  if (document && document->large()) discarded_.push_back(std::move(document));
  if (discarded_.empty()) return;
  if (discarding_.valid() && discarding_.wait_for(0s) != std::future_status::ready)
    return;  // next time
  discarding_ = std::async(std::launch::async,
                           [old = std::exchange(discarded_, {})]() mutable { old.clear(); });
}

void App::show(DocumentPtr document, bool keep_moment) {
  discard(std::exchange(state_.document, std::move(document)));
  auto& play = state_.playback;
  // Without rounds there is nothing to count: time is all that there is.
  if (state_.document->large()) play.clock = ClockBase::measured;
  const double end = state_.document->end(play.clock);
  if (!keep_moment) {
    play.loop.reset();
    state_.selection = {};
    following_ = true;
  }
  // A run that grows is watched at its end, until somebody goes elsewhere.
  if (start_at_) move_to(*start_at_);
  else play.moment = following_ ? end : std::min(play.moment, end);
  state_.problems = problems_of(state_.result, state_.document.get());
}

namespace {
// Who stands where in a deadlock is told with the problems.
std::string headline_of(const JobResult& result) {
  return result.status == JobResult::Status::deadlock
             ? result.message.substr(
                   0, result.message.find(": rank ", std::string_view("deadlock: ").size()))
             : result.message;
}
}  // namespace

void App::take_news(bool& news) {
  if (auto live = session_->live(); differ(live, state_.live)) {
    news = true;
    state_.live = std::move(live);
  }
  if (auto document = session_->take_document()) {
    show(std::move(document), keep_moment_);
    keep_moment_ = true;
    news = true;
  }
  if (auto error = session_->take_error()) {
    complain(*error);
    news = true;
  }
  if (auto result = session_->take_result()) {
    state_.result = std::move(result);
    state_.problems = problems_of(state_.result, state_.document.get());
    if (state_.result->ok())
      tell(fmt::format("{}: right on all ranks, {} events", state_.result->algorithm,
                       state_.result->events));
    else tell(headline_of(*state_.result), true);
    news = true;
  }
}

void App::take_loaded(bool& news) {
  using namespace std::chrono_literals;
  if (loading_.valid() && loading_.wait_for(0s) == std::future_status::ready) {
    Loaded loaded = loading_.get();
    state_.loading.clear();
    news = true;
    if (!loaded.error.empty()) {
      complain(loaded.error);
    } else if (loaded.as_other) {
      discard(std::exchange(state_.other, loaded.document));
      state_.settings.layout.at(Slot::main) = "compare";
    } else {
      state_.result.reset();
      show(loaded.document, false);
      auto& recent = state_.settings.recent;
      std::erase(recent, loaded.document->path());
      recent.insert(recent.begin(), loaded.document->path());
      if (recent.size() > 10) recent.resize(10);
      tell(fmt::format("{}: {} events", loaded.document->path(), loaded.document->trace().size()));
    }
  }
  if (exporting_.valid() && exporting_.wait_for(0s) == std::future_status::ready) {
    const Exported exported = exporting_.get();
    if (exported.ok) tell(exported.message);
    else complain(exported.message);
    news = true;
  }
}

void App::play_on(double seconds, bool& news) {
  auto& play = state_.playback;
  if (!play.playing || !state_.has_trace()) return;
  const double end = state_.document->end(play.clock);
  const double a_second = play.clock == ClockBase::rounds ? 1 : end / kMeasuredSeconds;
  double next = play.moment + seconds * play.speed * a_second;
  const double last = play.loop ? std::min(play.loop->second, end) : end;
  if (next >= last) {
    if (play.loop) next = play.loop->first;
    else if (!state_.live.running) play.playing = false;
  }
  move_to(std::min(next, last));
  news = true;
}

void App::line_failed(const std::string& why) {
  script_failed_ = true;
  if (on_script_line) on_script_line(line_.text, fmt::format("{}: {}", line_.where, why));
}

// False: what the script waits for is not there yet.
bool App::await(bool& news) {
  if (waiting_for_run_) {
    if (session_->running() || loading_.valid() || exporting_.valid() || copying_.valid() ||
        !requests_.copies.empty() || lessons_->busy())
      return false;
    waiting_for_run_ = false;
  }
  if (!waiting_for_.empty()) {
    const bool met = meets(waiting_for_);
    if (!met && waiting_s_ > 0) return false;
    const Words words = std::exchange(waiting_for_, {});
    waiting_s_ = 0;
    news = true;
    if (!met) {
      tell(fmt::format("waited too long for {} to be \"{}\": it is \"{}\"", words[0],
                       fmt::join(words.begin() + 1, words.end(), " "), value_of(words[0])),
           true);
      line_failed(state_.message);
    }
  }
  return waiting_s_ <= 0 && requests_.screenshots.empty() &&
         requests_.copies.empty();  // a picture is of its moment
}

void App::run_script_lines(bool& news) {
  if (!waiting_for_.empty()) await(news);
  constexpr int kAtOnce = 200;  // a long script does not hold the window still
  for (int lines = 0; lines < kAtOnce && !script_.empty() && await(news); ++lines) {
    line_ = script_.front();
    script_.pop_front();
    news = true;
    bool ok = false;
    depth_ = line_.depth;
    try {
      ok = execute(parse_command(line_.text));
    } catch (const UserError& e) {
      tell(e.what(), true);
    }
    depth_ = 0;
    if (!ok) line_failed(state_.message);
    else if (on_script_line) on_script_line(line_.text, "");
  }
}

bool App::update(double seconds) {
  bool news = false;
  take_news(news);
  take_loaded(news);
  take_copied(news);
  take_lessons(news);
  play_on(seconds, news);
  waiting_s_ = std::max(0.0, waiting_s_ - seconds);
  run_script_lines(news);
  if (!state_.playback.playing) remember();
  return news;
}

bool App::animating() const {
  // What a run has to show is told by the session as it comes.
  return state_.playback.playing || !script_.empty() || !waiting_for_.empty() || loading_.valid() ||
         exporting_.valid() || copying_.valid() || lessons_->busy();
}

}  // namespace rankscope::gui
