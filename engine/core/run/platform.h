// The libraries for which students' ranks are written, as far as rankscope must know them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// A library with its rules for messages, and the words for advice to its users.
struct Platform {
  std::string_view name;  ///< As a job has it (JobSpec::Call::platform); empty: any other one.
  bool in_exercises;      ///< Lessons' exercises may be for it.
  SendMode sends;         ///< Of a run for which nobody chose a mode.
  /// MPI's standard holds: short messages leave at once, up to a limit; sends go on after a rank's end; a message may be
  /// shorter than its receive; the buffers of a collective do not overlap; calls in upper case take arrays.
  bool mpi;
  bool compiled;           ///< Ranks are compiled programs that use our own interface.
  std::string_view isend;  ///< Its send that does not wait.
  std::string_view
      waits_by;  ///< The call that waits for a request, as a sentence's end; may be empty.
  std::string_view
      both;  ///< Other ways to send and receive at once, behind advice on the order; may be empty.
  std::string_view
      sends_first;  ///< Advice where all send first; empty where only another order helps.
  std::string_view receives_first;  ///< Advice where all receive first; empty as above.
};

/// Bytes up to which MPI's sends leave at once, where nobody chose another limit.
constexpr std::uint64_t kEagerLimit = 4096;

/// All but the one without a name.
std::span<const Platform> platforms() noexcept;
/// By how the name begins ("mpi4py" is MPI); one without a name for others.
const Platform& platform_of(std::string_view name) noexcept;

}  // namespace rankscope
