// The topology of a server as NCCL writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/network/topology.h"

namespace rankscope {

/// What NCCL_TOPO_DUMP_FILE has: GPUs, each a rank, with their NVLinks, PCIe switches, sockets and NICs. Bandwidths are
/// nominal: PCIe by speed and width, NVLink by the GPU's generation; between sockets the file says nothing, and what NCCL
/// assumes is taken. Latencies are round figures. Elements that say nothing of links are passed over. Throws FormatError
/// with file and line.
Topology parse_nccl_topology(std::string_view text, std::string name);
Topology read_nccl_topology(const std::filesystem::path& file);
inline constexpr std::uintmax_t kMostNcclBytes = std::uintmax_t{4} << 20;

}  // namespace rankscope
