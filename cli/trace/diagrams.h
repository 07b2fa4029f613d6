// The diagrams of the catalogue on the command line: their names, and values of their options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagrams/catalogue.h"

namespace rankscope::cli {

/// Throws UserError with the nearest names.
const DiagramKind& diagram_named(const std::string& name);
/// Throws UserError for an option (of DiagramKind::options) that this diagram does not take, with the names of those
/// that do.
void check_takes(const DiagramKind& kind, std::string_view option);
/// Returns "spacetime|grid|...".
std::string diagram_names();

/// Reads "0,2-5". Throws UserError for ranks that the trace does not have.
std::vector<Rank> parse_ranks(std::string_view text, int world_size);
/// Reads "3:6", "3:", ":6" or "3", of steps 1 to `count`; a second number of 0 stands for the last step. Throws
/// UserError.
std::pair<int, int> parse_steps(std::string_view text, int count);

}  // namespace rankscope::cli
