// Inputs given element by element: their text form, and whether they fit a job.
#pragma once

#include <string>
#include <string_view>

#include "engine/run/job/job.h"

namespace rankscope {

/// Parses "5,3,7,2": one value per rank, which fills its input; or "0,10;1,11;2,12": by rank, each element (for a
/// single rank, "0,10;"). Sets input and values and, if a rank has several elements, the shape too, unless its count is
/// already right. Throws UserError. An empty text sets no values and the default input.
void give_values(JobSpec& spec, std::string_view text);
/// Returns text that give_values() reads back.
std::string values_text(const std::vector<std::vector<double>>& values);

/// Throws UserError unless there are values exactly when the input is `given`, with one row per rank, each of one
/// element or as many as the input has, and all representable in the type.
void check_values(const JobSpec& spec, Collective collective);

}  // namespace rankscope
