// Schedules as MSCCL's XML, which Microsoft's MSCCL and AMD's RCCL run on GPUs.
#pragma once

#include <string>
#include <string_view>

#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// Elements algo, gpu, tb (a thread block: at most one peer to send to and one to receive from) and step, of the types
/// s, r, rrc, rrs, rcs, rrcs, cpy, re and nop; a step waits for step `deps` of block `depid`. Our files say the step of
/// the table in an attribute of their own, rankscope_step, which other readers skip.
/// Errors call it `file`. Throws FormatError with file and line.
TaskGraph read_msccl(std::string_view text, const std::string& file);

/// Tasks must have strands, each with at most one peer in each direction and one tag; of several waits, all but one
/// become a nop before. Throws UserError for what has no place in the format.
std::string write_msccl(const TaskGraph& graph);

/// The limits of MSCCL's runtime that a schedule exceeds (steps of a block, blocks, chunks of a message), as a sentence;
/// empty where it should load. Figures: msccl.h of microsoft/msccl.
std::string beyond_msccl(const TaskGraph& graph);

}  // namespace rankscope
