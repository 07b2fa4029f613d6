// Schedules as GOAL's text (Group ScheduleOperation Assembly Language), which LogGOPSim and ATLAHS simulate.
#pragma once

#include <string>
#include <string_view>

#include "engine/studio/formats/operations.h"

namespace rankscope {

/// "num_ranks N", then for each rank "rank R { l1: send 8b to 1 tag 0 / l2: recv ... / l3: calc 100 / l2 requires l1 }",
/// one a line, as txt2bin of spcl/LogGOPSim reads it; comments // and /* */. Our facts stand in comments.
/// Throws FormatError with file and line.
OperationFile read_goal(std::string_view text, const std::string& file);
std::string write_goal(const OperationFile& in);

}  // namespace rankscope
