// Shared by algorithms with a radix: trees with k parts at each cut, exchanges among k ranks.
#pragma once

#include <vector>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"

namespace rankscope {

/// The radix if none is given; 2 would give the binomial tree and recursive doubling.
inline constexpr int kDefaultRadix = 4;
inline int radix_or_default(int wanted) {
  if (wanted < 0 || wanted == 1)
    throw UserError("a radix is the number of parts at each cut: set radix to 2 or more");
  return wanted == 0 ? kDefaultRadix : wanted;
}

/// Returns the largest power of `radix` below n (n > 1).
inline int power_below(int n, int radix) {
  int power = 1;
  while (static_cast<std::int64_t>(power) * radix < n) power *= radix;
  return power;
}
inline bool is_power_of(int n, int radix) {
  return n == 1 || static_cast<std::int64_t>(power_below(n, radix)) * radix == n;
}

/// Rounds of a broadcast down a k-nomial tree: the root of a range of n ranks sends to one rank in each of the other
/// parts, the last time to one of a full part.
inline std::int64_t knomial_rounds(int n, int radix) {
  std::int64_t rounds = 0;
  for (; n > 1; n = power_below(n, radix)) {
    const int part = power_below(n, radix);
    rounds += (n + part - 1) / part - 1;
  }
  return rounds;
}

/// Returns by which factor the number of ranks with equal data grows in each exchange: the radix repeatedly, then what
/// is left. Their product is at most n; for a radix of 2 it is the largest power of two, and always more than half of
/// n.
inline std::vector<int> exchange_factors(int n, int radix) {
  std::vector<int> factors;
  for (; n >= radix; n /= radix) factors.push_back(radix);
  if (n > 1) factors.push_back(n);
  return factors;
}
inline int product_of(const std::vector<int>& factors) {
  int product = 1;
  for (const int factor : factors) product *= factor;
  return product;
}

}  // namespace rankscope
