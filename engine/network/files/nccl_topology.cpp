// Reads NCCL's description of a server, and makes a topology of it.
#include "engine/network/files/nccl_topology.h"

#include <charconv>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/base/xml_elements.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostParts = 4096;

/// Gigatransfers per second of "16.0 GT/s PCIe"; 0: the file does not know it, as in a virtual machine.
double transfers_of(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && value > 0 && value < 1000 ? value : 0;
}

/// In each direction. Up to 5 GT/s a byte takes 10 bits, then 130 bits carry 128 (PCI Express Base Specification). What
/// is not known counts as PCIe 3.0 x16, as in NCCL.
double pcie_bandwidth(double transfers, int width) {
  if (transfers == 0) transfers = 8;
  if (width == 0) width = 16;
  const double share = transfers > 5 ? 128.0 / 130 : 0.8;
  return transfers * 1e9 * width * share / 8;
}

class NcclReader {
 public:
  NcclReader(std::string_view text, const std::string& name) : xml_(text, name) {}

  NcclSystem run() {
    while (const auto element = xml_.next()) {
      if (element->ends) {
        open_.pop_back();
        continue;
      }
      if (open_.empty() && element->name != "system")
        xml_.fail(
            element->line,
            fmt::format("the first element is <{}>, but NCCL writes <system>: is it another file?",
                        escaped(shortened(std::string(element->name), 40))));
      open_.push_back(begin(*element));
      if (out_.parts.size() > kMostParts)
        xml_.fail(element->line, fmt::format("more than {} devices are not read", kMostParts));
    }
    return std::move(out_);
  }

 private:
  /// Adds the element's part, and returns the part above its children.
  int begin(const XmlElement& element) {
    const int parent = open_.empty() ? -1 : open_.back();
    if (element.name == "cpu") return add_cpu(element);
    if (element.name == "pci") return add_pci(element, parent);
    if (element.name == "gpu") return add_gpu(element, parent);
    if (element.name == "net") return add_net(element, parent);
    if (element.name == "nvlink") add_nvlink(element, parent);
    if (element.name == "c2c") add_chip_link(element, parent);
    return parent;
  }

  std::string text(const XmlElement& element, std::string_view key,
                   std::string_view otherwise = "") const {
    const std::string* found = element.find(key);
    return found == nullptr ? std::string(otherwise) : shortened(escaped(*found), 80);
  }

  int number(const XmlElement& element, std::string_view key, int otherwise, int least = 0,
             int most = 1 << 24) const {
    const std::string* found = element.find(key);
    if (found == nullptr) return otherwise;
    const auto value = as_number<int>(*found);
    if (!value || *value < least || *value > most)
      xml_.fail(element.line, fmt::format("{}=\"{}\" must be a whole number from {} to {}", key,
                                          shortened(escaped(*found), 40), least, most));
    return *value;
  }

  int add(NcclPart part, const XmlElement& element, int parent) {
    part.parent = parent;
    part.line = element.line;
    out_.parts.push_back(std::move(part));
    return static_cast<int>(out_.parts.size()) - 1;
  }

  void need_parent(const XmlElement& element, int parent) const {
    if (parent < 0) xml_.fail(element.line, fmt::format("<{}> stands in no <cpu>", element.name));
  }

  int add_cpu(const XmlElement& element) {
    NcclPart part{.kind = NcclPart::Kind::cpu,
                  .model = number(element, "modelid", 0),
                  .name = fmt::format("cpu{}", number(element, "numaid", 0, -1)),
                  .host = text(element, "host_hash"),
                  .vendor = text(element, "vendor", text(element, "arch"))};
    return add(std::move(part), element, -1);
  }

  int add_pci(const XmlElement& element, int parent) {
    need_parent(element, parent);
    const std::string* speed = element.find("link_speed");
    NcclPart part{.kind = NcclPart::Kind::pci,
                  .bandwidth = pcie_bandwidth(speed == nullptr ? 0 : transfers_of(*speed),
                                              number(element, "link_width", 0, 0, 64)),
                  .name = text(element, "busid")};
    if (part.name.empty()) xml_.fail(element.line, "<pci> has no busid");
    return add(std::move(part), element, parent);
  }

