// The sentences before the first step and after the last one.
#pragma once

#include <optional>
#include <string>

#include "engine/analysis/narration/step_facts.h"

namespace rankscope::narration {

/// The first sentence: what the run is, and what each rank has. `covered`: without what the steps to come amount to.
std::string start_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                           Holdings& holdings, bool covered);
/// The last sentence: what every rank holds, or what went wrong. `all_arrived` says, of a run without data, that every
/// rank has heard of all.
std::string end_sentence(const TraceAnalysis& analysis, const StepReader& reader,
                         Holdings& holdings, bool all_arrived);
/// The trouble of a run; nothing where it goes on, or is right.
std::optional<std::string> trouble(const TraceAnalysis& analysis);
/// Whether the trace does not say how the run ended: it goes on.
bool is_running(const Trace& trace);

}  // namespace rankscope::narration
