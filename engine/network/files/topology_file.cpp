// Reads topology files, reporting faults by file and line, writes them, and finds those that come with rankscope.
#include "engine/network/files/topology_file.h"

#include <cstdlib>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/families/families.h"
#include "engine/network/files/sized_topology.h"
#include "engine/network/network.h"
#include "engine/toml/toml_source.h"
#include "engine/toml/toml_text.h"

namespace rankscope {

struct ModelField {
  std::string_view name;
  double NetworkModel::*member;
  bool per_byte;  ///< Also written as a bandwidth.
};

inline constexpr ModelField kModelFields[] = {
    {"alpha", &NetworkModel::alpha, false}, {"beta", &NetworkModel::beta, true},
    {"gamma", &NetworkModel::gamma, true},  {"o", &NetworkModel::overhead, false},
    {"g", &NetworkModel::gap, false},       {"O", &NetworkModel::byte_overhead, true},
};

namespace {

constexpr std::size_t kMostComplaints = 20;

/// Calls `read`, and complains about the value if it throws.
template <class Read>
void complaining(const TomlNode& at, const Read& read) {
  try {
    read();
  } catch (const UserError& error) {
    at.complain(error.what());
  }
}

/// Reads a text with its unit, or a number in the basic unit.
double quantity(const TomlNode& value, std::string_view key,
                double (*parse)(std::string_view, std::string_view)) {
  const auto& json = value.json();
  if (json.is_string())
    return parse(escaped(json.get_ref<const std::string&>()), fmt::format("'{}'", key));
  if (json.is_number()) return json.get<double>();
  throw UserError(fmt::format("'{}' is a text with a unit, or a number", key));
}

double per_byte(std::string_view text, std::string_view what) {
  return text.ends_with("/s") ? 1 / parse_bandwidth(text, what) : parse_seconds(text, what);
}

/// Reads the value that a word names, or complains.
template <class Value, std::size_t N>
void read_word(TomlNode& table, std::string_view key, const Value (&all)[N], Value& value) {
  if (!table.has(key)) return;
  const std::string word = table.text(key);
  std::vector<std::string> known;
  for (const Value one : all) {
    known.emplace_back(to_string(one));
    if (known.back() == word) value = one;
  }
  if (word.empty() || to_string(value) == word) return;
  table.at(key).complain(fmt::format(
      "'{}' is no {}{}", escaped(shortened(word, 100)), key,
      nearest_hint(shortened(word, 100), known, fmt::format("choose {}", fmt::join(known, ", ")))));
}

class TopologyReader {
 public:
  TopologyReader(TomlNode root, Complaints& complaints)
      : root_(std::move(root)), complaints_(complaints) {}

  Topology run() {
    out_.title = root_.text("title");
    out_.about = root_.text("about");
    TomlNode model = root_.at("model");
    if (root_.has("family")) read_family(root_.at("family"));
    else read_graph();
    if (model) read_model(model);
    root_.finish();
    if (complaints_.empty()) report(find_fault(out_));
    return std::move(out_);
  }

 private:
  void read_family(TomlNode table) {
    FamilyCall call{.name = table.required_text("name")};
    const Family* family = find_family(call.name);
    const std::size_t before = complaints_.all().size();
    if (family != nullptr) {
      for (const FamilyParameter& parameter : family->parameters) {
        const TomlNode value = table.at(parameter.name);
        if (value)
          complaining(value,
                      [&] { call.values.emplace(parameter.name, argument(parameter, value)); });
      }
      table.finish();
    }
    if (complaints_.all().size() == before)
      complaining(table, [&] {
        Topology made = generate(call);
        made.title = std::move(out_.title);
        made.about = std::move(out_.about);
        out_ = std::move(made);
      });
    for (const char* key : {"node", "link", "route", "routing", "dimensions", "ranks_forward"})
      if (root_.has(key))
        root_.at(key).complain(
            fmt::format("a generated topology has no '{}': remove [family] or this", key));
  }

  static FamilyValue argument(const FamilyParameter& parameter, const TomlNode& value) {
    using Type = FamilyParameter::Type;
    const auto& json = value.json();
    if (parameter.type == Type::bandwidth || parameter.type == Type::time) {
      const double number = quantity(
          value, parameter.name, parameter.type == Type::time ? parse_seconds : parse_bandwidth);
      if (!(number > 0) && (parameter.type == Type::bandwidth || !(number >= 0)))
        throw UserError(fmt::format("'{}' must be above 0, not {}", parameter.name, number));
      return number;
    }
    if (json.is_boolean()) return checked(parameter, FamilyValue(json.get<bool>()));
    if (json.is_string()) return checked(parameter, FamilyValue(escaped(json.get<std::string>())));
    std::vector<int> numbers;
    for (const TomlNode& one : value.elements()) {
      const std::int64_t number =
          one.json().is_number_integer() ? one.json().get<std::int64_t>() : -1;
      if (number < 0 || number > INT32_MAX)
        throw UserError(fmt::format("'{}': whole numbers are expected", parameter.name));
      numbers.push_back(static_cast<int>(number));
    }
    return checked(parameter, FamilyValue(std::move(numbers)));
  }

