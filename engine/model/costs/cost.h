// The cost of a run: how often alpha, beta and gamma each count on its critical path.
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope {

/// Latency of a message in seconds, seconds per byte sent, seconds per byte reduced.
struct LinkCosts {
  double alpha = 0, beta = 0, gamma = 0;
};

/// rounds * alpha + bytes * beta + reduced * gamma, exactly: the time of a path of messages and reductions, each of
/// which waits for the one before it.
struct CostTerm {
  std::int64_t rounds = 0;   ///< Messages on the path.
  std::int64_t bytes = 0;    ///< Sent on the path.
  std::int64_t reduced = 0;  ///< Bytes combined on the path.

  CostTerm& operator+=(const CostTerm& other) noexcept;
  friend CostTerm operator+(CostTerm a, const CostTerm& b) noexcept { return a += b; }
  friend CostTerm operator*(std::int64_t times, const CostTerm& term) noexcept;
  bool operator==(const CostTerm&) const = default;
  /// Returns whether no part is smaller than the other's, so that this path is never the shorter one.
  bool covers(const CostTerm& other) const noexcept;
};

/// Return the cost of a message, and of a reduction, of `bytes`.
constexpr CostTerm message_cost(std::int64_t bytes) noexcept { return {1, bytes, 0}; }
constexpr CostTerm reduction_cost(std::int64_t bytes) noexcept { return {0, 0, bytes}; }

/// Returns the seconds that the term takes.
double time(const CostTerm& term, const LinkCosts& link) noexcept;

/// The largest of several terms; the link decides which one that is. No term covers another. A sum has one term.
class Cost {
 public:
  Cost() : terms_{CostTerm{}} {}
  Cost(const CostTerm& term) : terms_{term} {}  // NOLINT: a sum is a cost

  const std::vector<CostTerm>& terms() const noexcept { return terms_; }
  bool is_sum() const noexcept { return terms_.size() == 1; }
  /// Returns the term that is the largest on `link`.
  const CostTerm& on(const LinkCosts& link) const noexcept;

  Cost& operator+=(const Cost& other);
  friend Cost operator+(Cost a, const Cost& b) { return a += b; }
  /// Returns the larger of both on any link.
  static Cost later(const Cost& a, const Cost& b);
  bool operator==(const Cost&) const = default;

 private:
  void take(const CostTerm& term);
  std::vector<CostTerm> terms_;
};

/// Returns the seconds that the largest term takes.
double time(const Cost& cost, const LinkCosts& link) noexcept;

}  // namespace rankscope
