// The generator of each family, and what they share.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/network/families/families.h"

namespace rankscope {

// Direct networks: ranks are linked to each other and forward.
Topology fully_connected(const FamilyArguments& arguments);
Topology ring_network(const FamilyArguments& arguments);
Topology torus_network(const FamilyArguments& arguments);
Topology mesh_network(const FamilyArguments& arguments);
Topology hypercube_network(const FamilyArguments& arguments);
Topology uniform_topology(const FamilyArguments& arguments);

// Networks of switches.
Topology star_network(const FamilyArguments& arguments);
Topology fat_tree(const FamilyArguments& arguments);
Topology dragonfly(const FamilyArguments& arguments);

// Inside of servers, and between them.
Topology pcie_server(const FamilyArguments& arguments);
Topology nvswitch_server(const FamilyArguments& arguments);
Topology gpu_cluster(const FamilyArguments& arguments);

/// Throws UserError if there would be too many nodes or links.
void require_size(std::int64_t nodes, std::int64_t links);
/// Returns a link by the parameters PREFIXbandwidth and PREFIXlatency.
TopologyLink link_between(const FamilyArguments& arguments, std::string_view prefix, int a, int b);
/// Returns place `index` of `count` on a circle around the origin: neighbours are `apart`, the first is on top.
std::pair<double, double> on_circle(int index, int count, double apart);

}  // namespace rankscope
