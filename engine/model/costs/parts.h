// Lengths in bytes that the cost forms share.
#pragma once

#include "engine/collectives/algorithm.h"
#include "engine/collectives/pipeline.h"
#include "engine/core/base/partition.h"

namespace rankscope {

/// A buffer in equal parts, or in parts that differ by one element.
class ByteParts {
 public:
  ByteParts(const Partition& part, std::int64_t element) : part_(part), element_(element) {}

  int parts() const noexcept { return part_.parts(); }
  std::int64_t all() const noexcept { return part_.count() * element_; }
  std::int64_t longest() const noexcept { return part_.longest() * element_; }
  std::int64_t operator[](int i) const noexcept { return part_[i].count * element_; }
  std::int64_t span(int first, int last) const noexcept {
    return part_.span(first, last).count * element_;
  }
  bool equal() const noexcept { return part_.count() % part_.parts() == 0; }

 private:
  Partition part_;
  std::int64_t element_;  ///< Bytes.
};

inline std::int64_t element_bytes(const ClosedFormInput& in) noexcept {
  return static_cast<std::int64_t>(dtype_size(in.dtype));
}
/// Returns the bytes that one rank passes in (in a scatter, the root).
inline std::int64_t input_bytes(const ClosedFormInput& in) noexcept {
  return in.shape.count() * element_bytes(in);
}
inline ByteParts chunk_bytes(const ClosedFormInput& in) {
  return {Partition(in.shape.count(), in.n), element_bytes(in)};
}
/// Returns the blocks that a rank sends in an all-to-all.
inline ByteParts block_bytes(const ClosedFormInput& in) {
  return {Partition(in.shape[in.scatter_dim], in.n),
          in.shape.outer(in.scatter_dim) * in.shape.inner(in.scatter_dim) * element_bytes(in)};
}
/// Cuts `count` elements into segments, as pipelines do.
inline Partition cost_segments(const ClosedFormInput& in, Count count, std::uint64_t by_default) {
  return segments(count, in.dtype, or_default(in.segment_bytes, by_default));
}

}  // namespace rankscope
