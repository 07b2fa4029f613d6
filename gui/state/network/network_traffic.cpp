// Reads a run's network from its trace, and replays its messages over it.
#include "gui/state/network/network_traffic.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/run/job/changed_topology.h"
#include "engine/run/job/job.h"
#include "engine/run/job/sim_job.h"

namespace rankscope::gui {
namespace {

struct FoundNetwork {
  std::optional<RunNetwork> run;
  std::string why_none;
};

FoundNetwork network_of(const Document& document, const std::optional<JobSpec>& job) {
  const std::string& text = document.trace().meta().network;
  if (!text.empty()) {
    try {
      return {run_network(document.trace().meta(), true), ""};
    } catch (const UserError& e) {
      return {std::nullopt, fmt::format("The trace's network cannot be read: {}", e.what())};
    }
  }
  if (!job || job->transport.name != kSimTransport)
    return {std::nullopt,
            "This run was not simulated: a trace of real processes does not say which links its "
            "messages took."};
  if (job->network.topology.empty())
    return {std::nullopt,
            "This run was simulated on a uniform network: each pair of ranks has links of its own, "
            "and no message slows another one."};
  if (!job->network.placement.empty())
    return {std::nullopt,
            "This job places its ranks itself: the loads of its network's links are not drawn."};
  try {  // of a trace that does not carry its network
    return {RunNetwork{topology_of(*job), {}, {}}, ""};
  } catch (const UserError& e) {
    return {std::nullopt, fmt::format("The run's network is not here: {}", e.what())};
  }
}

/// A message and its index in the document.
struct Posted : PostedMessage {
  std::size_t message = 0;
};

std::uint64_t eager_limit_of(const JobSpec& job, const Topology& topology) {
  return job.transport.mode == SendMode::rendezvous ? job.transport.eager_limit
                                                    : topology.model.eager_limit;
}

/// A message's ports: those of its ranks or, at a switch, one for each of its links (transports/sim/sim_world.cpp).
std::pair<int, int> ports_of(const RunNetwork& run, const MessageRecord& message) {
  const auto way = run.switches ? run.switches->way_of(message.tag) : std::nullopt;
  if (!way) return {message.from, message.to};
  const std::pair up(way->child, run.switches->places() + way->child);
  return way->is_down ? std::pair(up.second, up.first) : up;
}

// Returns the messages by the time when they could leave: one of rendezvous when the receiver's answer has arrived.
std::vector<Posted> posted_messages(const Document& document, const RunNetwork& run,
                                    const Topology& topology, std::uint64_t eager_limit) {
  std::vector<Posted> out;
  const Trace& trace = document.trace();
  const auto seconds = [&](std::uint64_t event) {
    return static_cast<double>(begin_ns(trace, event)) * 1e-9;
  };
  const Router router(topology);
  std::vector<Hop> route;
  const auto& messages = document.rounds().messages;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageRecord& one = messages[i];
    if (one.sync || one.sent == kNoEvent) continue;
    if (std::max(one.from, one.to) >= run.topology.ranks()) continue;
    const auto [from, to] = run.ends_of(one);
    if (from == to) continue;
    const auto [out_port, in_port] = ports_of(run, one);
    Posted posted{{from, to, one.bytes, seconds(one.sent), out_port, in_port}, i};
    if (one.bytes > eager_limit) {
      if (one.recv_posted == kNoEvent || !router.find(from, to, route)) continue;
      const double latency = cost_of(topology, route).latency + topology.model.alpha;
      posted.posted = std::max(posted.posted + latency, seconds(one.recv_posted)) + latency;
    }
    out.push_back(posted);
  }
  ranges::stable_sort(out, [](const Posted& a, const Posted& b) {
    return a.posted != b.posted ? a.posted < b.posted : a.from < b.from;
  });
  return out;
}

double rate_of(const TopologyLink& link, bool back) { return back ? link.back : link.bandwidth; }

/// Counts the bytes of messages by link and round.
class TrafficCount {
 public:
  /// `ends`: where messages begin and end; must outlive this.
  TrafficCount(const Document& document, NetworkTraffic& traffic, const Topology& ends,
               std::vector<LinkFailure> failures)
      : document_(document),
        traffic_(traffic),
        failures_(std::move(failures)),
        links_(traffic.topology->links.size()) {
    ranges::stable_sort(failures_, {}, &LinkFailure::at);
    routers_.emplace_back(ends);
    for (const LinkFailure& failure : failures_) {
      routers_.push_back(routers_.back());
      routers_.back().break_link(failure.link);
    }
  }

