// Compares jobs setting by setting, by one table, and estimates their times.
#include "gui/state/run/job_changes.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_difference.h"
#include "engine/model/costs/cost_table.h"
#include "engine/network/files/topology_file.h"
#include "gui/state/run/run_state.h"
#include "gui/state/run/sentence.h"

namespace rankscope::gui {
namespace {

struct Part {
  std::string_view name;
  void (*copy)(JobSpec& into, const JobSpec& from);
};

// Leaves out changed links, places and failures, which are the part "links".
void copy_network(JobSpec& into, const JobSpec& from) {
  auto changed = into.network;
  into.transport.name = from.transport.name;
  into.network = from.network;
  into.network.links = std::move(changed.links);
  into.network.placement = std::move(changed.placement);
  into.network.failures = std::move(changed.failures);
}

void copy_ranks(JobSpec& into, const JobSpec& from) {
  // Data that only grew so that no chunk is empty.
  const bool grew = into.call.shape == std::vector<Count>{into.world.size} ||
                    from.call.shape == std::vector<Count>{from.world.size};
  into.world.size = from.world.size;
  if (grew) into.call.shape = from.call.shape;
  if (into.call.root >= into.world.size) into.call.root = 0;
  const auto size = static_cast<std::size_t>(std::max(into.world.size, 0));
  if (into.world.delays_us.size() > size) into.world.delays_us.resize(size);
  if (!into.data.values.empty() && into.data.values.size() != size) into.data = from.data;
  if (into.is_simulated() && ranks_of_topology(into.network.topology) < into.world.size &&
      !into.network.topology.empty())
    into.network = from.network;
}

constexpr std::array<Part, 10> kParts = {{
    {"algorithm",
     [](JobSpec& into, const JobSpec& from) {
       into.call.algorithm = from.call.algorithm;
       into.call.schedule = from.call.schedule;
       into.call.segment_bytes = from.call.segment_bytes;
       into.call.group_size = from.call.group_size;
       into.call.radix = from.call.radix;
     }},
    {"ranks", copy_ranks},
    {"data",
     [](JobSpec& into, const JobSpec& from) {
       into.call.shape = from.call.shape;
       into.call.dtype = from.call.dtype;
       into.data = from.data;
       into.network.ghost = from.network.ghost;
     }},
    {"op", [](JobSpec& into, const JobSpec& from) { into.call.op = from.call.op; }},
    {"root", [](JobSpec& into, const JobSpec& from) { into.call.root = from.call.root; }},
    {"direction",
     [](JobSpec& into, const JobSpec& from) { into.call.left_ring = from.call.left_ring; }},
    {"sends",
     [](JobSpec& into, const JobSpec& from) { into.transport.mode = from.transport.mode; }},
    {"network", copy_network},
    {"links",
     [](JobSpec& into, const JobSpec& from) {
       into.network.links = from.network.links;
       into.network.placement = from.network.placement;
       into.network.failures = from.network.failures;
     }},
    {"slow",
     [](JobSpec& into, const JobSpec& from) {
       into.world.delays_us = from.world.delays_us;
       const auto size = static_cast<std::size_t>(std::max(into.world.size, 0));
       if (into.world.delays_us.size() > size) into.world.delays_us.resize(size);
       into.network.slow_ranks = from.network.slow_ranks;
     }},
}};

std::uint64_t bytes_of(const JobSpec& job) {
  std::uint64_t bytes = dtype_size(job.call.dtype);
  for (const Count extent : job.call.shape) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

bool has_algorithm(Collective collective, std::string_view short_name) {
  return ranges::any_of(algorithms(), [&](const Algorithm& one) {
    return one.collective == collective && one.short_name() == short_name;
  });
}

/// "0-1" for the first link between two ranks; empty if none joins ranks.
std::string first_link(const std::string& topology) {
  try {
    const Topology network = open_topology(topology);
    const auto rank_of = [&](int node) {
      return ranges::find(network.rank_nodes, node) - network.rank_nodes.begin();
    };
    for (const TopologyLink& link : network.links) {
      const auto a = rank_of(link.a), b = rank_of(link.b);
      if (a < network.ranks() && b < network.ranks()) return fmt::format("{}-{}", a, b);
    }
  } catch (const UserError&) {  // a file that is gone: no link is offered
  }
  return {};
}

}  // namespace

ParsedJob parse_what_if(const WhatIfRun& asked, const JobSpec& shown, std::string_view text) {
  ParsedJob parsed = job_to_run(asked.any ? asked.base : shown, text);
  if (!asked.any || parsed.whole || !(parsed.adds || (parsed.of_network && shown.is_simulated())))
    return parsed;
  parsed = parse_job(shown, text);
  parsed.of_shown = true;
  return parsed;
}

std::vector<JobChange> changes_between(const JobSpec& base, const JobSpec& job) {
  std::vector<JobChange> changes;
  JobSpec seen = base;
  for (const Part& part : kParts) {
    JobSpec next = seen;
    part.copy(next, job);
    auto labels = changes_of(seen, next);
    if (!labels.empty()) changes.push_back({part.name, fmt::format("{}", fmt::join(labels, ", "))});
    seen = std::move(next);
  }
  return changes;
}

JobSpec take_off(const JobSpec& base, const JobSpec& job, std::string_view name) {
  const auto changes = changes_between(base, job);
  if (ranges::find(changes, name, &JobChange::name) == changes.end()) {
    const auto names = changes | std::views::transform(&JobChange::name);
    throw UserError(changes.empty() ? std::string("nothing is changed in this run")
                                    : fmt::format("\"{}\" is not changed in this run: {}", name,
                                                  fmt::join(names, ", ")));
  }
  JobSpec without = job;
  ranges::find(kParts, name, &Part::name)->copy(without, base);
  // Changed links and places belong to their network, and are removed with it.
  if (without.network.topology != job.network.topology)
    ranges::find(kParts, "links", &Part::name)->copy(without, base);
  return without;
}

std::vector<std::string> likely_changes(const JobSpec& base, const JobSpec& job, std::size_t most,
                                        const std::vector<std::string>& running) {
  std::vector<std::string> words;
  const auto changed = changes_between(base, job);
  const auto offer = [&](std::string_view part, bool makes_sense, std::string text) {
    if (makes_sense && words.size() < most && !text.empty() &&
        ranges::find(changed, part, &JobChange::name) == changed.end())
      words.push_back(std::move(text));
  };
  const auto* const algorithm = find_algorithm(base.call.algorithm);
  const auto* const collective = traits_of_job(base);
  const int ranks = base.world.size;
  const bool ring = algorithm != nullptr && algorithm->features.takes_direction;
  offer("ranks", true,
        fmt::format("{} ranks", ranks * 2 <= kMostShownRanks ? ranks * 2 : ranks / 2));
  offer("slow", ranks > 1, fmt::format("rank {} slow", std::min(2, ranks - 1)));
  offer("data", collective != nullptr && collective->in != Extent::nothing,
        bytes_of(base) < 1048576 ? "1 GiB" : "1 KiB");
  const auto is_new = [&](std::string_view name) {
    return running.empty() ||
           ranges::find(running, parse_job(base, name).job.call.algorithm) == running.end();
  };
  if (algorithm != nullptr && !ring)
    offer("algorithm", has_algorithm(algorithm->collective, "ring") && is_new("ring"), "ring");
  offer("algorithm", ring && is_new("doubling"), "doubling");
  if (job.network.topology.empty()) {
    offer("network", ranks >= 4, "on a torus");
  } else {
    const std::string link = first_link(job.network.topology);
    offer("links", !link.empty(), "without link " + link);
    offer("links", true, "other order");
    offer("network", true, "twice as fast");
  }
  offer("direction", ring, "other direction");
  offer("sends", !base.is_simulated() && base.transport.mode == SendMode::buffered, "rendezvous");
  offer("root", collective != nullptr && collective->rooted && ranks > 1,
        fmt::format("from {}", base.call.root == ranks - 1 ? 0 : ranks - 1));
  return words;
}

JobSpec simulated_base(const JobSpec& base, const JobSpec& job) {
  JobSpec twin = base;
  twin.transport.name = kSimTransport;
  twin.world.delays_us = base.world.delays_us;
  twin.network = {};
  twin.network.ghost = job.network.ghost;
  const bool changes_network = !job.network.links.empty() || !job.network.placement.empty() ||
                               job.network.topology.find('x') != std::string::npos;
  if (job.network.topology.empty()) return twin;
  const Topology topology = open_topology(job.network.topology);
  if (changes_network && base.world.size == job.world.size) {
    // Cuts off speeds, which contain an x: "ring@8@2x".
    std::string name = job.network.topology;
    while (name.rfind('@') != std::string::npos &&
           name.find('x', name.rfind('@')) != std::string::npos)
      name.resize(name.rfind('@'));
    twin.network.topology = name;
  } else if (!topology.links.empty()) {
    twin.network.alpha_s = topology.links.front().latency + topology.model.alpha;
    twin.network.bandwidth = topology.links.front().bandwidth;
  }
  return twin;
}

std::optional<double> seconds_by_model(const JobSpec& job) {
  const auto* const algorithm = find_algorithm(job.call.algorithm);
  const bool slow = ranges::any_of(job.world.delays_us, [](double delay) { return delay > 0; });
  if (algorithm == nullptr || find_cost_row(*algorithm) == nullptr || slow ||
      !job.network.topology.empty() || !job.network.slow_ranks.empty())
    return std::nullopt;
  const JobSpec usual;
  const JobSpec::Network& links = job.is_simulated() ? job.network : usual.network;
  const LinkCosts link{links.alpha_s, 1 / links.bandwidth, 0};
  ClosedFormInput in;
  in.n = job.world.size;
  in.shape = Shape(job.call.shape);
  in.dtype = job.call.dtype;
  in.root = job.call.root;
  in.segment_bytes = job.call.segment_bytes;
  in.group_size = job.call.group_size;
  in.radix = job.call.radix;
  try {
    return time(cost_of(*algorithm, in, link), link);
  } catch (const UserError&) {  // no formula for these settings
    return std::nullopt;
  }
}

std::string usual_links() {
  const JobSpec usual;
  return fmt::format("links of {} and {}", bandwidth_text(usual.network.bandwidth),
                     microseconds_text(usual.network.alpha_s * 1e6));
}

bool has_much_data(const JobSpec& job) {
  constexpr double kMuch = 64e6;  // bytes of all ranks
  return static_cast<double>(bytes_of(job)) * job.world.size >= kMuch;
}

bool is_long(const JobSpec& job) { return !job.is_simulated() && has_much_data(job); }

JobSpec in_virtual_time(JobSpec job) {
  job.transport.name = kSimTransport;
  job.network = {};
  job.network.ghost = true;
  return job;
}

JobSpec fit_to_memory(JobSpec job) {
  if (!is_long(job)) return job;
  try {
    validate(job);
    return job;
  } catch (const UserError&) {
    return in_virtual_time(std::move(job));
  }
}

}  // namespace rankscope::gui
