// Writes what there is to know about a topology.
#include "cli/network/topology_report.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/rate_text.h"
#include "engine/network/families/families.h"
#include "engine/network/router.h"
#include "engine/network/topology_facts.h"

namespace rankscope::cli {
namespace {

constexpr std::size_t kMostLinksShown = 64;

std::string rate_text(double bytes_per_second) { return bandwidth_text(bytes_per_second, 4); }

std::string rates_text(const TopologyLink& link) {
  if (link.duplex == Duplex::half) return rate_text(link.bandwidth) + ", half duplex";
  if (link.bandwidth == link.back) return rate_text(link.bandwidth);
  return fmt::format("{} there, {} back", rate_text(link.bandwidth), rate_text(link.back));
}

struct PairRoute {
  std::vector<std::string> nodes;
  RouteCost cost;
};

PairRoute route_of(const Topology& topology, const RankPair& pair) {
  PairRoute out;
  const auto name = [&](int node) { return topology.name_of(node); };
  if (topology.uniform_ranks > 0) {
    out.nodes = {fmt::format("r{}", pair.first), fmt::format("r{}", pair.second)};
    out.cost = {topology.model.alpha, topology.model.beta > 0 ? 1 / topology.model.beta : INFINITY};
    return out;
  }
  std::vector<Hop> hops;
  Router(topology).find(pair.first, pair.second, hops);
  out.nodes.push_back(name(topology.rank_nodes[static_cast<std::size_t>(pair.first)]));
  for (const Hop& hop : hops) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(hop.link)];
    out.nodes.push_back(name(hop.back ? link.a : link.b));
  }
  out.cost = cost_of(topology, hops);
  out.cost.latency += topology.model.alpha;
  return out;
}

std::string route_text(const Topology& topology, const RankPair& pair) {
  const PairRoute route = route_of(topology, pair);
  return fmt::format("Rank {} to rank {}: {}\n  latency {}, {} if nobody else uses its links\n",
                     pair.first, pair.second, fmt::join(route.nodes, " → "),
                     format_seconds(route.cost.latency), rate_text(route.cost.bandwidth));
}

std::string model_text(const NetworkModel& model) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, double seconds, std::string_view unit) {
    if (seconds > 0)
      parts.push_back(fmt::format("{} {}{}", name, exact_seconds_text(seconds), unit));
  };
  add("alpha", model.alpha, "");
  add("beta", model.beta, " a byte");
  add("gamma", model.gamma, " a byte");
  add("o", model.overhead, "");
  add("g", model.gap, "");
  add("O", model.byte_overhead, " a byte");
  parts.push_back(fmt::format("ports {}", to_string(model.ports)));
  if (model.eager_limit != UINT64_MAX)
    parts.push_back("rendezvous above " + format_bytes(model.eager_limit));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string links_table(const Topology& topology, const Style& style) {
  Table table({{"link", kLeft}, {"", kLeft}, {"bandwidth each way", kLeft}, {"latency"}});
  std::size_t shown = 0;
  for (int i = 0; i < static_cast<int>(topology.links.size()) && shown < kMostLinksShown;
       ++i, ++shown) {
    const TopologyLink& link = topology.links[static_cast<std::size_t>(i)];
    table.add_row(
        {topology.link_name(i), link.label, rates_text(link), format_seconds(link.latency)});
  }
  std::string out = table.to_string(style);
  if (shown < topology.links.size())
    out += fmt::format("and {} more; --json has all\n", topology.links.size() - shown);
  return out;
}

}  // namespace

std::string size_text(const Topology& topology) {
  std::string out = plural(topology.ranks(), "rank");
  if (topology.uniform_ranks > 0) return out + ", a link of its own for each pair";
  std::map<NodeKind, int> kinds;
  for (const TopologyNode& node : topology.nodes) ++kinds[node.kind];
  for (const auto& [kind, count] : kinds)
    if (kind != NodeKind::rank)
      out += fmt::format(", {} {}{}", count, kind == NodeKind::nic ? "NIC" : to_string(kind),
                         count == 1                                                          ? ""
                         : kind == NodeKind::network_switch || kind == NodeKind::pcie_switch ? "es"
                                                                                             : "s");
  std::map<std::string, int> rates;
  for (const TopologyLink& link : topology.links) ++rates[rates_text(link)];
  out += ", " + plural(topology.links.size(), "link");
  std::vector<std::string> parts;
  for (const auto& [rate, count] : rates) parts.push_back(fmt::format("{} of {}", count, rate));
  return parts.empty() ? out : fmt::format("{}: {}", out, fmt::join(parts, ", "));
}

