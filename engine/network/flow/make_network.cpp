// The uniform network, the network whose links are shared by transfers, and the choice between them.
#include "engine/network/flow/make_network.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/network/flow/fair_shares.h"
#include "engine/network/router.h"

namespace rankscope {

/// Keeps the routes that were found, as capacities: a direction of a link (2 * link + back), or both directions of a
/// half-duplex link (2 * link).
class RouteCache {
 public:
  struct Route {
    double latency = 0, bandwidth = 0;
    std::uint32_t begin = 0, length = 0;
    bool exists = false;
  };

  /// `topology` and `router` must outlive it.
  RouteCache(const Topology& topology, const Router& router);

  /// Valid until the next call of a member.
  const Route& of(Rank from, Rank to);
  const std::uint32_t* capacities(const Route& route) const noexcept {
    return capacities_.data() + route.begin;
  }
  /// Forgets all routes. Call it after the router's links have changed.
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

namespace {

class UniformNetwork final : public Network {
 public:
  UniformNetwork(int ranks, double alpha, double beta)
      : ranks_(ranks), alpha_(alpha), beta_(beta) {}

  int ranks() const noexcept override { return ranks_; }
  double latency(Rank from, Rank to) const override { return from == to ? 0 : alpha_; }
  double bandwidth(Rank from, Rank to) const override {
    return from == to || beta_ == 0 ? std::numeric_limits<double>::infinity() : 1 / beta_;
  }

  TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) override {
    const double takes = from == to ? 0 : static_cast<double>(bytes) * beta_;
    heap_.push_back({now + takes, ++last_});
    std::ranges::push_heap(heap_, std::ranges::greater());
    return last_;
  }

  double next_end() override {
    drop_cancelled();
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().at;
  }

  void advance(double now, std::vector<Ended>& ended) override {
    for (drop_cancelled(); !heap_.empty() && heap_.front().at <= now; drop_cancelled()) {
      ended.push_back({heap_.front().id, heap_.front().at, false});
      pop();
    }
  }

  void cancel(TransferId id) override {
    const auto has = [id](const End& end) { return end.id == id; };
    if (ranges::any_of(heap_, has)) cancelled_.insert(id);
  }

 private:
  struct End {
    double at;
    TransferId id;
    auto operator<=>(const End&) const = default;
  };

  void pop() {
    std::ranges::pop_heap(heap_, std::ranges::greater());
    heap_.pop_back();
  }
  void drop_cancelled() {
    while (!cancelled_.empty() && !heap_.empty() && cancelled_.erase(heap_.front().id) > 0) pop();
  }

  int ranks_;
  double alpha_, beta_;
  TransferId last_ = 0;
  std::vector<End> heap_;
  std::unordered_set<TransferId> cancelled_;
};

}  // namespace

std::unique_ptr<Network> make_uniform_network(int ranks, double alpha, double beta) {
  if (ranks < 1) throw UserError(fmt::format("a network has 1 rank or more, not {}", ranks));
  for (const auto& [value, name] : {std::pair{alpha, "alpha"}, {beta, "beta"}})
    if (!(value >= 0) || !std::isfinite(value))
      throw UserError(fmt::format("{} is a time that is not negative, not {}", name, value));
  return std::make_unique<UniformNetwork>(ranks, alpha, beta);
}

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::vector<double> capacities_of(const Topology& topology) {
  std::vector<double> out;
  for (const TopologyLink& link : topology.links) {
    out.push_back(link.bandwidth);
    out.push_back(link.back);
  }
  return out;
}

class SharedNetwork final : public Network {
 public:
  SharedNetwork(Topology topology, NetworkOptions options)
      : topology_(std::move(topology)),
        router_(topology_),
        routes_(topology_, router_),
        shares_(capacities_of(topology_)),
        failures_(std::move(options.failures)),
        observer_(options.observer),
        sharing_(options.sharing),
        loads_(observer_ == nullptr ? 0 : 2 * topology_.links.size()) {
    ranges::stable_sort(failures_, std::ranges::greater(), &LinkFailure::at);
  }

