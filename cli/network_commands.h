// The rows of the commands for networks that one draws.
#pragma once

#include <array>

#include "cli/commands.h"

namespace rankscope::cli {

inline constexpr std::string_view kNetworks = "Networks";

inline constexpr auto kNetworkCommands = std::to_array<CommandEntry>({
    {
        .name = "topology",
        .group = kNetworks,
        .summary = "list, show, check, draw and convert topologies of networks",
        .details = "A topology says who is linked to whom, with bandwidths and latencies: a file "
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
    },
});

}  // namespace rankscope::cli