std::string figures_text(const Topology& topology) {
  std::vector<std::string> parts;
  if (const auto diameter = find_diameter(topology))
    parts.push_back("diameter " + plural(*diameter, "link"));
  if (const auto bisection = find_bisection(topology))
    parts.push_back(fmt::format("bisection bandwidth {}{} in each direction",
                                bisection->exact ? "" : "at most ",
                                rate_text(bisection->bandwidth)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string topology_text(const Topology& topology, const std::optional<RankPair>& pair,
                          const Style& style) {
  std::string out = style.bold(topology.title.empty() ? "Topology" : topology.title) + "\n";
  if (!topology.about.empty()) out += topology.about + "\n";
  out += "\n" + size_text(topology) + "\n";
  if (const std::string figures = figures_text(topology); !figures.empty()) out += figures + "\n";
  if (topology.uniform_ranks == 0) out += fmt::format("routes: {}\n", to_string(topology.routing));
  out += fmt::format("model: {}\n", model_text(topology.model));
  if (!topology.links.empty()) out += "\n" + links_table(topology, style);
  if (pair) out += "\n" + route_text(topology, *pair);
  return out;
}

nlohmann::ordered_json topology_json(const Topology& topology,
                                     const std::optional<RankPair>& pair) {
  nlohmann::ordered_json out{
      {"title", topology.title}, {"about", topology.about}, {"ranks", topology.ranks()}};
  if (const auto diameter = find_diameter(topology)) out["diameter"] = *diameter;
  if (const auto bisection = find_bisection(topology)) {
    out["bisection_bytes_per_s"] = bisection->bandwidth;
    out["bisection_exact"] = bisection->exact;
  }
  out["routing"] = to_string(topology.routing);
  const NetworkModel& model = topology.model;
  out["model"] = {
      {"alpha_s", model.alpha},         {"beta_s", model.beta}, {"gamma_s", model.gamma},
      {"o_s", model.overhead},          {"g_s", model.gap},     {"O_s", model.byte_overhead},
      {"ports", to_string(model.ports)}};
  if (model.eager_limit != UINT64_MAX) out["model"]["eager_limit"] = model.eager_limit;
  out["nodes"] = nlohmann::ordered_json::array();
  for (const TopologyNode& node : topology.nodes)
    out["nodes"].push_back({{"name", node.name},
                            {"kind", to_string(node.kind)},
                            {"forwards", node.forwards},
                            {"reduces", node.reduces},
                            {"host", node.host},
                            {"at", {node.x, node.y}}});
  out["links"] = nlohmann::ordered_json::array();
  for (const TopologyLink& link : topology.links)
    out["links"].push_back({{"between", {topology.name_of(link.a), topology.name_of(link.b)}},
                            {"bytes_per_s", link.bandwidth},
                            {"back_bytes_per_s", link.back},
                            {"latency_s", link.latency},
                            {"duplex", to_string(link.duplex)},
                            {"label", link.label}});
  if (pair) {
    const PairRoute route = route_of(topology, *pair);
    out["route"] = {{"from", pair->first},
                    {"to", pair->second},
                    {"nodes", route.nodes},
                    {"latency_s", route.cost.latency},
                    {"bytes_per_s", route.cost.bandwidth}};
  }
  return out;
}

std::string families_text(const Style& style) {
  Table table({{"parameter", kLeft}, {"default", kLeft}, {"", kLeft}});
  for (const Family& family : families()) {
    table.add_section(fmt::format("{}: {}", style.bold(family.name), family.summary));
    for (const FamilyParameter& parameter : family.parameters)
      table.add_row({std::string(parameter.name), std::string(parameter.otherwise),
                     std::string(parameter.help)});
  }
  return table.to_string(style);
}

nlohmann::ordered_json families_json() {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Family& family : families()) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const FamilyParameter& parameter : family.parameters)
      parameters.push_back(
          {{"name", parameter.name}, {"default", parameter.otherwise}, {"help", parameter.help}});
    out.push_back({{"name", family.name}, {"summary", family.summary}, {"parameters", parameters}});
  }
  return out;
}

}  // namespace rankscope::cli
