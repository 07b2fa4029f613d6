// The promises of rankscope about its own speed, each measured on this machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/profile/bench_options.h"
#include "engine/run/profile/profiler.h"

namespace rankscope::cli {

/// A promise and what was measured of it.
struct Goal {
  enum class Verdict { met, missed, unknown };
  std::string what;    ///< "32 MiB over ipc: faster than Gloo in every round"
  std::string figure;  ///< "2.31x (rounds: 2.2x 2.3x 2.4x)"
  Verdict verdict = Verdict::unknown;
  std::string key =
      {};  ///< "1KiB-ipc/gloo", its column in the history; empty when it is not kept there.
  /// Measured divided by promised: from 1 on the promise is met; 0 if it was not measured.
  double score = 0;
};

/// Returns a goal whose verdict follows from its score.
Goal scored_goal(std::string what, std::string figure, double score, std::string key);

/// Returns the goal that one record is `wanted` times as fast as another, in every round or in their median; it is not
/// measured if one of them is null.
Goal speed_goal(std::string what, const ProfileRecord* mine, const ProfileRecord* other,
                double wanted, bool every_round, std::string key);

struct BenchOptions : BenchChoice {
  int interrupt_fd = -1;                                  ///< Readable after Ctrl-C.
  std::function<void(const std::string&)> progress = {};  ///< Called with what is measured now.
  std::function<void(const std::string&)> on_part =
      {};  ///< Called with "2/8 tracing" when a part begins.
};

struct BenchReport {
  std::vector<Goal> goals;
  std::vector<ProfileRecord> records;
  std::vector<std::string> notes;
  bool interrupted = false;
  double seconds = 0;  ///< Taken by all parts.
};

/// Runs the chosen parts in order and removes what they wrote. Throws UserError for an unknown part.
BenchReport run_bench(const BenchOptions& options);

/// Returns the file of the `rankscope` that started this program, else of the one beside it: what is measured, and the
/// program of the worker processes.
std::string rankscope_program();
bool bench_interrupted(const BenchOptions& options);
RunnerOptions bench_runner(const BenchOptions& options);
/// Reports "round 2/9: ..." as progress; `options` must outlive it.
Profiler::Options bench_profiler(const BenchOptions& options);

/// Measures our choice beside Gloo, Open MPI and a bare ring on ZeroMQ at 32 MiB, 1 MiB and 1 KiB.
void bench_speed(const BenchOptions& options, BenchReport& report);
/// Measures shared memory beside Open MPI's and Gloo, and the copies that it makes.
void bench_shm(const BenchOptions& options, BenchReport& report);
/// Measures the cost of recording: off, light and full in turn, and of one event.
void bench_tracing(const BenchOptions& options, BenchReport& report);
/// Measures many small messages of a program in Python under `rankscope exec`, beside Open MPI with mpi4py.
void bench_watching(const BenchOptions& options, BenchReport& report);
/// Measures the messages per second in virtual time.
void bench_simulator(const BenchOptions& options, BenchReport& report);
/// Measures a step of SGD beside PyTorch.
void bench_training(const BenchOptions& options, BenchReport& report);
/// Measures how many students' programs are graded per minute.
void bench_grading(const BenchOptions& options, BenchReport& report);

}  // namespace rankscope::cli