  void count(const std::vector<Posted>& posted, const std::vector<CarriedTime>& carried) {
    const auto rounds = static_cast<std::size_t>(document_.rounds().count);
    traffic_.bytes.assign(links_, 0);
    find_end(posted, carried);
    by_round_.assign(rounds * links_ * 2, 0);
    for (std::size_t i = 0; i < posted.size(); ++i)
      if (carried[i].end >= 0) add(posted[i], router_at(carried[i].begin));
    finish(rounds);
  }

 private:
  /// A transfer that is under way when a link fails counts for the path that it began with.
  const Router& router_at(double seconds) const {
    std::size_t failed = 0;
    while (failed < failures_.size() && failures_[failed].at <= seconds) ++failed;
    return routers_[failed];
  }
  int round_of(const Posted& posted) const { return document_.rounds().round[posted.message]; }

  void find_end(const std::vector<Posted>& posted, const std::vector<CarriedTime>& carried) {
    for (std::size_t i = 0; i < posted.size(); ++i)
      if (round_of(posted[i]) >= 1) traffic_.end = std::max(traffic_.end, carried[i].end);
  }

  void add(const Posted& posted, const Router& router) {
    const int round = round_of(posted);
    if (round < 1 || !router.find(posted.from, posted.to, route_)) return;
    for (const Hop& hop : route_) {
      const auto link = static_cast<std::size_t>(hop.link);
      traffic_.bytes[link] += static_cast<double>(posted.bytes);
      const std::size_t way = way_of(traffic_.topology->links[link], hop);
      by_round_[((static_cast<std::size_t>(round) - 1) * links_ + link) * 2 + way] +=
          static_cast<float>(posted.bytes);
    }
  }

  void finish(std::size_t rounds) {
    traffic_.round_loads.assign(rounds * links_, 0);
    traffic_.round_needs.assign(rounds, 0);
    std::vector<double> needs(links_);
    for (std::size_t round = 0; round < rounds; ++round) {
      double& most = traffic_.round_needs[round];
      for (std::size_t link = 0; link < links_; ++link) {
        const std::size_t at = (round * links_ + link) * 2;
        needs[link] =
            seconds_needed(traffic_.topology->links[link], by_round_[at], by_round_[at + 1]);
        most = std::max(most, needs[link]);
      }
      for (std::size_t link = 0; most > 0 && link < links_; ++link)
        traffic_.round_loads[round * links_ + link] = static_cast<float>(needs[link] / most);
    }
    traffic_.mean.assign(links_, 0);
    for (std::size_t link = 0; link < links_; ++link) {
      const int number = static_cast<int>(link);
      traffic_.mean[link] =
          load_between(traffic_, number, ClockBase::measured, 0, traffic_.end * 1e6);
      if (traffic_.bytes[link] > 0) traffic_.busiest.push_back(number);
    }
    ranges::stable_sort(traffic_.busiest, std::greater<>{},
                        [this](int link) { return traffic_.mean[static_cast<std::size_t>(link)]; });
  }

