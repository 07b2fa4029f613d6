// Jobs and outcomes as JSON, for the control plane and for files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/run/job.h"
#include "engine/core/run/outcome.h"

namespace rankscope {

nlohmann::json json_of(const JobSpec& spec);
/// Throws UserError for unknown keys and values of a wrong type.
JobSpec job_spec_of(const nlohmann::json& json);
std::string to_json(const JobSpec& spec);
/// Throws UserError, also for text that is not JSON.
JobSpec job_from_json(std::string_view text);

nlohmann::json json_of(const RankOutcome& outcome);
/// Throws nlohmann::json::exception.
RankOutcome outcome_of(const nlohmann::json& json);
nlohmann::json json_of(const JobResult& result);
std::string to_json(const JobResult& result);

nlohmann::json json_of(const RunFaults& faults);
/// Throws nlohmann::json::exception. Returns nothing if no rule is broken.
std::optional<RunFaults> faults_of(const nlohmann::json& json);

// For files of any version: these take out of the object what they understand, and leave the rest in it.
JobSpec take_job(nlohmann::json& object);
/// Returns nothing for an object without a known status.
std::optional<JobResult> take_result(nlohmann::json& object);

}  // namespace rankscope
