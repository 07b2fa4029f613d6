// Runs that lessons ask about: each is made once, then measured as often as one likes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/analysis/trace_analysis.h"
#include "engine/run/job/job.h"
#include "lessons/formula/formula.h"

namespace rankscope {

struct LessonRun;

/// A run that has ended, and what is known of it.
struct RunRecord : TraceAnalysis {
  JobSpec job;
  JobResult result;

  /// The values of a rank's buffer ("data", "in", "out" ...) after so many rounds (-1: at the end).
  /// Unknown ones are NaN. Throws UserError when the rank has no such buffer.
  std::vector<double> values(Rank rank, std::string_view buffer, int after) const;
  using TraceAnalysis::contributions;
  /// Which ranks' data each chunk of the buffer holds then, and how often: [chunk][rank].
  std::vector<std::vector<int>> contributions(Rank rank, std::string_view buffer, int after) const;
};

/// Thread-safe.
class LessonRuns {
 public:
  /// Makes a runner when the first run that is not simulated is needed. `known`: the lesson's runs, by id.
  using MakeRunner = std::function<std::unique_ptr<Runner>()>;
  LessonRuns(MakeRunner make_runner, std::span<const LessonRun> known);
  ~LessonRuns();
  /// Another lesson's runs; those made are kept (they are known by their job).
  void know(std::span<const LessonRun> known);

  /// The JobSpec of a lesson's run: algorithm, ranks, count | shape, dtype, op, root, scatter_dim,
  /// gather_dim, segment, group, left_ring, transport, mode, eager_limit, input, values, schedule,
  /// delays_ms, seed, timeout; topology, links, placement, alpha, bandwidth, gamma, ports, ghost, jitter, slow and fail, with
  /// any of which the run is simulated. `values` may be "=10*(r+1)+i" (r: rank, i: element). Throws UserError.
  static std::span<const std::string_view> job_fields();
  static JobSpec job_of(const nlohmann::json& job, const Values& values);

  /// The run, made now if it was not yet. Throws UserError for an unknown id or a job that cannot run;
  /// a run that fails is a record with a result that says so.
  const RunRecord& run(std::string_view id, const Values& values);
  const RunRecord& run(const JobSpec& job);
  /// The same for a run that has the right answer. Throws UserError when it fails.
  const RunRecord& run_of_reference(const JobSpec& job);
  /// The same, but not kept: runs made of answers, of which there are as many as there are students.
  std::unique_ptr<const RunRecord> run_once(const JobSpec& job);
  /// What a run would be, without making it. Throws UserError.
  JobSpec job(std::string_view id, const Values& values);

  /// Answers { run, measure, ... } (already expanded):
  ///   rounds, messages, bytes           of the whole run
  ///   sent, received, sent_messages, received_messages   of `rank`; bytes or numbers
  ///   busiest_sent                      the most that one rank sent, bytes
  ///   values                            of `rank`'s `buffer` ("data") `after` so many rounds: a list
  ///   value                             the same, at `index`
  ///   history                           the values that element `index` of a rank's buffer takes
  ///                                     one after the other, the first excluded
  ///   time                              of `rank` (else of the last one), until its part ended, in `unit` ("s", "ms",
  ///                                     "us"); of simulated runs
  ///   status                            "ok", "wrong result", ...
  nlohmann::json measure(const nlohmann::json& query, const Values& values);
  /// Is this measure a count, of which every unit is known: rounds, messages, bytes ...?
  static bool counts(const nlohmann::json& measure);

 private:
  std::unique_ptr<RunRecord> make(const JobSpec& job);
  MakeRunner make_runner_;
  std::mutex mutex_;
  std::unique_ptr<Runner> runner_;
  std::map<std::string, nlohmann::json, std::less<>> known_;
  std::map<std::string, std::unique_ptr<RunRecord>> made_;  // by the job's JSON
};

}  // namespace rankscope
