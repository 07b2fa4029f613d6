// Changes a job as a question says: ranks, network, links, places, direction, data, slow ranks.
#include "gui/state/run/heard.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/rate_text.h"
#include "engine/core/base/text_parts.h"
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
void fit_topology(const Heard& heard, JobSpec& job) {
  if (job.network.topology.empty()) return;
  const int ranks = ranks_of_topology(job.network.topology);
  if (ranks == 0 || (ranks >= job.world.size && ranks != heard.world_before)) return;
  job.network.links.clear();
  job.network.placement.clear();
  job.network.failures.clear();
  try {
    job.network.topology = topology_name_for(job.network.topology, job.world.size);
  } catch (const UserError&) {  // it has one size only
    if (ranks < job.world.size) job.network.topology.clear();
  }
}

void apply_ranks(Heard& heard, JobSpec& job) {
  const double more = job.world.size * heard.ranks_factor + heard.add_ranks;
  if (heard.ranks_factor != 1 || heard.add_ranks != 0) {
    heard.has_ranks = true;
    set_job_word(job, "ranks", fmt::format("{:.0f}", std::min(more, Heard::kMostRanks)));
  }
  if (heard.root == "last") heard.root = fmt::format("{}", job.world.size - 1);
  if (heard.root == "first") heard.root = "0";
  if (!heard.root.empty()) set_job_word(job, "root", heard.root);
  if (job.world.size > 0 && job.world.size != heard.world_before && heard.topology.empty())
    fit_topology(heard, job);
}

void apply_speed(Heard& heard, JobSpec& job) {
  job.transport.name = kSimTransport;
  if (job.network.topology.empty()) {
    job.network.bandwidth *= heard.speed * heard.bandwidth_factor;
    job.network.alpha_s *= heard.latency_factor / heard.speed;
    if (heard.bandwidth > 0) job.network.bandwidth = heard.bandwidth;
    if (heard.latency >= 0) job.network.alpha_s = heard.latency;
    return;
  }
  const Topology topology = open_topology(job.network.topology);
  if (topology.links.empty()) throw UserError("this network has no links whose speed could change");
  const auto change = [&](double factor, std::string_view what) {
    if (factor != 1) job.network.topology += fmt::format("@{:g}x{}", factor, what);
  };
  change(heard.speed, "");
  change(heard.bandwidth > 0 ? heard.bandwidth / topology.links.front().bandwidth
                             : heard.bandwidth_factor,
         "-bandwidth");
  change(heard.latency >= 0 ? heard.latency / topology.links.front().latency : heard.latency_factor,
         "-latency");
}

// A topology of a fixed size sets the number of ranks unless the words do; "simulated" alone removes the topology.
void apply_network(Heard& heard, JobSpec& job) {
  if (heard.simulated) set_job_word(job, "transport", std::string(kSimTransport));
  if (heard.simulated && heard.topology.empty()) set_job_word(job, "topology", "");
  if (!heard.topology.empty()) {
    const int all = ranks_of_topology(heard.topology);
    const bool fits = heard.makes_size || heard.has_ranks;
    if (heard.makes_size || (heard.has_ranks && job.world.size > all)) {
      try {
        heard.topology = topology_name_for(heard.topology, job.world.size);
      } catch (const UserError&) {  // it has one size only
        if (heard.has_ranks && job.world.size > all) throw;
      }
    }
    set_job_word(job, "topology", heard.topology);
    const bool all_of_it = !fits || (!heard.has_ranks && job.world.size > all);
    if (all_of_it && all > 0 && ranks_of_topology(heard.topology) == all && all <= kMostShownRanks)
      set_job_word(job, "ranks", fmt::format("{}", all));
  }
  if (heard.changes_network() && job.network.topology.empty())
    set_job_word(job, "topology", topology_name_for("ring", std::max(job.world.size, 2)));
  if (heard.changes_speed() && !heard.changes_link) apply_speed(heard, job);
}

