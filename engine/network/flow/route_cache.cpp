// Keeps the routes of pairs that were asked for.
#include "engine/network/flow/route_cache.h"

namespace rankscope {
namespace {

constexpr int kMostDense = 1024;                               // ranks
constexpr std::size_t kMostCapacities = std::size_t{1} << 26;  // kept, 256 MiB

}  // namespace

RouteCache::RouteCache(const Topology& topology, const Router& router)
    : topology_(topology), router_(router) {
  clear();
}

void RouteCache::clear() {
  const auto ranks = static_cast<std::size_t>(topology_.ranks());
  if (topology_.ranks() <= kMostDense) dense_.assign(ranks * ranks, -1);
  sparse_.clear();
  routes_.clear();
  capacities_.clear();
}

const RouteCache::Route& RouteCache::of(Rank from, Rank to) {
  const std::uint64_t pair =
      static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(topology_.ranks()) +
      static_cast<std::uint64_t>(to);
  if (!dense_.empty()) {
    if (dense_[pair] >= 0) return routes_[static_cast<std::size_t>(dense_[pair])];
  } else if (const auto kept = sparse_.find(pair); kept != sparse_.end()) {
    return routes_[static_cast<std::size_t>(kept->second)];
  }
  if (capacities_.size() > kMostCapacities) clear();
  const int index = static_cast<int>(routes_.size());
  routes_.push_back(found(from, to));
  if (!dense_.empty()) dense_[pair] = index;
  else sparse_.emplace(pair, index);
  return routes_.back();
}

RouteCache::Route RouteCache::found(Rank from, Rank to) {
  Route out;
  out.begin = static_cast<std::uint32_t>(capacities_.size());
  out.exists = router_.find(from, to, hops_);
  if (!out.exists) return out;
  const RouteCost cost = cost_of(topology_, hops_);
  out.latency = cost.latency;
  out.bandwidth = cost.bandwidth;
  out.length = static_cast<std::uint32_t>(hops_.size());
  for (const Hop& hop : hops_) {
    const bool half = topology_.links[static_cast<std::size_t>(hop.link)].duplex == Duplex::half;
    capacities_.push_back(2 * static_cast<std::uint32_t>(hop.link) + (hop.back && !half ? 1 : 0));
  }
  return out;
}

}  // namespace rankscope
