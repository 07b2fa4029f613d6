// Implements the reductions for each element type, vectorised by the compiler for the instructions that every processor
// of the architecture has and, where a receive is reduced, also for wider vectors.
#include "engine/core/base/reduce.h"

#include <cstring>
#include <type_traits>

namespace rankscope {
namespace {

// Unsigned arithmetic so that integer overflow wraps instead of being undefined.
template <class T>
struct Wrapping {
  using type = T;
};
template <>
struct Wrapping<std::int32_t> {
  using type = std::uint32_t;
};
template <>
struct Wrapping<std::int64_t> {
  using type = std::uint64_t;
};

template <ReduceOp kOp, class T>
[[gnu::always_inline]] inline T combine(T a, T b) noexcept {
  using U = typename Wrapping<T>::type;
  if constexpr (kOp == ReduceOp::sum || kOp == ReduceOp::avg)
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  else if constexpr (kOp == ReduceOp::product)
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  else if constexpr (kOp == ReduceOp::min) return b < a ? b : a;
  else if constexpr (kOp == ReduceOp::max) return a < b ? b : a;
  else if constexpr (std::is_integral_v<T>) {
    if constexpr (kOp == ReduceOp::band) return static_cast<T>(a & b);
    if constexpr (kOp == ReduceOp::bor) return static_cast<T>(a | b);
    if constexpr (kOp == ReduceOp::bxor) return static_cast<T>(a ^ b);
  } else return a;  // unreachable: check_reduce refuses bit operations on floats
}

// memcpy through a small block lets the compiler vectorise although `from` may be unaligned.
template <class T>
[[gnu::always_inline]] inline T load(const std::byte* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <ReduceOp kOp, class T>
void pairwise(std::byte* out, const std::byte* a, const std::byte* b, Count count) noexcept {
  for (Count i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * sizeof(T);
    const T value = combine<kOp, T>(load<T>(a + at), load<T>(b + at));
    std::memcpy(out + at, &value, sizeof(T));
  }
}

// Inlined into one function for each vector set, so that the function's target applies to the loop. Elements keep their
// order and nothing is fused, so that all sets give the same bits.
template <ReduceOp kOp, class T>
[[gnu::always_inline]] inline void accumulate(std::byte* __restrict into,
                                              const std::byte* __restrict from,
                                              Count count) noexcept {
  for (Count i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i) * sizeof(T);
    const T value = combine<kOp, T>(load<T>(into + at), load<T>(from + at));
    std::memcpy(into + at, &value, sizeof(T));
  }
}

template <ReduceOp kOp, class T>
void accumulate_common(std::byte* into, const std::byte* from, Count count) noexcept {
  accumulate<kOp, T>(into, from, count);
}
#if defined(__x86_64__)
template <ReduceOp kOp, class T>
[[gnu::target("avx2")]] void accumulate_avx2(std::byte* into, const std::byte* from,
                                             Count count) noexcept {
  accumulate<kOp, T>(into, from, count);
}
/// Only these reductions profit (by 15 %), because AVX2 has no single instruction for them.
template <ReduceOp kOp, class T>
constexpr bool kNeedsAvx512 =
    std::is_same_v<T, std::int64_t> &&
    (kOp == ReduceOp::product || kOp == ReduceOp::min || kOp == ReduceOp::max);
template <ReduceOp kOp, class T>
[[gnu::target("avx512f,avx512dq")]] void accumulate_avx512(std::byte* into, const std::byte* from,
                                                           Count count) noexcept {
  accumulate<kOp, T>(into, from, count);
}
#endif

template <class T, class Call>
void with_op(ReduceOp op, Call&& call) noexcept {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return call.template operator()<ReduceOp::sum>();
    case ReduceOp::product: return call.template operator()<ReduceOp::product>();
    case ReduceOp::min: return call.template operator()<ReduceOp::min>();
    case ReduceOp::max: return call.template operator()<ReduceOp::max>();
    case ReduceOp::band: return call.template operator()<ReduceOp::band>();
    case ReduceOp::bor: return call.template operator()<ReduceOp::bor>();
    case ReduceOp::bxor: return call.template operator()<ReduceOp::bxor>();
  }
}

}  // namespace

VectorSet widest_vectors() noexcept {
#if defined(__x86_64__)
  static const VectorSet kWidest = [] {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      return VectorSet::avx512;
    return __builtin_cpu_supports("avx2") ? VectorSet::avx2 : VectorSet::common;
  }();
  return kWidest;
#else
  return VectorSet::common;
#endif
}

void reduce_into(std::byte* into, const std::byte* from, Count count, DType dtype, ReduceOp op,
                 VectorSet vectors) noexcept {
  visit_dtype(dtype, [&]<class T>() {
    with_op<T>(op, [&]<ReduceOp kOp>() {
#if defined(__x86_64__)
      if constexpr (kNeedsAvx512<kOp, T>)
        if (vectors == VectorSet::avx512) return accumulate_avx512<kOp, T>(into, from, count);
      if (vectors != VectorSet::common) return accumulate_avx2<kOp, T>(into, from, count);
#endif
      (void)vectors;
      accumulate_common<kOp, T>(into, from, count);
    });
  });
}

void reduce_pair(std::byte* out, const std::byte* a, const std::byte* b, Count count, DType dtype,
                 ReduceOp op) noexcept {
  visit_dtype(dtype, [&]<class T>() {
    with_op<T>(op, [&]<ReduceOp kOp>() { pairwise<kOp, T>(out, a, b, count); });
  });
}

void finish_average(std::byte* data, Count count, DType dtype, int ranks) noexcept {
  visit_dtype(dtype, [&]<class T>() {
    for (Count i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i) * sizeof(T);
      // Integers divide as int64, because a small type may not hold the number of ranks.
      T value = load<T>(data + at);
      if constexpr (std::is_floating_point_v<T>) value /= static_cast<T>(ranks);
      else value = static_cast<T>(static_cast<std::int64_t>(value) / ranks);
      std::memcpy(data + at, &value, sizeof(T));
    }
  });
}

}  // namespace rankscope
