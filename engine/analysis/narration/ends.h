// The sentences before the first step and after the last one.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// What the run is, and what each rank has.
std::string start_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                           Holdings& holdings);
/// What every rank holds, or what went wrong. `all_arrived`: without data, every rank has heard of all.
std::string end_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                         Holdings& holdings, bool all_arrived);
/// What went wrong; nothing: nothing did, or the run goes on.
std::optional<std::string> trouble(const TraceAnalysis& analysis, const Holdings& holdings);
/// Nobody has said how the run ended.
bool is_running(const Trace& trace);

}  // namespace rankscope::narration