  int ranks() const noexcept override { return topology_.ranks(); }
  double latency(Rank from, Rank to) const override {
    return from == to ? 0 : topology_.model.alpha + route(from, to).latency;
  }
  double bandwidth(Rank from, Rank to) const override { return route(from, to).bandwidth; }

  TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) override {
    move_to(now);
    const TransferId id = ++last_;
    const RouteCache::Route& way = routes_.of(from, to);
    if (!way.exists || way.length == 0 || bytes == 0) {
      insert_ended({id, time_, !way.exists});
      return id;
    }
    const FairShares::Flow flow =
        shares_.add({routes_.capacities(way), way.length}, weight_of(way));
    if (flow >= transfers_.size()) transfers_.resize(flow + 1);
    Transfer& transfer = transfers_[flow];
    transfer = {id, from, to, static_cast<double>(bytes), 0, time_, transfer.version + 1};
    ++active_;
    return id;
  }

  double next_end() override {
    if (!ended_.empty()) return ended_.front().at;
    update();
    return std::min(first_end(), active_ > 0 ? next_failure() : kNever);
  }

  void advance(double now, std::vector<Ended>& ended) override {
    move_to(now);
    ended.insert(ended.end(), ended_.begin(), ended_.end());
    ended_.clear();
  }

  void cancel(TransferId id) override {
    for (FairShares::Flow flow = 0; flow < transfers_.size(); ++flow)
      if (transfers_[flow].id == id) return drop(flow);
    std::erase_if(ended_, [id](const Ended& one) { return one.id == id; });
  }

 private:
  struct Transfer {
    TransferId id = 0;  ///< 0: the place is free.
    Rank from = 0, to = 0;
    double left = 0, rate = 0;  ///< Bytes at `since`; bytes per second.
    double since = 0;
    std::uint32_t version = 0;  ///< The valid version of its end in the heap.
  };
  struct End {
    double at;
    TransferId id;
    FairShares::Flow flow;
    std::uint32_t version;
    bool operator>(const End& other) const {
      return std::pair(at, id) > std::pair(other.at, other.id);
    }
  };

  const RouteCache::Route& route(Rank from, Rank to) const {
    const RouteCache::Route& found = routes_.of(from, to);
    if (!found.exists)
      throw UserError(fmt::format(
          "rank {} cannot reach rank {}: the links between them have failed", from, to));
    return found;
  }

  double weight_of(const RouteCache::Route& way) const {
    const double latency = way.latency + topology_.model.alpha;
    return sharing_ == Sharing::equal || latency <= 0 ? 1 : 1 / latency;
  }
  double next_failure() const { return failures_.empty() ? kNever : failures_.back().at; }
  double first_end() {
    while (!ends_.empty() && transfers_[ends_.front().flow].version != ends_.front().version) pop();
    return ends_.empty() ? kNever : ends_.front().at;
  }
  void pop() {
    std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
    ends_.pop_back();
  }

  void insert_ended(const Ended& one) {
    const auto before = [](const Ended& a, const Ended& b) {
      return std::pair(a.at, a.id) < std::pair(b.at, b.id);
    };
    ended_.insert(std::upper_bound(ended_.begin(), ended_.end(), one, before), one);
  }

  void move_to(double now) {
    if (now == time_ && first_end() > now && next_failure() > now) return;
    while (true) {
      update();
      const double end = first_end(), failure = next_failure();
      if (std::min(end, failure) > now) break;
      time_ = std::max(time_, std::min(end, failure));
      if (end <= failure) end_first();
      else fail_next();
    }
    time_ = std::max(time_, now);
  }

  void end_first() {
    const End end = ends_.front();
    insert_ended({end.id, end.at, false});
    drop(end.flow);
  }

  void drop(FairShares::Flow flow) {
    shares_.remove(flow);
    transfers_[flow].id = 0;
    ++transfers_[flow].version;
    --active_;
  }

  void settle(Transfer& transfer) const {
    transfer.left = std::max(0.0, transfer.left - transfer.rate * (time_ - transfer.since));
    transfer.since = time_;
  }

