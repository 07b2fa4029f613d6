// How a rank failed or was lost, as kinds: what decides asks these, and words are for people.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// Of what a rank's part failed.
enum class RankFault : std::uint8_t {
  none,
  own,            ///< Of an error of its own.
  communication,  ///< Of one of its messages; the words name the rank: "rank 2 at ring.cpp:7: ...".
  stopped         ///< It was stopped: another rank had failed, or the run could not go on.
};
std::string_view to_string(RankFault fault) noexcept;
RankFault fault_of(const std::exception& error) noexcept;
/// From words alone: those of a program through the C interface, and of traces that say nothing more. The one place
/// that reads such words.
RankFault fault_of(Rank rank, std::string_view error) noexcept;
/// The same, where the kind may be known by its name.
RankFault fault_of(std::string_view name, Rank rank, std::string_view error) noexcept;
/// The class that a program's own words name, of an error in Python or C++: "ValueError" of "ValueError: 3 (a.py:3)".
/// Empty: none. For code that takes these words from the program.
std::string error_class(std::string_view words);
/// "rank 2: out of memory": the rank is named once. Of no kind (none): as the words say.
std::string shown_error(Rank rank, RankFault fault, std::string_view error);

/// What the conductor saw of a rank that it gave up, from outside.
enum class RankLoss : std::uint8_t {
  unknown,
  killed,  ///< By a signal.
  ended    ///< It had done its part (of a run that took too long).
};
std::string_view to_string(RankLoss loss) noexcept;
/// By its name; where there is none (in older traces), from the words of the failure.
RankLoss loss_of(std::string_view name, std::string_view what) noexcept;

}  // namespace rankscope
