// Generates servers with several GPUs, and clusters of them.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

TopologyNode part(std::string name, NodeKind kind, std::string_view host, double x, double y,
                  int level = 0) {
  return {.name = std::move(name),
          .kind = kind,
          .forwards = kind != NodeKind::rank,
          .level = level,
          .host = std::string(host),
          .x = x,
          .y = y};
}

/// Adds a host of a cluster, and returns the nodes of its NICs.
std::vector<int> add_host(Topology& out, const FamilyArguments& arguments, int host, double left) {
  const int gpus = arguments.whole("gpus"), nics = arguments.whole("nics");
  const std::string name = fmt::format("h{}", host);
  const int inner = out.add_node(
      part(name + ".nvswitch", NodeKind::network_switch, name, left + (gpus - 1) / 2.0, 1.5));
  std::vector<int> pcie, cards;
  for (int n = 0; n < nics; ++n) {
    const double x = left + (n + 0.5) * gpus / nics - 0.5;
    pcie.push_back(out.add_node(
        part(fmt::format("{}.pcie{}", name, n), NodeKind::pcie_switch, name, x, -1.2)));
    cards.push_back(
        out.add_node(part(fmt::format("{}.nic{}", name, n), NodeKind::nic, name, x, -2.2)));
    out.add_link(link_between(arguments, "pcie_", cards.back(), pcie.back()));
  }
  for (int g = 0; g < gpus; ++g) {
    const int gpu =
        out.add_node(part(fmt::format("{}.gpu{}", name, g), NodeKind::rank, name, left + g, 0));
    out.add_link(link_between(arguments, "nvlink_", gpu, inner));
    out.add_link(
        link_between(arguments, "pcie_", gpu, pcie[static_cast<std::size_t>(g * nics / gpus)]));
  }
  return cards;
}

}  // namespace

Topology pcie_server(const FamilyArguments& arguments) {
  const int gpus = arguments.whole("gpus"), sockets = arguments.whole("sockets"),
            under = arguments.whole("gpus_per_switch");
  const int switches = (gpus + under - 1) / under;
  if (switches < sockets)
    throw UserError(fmt::format(
        "gpus_per_switch: {} GPUs under {} each are {} PCIe switches, fewer than {} sockets", gpus,
        under, switches, sockets));
  require_size(gpus + switches + sockets, gpus + switches + sockets);
  Topology out;
  std::vector<int> roots, bridges;
  for (int s = 0; s < sockets; ++s)
    roots.push_back(out.add_node(part(fmt::format("socket{}", s), NodeKind::socket, "server",
                                      (s + 0.5) * gpus / sockets - 0.5, -3.2)));
  for (int b = 0; b < switches; ++b) {
    bridges.push_back(
        out.add_node(part(fmt::format("pcie{}", b), NodeKind::pcie_switch, "server",
                          std::min(b * under + (under - 1) / 2.0, gpus - 1.0), -1.6)));
    const int root = roots[static_cast<std::size_t>(b * sockets / switches)];
    out.add_link(link_between(arguments, "pcie_", bridges.back(), root));
  }
  for (int g = 0; g < gpus; ++g) {
    const int gpu = out.add_node(part(fmt::format("gpu{}", g), NodeKind::rank, "server", g, 0));
    out.add_link(
        link_between(arguments, "pcie_", gpu, bridges[static_cast<std::size_t>(g / under)]));
  }
  for (int a = 0; a < sockets; ++a)
    for (int b = a + 1; b < sockets; ++b)
      out.add_link(link_between(arguments, "socket_", roots[static_cast<std::size_t>(a)],
                                roots[static_cast<std::size_t>(b)]));
  return out;
}

Topology nvswitch_server(const FamilyArguments& arguments) {
  const int gpus = arguments.whole("gpus");
  require_size(gpus + 1, gpus);
  Topology out;
  TopologyNode middle =
      part("nvswitch", NodeKind::network_switch, "server", (gpus - 1) / 2.0, -1.8, 1);
  middle.reduces = arguments.flag("reduces");
  const int inner = out.add_node(std::move(middle));
  for (int g = 0; g < gpus; ++g) {
    const int gpu = out.add_node(part(fmt::format("gpu{}", g), NodeKind::rank, "server", g, 0));
    out.add_link(link_between(arguments, "nvlink_", gpu, inner));
  }
  return out;
}

Topology gpu_cluster(const FamilyArguments& arguments) {
  const int hosts = arguments.whole("hosts"), gpus = arguments.whole("gpus"),
            nics = arguments.whole("nics"), spines = arguments.whole("spines");
  const bool rails = arguments.flag("rails");
  if (nics > gpus) throw UserError("nics: a host has at most as many NICs as GPUs");
  const int leaves = rails ? nics : hosts;
  const std::int64_t h = hosts;
  require_size(h * (gpus + 2 * nics + 1) + leaves + spines,
               h * (2 * gpus + 2 * nics) + std::int64_t{leaves} * spines);
  Topology out;
  const double width = hosts * (gpus + 1.0) - 1;
  std::vector<std::vector<int>> cards;
  for (int host = 0; host < hosts; ++host)
    cards.push_back(add_host(out, arguments, host, host * (gpus + 1.0)));
  std::vector<int> tops;
  for (int s = 0; s < spines; ++s)
    tops.push_back(out.add_node(part(fmt::format("spine{}", s), NodeKind::network_switch, "",
                                     (s + 0.5) * width / spines - 0.5, -6.6)));
  for (int leaf = 0; leaf < leaves; ++leaf) {
    const double x =
        rails ? (leaf + 0.5) * width / leaves - 0.5 : leaf * (gpus + 1.0) + (gpus - 1) / 2.0;
    const int node = out.add_node(part(fmt::format("{}{}", rails ? "rail" : "leaf", leaf),
                                       NodeKind::network_switch, "", x, -4.4));
    for (int other = 0; other < (rails ? hosts : nics); ++other) {
      const int card = rails
                           ? cards[static_cast<std::size_t>(other)][static_cast<std::size_t>(leaf)]
                           : cards[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(other)];
      out.add_link(link_between(arguments, "nic_", card, node));
    }
    for (const int top : tops) out.add_link(link_between(arguments, "up_", node, top));
  }
  return out;
}

}  // namespace rankscope
