// The arrays of a program, as buffers of the trace: made known when they are first used, and told again
// when the program has changed them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/capi/rankscope.h"
#include "engine/core/message/communicator.h"

namespace rankscope::capi {

/// Throws UserError for memory that makes no sense.
Slice plain_slice(const rs_memory& memory);
/// A hash of a small piece of memory, or of parts of a large one: enough to see that it was written to.
std::uint64_t fingerprint(const Slice& data) noexcept;

class Arrays {
 public:
  /// The memory as part of its array. Tells the trace of the array, or that the program changed it.
  Slice slice(Communicator& comm, const rs_memory& memory, const Site& where);
  /// Its contents are as a verb left them: not the program's doing.
  void settle(const Slice& changed);

 private:
  struct Known {
    Buffer buffer;
    std::vector<std::byte> contents;  ///< As the trace shows them.
  };
  struct Key {
    const void* array;
    std::uint64_t count;
    std::int32_t dtype;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, Known> known_;
};

}  // namespace rankscope::capi
