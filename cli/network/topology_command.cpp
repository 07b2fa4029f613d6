// `rankscope topology`: lists, shows, checks, draws and converts topologies.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include "cli/command.h"
#include "cli/sizes.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/train/pipeline_picture.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/network/families/families.h"
#include "engine/network/files/nccl_topology.h"
#include "engine/network/files/simgrid_platform.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/router.h"
#include "engine/network/topology.h"
#include "engine/network/topology_facts.h"

namespace rankscope::cli {
namespace {

using RankPair = std::pair<Rank, Rank>;

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
  Table table({{"link", kLeft}, {"", kLeft}, {"bandwidth each way", kLeft}, "latency"});
  const std::size_t shown = std::min(topology.links.size(), kMostLinksShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const TopologyLink& link = topology.links[i];
    table.add_row({topology.link_name(static_cast<int>(i)), link.label, rates_text(link),
                   format_seconds(link.latency)});
  }
  std::string out = table.to_string(style);
  if (shown < topology.links.size())
    out += fmt::format("and {} more; --json has all\n", topology.links.size() - shown);
  return out;
}

/// Returns "8 ranks, 24 links: 16 of 12.5 GB/s, 8 of 50 GB/s".
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

/// Returns "diameter 4 links, bisection bandwidth 25 GB/s", a line for a picture.
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

/// Returns size, diameter and bisection, links, and the route of a pair.
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

/// Returns a table with a row for each parameter of each family.
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

struct TopologyOptions {
  std::string name, nccl, route, picture, theme = "light", simgrid, toml;
  bool families = false;
  OptionList app;
};

Topology opened(const TopologyOptions& o, const std::string& action) {
  if (!o.nccl.empty() && !o.name.empty()) throw UserError("give a topology or --nccl, not both");
  if (!o.nccl.empty()) return read_nccl_topology(o.nccl);
  if (o.name.empty())
    throw UserError(
        fmt::format("`rankscope topology {}` needs a topology: a name of `rankscope topology "
                    "list`, a file, or --nccl FILE.xml",
                    action));
  return open_topology(o.name);
}

std::optional<RankPair> pair_of(const TopologyOptions& o, const Topology& topology) {
  if (o.route.empty()) return {};
  const auto parts = split_at(o.route, ":");
  if (parts.size() != 2)
    throw UserError(fmt::format("--route: '{}' is not FROM:TO, such as 0:3", o.route));
  const auto rank = [&](std::string_view text) {
    return static_cast<Rank>(parse_integer(text, "--route", 0, topology.ranks() - 1));
  };
  return RankPair{rank(parts[0]), rank(parts[1])};
}

void check_file_names(const TopologyOptions& o) {
  for (const auto& [option, file] :
       {std::pair{"--picture", &o.picture}, {"--simgrid", &o.simgrid}, {"--toml", &o.toml}})
    if (o.app.count(option) > 0) need_file_name(*file);
  (void)theme_named(o.theme);
  const FileFormat* format = o.picture.empty() ? nullptr : format_of_file(o.picture);
  if (!o.picture.empty() && (format == nullptr || !format->picture() || format->moves))
    throw UserError(fmt::format(
        "--picture writes .svg, .pdf or .png, not '{}': give its name one of these endings",
        o.picture));
}

void write_files(const Console& console, const TopologyOptions& o, const Topology& topology,
                 const std::optional<RankPair>& pair) {
  if (!o.picture.empty()) {
    TopologyPictureOptions options{.route = {}, .loads = {}, .note = figures_text(topology)};
    if (pair && topology.uniform_ranks == 0)
      Router(topology).find(pair->first, pair->second, options.route);
    write_picture(topology_picture(topology, options, system_ruler()), o.picture, o.theme);
  }
  if (!o.simgrid.empty()) write_whole(o.simgrid, to_simgrid(topology));
  if (!o.toml.empty()) write_whole(o.toml, to_toml(topology));
  for (const std::string* file : {&o.picture, &o.simgrid, &o.toml})
    if (!file->empty()) console.note("wrote " + *file);
}

int list_all(const Console& console, const TopologyOptions& o) {
  if (o.families) {
    if (console.json()) console.print_raw(families_json().dump(2) + "\n");
    else console.print(families_text(console.out()));
    return kOk;
  }
  Table table({{"name", kLeft}, "ranks", "links", {"", kLeft}});
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const std::string& name : topology_names()) {
    const Topology topology = open_topology(name);
    table.add_row({name, fmt::format("{}", topology.ranks()),
                   fmt::format("{}", topology.links.size()), topology.title});
    json.push_back({{"name", name},
                    {"title", topology.title},
                    {"about", topology.about},
                    {"ranks", topology.ranks()},
                    {"links", topology.links.size()}});
  }
  if (console.json()) console.print_raw(json.dump(2) + "\n");
  else console.print(table.to_string(console.out()));
  return kOk;
}

