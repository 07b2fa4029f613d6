// The table of families, with the parameters of each, and their values as text.
#include "engine/network/families/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/families/generators.h"

namespace rankscope {
namespace {

using Parameter = FamilyParameter;
using enum FamilyParameter::Type;

constexpr Parameter kDuplex{"duplex", duplex, "full",
                            "\"full\", or \"half\": both directions share the bandwidth"};
constexpr Parameter kBandwidth{"bandwidth", bandwidth, "10 GB/s", "of a link, in each direction"};
constexpr Parameter kLatency{"latency", time, "1 us", "of a link"};
constexpr Parameter kUpBandwidth{"up_bandwidth", bandwidth, "10 GB/s",
                                 "of a link between switches"};
constexpr Parameter kUpLatency{"up_latency", time, "1 us", "of a link between switches"};
constexpr Parameter kGpus{"gpus", whole, "8", "GPUs of a host, each a rank", 1, 64};
// NVLink 4: 18 links of 25 GB/s each way (NVIDIA H100 Tensor Core GPU Architecture, 2022).
constexpr Parameter kNvlinkBandwidth{"nvlink_bandwidth", bandwidth, "450 GB/s",
                                     "of a GPU to its NVSwitch, in each direction"};
constexpr Parameter kNvlinkLatency{"nvlink_latency", time, "500 ns", "of a GPU to its NVSwitch"};
// PCIe 4.0 x16: 16 GT/s * 16 lanes * 128/130 / 8 bits.
constexpr Parameter kPcieBandwidth{"pcie_bandwidth", bandwidth, "31.5 GB/s",
                                   "of a PCIe link, in each direction"};
constexpr Parameter kPcieLatency{"pcie_latency", time, "500 ns", "of a PCIe link"};

Parameter constexpr ranks_up_to(int most) { return {"ranks", whole, "8", "how many", 2, most}; }

constexpr Parameter kUniform[] = {{"ranks", whole, "8", "how many", 1, kMostRanks}};
constexpr Parameter kFully[] = {ranks_up_to(600), kBandwidth, kLatency, kDuplex};
constexpr Parameter kRing[] = {ranks_up_to(kMostNodes), kBandwidth, kLatency, kDuplex};
constexpr Parameter kTorus[] = {
    {"dimensions", wholes, "4, 4", "how many ranks in each dimension", 2, kMostNodes},
    kBandwidth,
    kLatency,
    kDuplex};
constexpr Parameter kHypercube[] = {
    {"dimensions", whole, "3", "2^dimensions ranks", 1, 14}, kBandwidth, kLatency, kDuplex};
constexpr Parameter kReduces{"reduces", flag, "false", "switches add up what passes (SHARP, NVLS)"};
constexpr Parameter kStar[] = {ranks_up_to(kMostNodes - 1), kBandwidth, kLatency, kReduces,
                               kDuplex};
constexpr Parameter kFatTree[] = {
    {"ports", whole, "4", "of a switch, an even number: ports^3/4 ranks, with two levels ports^2/2",
     2, 64},
    {"levels", whole, "3", "of switches", 2, 3},
    kBandwidth,
    kLatency,
    kUpBandwidth,
    kUpLatency,
    kReduces,
    kDuplex};
constexpr Parameter kDragonfly[] = {
    {"routers", whole, "4", "in a group, all linked to each other", 1, 64},
    {"ranks_per_router", whole, "2", "ranks at each router", 1, 64},
    {"global_links", whole, "2", "of each router to other groups", 1, 64},
    {"groups", whole, "0", "0: as many as the global links join, routers * global_links + 1", 0,
     4097},
    kBandwidth,
    kLatency,
    {"local_bandwidth", bandwidth, "10 GB/s", "of a link within a group"},
    {"local_latency", time, "1 us", "of a link within a group"},
    {"global_bandwidth", bandwidth, "10 GB/s", "of a link between groups"},
    {"global_latency", time, "2 us", "of a link between groups"},
    kDuplex};
constexpr Parameter kPcieServer[] = {
    kGpus,
    {"sockets", whole, "2", "processors, linked to each other", 1, 8},
    {"gpus_per_switch", whole, "2", "GPUs under each PCIe switch", 1, 64},
    kPcieBandwidth,
    kPcieLatency,
    // UPI: 10.4 GT/s, 20 lanes of which 16 carry data, 2 bytes a transfer.
    {"socket_bandwidth", bandwidth, "20.8 GB/s", "between two sockets, in each direction"},
    {"socket_latency", time, "500 ns", "between two sockets"},
    kDuplex};
constexpr Parameter kNvswitch[] = {
    kGpus,
    kNvlinkBandwidth,
    kNvlinkLatency,
    {"reduces", flag, "true", "the switch adds up what passes (NVLS, SHARP)"},
    kDuplex};
constexpr Parameter kCluster[] = {
    {"hosts", whole, "4", "how many", 1, 4096},
    kGpus,
    {"nics", whole, "8", "of a host, at most one for each GPU", 1, 64},
    {"rails", flag, "false", "NIC i of all hosts is at switch i; otherwise each host has a switch"},
    {"spines", whole, "2", "switches that join the others", 1, 64},
    kNvlinkBandwidth,
    kNvlinkLatency,
    kPcieBandwidth,
    kPcieLatency,
    {"nic_bandwidth", bandwidth, "400 Gb/s", "of a NIC, in each direction"},
    {"nic_latency", time, "1 us", "of a NIC's link"},
    {"up_bandwidth", bandwidth, "100 GB/s", "of a link between switches"},
    kUpLatency,
    kDuplex};

constexpr Family kFamilies[] = {
    {"uniform", "every pair of ranks has links of its own, which nobody shares (alpha, beta)",
     kUniform, uniform_topology},
    {"fully-connected", "a link between each two ranks", kFully, fully_connected},
    {"ring", "each rank is linked to the next", kRing, ring_network},
    {"torus", "a ring in each dimension", kTorus, torus_network},
    {"mesh", "a line in each dimension: a torus without the links that close its rings", kTorus,
     mesh_network},
    {"hypercube", "ranks whose numbers differ in one bit are linked", kHypercube,
     hypercube_network},
    {"star", "all ranks at one switch", kStar, star_network},
    {"fat-tree",
     "switches in two or three levels, as much bandwidth between the halves as the ranks have",
     kFatTree, fat_tree},
    {"dragonfly", "groups of routers, one link between each two groups", kDragonfly, dragonfly},
    {"pcie-server", "GPUs under PCIe switches of two sockets", kPcieServer, pcie_server},
    {"nvswitch", "GPUs at an NVSwitch, which may reduce", kNvswitch, nvswitch_server},
    {"gpu-cluster", "hosts with GPUs and NICs, one switch a host or a rail", kCluster, gpu_cluster},
};

[[noreturn]] void refuse(const Parameter& parameter, std::string_view expected) {
  throw UserError(fmt::format("{}: {}", parameter.name, expected));
}

void check_range(const Parameter& parameter, int value) {
  if (value < parameter.least || value > parameter.most)
    refuse(parameter, fmt::format("{} to {}, not {}", parameter.least, parameter.most, value));
}

std::vector<int> whole_numbers(const Parameter& parameter, std::string_view text) {
  std::vector<int> out;
  std::string digits;
  for (const char c : std::string(text) + ",") {
    if (c >= '0' && c <= '9' && digits.size() < 8) digits += c;
    else if (c == ',' && !digits.empty()) out.push_back(std::stoi(digits)), digits.clear();
    else if (c != ' ' && c != '[' && c != ']')
      refuse(parameter, "whole numbers with commas between them");
  }
  return out;
}

}  // namespace

std::span<const Family> families() { return kFamilies; }

const Family* find_family(std::string_view name) noexcept {
  const auto* const found = ranges::find(kFamilies, name, &Family::name);
  return found == std::end(kFamilies) ? nullptr : found;
}

void check_value(const Parameter& parameter, const FamilyValue& value) {
  switch (parameter.type) {
    case whole:
    case wholes: {
      const auto* numbers = std::get_if<std::vector<int>>(&value);
      if (numbers == nullptr || numbers->empty() ||
          (parameter.type == whole && numbers->size() != 1))
        refuse(parameter, parameter.type == whole ? "a whole number" : "a list of whole numbers");
      for (const int number : *numbers) check_range(parameter, number);
      break;
    }
    case bandwidth:
    case time:
      if (!std::holds_alternative<double>(value))
        refuse(parameter, parameter.type == time ? "a time, such as \"1 us\""
                                                 : "a bandwidth, such as \"10 GB/s\"");
      break;
    case flag:
      if (!std::holds_alternative<bool>(value)) refuse(parameter, "true or false");
      break;
    case duplex: {
      const auto* word = std::get_if<std::string>(&value);
      if (word == nullptr || (*word != "full" && *word != "half"))
        refuse(parameter, "\"full\" or \"half\"");
    }
  }
}

FamilyValue value_of(const Parameter& parameter, std::string_view text) {
  const std::string what(parameter.name);
  switch (parameter.type) {
    case whole:
    case wholes: return whole_numbers(parameter, text);
    case bandwidth: return parse_bandwidth(text, what);
    case time: return parse_seconds(text, what);
    case flag:
      if (text != "true" && text != "false") refuse(parameter, "true or false");
      return text == "true";
    case duplex: break;
  }
  return std::string(text);
}

std::string text_of(const Parameter& parameter, const FamilyValue& value) {
  switch (parameter.type) {
    case whole: return fmt::format("{}", std::get<std::vector<int>>(value).front());
    case wholes: return fmt::format("[{}]", fmt::join(std::get<std::vector<int>>(value), ", "));
    case bandwidth: return exact_bandwidth_text(std::get<double>(value));
    case time: return exact_seconds_text(std::get<double>(value));
    case flag: return std::get<bool>(value) ? "true" : "false";
    case duplex: break;
  }
  return std::get<std::string>(value);
}

FamilyArguments::FamilyArguments(std::span<const Parameter> parameters, const FamilyCall& call) {
  for (const Parameter& parameter : parameters) {
    const auto given = call.values.find(parameter.name);
    const FamilyValue value =
        given != call.values.end() ? given->second : value_of(parameter, parameter.otherwise);
    check_value(parameter, value);
    values_.emplace(parameter.name, value);
  }
}

int FamilyArguments::whole(std::string_view name) const { return wholes(name).front(); }
const std::vector<int>& FamilyArguments::wholes(std::string_view name) const {
  return std::get<std::vector<int>>(values_.find(name)->second);
}
double FamilyArguments::number(std::string_view name) const {
  return std::get<double>(values_.find(name)->second);
}
bool FamilyArguments::flag(std::string_view name) const {
  return std::get<bool>(values_.find(name)->second);
}

TopologyLink FamilyArguments::link(std::string_view prefix) const {
  TopologyLink out;
  out.bandwidth = out.back = number(fmt::format("{}bandwidth", prefix));
  out.latency = number(fmt::format("{}latency", prefix));
  if (const auto word = values_.find("duplex"); word != values_.end())
    out.duplex = std::get<std::string>(word->second) == "half" ? Duplex::half : Duplex::full;
  return out;
}

Topology generate(const FamilyCall& call) {
  const Family* family = find_family(call.name);
  std::vector<std::string> known;
  if (family == nullptr) {
    for (const Family& one : kFamilies) known.emplace_back(one.name);
    throw UserError(fmt::format(
        "there is no family '{}'{}", call.name,
        nearest_hint(call.name, known, fmt::format("choose {}", fmt::join(known, ", ")))));
  }
  for (const Parameter& parameter : family->parameters) known.emplace_back(parameter.name);
  for (const auto& [name, value] : call.values)
    if (ranges::find(known, name) == known.end())
      throw UserError(
          fmt::format("the family {} has no '{}'{}", call.name, name,
                      nearest_hint(name, known, fmt::format("choose {}", fmt::join(known, ", ")))));
  Topology out = family->generate(FamilyArguments(family->parameters, call));
  out.family = call;
  return out;
}

}  // namespace rankscope
