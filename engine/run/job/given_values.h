// Inputs that are given element by element: their text form, and whether a job can have them.
#pragma once

#include <string>
#include <string_view>

#include "engine/run/job/job.h"

namespace rankscope {

/// "5,3,7,2": one value a rank, which fills its input. "0,10;1,11;2,12": by rank, each element (one
/// rank alone: "0,10;"). Sets input and values, and where a rank has several elements the shape too,
/// unless it counts as many already. Throws UserError. An empty text: no values, input as by default.
void give_values(JobSpec& spec, std::string_view text);
std::string values_text(const std::vector<std::vector<double>>& values);

/// Throws UserError unless there are values exactly when the input is `given`, one row a rank, each
/// with one element or as many as the input has, all of which the type can hold.
void check_values(const JobSpec& spec, Collective collective);

}  // namespace rankscope
