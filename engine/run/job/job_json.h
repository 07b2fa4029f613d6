// JSON of jobs and outcomes, as they travel on the control plane and stand in traces.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/run/job/job.h"

namespace rankscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DeadlockText, headline, what, advice)

nlohmann::json json_of(const JobSpec& spec);
JobSpec job_spec_of(const nlohmann::json& json);
nlohmann::json json_of(const RankOutcome& outcome);
RankOutcome outcome_of(const nlohmann::json& json);
nlohmann::json json_of(const JobResult& result);

}  // namespace rankscope
