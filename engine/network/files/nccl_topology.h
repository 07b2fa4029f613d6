// The topology of a server as NCCL writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

/// A processor, PCIe device, GPU or network port, in the tree of the file.
struct NcclPart {
  enum class Kind : unsigned char { cpu, pci, gpu, net } kind = Kind::cpu;
  int parent = -1;  ///< The bridge above a pci; the pci or cpu of a gpu and net.
  int line = 0;
  int rank = -1;       ///< A gpu's; -1 if the file does not say.
  int generation = 0;  ///< A gpu's compute capability, 70 for 7.0.
  int model = 0;       ///< A cpu's.
  double bandwidth =
      0;  ///< From a pci to its parent, or from a net to the outside; bytes per second.
  double chip_rate = 0;     ///< From a gpu to its cpu (C2C), bytes per second; 0: none.
  std::string name = {};    ///< A pci's bus id.
  std::string host = {};    ///< A cpu's, where the file describes several hosts.
  std::string vendor = {};  ///< A cpu's.
};

struct NcclLink {
  int gpu = 0;         ///< Index of a part.
  std::string target;  ///< Bus id, as in the file.
  enum class To : unsigned char { gpu, nvswitch, cpu } to = To::gpu;
  int count = 1, line = 0;
};

struct NcclSystem {
  std::vector<NcclPart> parts;
  std::vector<NcclLink> links;
};

/// Throws FormatError with file and line.
NcclSystem parse_nccl_system(std::string_view text, const std::string& name);

/// Reads the text of an NCCL_TOPO_DUMP_FILE: GPUs, each a rank, with their NVLinks, PCIe switches, sockets and NICs.
/// Bandwidths are nominal: PCIe by speed and width, NVLink by the GPU's generation, and between sockets, which the file
/// leaves out, what NCCL assumes. Latencies are round figures. Skips all other elements. Throws FormatError with file
/// and line.
Topology parse_nccl_topology(std::string_view text, std::string name);
Topology read_nccl_topology(const std::filesystem::path& file);
inline constexpr std::uintmax_t kMostNcclBytes = std::uintmax_t{4} << 20;

}  // namespace rankscope
