// Element-wise reduction kernels.
#pragma once

#include "engine/core/base/types.h"

namespace rankscope {

/// The vector instructions that a reduction uses; results are identical bit by bit.
enum class VectorSet : std::uint8_t { common, avx2, avx512 };
/// Returns the widest set that this processor has.
VectorSet widest_vectors() noexcept;

/// into[i] = into[i] op from[i] for i < count. `from` need not be aligned (it may lie in a message).
/// AVG accumulates like SUM; finish_average divides at the end. The ranges must not overlap.
void reduce_into(std::byte* into, const std::byte* from, Count count, DType dtype, ReduceOp op,
                 VectorSet vectors = widest_vectors()) noexcept;

/// out[i] = a[i] op b[i]. `out` may be the same memory as `a` or `b`.
void reduce_pair(std::byte* out, const std::byte* a, const std::byte* b, Count count, DType dtype,
                 ReduceOp op) noexcept;

/// data[i] /= ranks (integers truncate towards zero).
void finish_average(std::byte* data, Count count, DType dtype, int ranks) noexcept;

}  // namespace rankscope
