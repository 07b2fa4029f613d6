// Why a program or one of its runs did not end well, as kinds: decisions ask these, and words are for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope {

enum class Cause : std::uint8_t {
  none,
  own,      ///< Its own mistake.
  machine,  ///< The machine lacked memory, processes, disk or sockets.
  limit,    ///< It used more than it may: processor time, memory, processes, output.
  late,     ///< It did not end in time, which a busy machine may cause, too.
  others,   ///< Another process ended it, or kept it from starting.
  user      ///< A user stopped it.
};

constexpr std::string_view to_string(Cause cause) noexcept {
  constexpr std::string_view kNames[] = {"none", "own",    "machine", "limit",
                                         "late", "others", "user"};
  return kNames[static_cast<std::size_t>(cause)];
}

}  // namespace rankscope
