// Tables of moves as tasks, and tasks as tables of moves.
#pragma once

#include <string>

#include "engine/collectives/schedule.h"
#include "engine/studio/tasks/task_graph.h"

namespace rankscope {

/// The order in which a rank posts its part of a step. `nonblocking`, as NAME.schedule runs it: all sends at once, then the
/// receives in the order of the senders, then it waits for the sends. `blocking`: each send ends before the next
/// operation begins, then the receives.
enum class Posting : std::uint8_t { nonblocking, blocking };

struct ScheduleUse {
  std::string name = "schedule";
  Collective collective = Collective::allreduce;
  int ranks = 0;
  Rank root = 0;
};

/// Sorts moves by step, sender, receiver and chunk; moves of all chunks become one move of the whole data.
Schedule normalised(const Schedule& schedule, int ranks);

/// Each rank's tasks, step by step. Consecutive chunks that one rank sends another one in a step, both to be added or
/// both to be kept, are one message. Throws UserError as check_schedule() does.
TaskGraph posted_tasks(const Schedule& schedule, const ScheduleUse& use, Posting posting);
/// The same data with as few waits as possible: a thread block for each direction and peer, whose tasks follow each other,
/// and waits only for tasks that use the same chunks. For files of other programs.
TaskGraph dataflow_tasks(const Schedule& schedule, const ScheduleUse& use);

/// The table that a graph amounts to: every message takes a chunk from one rank to the same chunk of another. Steps are those
/// of the tasks, or else the earliest in which a move can happen. Throws UserError that says which task fits no table.
Schedule schedule_of(const TaskGraph& graph);

}  // namespace rankscope
