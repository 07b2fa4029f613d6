// A run's job once more, in virtual time on another network.
#pragma once

#include <atomic>
#include <string>

#include "engine/network/topology.h"
#include "gui/state/run/document.h"

namespace rankscope {
struct JobSpec;
}

namespace rankscope::gui {

/// Returns the run's job on the network in `file`. Throws UserError for a run that is no algorithm of ours, and for one of more
/// ranks than the network has.
JobSpec job_simulated_on(const Document& document, const Topology& topology,
                         const std::string& file);

/// Writes the trace of the job, unless `stopped` is set meanwhile. Returns the error, or empty.
std::string simulate_to(const std::string& trace, const JobSpec& job,
                        const std::atomic<bool>& stopped) noexcept;

}  // namespace rankscope::gui
