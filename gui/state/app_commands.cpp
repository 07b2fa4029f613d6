// Commands about runs and scripts; and the table of all commands.
#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "gui/state/app.h"
#include "gui/state/job_words.h"
#include "gui/state/samples.h"
#include "gui/state/words.h"

namespace rankscope::gui {

void App::start_run(bool stepping) {
  keep_moment_ = false;
  state_.result.reset();
  state_.problems.clear();
  state_.playback.playing = false;
  send_breakpoints();
  session_->start(state_.settings.job, stepping);
  tell(stepping ? "every rank is held before its first message: release one (F10)" : "running");
}

void App::watch(const JobSpec& spec, Session::Source source) {
  keep_moment_ = false;
  state_.result.reset();
  state_.problems.clear();
  session_->start(spec, std::move(source));
}

void App::run_job(const Words& words, bool stepping) {
  JobSpec job = state_.settings.job;
  set_job_words(job, words);
  if (stepping && job.transport == "inproc") job.transport = "ipc";  // only processes can be held
  job.validate();
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
  job.validate();
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
  const std::pair<std::string, unsigned> point{
      text.substr(0, colon), number_of<unsigned>(text.substr(colon + 1), "the line")};
  auto& all = state_.breakpoints;
  if (const auto found = std::ranges::find(all, point); found != all.end()) all.erase(found);
  else all.push_back(point);
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

void App::record(const Words& words) {
  recording_.close();
  state_.recording = false;
  if (words.front() == "off") return tell("the script is written");
  recording_.open(words.front(), std::ios::trunc);
  if (!recording_) throw UserError(fmt::format("cannot write {}", words.front()));
  recording_ << "# a rankscope script: one command a line\n";
  ++recording_number_;
  state_.recording = true;
  tell(fmt::format("every command is now written to {}", words.front()));
}

void App::script(const Words& words) { run_script(words.front()); }

void App::run_script(const std::string& path) {
  if (depth_ >= kMostDepth)
    throw UserError(fmt::format("{}: scripts run each other in a circle", path));
  std::ifstream in(path);
  if (!in) throw UserError(fmt::format("cannot read the script {}", path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  queue_script(lines, path);
}

void App::queue_script(const std::vector<std::string>& lines, const std::string& name) {
  std::size_t number = 0;
  std::deque<ScriptLine> added;
  for (const auto& line : lines) {
    ++number;
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    added.push_back({line.substr(begin), fmt::format("{}:{}", name, number), depth_ + 1,
                     recording_.is_open() ? recording_number_ : 0});
  }
  script_.insert(script_.begin(), added.begin(), added.end());
}

void App::queue(const Words& words) {
  for (const auto& line : {std::string("wait run"), words.front()})
    script_.push_back({line, "queue", depth_ + 1, told_in()});
}

void App::wait(const Words& words) {
  constexpr double kPatience = 60;
  if (words.size() > 1) {
    (void)value_of(words.front());  // is there such a key?
    waiting_for_ = words;
    waiting_s_ = kPatience;
  } else if (words.front() == "run") {
    waiting_for_run_ = true;
  } else {
    waiting_s_ = number_of<double>(words.front(), "how long to wait");
  }
}

void App::screenshot(const Words& words) { requests_.screenshots.push_back(words.front()); }

void App::undo(const Words&) {
  if (undo_.empty()) throw UserError("there is nothing to undo");
  redo_.push_back(edits());
  bring_back(undo_.back());
  undo_.pop_back();
}
void App::redo(const Words&) {
  if (redo_.empty()) throw UserError("there is nothing to redo");
  undo_.push_back(edits());
  bring_back(redo_.back());
  redo_.pop_back();
}
void App::quit(const Words&) { state_.quit = true; }

const std::vector<App::Entry>& App::entries() {
  static const std::vector<Entry> table{
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
