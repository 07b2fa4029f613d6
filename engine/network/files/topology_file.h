// Topologies as TOML files: read, written, and found by their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

/// Reads a topology. Throws UserError with a line for each fault: "ring.toml:3: there is no 'bandwith' here; did you
/// mean 'bandwidth'?". The topology that it returns has no fault (find_fault).
Topology parse_topology(std::string_view text, std::string name);
Topology read_topology(const std::filesystem::path& file);
/// The most bytes that a file may have.
inline constexpr std::uintmax_t kMostTopologyBytes = std::uintmax_t{16} << 20;

/// Writes a topology as TOML; parsing it gives an equal topology. Throws UserError with find_fault's text.
std::string to_toml(const Topology& topology);

/// Returns the folder of the topologies that come with rankscope (assets/topologies). Throws UserError if they are not
/// installed.
std::filesystem::path topologies_folder();
/// Returns the names of these topologies, sorted.
std::vector<std::string> topology_names();
/// Opens a file, or one of these topologies by its name, which may ask for another size ("torus-2d@64") or speed
/// ("ring@2x", see sized_topology.h). Throws UserError with the nearest name if there is none.
Topology open_topology(std::string_view name_or_file);

}  // namespace rankscope
