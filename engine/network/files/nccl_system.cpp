// Reads the elements of NCCL's topology files: system, cpu, pci, gpu, nvlink, c2c, nic, net.
#include "engine/network/files/nccl_system.h"

#include <charconv>

#include <fmt/format.h>

#include "engine/core/base/utf8.h"
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

/// In each direction. Up to 5 GT/s a byte takes 10 bits, then 130 bits carry 128 (PCI Express Base Specification). What is
/// not known counts as PCIe 3.0 x16, as in NCCL.
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
  /// The part that what is in the element hangs on.
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
    int value = 0;
    const auto [rest, error] = std::from_chars(found->data(), found->data() + found->size(), value);
    if (error != std::errc() || rest != found->data() + found->size() || value < least ||
        value > most)
      xml_.fail(element.line, fmt::format("{}=\"{}\" must be a whole number from {} to {}", key,
                                          shortened(escaped(*found), 40), least, most));
    return value;
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

}  // namespace rankscope
