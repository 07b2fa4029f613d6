// A program's arrays as buffers of the trace: registered on first use, and recorded again once the program has changed
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "engine/capi/rankscope.h"
#include "engine/core/message/communicator.h"

namespace rankscope::capi {

/// Throws UserError for invalid memory.
Slice plain_slice(const rs_memory& memory);
/// Returns a hash of a small piece of memory, or of samples of a large one: enough to detect a write.
std::uint64_t fingerprint(const Slice& data) noexcept;

class Arrays {
 public:
  /// Returns the memory as part of its array. Records the array, or a change by the program, in the trace.
  Slice slice(Communicator& comm, const rs_memory& memory, const Site& where);
  /// Notes that a verb, not the program, left the contents as they are.
  void settle(const Slice& changed);

 private:
  struct Known {
    Buffer buffer;
    std::vector<std::byte> contents;  ///< The contents that the trace shows.
  };
  struct Key {
    const void* array;
    std::uint64_t count;
    std::int32_t dtype;
    auto operator<=>(const Key&) const = default;
  };
  std::mutex mutex_;  ///< Threads of a program may call at once.
  std::map<Key, Known> known_;
};

}  // namespace rankscope::capi
