// An algorithm as a table of steps, as somebody draws it on paper: who sends which chunk to whom,
// and whether the receiver adds or keeps it. The algorithms NAME.schedule run such a table.
//
// In a step every rank sends first, from what it holds when the step begins, and then takes in what
// others send it, in the order of their ranks. So no table can hang, and a wrong one gives a wrong
// result.
//
// Text form, one move per line or between semicolons; # begins a comment:
//
//   chunks 4                  (of equal length; without this line: one per rank)
//   1: 0 -> 1 chunk 0 add     (step 1: rank 0 sends chunk 0 to rank 1, which adds it)
//   2: 1 -> 0 all keep        (the whole buffer, which takes the place of what was there)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/collectives/algorithm.h"

namespace rankscope {

struct ScheduleMove {
  int step = 1;  ///< From 1.
  Rank from = 0, to = 0;
  int chunk = kWhole;
  bool add = false;  ///< Otherwise the receiver keeps what comes.

  static constexpr int kWhole = -1;
  bool operator==(const ScheduleMove&) const = default;
};

struct Schedule {
  int chunks = 0;  ///< 0: one per rank.
  std::vector<ScheduleMove> moves;

  int chunks_for(int world_size) const noexcept { return chunks > 0 ? chunks : world_size; }
  bool operator==(const Schedule&) const = default;
};

/// Throws UserError with the line (or the move, between semicolons) and what is wrong there.
Schedule parse_schedule(std::string_view text);
std::string to_text(const ScheduleMove& move);
/// One move per line; parse_schedule reads it back.
std::string to_text(const Schedule& schedule);
/// Throws UserError for moves that cannot be on so many ranks: ranks or chunks that do not exist, a
/// rank that sends to itself.
void check_schedule(const Schedule& schedule, int world_size);

/// allreduce.schedule and others, which run Args::schedule. Not among algorithms(), because they cannot
/// run without a table.
std::span<const Algorithm> schedule_algorithms();
bool runs_schedule(const Algorithm& algorithm) noexcept;

}  // namespace rankscope