  static FamilyValue checked(const FamilyParameter& parameter, FamilyValue value) {
    check_value(parameter, value);
    return value;
  }

  void read_graph() {
    const bool forward = root_.flag("ranks_forward", false);
    read_word(root_, "routing", kAllRoutings, out_.routing);
    for (const TomlNode& one : root_.at("dimensions").elements()) {
      const auto& json = one.json();
      if (!json.is_number_integer() || json.get<std::int64_t>() < 1 ||
          json.get<std::int64_t>() > kMostNodes)
        one.complain("'dimensions' is a list of whole numbers above 0");
      else out_.dimensions.push_back(json.get<int>());
    }
    if (!root_.has("node"))
      root_.complain("there is no topology here: name a family in [family], or nodes in [[node]]");
    each("node", kMostNodes, node_lines_, [&](TomlNode& node) { read_node(node, forward); });
    each("link", kMostLinks, link_lines_, [&](TomlNode& link) { read_link(link); });
    each("route", kMostLinks, route_lines_, [&](TomlNode& route) { read_route(route); });
  }

  template <class Read>
  void each(std::string_view key, int most, std::vector<int>& lines, const Read& read) {
    const std::vector<TomlNode> all = root_.at(key).elements();
    if (all.size() > static_cast<std::size_t>(most))
      return all[static_cast<std::size_t>(most)].complain(
          fmt::format("{} of '{}' are too many: at most {}", all.size(), key, most));
    for (TomlNode one : all) {
      if (complaints_.all().size() > kMostComplaints) return;
      if (!one.json().is_object()) {
        one.complain(fmt::format("'{}' is a table: write [[{}]] above its fields", key, key));
        continue;
      }
      lines.push_back(one.line());
      read(one);
      one.finish();
    }
  }

  void read_node(TomlNode& table, bool forward) {
    TopologyNode node{.name = shortened(escaped(table.required_text("name")), 100)};
    read_word(table, "kind", kAllNodeKinds, node.kind);
    node.forwards = table.flag("forwards", node.kind != NodeKind::rank || forward);
    node.reduces = table.flag("reduces", false);
    node.level = table.whole("level", 0);
    node.host = shortened(escaped(table.text("host")), 100);
    const std::vector<TomlNode> at = table.at("at").elements();
    const auto is_place = [](const TomlNode& one) {
      return one.json().is_number() && std::abs(one.json().get<double>()) <= 1e6;
    };
    if (at.size() == 2 && is_place(at[0]) && is_place(at[1])) {
      node.x = at[0].json().get<double>();
      node.y = at[1].json().get<double>();
    } else if (table.has("at")) {
      table.at("at").complain("'at' is a place in the picture, such as [0, 1.5]");
    }
    if (!names_.try_emplace(node.name, static_cast<int>(out_.nodes.size())).second)
      table.complain(fmt::format("there is another node '{}': names differ", node.name));
    out_.add_node(std::move(node));
  }

  /// Returns the node of this name; complains and returns -1 if there is none.
  int node_named(const TomlNode& text, std::string_view key) {
    if (!text.json().is_string()) {
      text.complain(fmt::format("'{}' is a list of nodes' names", key));
      return -1;
    }
    const std::string name = shortened(escaped(text.json().get<std::string>()), 100);
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    constexpr std::size_t kMostCompared = 2000;
    std::vector<std::string> known;
    for (const auto& [other, node] : names_)
      if (known.size() < kMostCompared) known.push_back(other);
    text.complain(fmt::format("there is no node '{}'{}", name,
                              nearest_hint(name, known, "add it as a [[node]]")));
    return -1;
  }

  void read_link(TomlNode& table) {
    TopologyLink link;
    const std::vector<TomlNode> ends = table.at("between").elements();
    if (ends.size() != 2)
      table.complain("a link needs 'between' with two nodes, such as [\"a\", \"b\"]");
    else link.a = node_named(ends[0], "between"), link.b = node_named(ends[1], "between");
    read_word(table, "duplex", kAllDuplexes, link.duplex);
    link.label = shortened(escaped(table.text("label")), 40);
    const TomlNode rate = table.at("bandwidth");
    const std::vector<TomlNode> rates = rate.elements();
    if (rates.empty() || rates.size() > 2)
      (rate ? rate : table)
          .complain("a link needs a 'bandwidth', such as \"10 GB/s\", or two: there and back");
    else
      complaining(rate, [&] {
        link.bandwidth = quantity(rates.front(), "bandwidth", parse_bandwidth);
        link.back = quantity(rates.back(), "bandwidth", parse_bandwidth);
      });
    if (const TomlNode latency = table.at("latency"))
      complaining(latency, [&] { link.latency = quantity(latency, "latency", parse_seconds); });
    out_.add_link(std::move(link));
  }

