// The runs that lessons ask about: each is made once, then measured any number of times.
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

/// A run that has ended, with its analysis.
struct RunRecord : TraceAnalysis {
  JobSpec job;
  JobResult result;

  /// The values of a rank's buffer ("data", "in", "out" …) after a number of rounds (-1 for all of them), NaN where unknown.
  /// Throws UserError when the rank has no such buffer.
  std::vector<double> values(Rank rank, std::string_view buffer, int after) const;
  using TraceAnalysis::contributions;
  /// Counts how often each chunk of the buffer then holds each rank's data: [chunk][rank].
  std::vector<std::vector<int>> contributions(Rank rank, std::string_view buffer, int after) const;
};

/// Makes runs of a lesson and keeps them. Thread-safe.
class LessonRuns {
 public:
  /// `known` are the lesson's runs.
  explicit LessonRuns(std::span<const LessonRun> known = {});
  ~LessonRuns();
  /// Changes to another lesson's runs, and keeps those made so far, by their job.
  void know(std::span<const LessonRun> known);

  /// The fields that a lesson's run may have.
  static std::span<const std::string_view> job_fields();
  /// The JobSpec of a lesson's run: algorithm, ranks, count | shape, dtype, op, root, scatter_dim,
  /// gather_dim, segment, group, left_ring, transport, mode, eager_limit, input, values, schedule,
  /// delays_ms, seed, timeout; topology, links, placement, alpha, bandwidth, gamma, ports, ghost, jitter, slow and fail, with
  /// any of which the run is simulated. `values` may be "=10*(r+1)+i" (r: rank, i: element). Throws UserError.
  static JobSpec job_of(const nlohmann::json& job, const Values& values);

  /// Returns the run, and makes it if needed. Throws UserError for an unknown id or a job that cannot run; a run that fails
  /// is a record whose result says so.
  const RunRecord& run(std::string_view id, const Values& values);
  const RunRecord& run(const JobSpec& job);
  /// Like run(), but throws UserError if the run fails.
  const RunRecord& run_of_reference(const JobSpec& job);
  /// Like run(), but does not keep the run, of which students' answers make many.
  std::unique_ptr<const RunRecord> run_once(const JobSpec& job);
  /// Returns the job of a run without making the run. Throws UserError.
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
  /// Returns whether this measure is a count: rounds, messages, bytes …
  static bool counts(const nlohmann::json& measure);

 private:
  std::unique_ptr<RunRecord> make(const JobSpec& job);
  std::mutex mutex_;
  std::unique_ptr<Runner> runner_;
  std::map<std::string, nlohmann::json, std::less<>> known_;
  bool closed_ = false;  ///< They are a student's copy's.
  std::map<JobSpec, std::unique_ptr<RunRecord>> made_;
};

}  // namespace rankscope
