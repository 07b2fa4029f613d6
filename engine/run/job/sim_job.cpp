// Reads topology, slow ranks and failures from a job.
#include "engine/run/job/sim_job.h"

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "engine/network/placement.h"
#include "engine/network/switch_tree.h"
#include "engine/run/job/changed_topology.h"

namespace rankscope {
namespace {

std::string no_switch_text(const JobSpec& spec) {
  return fmt::format(
      "{} needs a switch that adds up what passes, above all ranks: choose a topology that has one "
      "(--topology nvswitch), or write `reduces = true` at switches of a topology file",
      spec.call.algorithm);
}

/// Returns the parts between commas, of which one may end the text.
std::vector<std::string_view> list_of(std::string_view text) {
  auto parts = split_at(text, ",");
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

struct Failures {
  std::vector<SimOptions::Failure> ranks;
  std::vector<LinkFailure> links;
};

/// Parses "rank2@5ms,link3@1ms".
Failures parse_failures(std::string_view text) {
  Failures out;
  for (const std::string_view part : list_of(text)) {
    const auto at = part.find('@');
    const bool rank = part.starts_with("rank"), link = part.starts_with("link");
    const auto number = rank || link ? as_number<int>(part.substr(4, at - 4)) : std::nullopt;
    if (!number || at == std::string_view::npos)
      throw UserError(
          fmt::format("fail: '{}' is no failure: write rank2@5ms, or link3@1ms for link 3 of the "
                      "topology (from 0)",
                      part));
    const double when = parse_seconds(part.substr(at + 1), "fail");
    if (rank) out.ranks.push_back({*number, when});
    else out.links.push_back({*number, when});
  }
  return out;
}

PortModel ports_of(std::string_view name) {
  for (const PortModel ports : kAllPortModels)
    if (to_string(ports) == name) return ports;
  throw UserError(fmt::format("ports: '{}' is none of full, half, none", name));
}

/// Makes the switches ends of the network for a job whose messages go to them. Throws UserError if none can add.
void add_switches(const JobSpec& spec, Topology& topology, std::vector<Rank>& places,
                  SimSetting& setting) {
  const int ranks = topology.ranks();
  auto tree = find_reducing_tree(topology, places, spec.world.size);
  if (!tree) {
    if (spec.world.size > ranks) return;  // check_sim_options() reports this
    throw UserError(no_switch_text(spec));
  }
  if (topology.model.overhead > 0 || topology.model.byte_overhead > 0)
    throw UserError(fmt::format(
        "{} is simulated without the overheads o and O of messages, since a switch has no "
        "processor: leave them out of the topology's model",
        spec.call.algorithm));
  topology = with_switch_ends(std::move(topology), *tree);
  for (Rank end = ranks; !places.empty() && end < topology.ranks(); ++end) places.push_back(end);
  setting.switches = std::make_unique<ReducingTree>(*std::move(tree));
  setting.options.switches = setting.switches.get();
  setting.options.switch_ends = ranks;
}

}  // namespace

std::vector<double> parse_slow_ranks(std::string_view text, int world_size) {
  std::vector<double> factors;
  for (const std::string_view part : list_of(text)) {
    const auto equals = part.find('=');
    const auto rank = as_number<int>(part.substr(0, equals));
    const auto factor =
        as_number<double>(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!factor || !rank)
      throw UserError(
          fmt::format("slow: '{}' is no slow rank: write 2=10 for rank 2 ten times", part));
    if (*rank < 0 || *rank >= world_size)
      throw UserError(fmt::format("slow: rank {} does not exist (0 to {})", *rank, world_size - 1));
    const auto at = static_cast<std::size_t>(*rank);
    factors.resize(std::max(factors.size(), at + 1), 1);
    factors[at] = *factor;
  }
  return factors;
}

std::vector<LinkFailure> link_failures(std::string_view text) { return parse_failures(text).links; }

SimSetting sim_setting_of(const JobSpec& spec) {
  SimSetting out;
  SimOptions& options = out.options;
  Failures failures = parse_failures(spec.network.failures);
  options.seed = spec.data.seed;
  options.jitter = spec.network.jitter;
  options.slowness = parse_slow_ranks(spec.network.slow_ranks, spec.world.size);
  options.failures = std::move(failures.ranks);
  Topology topology;
  const Algorithm* const algorithm = find_algorithm(spec.call.algorithm);
  const bool in_network = algorithm != nullptr && algorithm->features.in_network;
  if (spec.network.topology.empty()) {
    if (!spec.network.links.empty() || !spec.network.placement.empty())
      throw UserError("links and placement are of a topology: name one");
    options.model.alpha = spec.network.alpha_s;
    options.model.beta = 1 / spec.network.bandwidth;
    options.model.ports = ports_of(spec.network.ports);
  } else {
    topology = topology_of(spec);
    options.model = topology.model;
    // The topology file's kind of ports holds unless the job changes it.
    if (spec.network.ports != JobSpec().network.ports)
      options.model.ports = ports_of(spec.network.ports);
  }
  if (spec.network.gamma_s > 0) options.model.gamma = spec.network.gamma_s;
  // The limit of a job in rendezvous mode comes before the topology's.
  if (spec.transport.mode == SendMode::rendezvous)
    options.model.eager_limit = spec.transport.eager_limit;
  if (!spec.network.topology.empty() && topology.uniform_ranks == 0) {
    auto places = parse_placement(spec.network.placement, topology.ranks());
    if (in_network) add_switches(spec, topology, places, out);
    out.network =
        placed(make_network(std::move(topology), {.failures = failures.links}), std::move(places));
    options.network = out.network.get();
  } else if (in_network) {
    throw UserError(no_switch_text(spec));
  } else if (!spec.network.placement.empty()) {
    throw UserError(
        "placement: on a uniform network all places are alike: choose another topology");
  } else if (!failures.links.empty()) {
    throw UserError("fail: a uniform network has no links to fail: choose another topology");
  }
  check_sim_options(spec.world.size, options);
  return out;
}

}  // namespace rankscope
