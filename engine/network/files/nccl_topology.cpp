// Makes a topology of what NCCL knows of a server.
#include "engine/network/files/nccl_topology.h"

#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/core/base/whole_file.h"
#include "engine/network/files/nccl_system.h"

namespace rankscope {
namespace {

using Kind = NcclPart::Kind;
constexpr double kHopLatency = 500e-9, kNetworkLatency = 1e-6;

/// Of one NVLink in each direction (NVIDIA's papers on the architectures Pascal, Volta, Ampere, Hopper, Blackwell).
double nvlink_bandwidth(int generation) {
  if (generation < 70) return 20e9;
  if (generation == 86) return 14.0625e9;
  return generation < 100 ? 25e9 : 50e9;
}

/// "80:00" of "0000:80:00.0": what tells devices of a server apart.
std::string short_bus(std::string_view bus) {
  if (bus.starts_with("0000:")) bus.remove_prefix(5);
  if (bus.ends_with(".0")) bus.remove_suffix(2);
  return std::string(bus);
}

/// What NCCL assumes between sockets (src/graph/topo.h): the file does not say it.
double socket_bandwidth(const NcclPart& cpu) {
  if (cpu.vendor == "GenuineIntel") return cpu.model >= 0x55 ? 10e9 : 6e9;
  if (cpu.vendor == "AuthenticAMD") return 16e9;
  return cpu.vendor.starts_with("ppc") ? 32e9 : 6e9;
}

class NcclTopology {
 public:
  NcclTopology(NcclSystem system, std::string name)
      : system_(std::move(system)), file_(std::move(name)) {}

  Topology run() {
    out_.title = "Server, as NCCL sees it";
    node_.assign(system_.parts.size(), -1);
    for (const NcclPart& part : system_.parts)
      if (part.kind == Kind::cpu && !part.host.empty())
        hosts_.try_emplace(part.host, fmt::format("host{}", hosts_.size()));
    add_gpus();
    for (int part = 0; part < count(); ++part)
      if (at(part).kind == Kind::net) add_net(part);
    for (int part = 0; part < count(); ++part)
      if (at(part).kind == Kind::gpu) add_links_of(part);
    for (const NcclLink& link : system_.links) add_nvlink(link);
    link_sockets();
    if (const TopologyFault fault = find_fault(out_))
      throw FormatError(fmt::format("{}: {}", file_, fault.text));
    return std::move(out_);
  }

 private:
  int count() const { return static_cast<int>(system_.parts.size()); }
  const NcclPart& at(int part) const { return system_.parts[static_cast<std::size_t>(part)]; }
  int& node_of(int part) { return node_[static_cast<std::size_t>(part)]; }

  const NcclPart& cpu_of(int part) const {
    while (at(part).parent >= 0) part = at(part).parent;
    return at(part);
  }
  std::string host_of(int part) const {
    const auto host = hosts_.find(cpu_of(part).host);
    return host == hosts_.end() ? "server" : host->second;
  }
  /// With the host's name where there are several.
  std::string named(int part, std::string name) {
    if (hosts_.size() > 1) name = host_of(part) + "." + name;
    const int same = ++names_[name];
    return same == 1 ? name : fmt::format("{}-{}", name, same);
  }

  /// Ranks first, by their numbers.
  void add_gpus() {
    std::vector<int> gpus;
    for (int part = 0; part < count(); ++part)
      if (at(part).kind == Kind::gpu) gpus.push_back(part);
    if (gpus.empty())
      throw FormatError(file_ + ": there is no <gpu> in it: have NCCL write it in a run on GPUs");
    ranges::stable_sort(gpus, {}, [&](int part) { return at(part).rank; });
    double x = 0;
    for (const int part : gpus) {
      node_of(part) = out_.add_node({.name = named(part, at(part).name),
                                     .kind = NodeKind::rank,
                                     .forwards = false,
                                     .host = host_of(part),
                                     .x = x++,
                                     .y = 0});
      bus_.emplace(at(at(part).parent).name, part);
    }
  }

  /// The node of a socket or PCIe switch, made with all above it when it is first needed.
  int node_above(int part) {
    if (node_of(part) >= 0) return node_of(part);
    const NcclPart& one = at(part);
    const bool is_cpu = one.kind == Kind::cpu;
    const std::string name = is_cpu ? one.name : "pcie-" + short_bus(one.name);
    const double x = static_cast<double>(out_.nodes.size()) / 1e3;  // placed by what hangs on it
    node_of(part) = out_.add_node({.name = named(part, name),
                                   .kind = is_cpu ? NodeKind::socket : NodeKind::pcie_switch,
                                   .host = host_of(part),
                                   .x = x});
    const int made = node_of(part);
    if (!is_cpu) add_link(made, node_above(one.parent), one.bandwidth, kHopLatency, "");
    return made;
  }

  void add_link(int a, int b, double rate, double latency, std::string label) {
    out_.add_link({.a = a,
                   .b = b,
                   .bandwidth = rate,
                   .back = rate,
                   .latency = latency,
                   .label = std::move(label)});
  }

