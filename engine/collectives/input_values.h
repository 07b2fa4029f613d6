// What inputs hold: shared by fill_input and the oracle, which generates them piece by piece.
#pragma once

#include <span>

#include "engine/collectives/oracle.h"

namespace rankscope {

struct InputKind {
  InputPattern pattern;
  std::uint64_t seed;
  Rank rank;
  int n;
  ReduceOp op;
  Count count;  ///< Elements of the whole input.
  /// Of pattern `given`: this rank's.
  std::span<const double> values = {};
};

/// What `rank` was given; nothing where it was given nothing.
inline std::span<const double> values_of(InputValues values, Rank rank) noexcept {
  const auto row = static_cast<std::size_t>(rank);
  return row < values.size() ? std::span<const double>(values[row]) : std::span<const double>();
}

/// Elements offset .. offset + out.size() - 1 of an input.
template <class T>
void fill_values(std::span<T> out, const InputKind& kind, Count offset);

extern template void fill_values(std::span<std::uint8_t>, const InputKind&, Count);
extern template void fill_values(std::span<std::int32_t>, const InputKind&, Count);
extern template void fill_values(std::span<std::int64_t>, const InputKind&, Count);
extern template void fill_values(std::span<float>, const InputKind&, Count);
extern template void fill_values(std::span<double>, const InputKind&, Count);

}  // namespace rankscope
