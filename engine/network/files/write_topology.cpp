// Writes a topology as the TOML that its reader takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/rate_text.h"
#include "engine/network/families/families.h"
#include "engine/network/files/model_fields.h"
#include "engine/network/files/topology_file.h"
#include "engine/toml/toml_text.h"

namespace rankscope {
namespace {

std::string family_text(const FamilyCall& call) {
  std::string out = fmt::format("\n[family]\nname = {}\n", toml_quoted(call.name));
  const Family* family = find_family(call.name);
  for (const FamilyParameter& parameter : family->parameters) {
    const auto value = call.values.find(parameter.name);
    if (value == call.values.end()) continue;
    using Type = FamilyParameter::Type;
    const std::string text = text_of(parameter, value->second);
    const bool quoted = parameter.type == Type::bandwidth || parameter.type == Type::time ||
                        parameter.type == Type::duplex;
    out += fmt::format("{} = {}\n", parameter.name, quoted ? toml_quoted(text) : text);
  }
  return out;
}

std::string node_text(const TopologyNode& node, bool ranks_forward) {
  std::string out = fmt::format("\n[[node]]\nname = {}\n", toml_quoted(node.name));
  const bool is_rank = node.kind == NodeKind::rank;
  if (!is_rank) out += fmt::format("kind = \"{}\"\n", to_string(node.kind));
  if (node.forwards != (!is_rank || ranks_forward))
    out += fmt::format("forwards = {}\n", node.forwards);
  if (node.reduces) out += "reduces = true\n";
  if (node.level != 0) out += fmt::format("level = {}\n", node.level);
  if (!node.host.empty()) out += fmt::format("host = {}\n", toml_quoted(node.host));
  if (node.x != 0 || node.y != 0) out += fmt::format("at = [{}, {}]\n", node.x, node.y);
  return out;
}

std::string link_text(const Topology& topology, const TopologyLink& link) {
  const auto rate = [](double value) { return toml_quoted(exact_bandwidth_text(value)); };
  std::string out =
      fmt::format("\n[[link]]\nbetween = [{}, {}]\n", toml_quoted(topology.name_of(link.a)),
                  toml_quoted(topology.name_of(link.b)));
  if (link.bandwidth == link.back) out += fmt::format("bandwidth = {}\n", rate(link.bandwidth));
  else out += fmt::format("bandwidth = [{}, {}]\n", rate(link.bandwidth), rate(link.back));
  if (link.latency != 0)
    out += fmt::format("latency = {}\n", toml_quoted(exact_seconds_text(link.latency)));
  if (link.duplex == Duplex::half) out += "duplex = \"half\"\n";
  if (!link.label.empty()) out += fmt::format("label = {}\n", toml_quoted(link.label));
  return out;
}

std::string graph_text(const Topology& topology) {
  bool forward = true;
  for (const int node : topology.rank_nodes)
    forward = forward && topology.nodes[static_cast<std::size_t>(node)].forwards;
  std::string out;
  if (topology.routing != Routing::shortest)
    out += fmt::format("routing = \"{}\"\n", to_string(topology.routing));
  if (!topology.dimensions.empty())
    out += fmt::format("dimensions = [{}]\n", fmt::join(topology.dimensions, ", "));
  if (forward) out += "ranks_forward = true\n";
  return out;
}

std::string model_text(const NetworkModel& model) {
  std::string out;
  for (const ModelField& field : kModelFields)
    if (const double value = model.*field.member; value != 0)
      out += fmt::format("{} = {}\n", field.name, toml_quoted(exact_seconds_text(value)));
  if (model.ports != PortModel::full)
    out += fmt::format("ports = \"{}\"\n", to_string(model.ports));
  // A whole number of TOML has 63 bits; what is beyond never ends.
  if (model.eager_limit <= INT64_MAX) out += fmt::format("eager_limit = {}\n", model.eager_limit);
  return out.empty() ? out : "\n[model]\n" + out;
}

}  // namespace

std::string to_toml(const Topology& topology) {
  check_topology(topology);
  std::string out;
  if (!topology.title.empty()) out += fmt::format("title = {}\n", toml_quoted(topology.title));
  if (!topology.about.empty()) out += fmt::format("about = {}\n", toml_quoted(topology.about));
  if (!topology.family.name.empty())
    return out + family_text(topology.family) + model_text(topology.model);
  if (topology.uniform_ranks > 0)
    return out +
           family_text({.name = "uniform",
                        .values = {{"ranks", std::vector<int>{topology.uniform_ranks}}}}) +
           model_text(topology.model);
  out += graph_text(topology) + model_text(topology.model);
  bool forward = out.find("ranks_forward = true\n") != std::string::npos;
  for (const TopologyNode& node : topology.nodes) out += node_text(node, forward);
  for (const TopologyLink& link : topology.links) out += link_text(topology, link);
  for (const GivenRoute& route : topology.routes) {
    std::vector<std::string> names;
    for (const int node : route.nodes) names.push_back(toml_quoted(topology.name_of(node)));
    out += fmt::format("\n[[route]]\nnodes = [{}]\n", fmt::join(names, ", "));
  }
  return out;
}

}  // namespace rankscope
