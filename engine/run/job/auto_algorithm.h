// "allreduce.auto": the algorithm that suits a job. It is chosen before the job is sent out, so that all ranks agree
// and the trace names the algorithm that ran.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/auto_choice.h"
#include "engine/run/job/job.h"

namespace rankscope {

std::string to_json(const ChoiceTable& table);
/// Throws UserError.
ChoiceTable choice_table_from_json(std::string_view text);

/// Returns nothing if the file does not exist. Throws UserError if it is not a table.
std::optional<ChoiceTable> read_choice_file(const std::string& file);
/// Makes the directory if it is missing. Throws UserError.
void write_choice_file(const std::string& file, const ChoiceTable& table);

/// Returns the collective of "<collective>.auto" if there is a choice; nothing for any other name.
std::optional<Collective> collective_of_auto(std::string_view algorithm);
inline bool is_auto(std::string_view algorithm) {
  return collective_of_auto(algorithm).has_value();
}

/// Returns the job with the chosen algorithm in place of "<collective>.auto", and any other job
/// unchanged. The choice comes from the user's own fit (auto_choice_file) if there is one, otherwise from the
/// compiled-in table.
JobSpec resolve_auto(JobSpec spec);
JobSpec resolve_auto(JobSpec spec, const ChoiceTable& table);

/// Returns nccl-tests' size S in bytes, for one rank's count of elements.
std::uint64_t bytes_of(Collective collective, Count count, int n, DType dtype) noexcept;

/// Returns $XDG_CONFIG_HOME/rankscope/NAME, else ~/.config/rankscope/NAME; empty if there is no home.
std::string user_config_file(std::string_view name);
/// Returns the file that `rankscope profile --fit` writes: auto.json.
std::string auto_choice_file();

}  // namespace rankscope