  const Document& document_;
  NetworkTraffic& traffic_;
  std::vector<LinkFailure> failures_;
  std::vector<Router> routers_;  ///< The first one, and one after each failure.
  const std::size_t links_;
  std::vector<float> by_round_;  ///< Bytes, by round, link and direction.
  std::vector<Hop> route_;
};

void add_loads(const Document& document, const JobSpec& job, NetworkTraffic& traffic) {
  const Topology& topology = *traffic.topology;
  if (topology.uniform_ranks > 0) {
    traffic.why_no_loads =
        "Each pair of ranks has links of its own here: no message slows another one.";
  } else if (document.large()) {
    traffic.why_no_loads = "Link loads are shown for runs of up to 400,000 events.";
  } else if (document.world_size() > topology.ranks()) {
    traffic.why_no_loads = fmt::format("The run has {} ranks, and this network has {}.",
                                       document.world_size(), topology.ranks());
  }
  if (!traffic.why_no_loads.empty()) return;
  const Topology ends = traffic.run->ends();
  const auto failures = link_failures(job.network.failures);
  const auto posted = posted_messages(document, *traffic.run, ends, eager_limit_of(job, topology));
  std::vector<PostedMessage> plain(posted.begin(), posted.end());
  LinkLoads loads(static_cast<int>(topology.links.size()));
  const auto carried = replay(ends, plain, loads, failures);
  for (std::size_t i = 0; i < posted.size(); ++i)
    if (carried[i].end >= 0)
      traffic.flights.push_back(
          {posted[i].message, posted[i].posted, carried[i].begin, carried[i].end});
  traffic.loads = std::move(loads);
  TrafficCount(document, traffic, ends, failures).count(posted, carried);
}

}  // namespace

NetworkTraffic network_traffic(const Document& document) {
  NetworkTraffic traffic;
  traffic.document = document.id();
  const auto& job = document.trace().meta().job;
  FoundNetwork network = network_of(document, job);
  traffic.run = std::move(network.run);
  traffic.why_none = std::move(network.why_none);
  if (!traffic.run) return traffic;
  traffic.topology = std::make_shared<const Topology>(traffic.run->topology);
  try {
    add_loads(document, job.value_or(JobSpec()), traffic);
  } catch (const UserError& e) {
    traffic.loads.reset();
    traffic.why_no_loads = e.what();
  }
  return traffic;
}

double load_between(const NetworkTraffic& traffic, int link, ClockBase clock, double from,
                    double to) {
  if (!traffic.loads || !(to > from)) return 0;
  const auto at = static_cast<std::size_t>(link);
  const std::size_t links = traffic.topology->links.size();
  if (clock == ClockBase::rounds) {
    const auto last = static_cast<double>(traffic.round_needs.size());
    double sum = 0;
    for (double round = std::floor(from); round < std::min(to, last); ++round)
      sum +=
          static_cast<double>(traffic.round_loads[static_cast<std::size_t>(round) * links + at]) *
          (std::min(to, round + 1) - std::max(from, round));
    return sum / (to - from);
  }
  double load = 0;
  for (const bool back : {false, true})
    load = std::max(load, traffic.loads->bytes(link, back, from * 1e-6, to * 1e-6) /
                              ((to - from) * 1e-6) / rate_of(traffic.topology->links[at], back));
  return std::min(load, 1.0);
}

namespace {

std::string seconds_words(double seconds) { return time_text(std::llround(seconds * 1e9)); }

std::string most_of(const NetworkTraffic& traffic, const std::vector<double>& loads) {
  const auto most = ranges::max_element(loads);
  return most == loads.end() || *most <= 0
             ? std::string()
             : traffic.topology->link_name(static_cast<int>(most - loads.begin()));
}

LoadsShown loads_of_step(const NetworkTraffic& traffic, double moment) {
  LoadsShown out;
  const std::size_t links = traffic.topology->links.size();
  const int count = static_cast<int>(traffic.round_needs.size());
  if (count == 0) return {std::vector<double>(links, 0), "no messages", ""};
  const int step = std::clamp(static_cast<int>(std::ceil(moment - 1e-9)), 1, count);
  const auto at = static_cast<std::size_t>(step) - 1;
  const auto from = traffic.round_loads.begin() + static_cast<std::ptrdiff_t>(at * links);
  out.of_links.assign(from, from + static_cast<std::ptrdiff_t>(links));
  out.when = fmt::format("step {} of {}", step, count);
  const std::string most = most_of(traffic, out.of_links);
  out.when += most.empty() ? " · no link is used"
                           : fmt::format(" · bottleneck: {}, {} for its bytes", most,
                                         seconds_words(traffic.round_needs[at]));
  out.load_of = "of the bottleneck's time";
  return out;
}

LoadsShown loads_at(const NetworkTraffic& traffic, double moment) {
  LoadsShown out;
  for (std::size_t link = 0; link < traffic.topology->links.size(); ++link) {
    double load = 0;
    for (const bool back : {false, true})
      load = std::max(load, traffic.loads->load(static_cast<int>(link), back, moment * 1e-6) /
                                rate_of(traffic.topology->links[link], back));
    out.of_links.push_back(std::min(load, 1.0));
  }
  out.when = fmt::format("at {}", seconds_words(moment * 1e-6));
  return out;
}

}  // namespace