/// Carries out show, check and export: opens the topology, writes the named files, and describes it unless only files
/// are wanted.
int report_topology(const Console& console, const TopologyOptions& o, const std::string& action) {
  check_file_names(o);
  if (action == "export" && o.picture.empty() && o.simgrid.empty() && o.toml.empty())
    throw UserError(
        "`rankscope topology export` writes --simgrid FILE.xml, --toml FILE.toml or --picture "
        "FILE");
  const Topology topology = opened(o, action);
  const auto pair = pair_of(o, topology);
  write_files(console, o, topology, pair);
  if (action == "export") return kOk;
  if (console.json()) console.print_raw(topology_json(topology, pair).dump(2) + "\n");
  else if (action == "show") console.print(topology_text(topology, pair, console.out()));
  else console.print(fmt::format("{}; every rank reaches every other\n", size_text(topology)));
  return kOk;
}

Action define_topology(OptionList app) {
  const auto o = std::make_shared<TopologyOptions>();
  o->app = app;
  ActionList actions(app);
  actions.add("list", "those that come with rankscope; with --families, what can be generated",
              {0, 1, "no topology"}, [o](const Console& console) {
                check_file_names(*o);
                return list_all(console, *o);
              });
  const auto add = [&](const std::string& word, const char* summary) {
    actions.add(word, summary, {0, 1, "one topology"},
                [o, word](const Console& console) { return report_topology(console, *o, word); });
  };
  add("show", "size, diameter, bisection bandwidth and links");
  add("check", "every mistake in a file, with its line");
  add("export", "only the files that the options name");
  app.add_option("TOPOLOGY", "TOPOLOGY|FILE", o->name, "A name of the list, or a file (TOML)");
  app.add_option("--nccl", "FILE.xml", o->nccl,
                 "Read NCCL's topology dump (NCCL_TOPO_DUMP_FILE) instead of a topology file");
  app.add_flag("--families", o->families, "list: the families, with the parameters of each");
  app.add_option("--route", "FROM:TO", o->route, "The route from one rank to another");
  const OptionList results = app.in_group("Results");
  results.add_option("--picture", "FILE", o->picture, "Draw it: .svg, .pdf or .png");
  results.add_with_default("--theme", "light|dark|print", o->theme, "Colours of the picture");
  results.add_option("--simgrid", "FILE.xml", o->simgrid,
                     "Write it as a platform of SimGrid, with all routes");
  results.add_option("--toml", "FILE.toml", o->toml, "Write it in rankscope's own form");
  return [o, actions](const Console& console) {
    return actions.run(console, {&o->name, o->name.empty() ? 0U : 1U});
  };
}

}  // namespace

constinit const CommandEntry kTopologyCommand{
    .name = "topology",
    .group = kNetworks,
    .summary = "list, show, check, draw and convert topologies of networks",
    .details =
        "A topology says who is linked to whom, with bandwidths and latencies: a file in TOML, "
        "with nodes and links or a family with its parameters.",
    .examples =
        "rankscope topology list  # what there is\n"
        "rankscope topology list --families  # what a file's [family] can name\n"
        "rankscope topology show puzzler --route 0:2  # which links a message takes\n"
        "rankscope topology show torus-2d --picture torus.svg --theme dark\n"
        "rankscope topology check my-cluster.toml  # what is wrong, and in which line\n"
        "rankscope topology export hosts --simgrid hosts.xml  # a platform for SimGrid\n"
        "rankscope topology export --nccl topo.xml --toml server.toml  # from NCCL_TOPO_DUMP_FILE",
    .define = define_topology,
};

}  // namespace rankscope::cli
