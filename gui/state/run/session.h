// A session of live runs on persistent worker processes, in threads of its own so that the window never waits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/run/job/job.h"
#include "engine/run/step/step_controller.h"
#include "gui/state/run/document.h"
#include "gui/state/run/run_state.h"

namespace rankscope::gui {

/// Returns whether a run is slow enough to be watched: its ranks are held or delayed.
bool is_watched(const JobSpec& spec, bool held);
/// Returns the plan of a run: the same job, run on threads beforehand, so that views have room for all that a stepped run will
/// send. Nothing for programs, faulty algorithms, several iterations, large jobs, and runs that fail. `interrupt_fd` is readable
/// when the plan is no longer needed.
std::optional<TraceAnalysis> planned_run(const JobSpec& spec, int interrupt_fd);

class Session {
 public:
  /// `worker_program`: the `rankscope` command. `changed` is called from other threads whenever there
  /// is something new to see (to wake a window that sleeps).
  Session(std::string worker_program, std::function<void()> changed);
  /// Stops the current run; no process stays behind.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Starts a run and returns at once; stops the current run first, in the background.
  /// `stepping`: every rank is held at its gate from the start. Throws UserError for a job that does
  /// not validate.
  void start(const JobSpec& spec, bool stepping);
  /// Records a run that another process conducts: `source` delivers its events, and returns when there
  /// are no more, or `stopped()` is true.
  using Source = std::function<JobResult(EventSink&, const std::function<bool()>& stopped)>;
  void start(const JobSpec& spec, Source source);
  /// Asks the run to end; it ends as interrupted.
  void stop();
  bool running() const;

  // ---- Orders to the step gate, carried out one after the other in the background ----
  void release_message(Rank sender = -1, int strand = kAnyStrand);
  void step_rank(Rank rank);
  void release_round();
  void pause();
  void resume();
  /// Replaces all breakpoints: file name and line.
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  /// Sets the delays of the current run: microseconds before each message, by rank.
  void set_delays(std::vector<double> delays_us);
  /// Kills a worker of the current run, as a lecture may show; returns false if there is none.
  bool kill_rank(Rank rank);

  LiveState live() const;
  /// Returns the result of the last run that ended, once.
  std::optional<JobResult> take_result();
  /// Returns an error that kept a run or its document from being made, once.
  std::optional<std::string> take_error();
  /// Returns the recording of the current or last run so far, analysed in the background; null if it has not grown since the last
  /// call.
  DocumentPtr take_document();
  /// Returns whether the document that was taken last shows all that was recorded.
  bool up_to_date() const;
  /// Returns the trace file of the current or last run in the cache directory, or empty.
  std::string trace_file() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rankscope::gui
