// What the command says of the diagrams of the catalogue, and how it reads their options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/diagrams/catalogue.h"

namespace rankscope::cli {

/// Throws UserError with the nearest names.
const DiagramKind& diagram_named(const std::string& name);
/// Throws UserError when an option (of DiagramKind::options) is none of this diagram's, with the
/// names of those that take it.
void check_takes(const DiagramKind& kind, std::string_view option);
/// "spacetime|grid|..."
std::string diagram_names();

/// "0,2-5": throws UserError for ranks that the trace does not have.
std::vector<Rank> parse_ranks(std::string_view text, int world_size);
/// "3:6", "3:", ":6", "3" of steps 1 to `count`; a second of 0 is the last one. Throws UserError.
std::pair<int, int> parse_steps(std::string_view text, int count);

}  // namespace rankscope::cli
