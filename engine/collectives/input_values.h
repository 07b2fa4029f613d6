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
};

/// Elements offset .. offset + out.size() - 1 of an input.
template <class T>
void fill_values(std::span<T> out, const InputKind& kind, Count offset);

extern template void fill_values(std::span<std::uint8_t>, const InputKind&, Count);
extern template void fill_values(std::span<std::int32_t>, const InputKind&, Count);
extern template void fill_values(std::span<std::int64_t>, const InputKind&, Count);
extern template void fill_values(std::span<float>, const InputKind&, Count);
extern template void fill_values(std::span<double>, const InputKind&, Count);

}  // namespace rankscope