  void read_route(TomlNode& table) {
    GivenRoute route;
    for (const TomlNode& node : table.at("nodes").elements())
      route.nodes.push_back(node_named(node, "nodes"));
    out_.routes.push_back(std::move(route));
  }

  void read_model(TomlNode& table) {
    NetworkModel& model = out_.model;
    for (const ModelField& field : kModelFields) {
      const TomlNode value = table.at(field.name);
      if (!value) continue;
      complaining(value, [&] {
        const double number =
            quantity(value, field.name, field.per_byte ? per_byte : parse_seconds);
        if (!(number >= 0 && number <= 1000))
          throw UserError(fmt::format("'{}' is 0 to 1000 seconds, not {}", field.name, number));
        model.*field.member = number;
      });
    }
    read_word(table, "ports", kAllPortModels, model.ports);
    if (table.has("S") && table.has("eager_limit"))
      table.at("S").complain("'S' and 'eager_limit' are the same: give one");
    for (const char* key : {"S", "eager_limit"}) {
      const TomlNode value = table.at(key);
      if (value) complaining(value, [&] { model.eager_limit = limit(value, key); });
    }
    if (model.beta > 0 && out_.uniform_ranks == 0)
      table.at("beta").complain(
          "'beta' is of a uniform network only: here the links have a 'bandwidth'");
    table.finish();
  }

  static std::uint64_t limit(const TomlNode& value, std::string_view key) {
    const auto& json = value.json();
    if (json.is_number_integer() && json.get<std::int64_t>() >= 0) return json.get<std::uint64_t>();
    if (!json.is_string()) throw UserError(fmt::format("'{}' is a size, such as \"64KiB\"", key));
    return parse_size(json.get_ref<const std::string&>(), fmt::format("'{}'", key));
  }

  void report(const TopologyFault& fault) {
    if (!fault) return;
    const auto line = [&](const std::vector<int>& lines) {
      const auto at = static_cast<std::size_t>(fault.at);
      return fault.at >= 0 && at < lines.size() ? lines[at] : 0;
    };
    using Of = TopologyFault::Of;
    complaints_.add(root_.file(),
                    fault.of == Of::node    ? line(node_lines_)
                    : fault.of == Of::link  ? line(link_lines_)
                    : fault.of == Of::route ? line(route_lines_)
                                            : 0,
                    fault.text);
  }

  TomlNode root_;
  Complaints& complaints_;
  Topology out_;
  std::map<std::string, int, std::less<>> names_;
  std::vector<int> node_lines_, link_lines_, route_lines_;
};

[[noreturn]] void refuse(const Complaints& complaints, const std::string& name) {
  std::string text = complaints.first(kMostComplaints, name).to_string();
  throw UserError(std::string(trimmed(text)));
}

}  // namespace

Topology parse_topology(std::string_view text, std::string name) {
  Complaints complaints;
  constexpr int kLineLevels = 4;
  const auto source = parse_toml(text, name, complaints, {.line_levels = kLineLevels});
  if (source == nullptr) refuse(complaints, name);
  Topology out = TopologyReader(TomlNode(source, complaints), complaints).run();
  if (!complaints.empty()) refuse(complaints, name);
  return out;
}

Topology read_topology(const std::filesystem::path& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostTopologyBytes, fault);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", escaped(file.string()), fault));
  return parse_topology(text, escaped(file.string()));
}

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
  // TOML's whole numbers have 63 bits; a larger limit stands for none.
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

namespace fs = std::filesystem;

fs::path topologies_folder() {
  std::error_code error;
  if (const char* named = std::getenv("RANKSCOPE_TOPOLOGIES"); named != nullptr && *named != '\0') {
    if (!fs::is_directory(named, error))
      throw UserError(
          fmt::format("RANKSCOPE_TOPOLOGIES names '{}', which is not a folder", escaped(named)));
    return named;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* at : {"../share/rankscope/topologies", "../topology-files"})
    if (fs::is_directory(program / at, error)) return (program / at).lexically_normal();
  throw UserError(
      "the topologies are not there: install rankscope with its share/rankscope/topologies, or "
      "name their folder in RANKSCOPE_TOPOLOGIES");
}

std::vector<std::string> topology_names() {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(topologies_folder(), error))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem());
  ranges::sort(out);
  return out;
}

Topology open_topology(std::string_view name_or_file) {
  const std::string text(name_or_file);
  std::error_code error;
  if (text.find('/') != std::string::npos || text.ends_with(".toml") ||
      fs::is_regular_file(text, error))
    return read_topology(text);
  const std::vector<std::string> names = topology_names();
  if (ranges::find(names, text) != names.end())
    return read_topology(topologies_folder() / (text + ".toml"));
  if (const auto at = text.rfind('@'); at != std::string::npos)
    return changed_by(open_topology(text.substr(0, at)), text.substr(at + 1));
  throw UserError(fmt::format(
      "there is no topology '{}'{}", escaped(shortened(text, 100)),
      nearest_hint(shortened(text, 100), names, "see `rankscope topology list`, or name a file")));
}

}  // namespace rankscope
