#include "gui/state/app/app.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "gui/state/files/settings_file.h"

namespace rankscope::gui {
namespace {

constexpr std::array<std::string_view, 17> kMoves = {
    "run",         "live",           "rerun",      "sample",         "open", "play",
    "toggle-play", "step",           "step-back",  "next-round",     "seek", "first",
    "last",        "previous-round", "next-event", "previous-event", "clock"};
/// At speed 1 a measured run plays for so long, whatever it took.
constexpr double kMeasuredSeconds = 10;

// Whether there is something new to see. While a run is held, time goes on, but nobody waits for it.
bool differ(const LiveState& a, const LiveState& b) {
  const auto facts = [](const LiveState& s) {
    return std::tie(s.running, s.stepping, s.ordered, s.resumed, s.events, s.ranks_done, s.pids,
                    s.ranks, s.answer);
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
  lessons_ = std::make_unique<LessonRoom>(state_.lesson, options_.changed, options_.remember);
  grading_ = std::make_unique<CodeCheck>(options_.worker_program, options_.changed);
}

App::~App() {
  grading_->stop();  // it ends while the rest does
  if (loading_.valid()) loading_.wait();
  if (exporting_.valid()) exporting_.wait();
  if (copying_.valid()) copying_.wait();
  if (discarding_.valid()) discarding_.wait();
  session_.reset();
  lessons_.reset();
  grading_.reset();
  remember();
}

void App::remember() {
  if (!options_.remember || !options_.keep_settings || !settings_changed_) return;
  settings_changed_ = false;
  Settings settings = state_.settings;
  if (theme_for_now_ == settings.theme) settings.theme = *own_theme_;
  if (scale_for_now_ == settings.ui_scale) settings.ui_scale = *own_scale_;
  try {
    write_settings(settings);
  } catch (const UserError& e) {
    tell(e.what(), true);
  }
}

void App::look_for_now(const std::string& theme_name, std::optional<double> scale_wanted) {
  auto& settings = state_.settings;
  if (!theme_name.empty()) {
    own_theme_ = settings.theme;
    theme({theme_name});
    theme_for_now_ = settings.theme;
  }
  if (scale_wanted) {
    own_scale_ = settings.ui_scale;
    scale({fmt::format("{}", *scale_wanted)});
    scale_for_now_ = settings.ui_scale;
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

namespace {

/// Those that look at the message leave it.
bool looks_only(std::string_view command) {
  static constexpr std::array<std::string_view, 5> kLook = {"expect", "print", "wait", "queue",
                                                            "screenshot"};
  return std::ranges::find(kLook, command) != kLook.end();
}

}  // namespace

bool App::execute(const Command& command) {
  const auto entry = std::ranges::find(entries(), command.name, &Entry::name);
  std::string wrong;
  try {
    const std::string problem = command_problem(command);
    if (!problem.empty()) throw UserError(problem);
    if (entry == entries().end())
      throw UserError(fmt::format("\"{}\" is not made yet", command.name));
    // What was wrong with an earlier command is told no longer once something else is done.
    if (!looks_only(command.name) && std::exchange(command_failed_, false)) tell("");
    std::optional<Edits> before;
    if (entry->undoable) before = edits();
    (this->*entry->run)(command.words);
    if (before) note_change(std::move(*before), command);
    // Who moves the cursor has it where it is wanted.
    if (command.name != "show-run" && std::ranges::find(kMoves, command.name) != kMoves.end())
      start_at_.reset();
    settings_changed_ = true;
    record_line(command);
    return true;
  } catch (const UserError& e) {
    wrong = e.what();
  } catch (
      const std::exception& e) {  // such as of a folder that is gone: no command ends a lecture
    wrong = fmt::format("'{}' could not be done: {}", command.name, e.what());
  }
  tell(wrong, true);
  command_failed_ = true;
  return false;
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
  saved_as_.clear();
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
    // The answer to an order is what happened last.
    if (live.running && !live.answer.empty() && live.answer != state_.live.answer)
      tell(live.answer);
    state_.live = std::move(live);
  }
  auto document = session_->take_document();
  auto error = session_->take_error();
  auto result = session_->take_result();
  if (!shows_session_) return;  // somebody has opened a trace meanwhile
  if (document) {
    show(std::move(document), keep_moment_);
    keep_moment_ = true;
    news = true;
  }
  if (error) {
    complain(*error);
    if (run_line_) line_failed(*run_line_, *error);
    news = true;
  }
  if (result) {
    state_.result = std::move(result);
    state_.problems = problems_of(state_.result, state_.document.get());
    if (state_.result->ok())
      tell(fmt::format("{}: right on all ranks, {} events", state_.result->algorithm,
                       state_.result->events));
    else tell(headline_of(*state_.result), true);
    news = true;
  }
}

void App::show_loaded(const Loaded& loaded) {
  if (loaded.as_other) {
    discard(std::exchange(state_.other, loaded.document));
    state_.settings.layout.at(Slot::main) = "compare";
    return;
  }
  const bool ends_run = session_->running();
  if (ends_run) session_->stop();  // its pictures would take the place of what was opened
  shows_session_ = false;
  state_.result.reset();
  state_.bookmarks.clear();  // they are moments of another trace
  forget_bookmarks(undo_);
  forget_bookmarks(redo_);
  show(loaded.document, false);
  const bool passing = graded_runs_ && loaded.document->path().starts_with(
                                           graded_runs_->path().string());  // gone at the end
  if (!passing) remember_file(loaded.document->path());
  tell(fmt::format("{}: {} events{}", loaded.document->path(), loaded.document->trace().size(),
                   ends_run ? "; the run was ended for it" : ""));
  lead_to_fault();
}

void App::remember_file(const std::string& path) {
  auto& recent = state_.settings.recent;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > 10) recent.resize(10);
}

void App::take_loaded(bool& news) {
  using namespace std::chrono_literals;
  if (loading_.valid() && loading_.wait_for(0s) == std::future_status::ready) {
    const Loaded loaded = loading_.get();
    state_.loading.clear();
    news = true;
    if (loaded.error.empty()) show_loaded(loaded);
    else complain(loaded.error);
    if (!loaded.error.empty() && loaded.line) line_failed(*loaded.line, loaded.error);
  }
  if (exporting_.valid() && exporting_.wait_for(0s) == std::future_status::ready) {
    const Exported exported = exporting_.get();
    if (exported.ok) tell(exported.message);
    else complain(exported.message);
    if (!exported.ok && exported.line) line_failed(*exported.line, exported.message);
    news = true;
  }
}

void App::play_on(double seconds, bool& news) {
  auto& play = state_.playback;
  if (!play.playing || !state_.has_trace()) return;
  const double end = state_.document->end(play.clock);
  const double a_second = play.clock == ClockBase::rounds ? 1 : end / kMeasuredSeconds;
  double next = play.moment + seconds * play.speed * a_second;
  if (play.loop && play.loop->first >= end) play.loop.reset();  // of a longer run
  const double last = play.loop ? std::min(play.loop->second, end) : end;
  if (next >= last) {
    if (play.loop) next = play.loop->first;
    else if (!state_.live.running) play.playing = false;
  }
  move_to(std::min(next, last));
  news = true;
}

bool App::update(double seconds) {
  bool news = false;
  take_news(news);
  take_loaded(news);
  take_copied(news);
  take_lessons(news);
  take_grading_news(news);
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