LoadsShown loads_shown(const NetworkTraffic& traffic, ClockBase clock, double moment, bool whole) {
  if (!traffic.has_loads()) return {};
  if (clock == ClockBase::rounds && !whole) return loads_of_step(traffic, moment);
  LoadsShown out = loads_at(traffic, moment);
  if (whole) {
    out.of_links = traffic.mean;
    out.when = fmt::format("mean of {}", seconds_words(traffic.end));
  }
  out.load_of = "of its bandwidth used";
  const std::string most = most_of(traffic, out.of_links);
  out.when += most.empty() ? " · all links are idle"
                           : fmt::format(" · most: {}, {:.0f} %", most,
                                         100 * *ranges::max_element(out.of_links));
  return out;
}

bool carries_alike(const Topology& a, const Topology& b) {
  if (a.rank_nodes != b.rank_nodes || a.links != b.links || a.nodes.size() != b.nodes.size() ||
      a.routing != b.routing || a.dimensions != b.dimensions || a.routes != b.routes ||
      !(a.model == b.model) || a.uniform_ranks != b.uniform_ranks)
    return false;
  return ranges::equal(a.nodes, b.nodes, [](const TopologyNode& x, const TopologyNode& y) {
    return x.kind == y.kind && x.forwards == y.forwards && x.level == y.level;
  });
}

std::vector<Hop> route_between(const Topology& topology, Rank from, Rank to) {
  std::vector<Hop> route;
  const int ranks = topology.uniform_ranks > 0 ? 0 : topology.ranks();
  if (from < 0 || to < 0 || from >= ranks || to >= ranks) return route;
  if (!Router(topology).find(from, to, route)) route.clear();
  return route;
}

std::vector<Hop> route_of(const NetworkTraffic& traffic, const Topology& topology,
                          const MessageRecord& message) {
  if (!traffic.run || topology.uniform_ranks > 0)
    return route_between(topology, message.from, message.to);
  const auto [from, to] = traffic.run->ends_of(message);
  return route_between(
      traffic.run->switches ? with_switch_ends(topology, *traffic.run->switches) : topology, from,
      to);
}

std::string route_text(const Topology& topology, const std::vector<Hop>& route) {
  if (route.empty()) return {};
  const auto name_of = [&](int node) {
    const auto rank = ranges::find(topology.rank_nodes, node);
    return rank == topology.rank_nodes.end()
               ? topology.name_of(node)
               : fmt::format("rank {}", rank - topology.rank_nodes.begin());
  };
  const auto end_of = [&](const Hop& hop, bool last) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(hop.link)];
    return hop.back == last ? link.a : link.b;
  };
  std::string out = name_of(end_of(route.front(), false));
  for (const Hop& hop : route) out += " → " + name_of(end_of(hop, true));
  const RouteCost cost = cost_of(topology, route);
  return out + fmt::format(" · {} · {}", time_text(std::llround(cost.latency * 1e9)),
                           bandwidth_text(cost.bandwidth, 4));
}

}  // namespace rankscope::gui
