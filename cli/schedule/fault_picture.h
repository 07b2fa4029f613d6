// A picture of a wrong schedule: its run, with the messages of the counter-example marked.
#pragma once

#include <string>

#include "engine/studio/formats/schedule_file.h"
#include "engine/studio/proof/proof.h"

namespace rankscope::cli {

/// Runs the table on threads of this process, and draws who sends what to whom; with a fault, its messages are red and
/// the others faint. Writes the file in the format of its ending. Throws UserError for a file that is no table, for a
/// collective that no table runs, and for an ending of no picture.
void draw_schedule(const ScheduleFile& file, const TaskGraph& tasks, const ScheduleProof& proof,
                   const std::string& output);

}  // namespace rankscope::cli
