// JSON of jobs and outcomes, as they travel on the control plane and stand in traces.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/run/job/job.h"

namespace rankscope {

nlohmann::json json_of(const JobSpec& spec);
JobSpec job_spec_of(const nlohmann::json& json);
nlohmann::json json_of(const RankOutcome& outcome);
RankOutcome outcome_of(const nlohmann::json& json);
nlohmann::json json_of(const JobResult& result);
nlohmann::json json_of(const DeadlockText& text);
/// What is missing is empty.
DeadlockText deadlock_text_of(const nlohmann::json& json);

}  // namespace rankscope
