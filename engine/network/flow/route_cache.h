// Routes of pairs of ranks as the capacities that they use, found once.
#pragma once

#include <unordered_map>
#include <vector>

#include "engine/network/router.h"

namespace rankscope {

/// A capacity is a direction of a link (2 * link + back), or both of a half-duplex one (2 * link).
class RouteCache {
 public:
  struct Route {
    double latency = 0, bandwidth = 0;
    std::uint32_t begin = 0, length = 0;
    bool exists = false;
  };

  /// `topology` and `router` outlive it.
  RouteCache(const Topology& topology, const Router& router);

  /// Valid until the next call of a member.
  const Route& of(Rank from, Rank to);
  const std::uint32_t* capacities(const Route& route) const noexcept {
    return capacities_.data() + route.begin;
  }
  /// After the router's links have changed.
  void clear();

 private:
  Route found(Rank from, Rank to);

  const Topology& topology_;
  const Router& router_;
  std::vector<int> dense_;  ///< Index in routes_ by pair, -1: not found yet. Empty: too many ranks.
  std::unordered_map<std::uint64_t, int> sparse_;
  std::vector<Route> routes_;
  std::vector<std::uint32_t> capacities_;
  std::vector<Hop> hops_;
};

}  // namespace rankscope
