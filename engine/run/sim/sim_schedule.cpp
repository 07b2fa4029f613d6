// Records a job's algorithm as a schedule, and carries it out.
#include "engine/run/sim/sim_schedule.h"

#include "engine/core/message/communicator.h"
#include "engine/run/conductor/local_socket.h"
#include "engine/run/job/execute.h"
#include "engine/run/job/sim_job.h"
#include "transports/sim/schedule_clock.h"

namespace rankscope {
namespace {

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Ten times a second, reports progress and checks for an interrupt or the time limit.
class ScheduleLooks {
 public:
  ScheduleLooks(const JobSpec& spec, const ScheduleWatch& watch, ScheduledRun& run)
      : spec_(spec), watch_(watch), run_(run) {}

  VerbSchedule::Heartbeat heartbeat(std::string_view what) {
    done_ = 0;
    return [this, what](std::uint64_t done) {
      constexpr std::chrono::milliseconds kLook{100};
      const auto now = Clock::now();
      if (now - looked_ < kLook) return true;
      looked_ = now;
      if (watch_.on_progress) watch_.on_progress(what, done);
      run_.interrupted = wait_readable(watch_.interrupt_fd, Deadline::now());
      if (done > done_) progressed_ = now;
      done_ = done;
      run_.timed_out = seconds_since(progressed_) > spec_.recording.timeout_s;
      return !run_.interrupted && !run_.timed_out;
    };
  }

 private:
  const JobSpec& spec_;
  const ScheduleWatch& watch_;
  ScheduledRun& run_;
  Clock::time_point looked_ = Clock::now(), progressed_ = looked_;
  std::uint64_t done_ = 0;
};

}  // namespace

ScheduledRun simulate_schedule(const JobSpec& asked, const ScheduleWatch& watch) {
  JobSpec spec = asked;
  spec.network.ghost = true;
  validate(spec);
  ScheduledRun run;
  ScheduleLooks looks(spec, watch, run);
  const SimSetting setting = sim_setting_of(spec);
  const Algorithm& algorithm = require_algorithm(spec.call.algorithm);
  const auto begin = Clock::now();
  const VerbSchedule schedule(
      spec.world.size,
      [&](Communicator& comm) { run_algorithm(comm, algorithm, args_of(spec, comm.rank())); },
      looks.heartbeat("recording, rank"));
  run.recording_s = seconds_since(begin);
  run.step_bytes = schedule.bytes();
  if (schedule.stopped()) return run;
  const auto carried = Clock::now();
  const double processor_began_s = thread_processor_s();
  const auto result = carry_out(schedule, setting.options, looks.heartbeat("messages"));
  run.summary = {result.finish_s, seconds_since(carried), thread_processor_s() - processor_began_s,
                 result.messages, result.events};
  return run;
}

}  // namespace rankscope
