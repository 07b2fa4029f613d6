// A rank's report from its gate, in the form that the control plane carries.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/trace/recorder.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

/// Returns the report; the recorder supplies the names of call sites and phases.
nlohmann::json json_of(const StrandPlaces& places, const GateStamp& stamp,
                       const std::vector<Receipt>& received, const Recorder& recorder);
/// Throws FormatError.
StepReport step_report_of(const nlohmann::json& json, Rank rank, int world_size);

}  // namespace rankscope
