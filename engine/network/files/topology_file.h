// Topologies as TOML files: read, written, and found by their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

/// Throws UserError with a line for each thing that is wrong: "ring.toml:3: there is no 'bandwith' here; did you mean
/// 'bandwidth'?". What is returned has no fault (find_fault).
Topology parse_topology(std::string_view text, std::string name);
Topology read_topology(const std::filesystem::path& file);
/// Bytes that a file may have.
inline constexpr std::uintmax_t kMostTopologyBytes = std::uintmax_t{16} << 20;

/// The same form; parsing it gives an equal topology. Throws UserError with find_fault's text.
std::string to_toml(const Topology& topology);

/// Those that come with rankscope: assets/topologies. Throws UserError when they are not installed.
std::filesystem::path topologies_folder();
/// Their names, sorted.
std::vector<std::string> topology_names();
/// A file, or one of these by its name, also of another size: "torus-2d@64", or speed: "ring@2x"
/// (sized_topology.h). Throws UserError for neither,
/// with the nearest name.
Topology open_topology(std::string_view name_or_file);

}  // namespace rankscope
