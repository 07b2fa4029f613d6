// The programs that worker processes can run in place of an algorithm: JobSpec::Call::algorithm is the program's name,
// JobSpec::Call::program its settings as JSON.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/run/job/job.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::training {

struct TrainingProgram {
  std::string_view name;
  /// Carries out one rank's part. Throws UserError for settings that are not valid, and CommError.
  void (*run)(RankContext& rank, std::string_view settings);
};

/// JobSpec::Call::platform of training programs.
inline constexpr std::string_view kTrainingPlatform = "training";
/// Carries out one rank's part of the job. Never throws: an error is in the outcome.
RankOutcome execute_training(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept;

}  // namespace rankscope::training