  /// A device hangs on the first switch or socket above its own PCIe function.
  void hang(int part, double& rate, int& above) {
    const int parent = at(part).parent;
    const bool on_pci = at(parent).kind == Kind::pci;
    rate = on_pci ? at(parent).bandwidth : 0;
    above = on_pci ? at(parent).parent : parent;
  }

  void add_links_of(int part) {
    double rate = 0;
    int above = -1;
    hang(part, rate, above);
    const int node = node_above(above);
    place_above(above, node_of(part));
    if (rate > 0) add_link(node_of(part), node, rate, kHopLatency, "");
    if (at(part).chip_rate > 0)
      add_link(node_of(part), node_of_cpu(part), at(part).chip_rate, kHopLatency, "C2C");
  }

  int node_of_cpu(int part) {
    while (at(part).parent >= 0) part = at(part).parent;
    return node_above(part);
  }

  void add_net(int part) {
    double rate = 0;
    int above = -1;
    hang(part, rate, above);
    const int switch_node = node_above(above);
    const int nic = out_.add_node({.name = named(part, at(part).name),
                                   .kind = NodeKind::nic,
                                   .host = host_of(part),
                                   .x = 0.4 + nics_++ * 1.1,
                                   .y = 1.6});
    if (rate > 0) add_link(nic, switch_node, rate, kHopLatency, "");
    if (hosts_.size() > 1) add_link(nic, fabric(), at(part).bandwidth, kNetworkLatency, "");
  }

  /// What joins the NICs of several hosts.
  int fabric() {
    if (fabric_ < 0)
      fabric_ =
          out_.add_node({.name = "network", .kind = NodeKind::network_switch, .x = 2, .y = 3});
    return fabric_;
  }

  /// Each switch and socket stands over the first GPU below it, by its depth.
  void place_above(int part, int gpu) {
    for (double y = -1.4; part >= 0; part = at(part).parent, y -= 1.3) {
      TopologyNode& node = out_.nodes[static_cast<std::size_t>(node_of(part))];
      if (node.y < 0) continue;
      node.x = out_.nodes[static_cast<std::size_t>(gpu)].x + 0.5;
      node.y = y;
    }
  }

  void add_nvlink(const NcclLink& link) {
    const double rate = link.count * nvlink_bandwidth(at(link.gpu).generation);
    const int node = node_of(link.gpu);
    if (link.to == NcclLink::To::gpu) {
      const auto found = bus_.find(link.target);
      // Both ends have it; a GPU that is not in the file has none.
      if (found == bus_.end() || node_of(found->second) <= node) return;
      add_link(node, node_of(found->second), rate, kHopLatency, fmt::format("NV{}", link.count));
    } else if (link.to == NcclLink::To::cpu) {
      add_link(node, node_of_cpu(link.gpu), rate, kHopLatency, fmt::format("NV{}", link.count));
    } else {
      add_to_nvswitch(link, node, rate);
    }
  }

  /// All NVSwitches of a host are one, as in NCCL: a GPU's links to them add up.
  void add_to_nvswitch(const NcclLink& link, int node, double rate) {
    const auto [made, is_new] = nvswitch_.try_emplace(host_of(link.gpu), -1);
    if (is_new)
      made->second = out_.add_node({.name = named(link.gpu, "nvswitch"),
                                    .kind = NodeKind::network_switch,
                                    .host = host_of(link.gpu),
                                    .x = (out_.ranks() - 1) / 2.0,
                                    .y = 3.2});
    const auto same = ranges::find_if(out_.links, [&](const TopologyLink& one) {
      return one.a == node && one.b == made->second;
    });
    if (same == out_.links.end())
      return add_link(node, made->second, rate, kHopLatency, fmt::format("NV{}", link.count));
    same->bandwidth += rate;
    same->back += rate;
    same->label = fmt::format(
        "NV{}",
        static_cast<int>(same->bandwidth / nvlink_bandwidth(at(link.gpu).generation) + 0.5));
  }

  void link_sockets() {
    for (int a = 0; a < count(); ++a)
      for (int b = a + 1; b < count(); ++b)
        if (at(a).kind == Kind::cpu && at(b).kind == Kind::cpu && node_of(a) >= 0 &&
            node_of(b) >= 0 && at(a).host == at(b).host)
          add_link(node_of(a), node_of(b), socket_bandwidth(at(a)), kHopLatency, "");
  }

  NcclSystem system_;
  std::string file_;
  Topology out_;
  std::vector<int> node_;  ///< By part; -1: none.
  std::map<std::string, std::string> hosts_;
  std::map<std::string, int> names_, bus_, nvswitch_;
  int fabric_ = -1;
  int nics_ = 0;
};

}  // namespace

Topology parse_nccl_topology(std::string_view text, std::string name) {
  NcclSystem system = parse_nccl_system(text, name);
  return NcclTopology(std::move(system), std::move(name)).run();
}

Topology read_nccl_topology(const std::filesystem::path& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostNcclBytes, fault);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", escaped(file.string()), fault));
  return parse_nccl_topology(text, escaped(file.string()));
}

}  // namespace rankscope
