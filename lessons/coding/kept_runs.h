// The runs of a graded program as a folder of traces, each with the record of what its judge needs besides: the program's
// grade follows from them alone.
//
// A folder has run-000.rankscope, run-001.rankscope ... in the order in which the judge asked for them. Of a program that
// was not compiled there is one file, without events.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/trace/trace.h"
#include "lessons/coding/judge.h"

namespace rankscope {

/// Writes a run's events with these facts about it.
void write_run(const std::filesystem::path& file, const std::vector<EventBatch>& events,
               TraceMeta meta);

class RunKeeper {
 public:
  /// Makes the folder and removes the runs in it. An empty path keeps nothing. Throws UserError when it cannot be written.
  RunKeeper(std::filesystem::path folder, const CodingExercise& exercise,
            const ProgramFacts& facts);
  /// Throws UserError when the file cannot be written.
  void keep(const WantedRun& wanted, const GradingRun& run);

 private:
  const std::filesystem::path folder_;
  const CodingExercise& exercise_;
  const ProgramFacts& facts_;
  std::size_t next_ = 0;
};

class KeptRuns : public GradingRuns {
 public:
  /// Throws UserError when the folder has no kept runs of this exercise.
  KeptRuns(const CodingExercise& exercise, std::filesystem::path folder);

  const ProgramFacts& facts() const noexcept { return facts_; }
  std::filesystem::path file(std::size_t number) const;
  /// Throws UserError when the next file is not there, or is another run than the wanted one.
  GradingRun next(const WantedRun& wanted) override;

 private:
  const CodingExercise& exercise_;
  const std::filesystem::path folder_;
  ProgramFacts facts_;
  std::size_t next_ = 0;
};

/// By the names that the trace's call sites have, the most often named first. Only files that lie in the folder
/// itself: no link is followed. What cannot be read is left out.
std::vector<std::pair<std::string, std::string>> submitted_sources(
    const Trace& trace, const std::filesystem::path& submission);

}  // namespace rankscope
