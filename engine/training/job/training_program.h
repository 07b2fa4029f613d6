// The programs that worker processes can be told to run in place of an algorithm: JobSpec::Call::algorithm is the name,
// JobSpec::Call::program are the settings, as JSON.
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
  /// One rank's part. Throws UserError for settings that it cannot have, and CommError.
  void (*run)(RankContext& rank, std::string_view settings);
};

/// JobSpec::Call::platform of training programs.
inline constexpr std::string_view kTrainingPlatform = "training";
/// One rank's part of the job. Never throws: what goes wrong is in the outcome.
RankOutcome execute_training(RankContext& rank, const JobSpec& spec, std::uint32_t epoch) noexcept;

}  // namespace rankscope::training
