// The sentences before the first step and after the last one.
#pragma once

#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// What the run is, and what each rank has.
std::string start_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                           Holdings& holdings);
/// What every rank holds, or what went wrong.
std::string end_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                         Holdings& holdings);
/// Nobody has said how the run ended.
bool is_running(const Trace& trace);

}  // namespace rankscope::narration
