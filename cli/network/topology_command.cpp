// `rankscope topology`: lists, shows, checks, draws and converts topologies.
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/network/topology_report.h"
#include "cli/sizes.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/write_file.h"
#include "cli/train/pipeline_picture.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/network/topology_picture.h"
#include "engine/diagrams/scene/theme.h"
#include "engine/network/files/nccl_topology.h"
#include "engine/network/files/simgrid_platform.h"
#include "engine/network/files/topology_file.h"
#include "engine/network/router.h"

namespace rankscope::cli {
namespace {

struct TopologyOptions {
  std::string name, nccl, route, picture, theme = "light", simgrid, toml;
  bool families = false;
  OptionList app;
};

Topology opened(const TopologyOptions& o, const std::string& action) {
  if (!o.nccl.empty() && !o.name.empty()) throw UserError("give a topology or --nccl, not both");
  if (!o.nccl.empty()) return read_nccl_topology(o.nccl);
  if (o.name.empty())
    throw UserError(fmt::format(
        "`rankscope topology {}` needs a topology: a name of `rankscope topology list`, a "
        "file, or --nccl FILE.xml",
        action));
  return open_topology(o.name);
}

std::optional<RankPair> pair_of(const TopologyOptions& o, const Topology& topology) {
  if (o.route.empty()) return {};
  const auto parts = split(o.route, ':');
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
  Table table({{"name", kLeft}, {"ranks"}, {"links"}, {"", kLeft}});
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

/// show, check and export: opens the topology, writes the files that are asked for, and describes it unless only files are wanted.
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
  actions.add("list", {0, 1, "no topology"}, [o](const Console& console) {
    check_file_names(*o);
    return list_all(console, *o);
  });
  for (const std::string word : {"show", "check", "export"})
    actions.add(word, {0, 1, "one topology"},
                [o, word](const Console& console) { return report_topology(console, *o, word); });
  app.add_option("TOPOLOGY", "TOPOLOGY|FILE", o->name, "A name of the list, or a file (TOML)");
  app.add_option("--nccl", "FILE.xml", o->nccl,
                 "Read what NCCL wrote (NCCL_TOPO_DUMP_FILE) in place of a topology");
  app.add_flag("--families", o->families, "list: the families, with the parameters of each");
  app.add_option("--route", "FROM:TO", o->route, "The route from one rank to another");
  const OptionList results = app.in_group("Results");
  results.add_option("--picture", "FILE", o->picture, "Draw it: .svg, .pdf or .png");
  results.add_option("--theme", "light|dark|print", o->theme, "Colours of the picture")
      .capture_default_str();
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
        "A topology says who is linked to whom, with bandwidths and latencies: a file "
        "in TOML, with nodes "
        "and links or a family with its parameters. list: those that come with "
        "rankscope; with --families, "
        "what can be generated. show: size, diameter, bisection bandwidth and links. "
        "check: every mistake "
        "in a file, with its line. export: only the files that the options name.",
    .examples =
        "rankscope topology list  # what there is\n"
        "rankscope topology list --families  # what a file's [family] can name\n"
        "rankscope topology show puzzler --route 0:2  # which links a message takes\n"
        "rankscope topology show torus-2d --picture torus.svg --theme dark\n"
        "rankscope topology check my-cluster.toml  # what is wrong, and in which line\n"
        "rankscope topology export hosts --simgrid hosts.xml  # a platform for SimGrid\n"
        "rankscope topology export --nccl topo.xml --toml server.toml  # from "
        "NCCL_TOPO_DUMP_FILE",
    .define = define_topology,
};

}  // namespace rankscope::cli
