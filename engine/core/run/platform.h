// The libraries for which students' ranks are written, as far as rankscope must know them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/core/base/types.h"

namespace rankscope {

/// A library with its rules for messages, and the words for advice to its users. The defaults are those of an unknown
/// one.
struct Platform {
  std::string_view name;      ///< As in JobSpec::Call::platform; empty for any other library.
  bool in_exercises = false;  ///< Lessons' exercises may be for it.
  SendMode sends = SendMode::rendezvous;  ///< Unless the user chose a mode.
  /// MPI's standard holds: short messages leave at once, up to a limit; sends go on after a rank's end; a message may
  /// be shorter than its receive; the buffers of a collective do not overlap; calls in upper case take arrays.
  bool mpi = false;
  bool compiled = false;             ///< Ranks are compiled programs that use our own interface.
  std::string_view isend = "isend";  ///< Its send that does not wait.
  /// The call that waits for a request, as a sentence's end; may be empty.
  std::string_view waits_by = ": request = ...; request.wait()";
  /// Other ways to send and receive at once, appended to advice on the order; may be empty.
  std::string_view both = ", or use isend or sendrecv";
  /// Advice if all ranks send first, and if all receive first; empty if only another order helps.
  std::string_view sends_first = "Use sendrecv (or isend, then recv, and then wait)";
  std::string_view receives_first = "Use sendrecv";
};

/// Bytes up to which MPI's sends leave at once, unless the user chose another limit.
constexpr std::uint64_t kEagerLimit = 4096;

/// Returns the platforms that have a name.
std::span<const Platform> platforms() noexcept;
/// Returns the platform that this name begins with ("mpi4py" is MPI's), else the one without a name.
const Platform& platform_of(std::string_view name) noexcept;

}  // namespace rankscope
