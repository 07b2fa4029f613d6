// "allreduce.auto": the algorithm that suits a job, chosen before the job is sent out, so that all
// ranks agree and the trace names what ran.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/auto_choice.h"
#include "engine/run/job/job.h"

namespace rankscope {

/// The collective of "<collective>.auto" where there is a choice; nothing for any other name.
std::optional<Collective> collective_of_auto(std::string_view algorithm);
inline bool is_auto(std::string_view algorithm) {
  return collective_of_auto(algorithm).has_value();
}

/// The job with the chosen algorithm and segment size in place of "<collective>.auto"; any other job
/// as it is. The choice comes from the user's own fit (auto_choice_file) where there is one, else
/// from the table that is compiled in.
JobSpec resolve_auto(JobSpec spec);
JobSpec resolve_auto(JobSpec spec, const ChoiceTable& table);

/// The size S of nccl-tests that a count of elements stands for.
std::uint64_t bytes_of(Collective collective, Count count, int n, DType dtype) noexcept;

/// $XDG_CONFIG_HOME/rankscope/NAME, else ~/.config/rankscope/NAME; empty when there is no home.
std::string user_config_file(std::string_view name);
/// Where `rankscope profile --fit` writes: auto.json.
std::string auto_choice_file();

}  // namespace rankscope
