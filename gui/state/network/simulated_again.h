// A run's job once more, in virtual time on another network.
#pragma once

#include <string>

#include "engine/network/topology.h"
#include "gui/state/run/session.h"

namespace rankscope::gui {

/// Throws UserError for a run that is no algorithm of ours, and for one of more ranks than the network has. `file` has
/// the topology.
JobSpec job_simulated_on(const Document& document, const Topology& topology,
                         const std::string& file);

/// What the session runs.
Session::Source simulation_of(const JobSpec& job);

}  // namespace rankscope::gui
