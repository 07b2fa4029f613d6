// What rankscope promises about its own speed, measured on this machine.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/profile/profiler.h"

namespace rankscope::cli {

/// One promise and what came of it.
struct Goal {
  enum class Verdict { met, missed, unknown };
  std::string what;    ///< "32 MiB over ipc: faster than Gloo in every round"
  std::string figure;  ///< "2.31x (rounds: 2.2x 2.3x 2.4x)"
  Verdict verdict = Verdict::unknown;
  /// "1KiB-ipc/gloo": the column of the history; empty: it is not kept there.
  std::string key = {};
  /// How many times as good as promised: from 1 on it is met; 0: not measured.
  double score = 0;
};

/// With its verdict from how many times as good as promised it is.
Goal scored_goal(std::string what, std::string figure, double score, std::string key);

struct BenchOptions {
  std::vector<std::string> parts;  ///< Of bench_parts(), in any order; empty: all.
  bool quick = false;              ///< Fewer rounds, a coarser grid.
  bool thorough = false;  ///< The finer grid of the choice of algorithms, which takes long.
  int interrupt_fd = -1;
  std::function<void(const std::string&)> progress;      ///< What is being measured now.
  std::function<void(const std::string&)> on_part = {};  ///< "2/8 tracing" begins.
};

struct BenchReport {
  std::vector<Goal> goals;
  std::vector<ProfileRecord> records;
  std::vector<std::string> notes;
  bool interrupted = false;
  double seconds = 0;  ///< That it took.
};

struct BenchPart {
  std::string_view name;
  void (*run)(const BenchOptions&, BenchReport&);
};
std::span<const BenchPart> bench_parts();

/// The chosen parts, in order. Leaves nothing behind. Throws UserError for a part that there is not.
BenchReport run_bench(const BenchOptions& options);

bool bench_interrupted(const BenchOptions& options);
RunnerOptions bench_runner(const BenchOptions& options);
/// Reports "round 2/9: ..." as progress; `options` must outlive it.
Profiler::Options bench_profiler(const BenchOptions& options);

/// Our choice beside Gloo, Open MPI and a bare ring on ZeroMQ at 32 MiB, 1 MiB and 1 KiB.
void bench_speed(const BenchOptions& options, BenchReport& report);
/// Shared memory beside Open MPI's, and the copies that it makes.
void bench_shm(const BenchOptions& options, BenchReport& report);
/// What recording costs: off, light and full in turn, and one event.
void bench_tracing(const BenchOptions& options, BenchReport& report);
/// Many small messages of a program in Python under `rankscope exec`, beside Open MPI with mpi4py.
void bench_watching(const BenchOptions& options, BenchReport& report);
/// A second run on workers that are up, and a run from nothing.
void bench_starts(const BenchOptions& options, BenchReport& report);
/// A choice fitted on one run and judged on another.
void bench_choice(const BenchOptions& options, BenchReport& report);
/// Recording, opening and scrubbing traces, where this version can measure it.
void bench_traces(const BenchOptions& options, BenchReport& report);
/// Messages a second in virtual time.
void bench_simulator(const BenchOptions& options, BenchReport& report);
/// A step of SGD beside PyTorch.
void bench_training(const BenchOptions& options, BenchReport& report);
/// Students' programs graded in a minute, as of a class.
void bench_grading(const BenchOptions& options, BenchReport& report);

}  // namespace rankscope::cli
