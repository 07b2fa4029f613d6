// The kinds of failure of a rank or run: code decides by these, and the words are for people.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// The cause that ended a rank's part, a run, or a program started for one.
enum class Cause : std::uint8_t {
  none,
  own,            ///< An error of the rank's own.
  communication,  ///< An error in one of its messages; the words name the rank: "rank 2 at ring.cpp:7: ...".
  stopped,  ///< Stopped because another rank had failed or the run could not go on.
  machine,  ///< The machine lacked memory, processes, files or disk, or a connection failed.
  limit,    ///< It exceeded a limit: processor time, memory, processes, output.
  late,     ///< It did not end in time, possibly because the machine was busy.
  others,   ///< Another process ended it, or kept it from starting.
  user      ///< A user stopped it.
};
std::string_view to_string(Cause cause) noexcept;
Cause cause_of(const std::exception& error) noexcept;
/// Derives the cause from words alone: those of a program through the C interface, and of traces that record nothing
/// more. The only code that reads such words. Returns none for an empty text.
Cause cause_of(Rank rank, std::string_view error) noexcept;
/// Returns the cause of this name, or the one that the words imply if the name is unknown.
Cause cause_of(std::string_view name, Rank rank, std::string_view error) noexcept;
/// Returns whether an error begins with the rank's name, "rank 1: ..." or "rank 1 at ring.cpp:27: ...", as errors of
/// messages do. An error of rank 12 does not count as rank 1's.
bool names_rank(Rank rank, std::string_view error) noexcept;
/// Returns the error class that a Python or C++ program's own words name: "ValueError" for "ValueError: 3 (a.py:3)".
/// Returns an empty text if they name none. For code that takes these words from the program.
std::string error_class(std::string_view words);
/// Returns "rank 2: out of memory", naming the rank once. Without a cause, it is derived from the words.
std::string shown_error(Rank rank, Cause cause, std::string_view error);

/// The way in which a rank was lost, as the conductor saw it from outside.
enum class RankLoss : std::uint8_t {
  unknown,
  killed,  ///< By a signal.
  ended    ///< It had finished its part (in a run that took too long).
};
std::string_view to_string(RankLoss loss) noexcept;
/// Returns the loss of this name, or the one that the failure's words imply if the name is unknown (older traces).
RankLoss loss_of(std::string_view name, std::string_view what) noexcept;

}  // namespace rankscope
