// An order in which a run happens, as a person can pass it on: what happens otherwise than by default.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope::explore {

/// By default messages arrive in the order in which they were sent, as soon as everybody waits, and of the
/// ranks that can go on the lowest does. Each deviation names one thing by its place in the program order of
/// its rank, so that it means the same whatever the other deviations are.
struct Deviation {
  enum class Kind : std::uint8_t {
    late,  ///< Message `number` from `rank` to `to` arrives when nothing of a lower level can happen.
    slow,  ///< The same of verb `number` of a strand of `rank`.
    wait,  ///< Send `number` of those from `rank` to `to` that need not waits for its receive.
  };
  Kind kind = Kind::late;
  Rank rank = -1, to = -1;
  std::uint16_t strand = 0;
  std::uint32_t number = 0;
  std::uint32_t level = 1;  ///< Higher is later.

  auto operator<=>(const Deviation&) const = default;
  /// Of the same thing, by whatever level.
  bool same_place(const Deviation& other) const noexcept;
};

inline constexpr std::uint32_t kHighestLevel = 9;

/// All that it takes to make the same run again.
struct Interleaving {
  /// Which of a program's runs: number of the case; of a seed it follows from the seed.
  std::uint32_t which = 0;
  std::vector<Deviation> deviations;
  bool operator==(const Interleaving&) const = default;
};

/// "3:late1-0.2x2,slow2.5,wait0-1.0": case 3; message 2 from rank 1 to rank 0 at level 2 ...
std::string to_text(const Interleaving& interleaving);
/// Throws UserError that says what is wrong.
Interleaving parse_interleaving(std::string_view text);

}  // namespace rankscope::explore