void apply_links(Heard& heard, JobSpec& job) {
  std::string& links = job.network.links;
  const auto change = [&](const std::pair<std::string, std::string>& link, std::string_view is) {
    links += fmt::format("{}{}:{}={}", links.empty() ? "" : ",", link.first, link.second, is);
  };
  // A line is a ring without the link that closes it. Another link may be named as well.
  const std::pair<std::string, std::string> closing{"0", fmt::format("{}", job.world.size - 1)};
  if (heard.is_line && job.world.size > 2 && heard.link != closing) change(closing, "cut");
  if (!heard.changes_link) return;
  const Topology topology = open_topology(job.network.topology);
  if (topology.links.empty()) throw UserError("this network has no links of its own to change");
  if (heard.link.first.empty()) {
    const TopologyLink& first = topology.links.front();
    heard.link = {topology.name_of(first.a), topology.name_of(first.b)};
  }
  if (heard.link_is.empty()) {
    double bandwidth = topology.links.front().bandwidth * heard.speed * heard.bandwidth_factor;
    if (heard.bandwidth > 0) bandwidth = heard.bandwidth;
    if (bandwidth == topology.links.front().bandwidth)
      throw UserError(
          fmt::format("what about the link {0}-{1}? Say for example: without link {0}-{1}; link "
                      "{0}-{1} 10 times slower; link {0}-{1} at 1 GB/s",
                      heard.link.first, heard.link.second));
    heard.link_is = exact_bandwidth_text(bandwidth);
    heard.link_is.erase(std::ranges::remove(heard.link_is, ' ').begin(), heard.link_is.end());
  }
  change(heard.link, heard.link_is);
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
void apply_order(Heard& heard, JobSpec& job) {
  if (!heard.changes_order) return;
  const int places = ranks_of_topology(job.network.topology);
  if (heard.order.empty() ? heard.joins_neighbours : heard.continues_order) {
    std::vector<int> first;
    for (const auto& place : heard.order) {
      first.push_back(as_number<int>(place).value_or(places));
      if (first.back() >= places || std::ranges::count(first, first.back()) > 1)
        throw UserError(fmt::format("place {} cannot follow in this order", place));
    }
    if (first.empty()) first = {0};
    heard.order.clear();
    for (const int place : places_side_by_side(topology_of(job), first))
      heard.order.push_back(fmt::format("{}", place));
  } else if (heard.order.empty()) {
    for (int step = 0; step < 2; ++step)
      for (int place = step; place < places; place += 2)
        heard.order.push_back(fmt::format("{}", place));
    if (heard.reverses_order) {
      heard.order.clear();
      for (int place = places; place-- > 0;) heard.order.push_back(fmt::format("{}", place));
    }
  } else {
    for (int place = static_cast<int>(heard.order.size()); place < places; ++place)
      heard.order.push_back(fmt::format("{}", place));
  }
  job.network.placement = fmt::format("{}", fmt::join(heard.order, ","));
}

void apply_direction(Heard& heard, JobSpec& job) {
  if (!takes_direction(job)) {
    if (heard.left || heard.other_direction)
      throw UserError("only a ring has a direction: say for example ring to the left");
    job.call.left_ring = false;
    return;
  }
  if (heard.left) job.call.left_ring = *heard.left;
  else if (heard.other_direction) job.call.left_ring = !job.call.left_ring;
}

void apply_data(Heard& heard, JobSpec& job) {
  const double size = static_cast<double>(dtype_size(job.call.dtype));
  const auto count = static_cast<double>(Shape(job.call.shape).count());
  if (heard.bytes >= 0)
    set_job_word(job, "count", fmt::format("{}", std::max(std::llround(heard.bytes / size), 1LL)));
  else if (heard.data_factor != 1)
    set_job_word(job, "count",
                 fmt::format("{}", std::max(std::llround(count * heard.data_factor), 1LL)));
  else if (!heard.says_data && heard.has_ranks && job.call.shape.size() == 1 &&
           job.data.values.empty() && count < job.world.size && heard.world_before <= count)
    set_job_word(job, "count", fmt::format("{}", job.world.size));  // no chunk is empty
  job.network.ghost = job.is_simulated() && has_much_data(job);
}

void apply_delays(Heard& heard, JobSpec& job) {
  if (heard.any_slow) heard.slow.emplace_back(job.world.size > 1 ? "1" : "0");
  auto& computes_slowly = job.network.slow_ranks;
  // Ranks of a simulated run that compute slowly stay a matter of computing.
  if (job.is_simulated() && !computes_slowly.empty() && !heard.slow.empty() && heard.slow_by == 0) {
    const auto by = computes_slowly.substr(computes_slowly.find('=') + 1);
    const std::string factor = heard.slower == Heard::kSlower ? by.substr(0, by.find(','))
                                                              : fmt::format("{:.6g}", heard.slower);
    std::vector<std::string> all;
    if (!heard.replaces)
      for (const auto one : split_at(computes_slowly, ","))
        if (!contains(heard.slow, one.substr(0, one.find('=')))) all.emplace_back(one);
    for (const auto& rank : heard.slow) all.push_back(rank + "=" + factor);
    computes_slowly = fmt::format("{}", fmt::join(all, ","));
    return;
  }
  if (heard.replaces) job.world.delays_us.clear();
  // In virtual time a step takes microseconds: a slow rank takes that many times longer for each message.
  const double bytes = static_cast<double>(Shape(job.call.shape).count()) *
                       static_cast<double>(dtype_size(job.call.dtype)) / job.world.size;
  double latency = job.network.alpha_s, bandwidth = job.network.bandwidth;
  if (job.is_simulated() && !job.network.topology.empty() && !heard.slow.empty()) {
    const Topology topology = topology_of(job);
    if (!topology.links.empty()) {
      latency = topology.links.front().latency + topology.model.alpha;
      bandwidth = topology.links.front().bandwidth;
    }
  }
  const double step = latency + bytes / bandwidth;
  double delay =
      job.is_simulated() ? (heard.slower - 1) * step * 1e6 : kSlow * heard.slower / Heard::kSlower;
  if (heard.slow_by > 0) delay = heard.slow_by * 1e6;
  for (const auto& rank : heard.slow)
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

void apply(Heard heard, JobSpec& job) {
  // "instead it is ten times slower", where a link is cut: that link.
  if (const std::string& links = job.network.links;
      heard.replaces && !heard.changes_link && heard.speed != 1 && !links.empty()) {
    const auto colon = links.find(':'), equals = links.find('=');
    heard.link = {links.substr(0, colon), links.substr(colon + 1, equals - colon - 1)};
    heard.changes_link = true;
    job.network.links.clear();
  }
  apply_ranks(heard, job);
  apply_network(heard, job);
  apply_links(heard, job);
  apply_order(heard, job);
  apply_direction(heard, job);
  apply_data(heard, job);
  apply_delays(heard, job);
}

}  // namespace rankscope::gui
