// How a lesson says with which view, and from where, one of its runs is shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The round at which the cursor starts: "round 2", "end" (infinity), nothing (0: the beginning). Nothing
/// for any other text.
std::optional<double> start_round(std::string_view at) noexcept;
/// What is wrong with a run's `view`, with the nearest one; empty: nothing. No view at all is one, too.
std::string view_problem(std::string_view view);

}  // namespace rankscope
