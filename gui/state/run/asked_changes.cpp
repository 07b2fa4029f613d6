// Changes a job as a question says: ranks, network, links, places, direction, data, slow ranks.
#include "gui/state/run/asked_changes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/files/sized_topology.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/changed_topology.h"
#include "gui/state/run/job_changes.h"
#include "gui/state/run/run_state.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

/// Microseconds before each message of a slow rank of processes: long enough to be seen.
constexpr double kSlow = 20000;

template <class All, class One>
bool contains(const All& all, const One& one) {
  return ranges::find(all, one) != all.end();
}

bool takes_direction(const JobSpec& job) {
  const Algorithm* const algorithm = find_algorithm(job.call.algorithm);
  return algorithm != nullptr && algorithm->features.takes_direction;
}

// Makes the network in the new size if it is too small now, or the ranks before filled it.
void fit_topology(const AskedChanges& asked, JobSpec& job) {
  if (job.network.topology.empty()) return;
  const int ranks = ranks_of_topology(job.network.topology);
  if (ranks == 0 || (ranks >= job.world.size && ranks != asked.world_before)) return;
  job.network.links.clear();
  job.network.placement.clear();
  job.network.failures.clear();
  try {
    job.network.topology = topology_name_for(job.network.topology, job.world.size);
  } catch (const UserError&) {  // it has one size only
    if (ranks < job.world.size) job.network.topology.clear();
  }
}

void apply_ranks(AskedChanges& asked, JobSpec& job) {
  const double more = job.world.size * asked.ranks_factor + asked.add_ranks;
  if (asked.ranks_factor != 1 || asked.add_ranks != 0) {
    asked.has_ranks = true;
    set_job_word(job, "ranks", fmt::format("{:.0f}", std::min(more, AskedChanges::kMostRanks)));
  }
  if (asked.root == "last") asked.root = fmt::format("{}", job.world.size - 1);
  if (asked.root == "first") asked.root = "0";
  if (!asked.root.empty()) set_job_word(job, "root", asked.root);
  if (job.world.size > 0 && job.world.size != asked.world_before && asked.topology.empty())
    fit_topology(asked, job);
}

void apply_speed(AskedChanges& asked, JobSpec& job) {
  job.transport.name = kSimTransport;
  if (job.network.topology.empty()) {
    job.network.bandwidth *= asked.speed * asked.bandwidth_factor;
    job.network.alpha_s *= asked.latency_factor / asked.speed;
    if (asked.bandwidth > 0) job.network.bandwidth = asked.bandwidth;
    if (asked.latency >= 0) job.network.alpha_s = asked.latency;
    return;
  }
  const Topology topology = open_topology(job.network.topology);
  if (topology.links.empty()) throw UserError("this network has no links whose speed could change");
  const auto change = [&](double factor, std::string_view what) {
    if (factor != 1) job.network.topology += fmt::format("@{:g}x{}", factor, what);
  };
  change(asked.speed, "");
  change(asked.bandwidth > 0 ? asked.bandwidth / topology.links.front().bandwidth
                             : asked.bandwidth_factor,
         "-bandwidth");
  change(asked.latency >= 0 ? asked.latency / topology.links.front().latency : asked.latency_factor,
         "-latency");
}