  int add_gpu(const XmlElement& element, int parent) {
    need_parent(element, parent);
    NcclPart part{.kind = NcclPart::Kind::gpu,
                  .rank = number(element, "rank", -1, -1),
                  .generation = number(element, "sm", 0),
                  .name = fmt::format("gpu{}", number(element, "dev", 0))};
    return add(std::move(part), element, parent);
  }

  int add_net(const XmlElement& element, int parent) {
    need_parent(element, parent);
    NcclPart part{.kind = NcclPart::Kind::net,
                  .bandwidth = 1e6 / 8 * number(element, "speed", 10'000),  // megabits
                  .name = text(element, "name", "net")};
    return add(std::move(part), element, parent);
  }

  void add_nvlink(const XmlElement& element, int parent) {
    if (parent < 0 || out_.parts[static_cast<std::size_t>(parent)].kind != NcclPart::Kind::gpu)
      xml_.fail(element.line, "<nvlink> stands in no <gpu>");
    // A class of PCI devices: bridges other than to PCI are NVSwitches, display controllers GPUs.
    const std::string to = text(element, "tclass");
    NcclLink link{.gpu = parent,
                  .target = text(element, "target"),
                  .to = to.starts_with("0x0680") && to != "0x068001" ? NcclLink::To::nvswitch
                        : to.starts_with("0x0302") || to.empty()     ? NcclLink::To::gpu
                                                                     : NcclLink::To::cpu,
                  .count = number(element, "count", 1, 1, 64),
                  .line = element.line};
    if (out_.links.size() > 8 * kMostParts) xml_.fail(element.line, "too many NVLinks");
    out_.links.push_back(std::move(link));
  }

  void add_chip_link(const XmlElement& element, int parent) {
    if (parent < 0 || out_.parts[static_cast<std::size_t>(parent)].kind != NcclPart::Kind::gpu)
      return;
    out_.parts[static_cast<std::size_t>(parent)].chip_rate =
        1e6 * number(element, "bw", 0) * number(element, "count", 1, 1, 64);
  }

  XmlElements xml_;
  NcclSystem out_;
  std::vector<int> open_;
};

}  // namespace

NcclSystem parse_nccl_system(std::string_view text, const std::string& name) {
  return NcclReader(text, name).run();
}

namespace {

using Kind = NcclPart::Kind;
constexpr double kHopLatency = 500e-9, kNetworkLatency = 1e-6;

/// Returns the bandwidth of one NVLink in each direction (NVIDIA's papers on Pascal, Volta, Ampere, Hopper and
/// Blackwell).
double nvlink_bandwidth(int generation) {
  if (generation < 70) return 20e9;
  if (generation == 86) return 14.0625e9;
  return generation < 100 ? 25e9 : 50e9;
}

/// Returns "80:00" for "0000:80:00.0": the part that differs between devices of a server.
std::string short_bus(std::string_view bus) {
  if (bus.starts_with("0000:")) bus.remove_prefix(5);
  if (bus.ends_with(".0")) bus.remove_suffix(2);
  return std::string(bus);
}

/// Returns the bandwidth that NCCL assumes between sockets (src/graph/topo.h), because the file does not give it.
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
  /// Returns a unique name, which includes the host's name if there are several.
  std::string named(int part, std::string name) {
    if (hosts_.size() > 1) name = host_of(part) + "." + name;
    const int same = ++names_[name];
    return same == 1 ? name : fmt::format("{}-{}", name, same);
  }

  /// Adds the GPUs in the order of their ranks.
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

  /// Returns the node of a socket or PCIe switch; makes it, and all above it, when it is first needed.
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

  /// Finds the part above a device, which is above the device's own PCIe function, and the bandwidth to it.
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

  /// Adds the switch that joins the NICs of several hosts.
  int fabric() {
    if (fabric_ < 0)
      fabric_ =
          out_.add_node({.name = "network", .kind = NodeKind::network_switch, .x = 2, .y = 3});
    return fabric_;
  }

  /// Places each switch and socket over the first GPU below it, higher with each level.
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
      // Both GPUs list the link, so only one adds it; a GPU that is not in the file is skipped.
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
