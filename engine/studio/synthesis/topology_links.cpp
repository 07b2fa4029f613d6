// Finds the links between a topology's ranks, and the cables and ports that they share.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/router.h"
#include "engine/studio/synthesis/link_list.h"

namespace rankscope {
namespace {

class TopologyLinks {
 public:
  TopologyLinks(const Topology& topology, std::string name) : topology_(topology) {
    out_.name = std::move(name);
    out_.ranks = topology.ranks();
    if (out_.ranks < 2 || out_.ranks > kMostSynthesisRanks)
      throw UserError(fmt::format("{}: a schedule is found for 2 to {} ranks, not for {}",
                                  out_.name, kMostSynthesisRanks, out_.ranks));
  }

  LinkList make() {
    if (topology_.uniform_ranks > 0) add_uniform();
    else add_routes();
    add_ports();
    number_shared();
    return std::move(out_);
  }

 private:
  void add_uniform() {
    if (!(topology_.model.beta > 0))
      throw UserError(
          out_.name +
          ": a schedule is found for links with a bandwidth: give the model a beta above 0");
    for (Rank a = 0; a < out_.ranks; ++a)
      for (Rank b = 0; b < out_.ranks; ++b)
        if (a != b) out_.links.push_back({a, b, topology_.model.alpha, 1 / topology_.model.beta});
  }

  void add_routes() {
    std::vector<bool> is_rank(topology_.nodes.size());
    for (const int node : topology_.rank_nodes) is_rank[static_cast<std::size_t>(node)] = true;
    const Router router(topology_);
    std::vector<Hop> route;
    for (Rank a = 0; a < out_.ranks; ++a)
      for (Rank b = 0; b < out_.ranks; ++b)
        if (a != b && router.find(a, b, route) && !passes(route, is_rank)) add_route(a, b, route);
  }
  // Returns whether the route leads over a rank, which could pass the message on by itself.
  bool passes(const std::vector<Hop>& route, const std::vector<bool>& is_rank) const {
    return std::any_of(route.begin(), route.end() - 1, [&](const Hop& hop) {
      const TopologyLink& link = topology_.links[static_cast<std::size_t>(hop.link)];
      return is_rank[static_cast<std::size_t>(hop.back ? link.a : link.b)];
    });
  }
  void add_route(Rank a, Rank b, const std::vector<Hop>& route) {
    const RouteCost cost = cost_of(topology_, route);
    SynthesisLink link{a, b, topology_.model.alpha + cost.latency, cost.bandwidth};
    for (const Hop& hop : route) {
      const TopologyLink& one = topology_.links[static_cast<std::size_t>(hop.link)];
      const int number = 2 * hop.link + (one.duplex == Duplex::full && hop.back ? 1 : 0);
      link.uses.push_back(number);
      capacity_[number] = hop.back ? one.back : one.bandwidth;
    }
    out_.links.push_back(std::move(link));
  }

  void add_ports() {
    if (topology_.model.ports == PortModel::none) return;
    const int first = 2 * static_cast<int>(topology_.links.size());
    for (auto& link : out_.links) {
      const bool half = topology_.model.ports == PortModel::half;
      const int out = first + 2 * link.from, in = first + 2 * link.to + (half ? 0 : 1);
      link.uses.insert(link.uses.begin(), out);
      link.uses.push_back(in);
      for (const int port : {out, in}) capacity_[port] = std::max(capacity_[port], link.bandwidth);
    }
  }

  // A part that only one link uses limits no other.
  void number_shared() {
    std::map<int, int> users, numbers;
    for (const auto& link : out_.links)
      for (const int use : link.uses) ++users[use];
    for (auto& link : out_.links) {
      std::erase_if(link.uses, [&](int use) { return users[use] < 2; });
      for (int& use : link.uses) {
        const auto [at, fresh] = numbers.try_emplace(use, static_cast<int>(out_.shared.size()));
        if (fresh) out_.shared.push_back(capacity_[use]);
        use = at->second;
      }
    }
  }

  const Topology& topology_;
  LinkList out_;
  std::map<int, double> capacity_;
};

}  // namespace

LinkList links_of(const Topology& topology, std::string name) {
  LinkList out = TopologyLinks(topology, std::move(name)).make();
  check_links(out);
  return out;
}

}  // namespace rankscope
