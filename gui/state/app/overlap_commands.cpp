// The commands of overlap. The closed form follows each change at once; a real step is made by `rankscope overlap` in a process
// of its own, whose trace is read.
#include "gui/state/app/overlap_commands.h"

#include <array>
#include <filesystem>
#include <ranges>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/trace/trace_file.h"
#include "gui/state/app/groups.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
using State = TrainingState::State;
constexpr std::array<std::string_view, 2> kShown = {"closed-form", "measured"};

bool is_measuring(const AppState& s) { return s.overlap.state == State::running; }
bool is_not_measuring(const AppState& s) { return !is_measuring(s); }

RankWork work_of(const Trace& trace, std::string_view phase, Rank rank) {
  for (RankWork& work : work_of_ranks(trace, phase))
    if (work.rank == rank) return std::move(work);
  throw UserError(fmt::format("the trace has no \"{}\" of rank {}", phase, rank));
}

std::shared_ptr<const MeasuredOverlap> measured_in(const std::string& file,
                                                   const OverlapValues& values) {
  using namespace training;
  const Trace trace = TraceReader::open(file);
  const training::OverlapMeasured all = overlap_measured(trace);
  const StepFigures &apart = all.slowest(false), &overlapped = all.slowest(true);
  auto out = std::make_shared<MeasuredOverlap>();
  out->values = values;
  out->file = file;
  out->apart = work_of(trace, kApartPhase, apart.rank);
  out->overlapped = work_of(trace, kOverlappedPhase, overlapped.rank);
  out->times_apart = apart.times;
  out->times = overlapped.times;
  out->closed_form = overlapped.closed_form;
  out->slack = overlapped.slack;
  out->same_bits = all.different == 0 && all.ranks_agree;
  return out;
}

}  // namespace

OverlapCommands::OverlapCommands(App& app) : CommandGroup(app), child_(app.options().changed) {}

// ---- The commands ----

constexpr Row<Text, Text> cmd::overlap(
    "overlap KEY VALUE",
    "Changes the training step of the view Overlap: bucket, ranks, latency (µs), bandwidth, "
    "layers, backward (ms), gradient or growth",
    "", 2, 2, Curtain::keeps, does<&OverlapCommands::set>);
constexpr Row<> cmd::run_overlap("run-overlap",
                                 "Runs the training step of the view Overlap on real processes", "",
                                 0, 0, Curtain::keeps, does<&OverlapCommands::run>,
                                 menu(item(Menu::run, 2, "Measure a step with overlap", "",
                                           is_not_measuring)));
constexpr Row<> cmd::stop_overlap("stop-overlap", "Ends the step that `run-overlap` began", "", 0,
                                  0, Curtain::keeps, does<&OverlapCommands::stop_run>,
                                  menu(item(Menu::run, 2, "Stop the step with overlap", "",
                                            is_measuring, nullptr, true)));
constexpr Row<> cmd::show_overlap(
    "show-overlap closed-form|measured",
    "Shows in the view Overlap what the closed form says, or the last real step", "", 1, 1,
    Curtain::keeps, does<&OverlapCommands::show>);
constexpr Row<> cmd::open_overlap("open-overlap",
                                  "Opens the trace of the last real step of the view Overlap", "",
                                  0, 0, Curtain::keeps, does<&OverlapCommands::open_trace>,
                                  kMovesCursor);

void OverlapCommands::set(const Arguments& words) {
  const std::size_t at = overlap_field(words[0]);
  if (at == kOverlapFields.size()) {
    const auto keys = kOverlapFields | std::views::transform(&OverlapField::key);
    throw UserError(
        fmt::format("an overlapped step has no \"{}\": {}", words[0], fmt::join(keys, ", ")));
  }
  auto& state = state_.overlap;
  OverlapValues values = state.values;
  values[at] = overlap_value_of(kOverlapFields[at], words[1]);
  state.forecast = overlap_forecast(values);
  state.values = values;
  state.shows_measured = false;
  ++state.id;
}

bool OverlapCommands::has_made(const std::string& file) const {
  return folder_ && fs::path(file).parent_path() == folder_->path();
}

void OverlapCommands::run() {
  if (child_.running() || reading_.valid())
    throw UserError("a step is running: wait for its end, or `stop-overlap`");
  auto& state = state_.overlap;
  app_.group<ViewCommands>().bring_in("overlap", Slot::main);
  if (!folder_) folder_.emplace("overlap");
  started_ = state.values;
  file_ = (folder_->path() / fmt::format("step{}.rankscope", ++number_)).string();
  const training::OverlapRun step = overlap_run_of(started_);
  child_.start({app_.options().worker_program, "--json", "--quiet", "overlap", "--np",
                fmt::format("{:.0f}", overlap_value(started_, "ranks")), "--layers",
                layers_text(step), "--bucket", fmt::format("{}", step.bucket_bytes), "--delay",
                fmt::format("{:.1f}", delay_us_of(started_)), "--repeat", "1", "--output", file_});
  state.state = State::running;
  state.problem.clear();
  show_message("a step with overlap runs");
}

void OverlapCommands::stop_run() {
  if (!child_.running()) throw UserError("no step with overlap is running");
  child_.stop();
}

void OverlapCommands::show(const Arguments& words) {
  const auto which = named(kShown, words[0]);
  if (!which) throw UserError(fmt::format("say closed-form or measured, not \"{}\"", words[0]));
  auto& state = state_.overlap;
  const bool measured = *which == "measured";
  if (measured && !state.measured)
    throw UserError("no step has been measured yet: `run-overlap` does it");
  state.shows_measured = measured;
  ++state.id;
}

void OverlapCommands::open_trace() {
  if (!state_.overlap.measured)
    throw UserError("no step has been measured yet: `run-overlap` does it");
  app_.group<FileCommands>().load(state_.overlap.measured->file, false);
}

void OverlapCommands::fail(const std::string& problem) {
  state_.overlap.state = State::failed;
  state_.overlap.problem = problem;
  show_message(fmt::format("the step failed: {}", first_line(problem)), true);
}

void OverlapCommands::take_end(bool& news) {
  const auto ended = child_.take_end();
  if (!ended) return;
  news = true;
  std::error_code error;
  if (ended->was_interrupted()) {
    state_.overlap.state = State::stopped;
    show_message("the step was stopped");
  } else if (ended->status != 0 && !fs::exists(file_, error)) {
    const std::string problem = child_failure(ended->errors).problem;
    fail(problem.empty()
             ? fmt::format("the step ended with code {} and said nothing", ended->status)
             : problem);
  } else {  // it says itself whether all bits are right
    reading_ = made_behind(app_.options().changed, [file = file_, values = started_]() -> Read {
      try {
        return {measured_in(file, values), ""};
      } catch (const std::exception& e) {  // of whatever is wrong with the file
        return {nullptr, e.what()};
      }
    });
  }
}

void OverlapCommands::take_measured(bool& news) {
  if (!is_ready(reading_)) return;
  Read read = reading_.get();
  news = true;
  if (!read.measured) return fail(read.error);
  auto& state = state_.overlap;
  state.state = State::done;
  state.shows_measured = read.measured->values == state.values;  // no slider was moved since
  state.measured = std::move(read.measured);
  ++state.id;
  show_message(state.measured->same_bits
                   ? "the step ran: both forms have the same bits on all ranks"
                   : "the step ran, and the averages of its two forms differ",
               !state.measured->same_bits);
}

void OverlapCommands::update(double /*seconds*/, bool& news) {
  take_end(news);
  take_measured(news);
}

}  // namespace rankscope::gui
