// Asks the studio for the proof and the simulator for times.
#include "gui/state/schedule/schedule_facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/run/sim/sim_runner.h"

namespace rankscope::gui {
namespace {

/// The moves whose messages a task of the counter-example receives or sends.
std::vector<int> moves_of_fault(const ScheduleFacts& facts) {
  std::vector<int> out;
  if (facts.proof.right()) return out;
  for (const TaskId id : facts.proof.faults.front().path) {
    const ScheduleTask& task = facts.tasks[id];
    const bool receives = task.does(ScheduleTask::receives);
    if (!receives && !task.does(ScheduleTask::sends)) continue;
    const Rank from = receives ? task.from : id.rank, to = receives ? id.rank : task.to;
    const int chunk = (receives ? task.target : task.source).chunk;
    for (std::size_t i = 0; i < facts.drawn.moves.size(); ++i) {
      const ScheduleMove& one = facts.drawn.moves[i];
      if (one.step == task.step && one.from == from && one.to == to && one.chunk >= chunk &&
          one.chunk < chunk + task.chunks)
        out.push_back(static_cast<int>(i));
    }
  }
  ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

const Algorithm& algorithm_of(Collective collective) {
  for (const Algorithm& one : schedule_algorithms())
    if (one.collective == collective) return one;
  throw UserError(fmt::format("no schedule runs as {}", to_string(collective)));
}

/// Seconds; throws UserError for a job that cannot be.
double simulated_s(const JobSpec& job) {
  NoEvents nowhere;
  SimRunner runner;
  const JobResult result = runner.run(job, nowhere);
  if (!result.ok()) throw UserError(result.message);
  return runner.summary().finish_s;
}

}  // namespace

ScheduleFacts schedule_facts(const DrawnSchedule& drawn) {
  ScheduleFacts out;
  out.drawn = drawn;
  try {
    out.contents = StepContents(drawn);
    out.tasks = posted_tasks(drawn.table(), drawn.use(), Posting::nonblocking);
    out.proof = prove(out.tasks);
    out.marked = moves_of_fault(out);
  } catch (const UserError& e) {
    out.problem = e.what();
  }
  return out;
}

std::string verdict_text(const ScheduleFacts& facts) {
  if (!facts.problem.empty()) return facts.problem;
  if (facts.drawn.moves.empty() && !facts.proof.right())
    return "Drag a chunk from one rank to another one: a message. A number stands for that rank's "
           "contribution, and a plus for a sum.";
  if (facts.proof.right())
    return fmt::format(
        "Proved: every rank ends with what {} promises, each contribution exactly once, and no "
        "rank is blocked for ever",
        to_string(facts.drawn.collective));
  const account::Fault& fault = facts.proof.faults.front();
  std::string out =
      fmt::format("{}: {}", capitalized(std::string(to_string(fault.kind))), fault.words);
  if (facts.proof.wrong_places > 1)
    out += fmt::format(" ({} chunks are wrong in the end)", facts.proof.wrong_places);
  return out;
}

std::vector<std::string> counter_example(const ScheduleFacts& facts) {
  std::vector<std::string> out;
  if (!facts.problem.empty() || facts.proof.right()) return out;
  for (const TaskId id : facts.proof.faults.front().path) {
    const ScheduleTask& task = facts.tasks[id];
    out.push_back(fmt::format("step {}: rank {} {}", task.step, id.rank, words_of(task)));
  }
  return out;
}

JobSpec job_of_drawn(const DrawnSchedule& drawn, const ScheduleTrial& trial) {
  JobSpec job;
  job.call.algorithm = algorithm_of(drawn.collective).name;
  job.call.schedule = to_text(normalised(drawn.table(), drawn.ranks));
  job.world.size = drawn.ranks;
  job.call.root = drawn.root;
  job.transport.name = kSimTransport;
  job.network.topology = trial.network;
  // Whole elements for each chunk, so that the times are those of the drawn schedule.
  const Count each = std::max<Count>(
      1, static_cast<Count>(trial.bytes / sizeof(float)) / static_cast<Count>(drawn.chunks));
  const bool all = traits(drawn.collective).counts_all_ranks();
  const Count whole = each * drawn.chunks;
  job.call.shape = {all ? std::max<Count>(1, whole / drawn.ranks) : whole};
  return job;
}

int ScheduleTimes::place() const noexcept {
  const auto own = ranges::find_if(rows, &ScheduleTime::own);
  return own == rows.end() ? 0 : static_cast<int>(own - rows.begin()) + 1;
}

ScheduleTimes schedule_times(const DrawnSchedule& drawn, const ScheduleTrial& trial,
                             const std::atomic<bool>& stopped) {
  ScheduleTimes out;
  out.drawn = drawn;
  out.trial = trial;
  try {
    JobSpec job = job_of_drawn(drawn, trial);
    job.network.ghost = true;
    job.recording.trace = TraceLevel::off;
    out.rows.push_back({"this schedule", true, simulated_s(job)});
    job.call.schedule.clear();
    for (const Algorithm& one : built_in_algorithms()) {
      if (stopped) break;
      if (one.collective != drawn.collective) continue;
      job.call.algorithm = one.name;
      try {
        out.rows.push_back({std::string(one.name), false, simulated_s(job)});
      } catch (const UserError&) {  // it cannot run there
      }
    }
  } catch (const UserError& e) {
    out.problem = e.what();
  }
  ranges::stable_sort(out.rows, {}, &ScheduleTime::seconds);
  return out;
}

ScheduleState::Place moved_cursor(const DrawnSchedule& drawn,
                                  const std::optional<ScheduleState::Place>& from,
                                  const std::string& word) {
  const bool up = word == "up", down = word == "down", left = word == "left",
             right = word == "right";
  if (!up && !down && !left && !right)
    throw UserError(fmt::format("schedule cursor up, down, left or right, not \"{}\"", word));
  if (!from) return {};
  ScheduleState::Place at = *from;
  const int rows = drawn.ranks * drawn.chunks;
  const int row = std::clamp(at.rank * drawn.chunks + at.chunk + int{down} - int{up}, 0, rows - 1);
  at.rank = row / drawn.chunks;
  at.chunk = row % drawn.chunks;
  at.step = std::clamp(at.step + int{right} - int{left}, 0, drawn.steps() + 1);
  return at;
}

ScheduleMove move_between(const DrawnSchedule& drawn, const ScheduleState::Place& from,
                          const ScheduleState::Place& to, bool adds) {
  if (from.rank == to.rank)
    throw UserError(
        fmt::format("rank {} has that chunk already: drop it at another rank", from.rank));
  return {.step = std::max(std::min(from.step, drawn.steps()) + 1, to.step),
          .from = from.rank,
          .to = to.rank,
          .chunk = from.chunk,
          .add = adds};
}

}  // namespace rankscope::gui
