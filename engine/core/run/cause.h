// Why a rank or a run failed, as kinds: decisions ask these, and words are for people.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// Who or what ended a rank's part, a run, or a program that was run for one.
enum class Cause : std::uint8_t {
  none,
  own,            ///< An error of its own.
  communication,  ///< An error in one of its messages; the words name the rank: "rank 2 at ring.cpp:7: ...".
  stopped,  ///< It was stopped: another rank had failed, or the run could not go on.
  machine,  ///< The machine lacked memory, processes, files or disk, or a peer of the network.
  limit,    ///< It used more than it may: processor time, memory, processes, output.
  late,     ///< It did not end in time, which a busy machine may cause, too.
  others,   ///< Another process ended it, or kept it from starting.
  user      ///< A user stopped it.
};
std::string_view to_string(Cause cause) noexcept;
Cause cause_of(const std::exception& error) noexcept;
/// From words alone: those of a program through the C interface, and of traces that say nothing more. The one place
/// that reads such words. None for no words.
Cause cause_of(Rank rank, std::string_view error) noexcept;
/// From a cause's name, or from the words where the name is unknown.
Cause cause_of(std::string_view name, Rank rank, std::string_view error) noexcept;
/// Whether an error begins with the rank's name, "rank 1: ..." or "rank 1 at ring.cpp:27: ...", as those of messages
/// do. That of rank 12 is not rank 1's.
bool names_rank(Rank rank, std::string_view error) noexcept;
/// The class that a program's own words name, of an error in Python or C++: "ValueError" of "ValueError: 3 (a.py:3)".
/// Empty when they name none. For code that takes these words from the program.
std::string error_class(std::string_view words);
/// "rank 2: out of memory": the rank is named once. With no cause, as the words say.
std::string shown_error(Rank rank, Cause cause, std::string_view error);

/// How the conductor lost a rank, seen from outside.
enum class RankLoss : std::uint8_t {
  unknown,
  killed,  ///< By a signal.
  ended    ///< It had done its part (of a run that took too long).
};
std::string_view to_string(RankLoss loss) noexcept;
/// From its name, or from the words of the failure where there is none (in older traces).
RankLoss loss_of(std::string_view name, std::string_view what) noexcept;

}  // namespace rankscope