// A topology of a fixed size sets the number of ranks unless the words do; "simulated" alone removes the topology.
void apply_network(AskedChanges& asked, JobSpec& job) {
  if (asked.simulated) set_job_word(job, "transport", std::string(kSimTransport));
  if (asked.simulated && asked.topology.empty()) set_job_word(job, "topology", "");
  if (!asked.topology.empty()) {
    const int all = ranks_of_topology(asked.topology);
    const bool fits = asked.makes_size || asked.has_ranks;
    if (asked.makes_size || (asked.has_ranks && job.world.size > all)) {
      try {
        asked.topology = topology_name_for(asked.topology, job.world.size);
      } catch (const UserError&) {  // it has one size only
        if (asked.has_ranks && job.world.size > all) throw;
      }
    }
    set_job_word(job, "topology", asked.topology);
    const bool all_of_it = !fits || (!asked.has_ranks && job.world.size > all);
    if (all_of_it && all > 0 && ranks_of_topology(asked.topology) == all && all <= kMostShownRanks)
      set_job_word(job, "ranks", fmt::format("{}", all));
  }
  if (asked.changes_network() && job.network.topology.empty())
    set_job_word(job, "topology", topology_name_for("ring", std::max(job.world.size, 2)));
  if (asked.changes_speed() && !asked.changes_link) apply_speed(asked, job);
}

void apply_links(AskedChanges& asked, JobSpec& job) {
  std::string& links = job.network.links;
  const auto change = [&](const std::pair<std::string, std::string>& link, std::string_view is) {
    links += fmt::format("{}{}:{}={}", links.empty() ? "" : ",", link.first, link.second, is);
  };
  // A line is a ring without the link that closes it. Another link may be named as well.
  const std::pair<std::string, std::string> closing{"0", fmt::format("{}", job.world.size - 1)};
  if (asked.is_line && job.world.size > 2 && asked.link != closing) change(closing, "cut");
  if (!asked.changes_link) return;
  const Topology topology = open_topology(job.network.topology);
  if (topology.links.empty()) throw UserError("this network has no links of its own to change");
  if (asked.link.first.empty()) {
    const TopologyLink& first = topology.links.front();
    asked.link = {topology.name_of(first.a), topology.name_of(first.b)};
  }
  if (asked.link_is.empty()) {
    double bandwidth = topology.links.front().bandwidth * asked.speed * asked.bandwidth_factor;
    if (asked.bandwidth > 0) bandwidth = asked.bandwidth;
    if (bandwidth == topology.links.front().bandwidth)
      throw UserError(
          fmt::format("what about the link {0}-{1}? Say for example: without link {0}-{1}; link "
                      "{0}-{1} 10 times slower; link {0}-{1} at 1 GB/s",
                      asked.link.first, asked.link.second));
    asked.link_is = exact_bandwidth_text(bandwidth);
    asked.link_is.erase(std::ranges::remove(asked.link_is, ' ').begin(), asked.link_is.end());
  }
  change(asked.link, asked.link_is);
}

/// Returns a path over linked places that visits each once, from `places` on, and comes back to their first if `closes`; empty if
/// there is none or the search takes too many steps.
std::vector<int> path_over(const std::vector<std::vector<int>>& linked, bool closes,
                           std::vector<int> places) {
  if (linked.empty()) return {};
  const std::size_t begun = places.size();
  std::vector<std::size_t> tried(linked.size());  // links of each place that were followed
  std::vector<bool> visited(linked.size());
  for (const int place : places) visited[static_cast<std::size_t>(place)] = true;
  for (std::size_t steps = 200000 + linked.size(); steps > 0 && places.size() >= begun; --steps) {
    const auto last = static_cast<std::size_t>(places.back());
    const bool all = places.size() == linked.size();
    if (all && (!closes || contains(linked[last], places.front()))) return places;
    if (all || tried[last] == linked[last].size()) {
      tried[last] = 0;
      visited[last] = false;
      places.pop_back();
    } else if (const int next = linked[last][tried[last]++];
               !visited[static_cast<std::size_t>(next)]) {
      visited[static_cast<std::size_t>(next)] = true;
      places.push_back(next);
    }
  }
  return {};
}