  /// Computes rates and ends as of `time_`.
  void update() {
    if (!shares_.has_changes()) return;
    for (const auto& [flow, rate] : shares_.update()) {
      Transfer& transfer = transfers_[flow];
      settle(transfer);
      transfer.rate = rate;
      ends_.push_back({time_ + transfer.left / rate, transfer.id, flow, ++transfer.version});
      std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
    }
    if (observer_ != nullptr) report_loads();
    drop_old_ends();
  }

  void report_loads() {
    for (const FairShares::Capacity capacity : shares_.looked_at()) {
      const double load = shares_.load(capacity);
      if (std::exchange(loads_[capacity], load) != load)
        observer_->load_changed(time_, static_cast<int>(capacity / 2), capacity % 2 != 0, load);
    }
  }

  void drop_old_ends() {
    constexpr std::size_t kFew = 1024;
    if (ends_.size() < kFew + 4 * active_) return;
    std::erase_if(ends_,
                  [&](const End& end) { return transfers_[end.flow].version != end.version; });
    std::make_heap(ends_.begin(), ends_.end(), std::greater<>());
  }

  /// Sends the rest of each transfer over the link by another route.
  void fail_next() {
    const int link = failures_.back().link;
    failures_.pop_back();
    if (router_.is_broken(link)) return;
    router_.break_link(link);
    routes_.clear();
    std::vector<FairShares::Flow> hit;
    for (const FairShares::Capacity capacity :
         {2U * static_cast<unsigned>(link), 2U * static_cast<unsigned>(link) + 1})
      for (const FairShares::Flow flow : shares_.users(capacity)) hit.push_back(flow);
    ranges::sort(hit, {}, [&](FairShares::Flow flow) { return transfers_[flow].id; });
    std::vector<Transfer> moved;
    for (const FairShares::Flow flow : hit) {
      settle(transfers_[flow]);
      moved.push_back(transfers_[flow]);
      drop(flow);
    }
    for (const Transfer& transfer : moved) resume(transfer);
  }

  void resume(const Transfer& transfer) {
    const RouteCache::Route& way = routes_.of(transfer.from, transfer.to);
    if (!way.exists) return insert_ended({transfer.id, time_, true});
    const FairShares::Flow flow =
        shares_.add({routes_.capacities(way), way.length}, weight_of(way));
    if (flow >= transfers_.size()) transfers_.resize(flow + 1);
    const std::uint32_t version = transfers_[flow].version + 1;
    transfers_[flow] = transfer;
    transfers_[flow].rate = 0;
    transfers_[flow].version = version;
    ++active_;
  }

  Topology topology_;
  Router router_;
  mutable RouteCache routes_;
  FairShares shares_;
  std::vector<LinkFailure> failures_;  ///< The next one last.
  LinkObserver* observer_;
  Sharing sharing_;
  std::vector<double> loads_;  ///< As the observer knows them.
  double time_ = 0;
  TransferId last_ = 0;
  std::vector<Transfer> transfers_;  ///< By flow.
  std::size_t active_ = 0;
  std::vector<End> ends_;     ///< A heap; some are out of date.
  std::vector<Ended> ended_;  ///< Not fetched yet, in order.
};

}  // namespace

std::unique_ptr<Network> make_network(Topology topology, NetworkOptions options) {
  check_topology(topology);
  for (const LinkFailure& failure : options.failures) {
    if (failure.link < 0 || failure.link >= static_cast<int>(topology.links.size()))
      throw UserError(fmt::format("link {} cannot fail: the topology has links 0 to {}",
                                  failure.link, static_cast<int>(topology.links.size()) - 1));
    if (!(failure.at >= 0) || !std::isfinite(failure.at))
      throw UserError(fmt::format("a link fails at a time of 0 or later, not {}", failure.at));
  }
  if (topology.uniform_ranks > 0)
    return make_uniform_network(topology.uniform_ranks, topology.model.alpha, topology.model.beta);
  return std::make_unique<SharedNetwork>(std::move(topology), std::move(options));
}

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
