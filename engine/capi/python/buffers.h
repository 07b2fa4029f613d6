// The memory that a program sends from or receives into: bytes, and NumPy arrays that were described once.
#pragma once

#include <array>

#include "engine/capi/python/abi.h"
#include "engine/capi/rankscope.h"

namespace rankscope::python {

class Buffers {
 public:
  explicit Buffers(const Abi& python)
      : python_(python), base_(python.interned("base")), dtype_(python.interned("dtype")) {}

  /// Returns false if the object must be described in full.
  bool find(Object data, bool write, rs_memory& out);
  /// `memory` describes all of this array, which owns its memory or is a part of one that does; `keep` keeps the
  /// description alive.
  void learn(Object array, const rs_memory& memory, Object keep);
  void forget();

 private:
  /// An array's address and layout.
  struct Extents {
    const void* data = nullptr;
    std::ptrdiff_t bytes = 0;
    int dims = 0;
    std::array<std::ptrdiff_t, RS_DIMS> shape{};
    bool operator==(const Extents&) const = default;
  };
  struct Known {
    Held dtype, keep;
    Extents part, whole;
    rs_memory memory{};
  };
  static constexpr std::size_t kMostKnown = 256;

  bool read(Object array, bool write, Extents& out);
  bool read_whole(Object array, Object dtype, const Extents& part, Extents& out);
  Known& place_of(const void* data);

  const Abi& python_;
  const Object base_, dtype_;
  Held array_type_;
  std::array<Known, kMostKnown> known_;
};

}  // namespace rankscope::python