/// Returns the places in an order that begins with `first` and in which neighbours have a link, if possible also the last and the
/// first; else in the topology's order.
std::vector<int> places_side_by_side(const Topology& topology, const std::vector<int>& first) {
  const auto ranks = static_cast<std::size_t>(topology.ranks());
  std::vector<std::vector<int>> linked(ranks);
  std::unordered_map<int, int> rank_of;  // by its node
  for (std::size_t rank = 0; rank < ranks; ++rank)
    rank_of.emplace(topology.rank_nodes[rank], static_cast<int>(rank));
  for (const TopologyLink& link : topology.links) {
    const auto a = rank_of.find(link.a), b = rank_of.find(link.b);
    if (a == rank_of.end() || b == rank_of.end()) continue;
    linked[static_cast<std::size_t>(a->second)].push_back(b->second);
    linked[static_cast<std::size_t>(b->second)].push_back(a->second);
  }
  for (auto& others : linked) std::ranges::sort(others);
  for (const bool closes : {true, false})
    if (auto places = path_over(linked, closes, first); !places.empty()) return places;
  std::vector<int> as_they_are(ranks);
  std::iota(as_they_are.begin(), as_they_are.end(), 0);
  return as_they_are;
}

// Places ranks as the words say, side by side, in reverse, or on every second place first: ring neighbours are then two apart.
void apply_order(AskedChanges& asked, JobSpec& job) {
  if (!asked.changes_order) return;
  const int places = ranks_of_topology(job.network.topology);
  if (asked.order.empty() ? asked.joins_neighbours : asked.continues_order) {
    std::vector<int> first;
    for (const auto& place : asked.order) {
      first.push_back(as_number<int>(place).value_or(places));
      if (first.back() >= places || std::ranges::count(first, first.back()) > 1)
        throw UserError(fmt::format("place {} cannot follow in this order", place));
    }
    if (first.empty()) first = {0};
    asked.order.clear();
    for (const int place : places_side_by_side(topology_of(job), first))
      asked.order.push_back(fmt::format("{}", place));
  } else if (asked.order.empty()) {
    for (int step = 0; step < 2; ++step)
      for (int place = step; place < places; place += 2)
        asked.order.push_back(fmt::format("{}", place));
    if (asked.reverses_order) {
      asked.order.clear();
      for (int place = places; place-- > 0;) asked.order.push_back(fmt::format("{}", place));
    }
  } else {
    for (int place = static_cast<int>(asked.order.size()); place < places; ++place)
      asked.order.push_back(fmt::format("{}", place));
  }
  job.network.placement = fmt::format("{}", fmt::join(asked.order, ","));
}

void apply_direction(AskedChanges& asked, JobSpec& job) {
  if (!takes_direction(job)) {
    if (asked.left || asked.other_direction)
      throw UserError("only a ring has a direction: say for example ring to the left");
    job.call.left_ring = false;
    return;
  }
  if (asked.left) job.call.left_ring = *asked.left;
  else if (asked.other_direction) job.call.left_ring = !job.call.left_ring;
}

void apply_data(AskedChanges& asked, JobSpec& job) {
  const double size = static_cast<double>(dtype_size(job.call.dtype));
  const auto count = static_cast<double>(Shape(job.call.shape).count());
  if (asked.bytes >= 0)
    set_job_word(job, "count", fmt::format("{}", std::max(std::llround(asked.bytes / size), 1LL)));
  else if (asked.data_factor != 1)
    set_job_word(job, "count",
                 fmt::format("{}", std::max(std::llround(count * asked.data_factor), 1LL)));
  else if (!asked.says_data && asked.has_ranks && job.call.shape.size() == 1 &&
           job.data.values.empty() && count < job.world.size && asked.world_before <= count)
    set_job_word(job, "count", fmt::format("{}", job.world.size));  // no chunk is empty
  job.network.ghost = job.is_simulated() && has_much_data(job);
}

