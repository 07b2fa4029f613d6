// Commands about runs; and the table of all commands.
#include <algorithm>

#include <fmt/format.h>

#include "engine/run/step/breakpoint_check.h"
#include "gui/state/app/app.h"
#include "gui/state/app/words.h"
#include "gui/state/files/files.h"
#include "gui/state/files/samples.h"
#include "gui/state/run/job_words.h"

namespace rankscope::gui {

void App::require_job(const JobSpec& job) const {
  if (job.world_size > kMostShownRanks)
    throw UserError(
        fmt::format("the window runs up to {} ranks: the command `rankscope run` takes "
                    "more, and its trace can be opened here",
                    kMostShownRanks));
  job.validate();
}

void App::start_run(bool stepping) {
  require_job(state_.settings.job);
  keep_moment_ = false;
  shows_session_ = true;
  state_.result.reset();
  state_.problems.clear();
  state_.playback.playing = false;
  send_breakpoints();
  session_->start(state_.settings.job, stepping);
  started_ = state_.settings.job;
  run_line_ = line_now();
  tell(stepping ? "every rank is held before its first message: release one (F10)" : "running");
}

void App::watch(const JobSpec& spec, Session::Source source) {
  keep_moment_ = false;
  shows_session_ = true;
  state_.result.reset();
  state_.problems.clear();
  session_->start(spec, std::move(source));
}

void App::run_job(const Words& words, bool stepping) {
  JobSpec job = state_.settings.job;
  set_job_words(job, words);
  if (stepping && job.transport == "inproc") job.transport = "ipc";  // only processes can be held
  require_job(job);
  state_.settings.job = job;
  start_run(stepping);
}
void App::run(const Words& words) { run_job(words, false); }
void App::live(const Words& words) { run_job(words, true); }
void App::sample(const Words& words) {
  run_job(parse_command(sample_named(words.front()).job).words, false);
  state_.show_welcome = false;
}
void App::rerun(const Words&) { start_run(state_.live.stepping); }
void App::stop(const Words&) { session_->stop(); }

void App::set(const Words& words) {
  JobSpec job = state_.settings.job;
  set_job_word(job, words[0], words[1]);
  require_job(job);
  state_.settings.job = job;
  if (words[0].starts_with("delay.")) session_->set_delays(job.delays_us);
}

void App::delay(const Words& words) {
  const auto milliseconds = number_of<double>(words[1], "the delay");
  set({"delay." + words[0], fmt::format("{}", milliseconds * 1e3)});
}

void App::release(const Words& words) {
  session_->release_message(words.empty() ? -1 : number_of<Rank>(words.front(), "the rank"));
}
void App::step_rank(const Words& words) {
  session_->step_rank(number_of<Rank>(words.front(), "the rank"));
}
void App::release_round(const Words&) { session_->release_round(); }
void App::gate_pause(const Words&) { session_->pause(); }
void App::gate_resume(const Words&) { session_->resume(); }
void App::kill(const Words& words) {
  const auto rank = number_of<Rank>(words.front(), "the rank");
  if (!session_->kill_rank(rank))
    throw UserError(fmt::format("there is no running process of rank {}", rank));
}

void App::toggle_break(const Words& words) {
  const auto& text = words.front();
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw UserError("usage: break FILE:LINE");
  const auto line = number_of<unsigned>(text.substr(colon + 1), "the line");
  auto& all = state_.breakpoints;
  // As the code's own pane calls it, so that it shows the mark.
  const std::pair point{breakpoint_file(text.substr(0, colon)), line};
  if (const auto found = std::ranges::find(all, point); found != all.end()) {
    all.erase(found);
  } else {
    Breakpoint at;
    at.file = point.first;
    at.line = line;
    if (at.file.empty() || line == 0)
      throw UserError("a breakpoint is FILE:LINE, such as allreduce_ring.cpp:30");
    if (const auto problem = breakpoint_problem(at, kMostShownRanks); !problem.empty())
      throw UserError(problem + "; no breakpoint was set");
    all.push_back(point);
  }
  send_breakpoints();
}
void App::clear_breakpoints(const Words&) {
  state_.breakpoints.clear();
  send_breakpoints();
}
void App::send_breakpoints() {
  std::vector<Breakpoint> breakpoints;
  for (const auto& [file, line] : state_.breakpoints) breakpoints.push_back({file, line, "", -1});
  session_->set_breakpoints(std::move(breakpoints));
}

void App::screenshot(const Words& words) {
  refuse_pipe(words.front());
  requests_.screenshots.push_back(words.front());
}

void App::quit(const Words&) { state_.quit = true; }

const std::vector<App::Entry>& App::entries() {
  static const std::vector<Entry> table{
      {"program", &App::program},
      {"grade", &App::grade},
      {"stop-grading", &App::stop_grading},
      {"show-fault", &App::show_fault},
      {"run", &App::run, true},
      {"live", &App::live, true},
      {"rerun", &App::rerun},
      {"stop", &App::stop},
      {"set", &App::set, true},
      {"delay", &App::delay, true},
      {"release", &App::release},
      {"step-rank", &App::step_rank},
      {"release-round", &App::release_round},
      {"gate-pause", &App::gate_pause},
      {"gate-resume", &App::gate_resume},
      {"kill", &App::kill},
      {"break", &App::toggle_break, true},
      {"clear-breakpoints", &App::clear_breakpoints, true},
      {"lesson", &App::lesson},
      {"student", &App::student},
      {"answer", &App::answer},
      {"fill", &App::fill},
      {"check", &App::check},
      {"hint", &App::hint},
      {"reveal", &App::reveal},
      {"hands", &App::hands},
      {"show-run", &App::show_run, true},
      {"lecture", &App::lecture},
      {"lecturer", &App::lecturer},
      {"open", &App::open},
      {"compare", &App::compare},
      {"save", &App::save},
      {"workspace", &App::workspace},
      {"export", &App::export_view},
      {"sample", &App::sample, true},
      {"record", &App::record},
      {"script", &App::script},
      {"queue", &App::queue},
      {"wait", &App::wait},
      {"expect", &App::expect},
      {"print", &App::print},
      {"screenshot", &App::screenshot},
      {"undo", &App::undo},
      {"redo", &App::redo},
      {"quit", &App::quit},
      {"play", &App::play},
      {"pause", &App::pause},
      {"toggle-play", &App::toggle_play},
      {"step", &App::step},
      {"step-back", &App::step_back},
      {"next-round", &App::step},
      {"previous-round", &App::step_back},
      {"next-event", &App::next_event},
      {"previous-event", &App::previous_event},
      {"seek", &App::seek},
      {"first", &App::first},
      {"last", &App::last},
      {"speed", &App::speed},
      {"faster", &App::faster},
      {"slower", &App::slower},
      {"loop", &App::loop},
      {"bookmark", &App::bookmark, true},
      {"remove-bookmark", &App::remove_bookmark, true},
      {"next-bookmark", &App::next_bookmark},
      {"previous-bookmark", &App::previous_bookmark},
      {"select", &App::select},
      {"clock", &App::clock},
      {"view", &App::view, true},
      {"maximize", &App::maximize},
      {"panel", &App::panel, true},
      {"layout", &App::layout, true},
      {"zoom-in", &App::zoom_in},
      {"zoom-out", &App::zoom_out},
      {"zoom-fit", &App::zoom_fit},
      {"theme", &App::theme},
      {"scale", &App::scale},
      {"bigger", &App::bigger},
      {"smaller", &App::smaller},
      {"labels", &App::labels},
      {"values", &App::values},
      {"portrait", &App::portrait},
      {"critical-path", &App::critical_path},
      {"motion", &App::motion},
      {"present", &App::present},
      {"palette", &App::palette},
      {"shortcuts", &App::shortcuts},
      {"settings", &App::settings},
      {"welcome", &App::welcome},
      {"tour", &App::tour},
      {"filter", &App::filter},
      {"copy-picture", &App::copy_picture},
      {"compare-clock", &App::compare_clock},
      {"zoom", &App::zoom},
  };
  return table;
}

}  // namespace rankscope::gui
