// Generates inputs from patterns: hashed values, small exact integers, reals, or values given by
// the user.
#include "engine/collectives/input_values.h"

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// The pattern's hash: 32-bit arithmetic without branches, so that the loops below are vectorised.
inline std::uint32_t hash(std::uint32_t x) noexcept {
  x ^= x >> 15;
  x *= 0x2C1B3C6DU;
  x ^= x >> 12;
  x *= 0x297A2D39U;
  x ^= x >> 15;
  return x;
}

std::uint32_t key_of(const InputKind& kind) noexcept {
  const auto low = static_cast<std::uint32_t>(kind.seed);
  const auto high = static_cast<std::uint32_t>(kind.seed >> 32);
  return hash(low ^ hash(high ^ hash(static_cast<std::uint32_t>(kind.rank) + 0x9E3779B9U)));
}

template <class T, class Value>
void fill_hashed(std::span<T> out, const InputKind& kind, Count offset, Value value) {
  const std::uint32_t key = key_of(kind);
  const auto first = static_cast<std::uint32_t>(offset);  // repeats after 2^32 elements
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = value(hash((first + static_cast<std::uint32_t>(i)) * 0x9E3779B9U + key));
}

// Integers in [-128, 127], or for factors: odd numbers (no integer type loses them to zero), and
// for floats, whose products must stay exact and finite, 1, -1, 2 and 1/2.
template <class T>
void fill_exact(std::span<T> out, const InputKind& kind, Count offset) {
  if (kind.op != ReduceOp::product) {
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      return static_cast<T>(static_cast<std::int32_t>(h & 255U) -
                            (std::is_same_v<T, std::uint8_t> ? 0 : 128));
    });
  } else if constexpr (std::is_integral_v<T>) {
    fill_hashed(out, kind, offset, [](std::uint32_t h) { return static_cast<T>((h & 7U) | 1U); });
  } else {
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      // 0: 1/2, 1: 1, 2: 2 by the exponent; and a sign.
      const auto power = static_cast<T>((h & 3U) == 0 ? 0.5 : (h & 3U) == 1 ? 2.0 : 1.0);
      return (h & 4U) != 0 ? -power : power;
    });
  }
}

template <class T>
void fill_real(std::span<T> out, const InputKind& kind, Count offset) {
  if constexpr (std::is_floating_point_v<T>)
    fill_hashed(out, kind, offset, [](std::uint32_t h) {
      return static_cast<T>(static_cast<std::int32_t>(h)) * static_cast<T>(0x1p-31);
    });
  else fill_hashed(out, kind, offset, [](std::uint32_t h) { return static_cast<T>(h); });
}

// Checked before a job runs: sizes, and that the type holds the values.
template <class T>
void fill_given(std::span<T> out, const InputKind& kind, Count offset) {
  const auto at = [&](std::size_t i) {
    return kind.values.size() == 1 ? 0 : static_cast<std::size_t>(offset) + i;
  };
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = at(i) < kind.values.size() ? static_cast<T>(kind.values[at(i)]) : T{};
}

}  // namespace

template <class T>
void fill_values(std::span<T> out, const InputKind& kind, Count offset) {
  switch (kind.pattern) {
    case InputPattern::exact: return fill_exact(out, kind, offset);
    case InputPattern::index:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<T>(kind.rank * kind.count + offset + static_cast<Count>(i));
      return;
    case InputPattern::rank: ranges::fill(out, static_cast<T>(kind.rank + 1)); return;
    case InputPattern::real: return fill_real(out, kind, offset);
    case InputPattern::given: return fill_given(out, kind, offset);
  }
}

template void fill_values(std::span<std::uint8_t>, const InputKind&, Count);
template void fill_values(std::span<std::int32_t>, const InputKind&, Count);
template void fill_values(std::span<std::int64_t>, const InputKind&, Count);
template void fill_values(std::span<float>, const InputKind&, Count);
template void fill_values(std::span<double>, const InputKind&, Count);

void fill_input(Slice data, InputPattern pattern, std::uint64_t seed, Rank rank, int n, ReduceOp op,
                InputValues values) {
  visit_dtype(data.dtype(), [&]<class T>() {
    fill_values(data.as<T>(), {pattern, seed, rank, n, op, data.count(), values_of(values, rank)},
                0);
  });
}

}  // namespace rankscope