void apply_delays(AskedChanges& asked, JobSpec& job) {
  if (asked.any_slow) asked.slow.emplace_back(job.world.size > 1 ? "1" : "0");
  auto& computes_slowly = job.network.slow_ranks;
  // Ranks of a simulated run that compute slowly stay a matter of computing.
  if (job.is_simulated() && !computes_slowly.empty() && !asked.slow.empty() && asked.slow_by == 0) {
    const auto by = computes_slowly.substr(computes_slowly.find('=') + 1);
    const std::string factor = asked.slower == AskedChanges::kSlower
                                   ? by.substr(0, by.find(','))
                                   : fmt::format("{:.6g}", asked.slower);
    std::vector<std::string> all;
    if (!asked.replaces)
      for (const auto one : split_at(computes_slowly, ","))
        if (!contains(asked.slow, one.substr(0, one.find('=')))) all.emplace_back(one);
    for (const auto& rank : asked.slow) all.push_back(rank + "=" + factor);
    computes_slowly = fmt::format("{}", fmt::join(all, ","));
    return;
  }
  if (asked.replaces) job.world.delays_us.clear();
  // In virtual time a step takes microseconds: a slow rank takes that many times longer for each message.
  const double bytes = static_cast<double>(Shape(job.call.shape).count()) *
                       static_cast<double>(dtype_size(job.call.dtype)) / job.world.size;
  double latency = job.network.alpha_s, bandwidth = job.network.bandwidth;
  if (job.is_simulated() && !job.network.topology.empty() && !asked.slow.empty()) {
    const Topology topology = topology_of(job);
    if (!topology.links.empty()) {
      latency = topology.links.front().latency + topology.model.alpha;
      bandwidth = topology.links.front().bandwidth;
    }
  }
  const double step = latency + bytes / bandwidth;
  double delay = job.is_simulated() ? (asked.slower - 1) * step * 1e6
                                    : kSlow * asked.slower / AskedChanges::kSlower;
  if (asked.slow_by > 0) delay = asked.slow_by * 1e6;
  for (const auto& rank : asked.slow)
    set_job_word(job, "delay." + rank, fmt::format("{:.6g}", delay));
}

}  // namespace

void make_ranks_fast(JobSpec& job, const std::vector<std::string>& named) {
  const auto is_named = [&](std::string_view rank) {
    return named.empty() || contains(named, rank);
  };
  std::vector<std::string_view> stay;
  for (const auto one : split_at(job.network.slow_ranks, ","))
    if (!is_named(one.substr(0, one.find('=')))) stay.push_back(one);
  job.network.slow_ranks = fmt::format("{}", fmt::join(stay, ","));
  auto& delays = job.world.delays_us;
  for (std::size_t rank = 0; rank < delays.size(); ++rank)
    if (is_named(fmt::format("{}", rank))) delays[rank] = 0;
  while (!delays.empty() && delays.back() == 0) delays.pop_back();
}

void mend_link(JobSpec& job, const std::pair<std::string, std::string>& link) {
  auto changes = split_at(job.network.links, ",");
  const auto is_of_link = [&](std::string_view one) {
    return one.starts_with(fmt::format("{}:{}=", link.first, link.second)) ||
           one.starts_with(fmt::format("{}:{}=", link.second, link.first));
  };
  if (std::erase_if(changes, is_of_link) == 0)
    throw UserError(fmt::format("the link {}-{} is not changed", link.first, link.second));
  job.network.links = fmt::format("{}", fmt::join(changes, ","));
}

void apply(AskedChanges asked, JobSpec& job) {
  // "instead it is ten times slower", where a link is cut: that link.
  if (const std::string& links = job.network.links;
      asked.replaces && !asked.changes_link && asked.speed != 1 && !links.empty()) {
    const auto colon = links.find(':'), equals = links.find('=');
    asked.link = {links.substr(0, colon), links.substr(colon + 1, equals - colon - 1)};
    asked.changes_link = true;
    job.network.links.clear();
  }
  apply_ranks(asked, job);
  apply_network(asked, job);
  apply_links(asked, job);
  apply_order(asked, job);
  apply_direction(asked, job);
  apply_data(asked, job);
  apply_delays(asked, job);
}

}  // namespace rankscope::gui
