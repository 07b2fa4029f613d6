// The table of transports: names, abilities, and how links are made.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

class Fd;
class NetworkLink;
struct LinkConfig;

struct Transport {
  std::string_view name;
  std::string_view about;
  bool
      processes;  ///< Each rank is a process, which can be stopped; otherwise all ranks are in one process.
  bool several_hosts;  ///< Ranks on other hosts may join, encrypted with the run's keys.
  bool stepped;        ///< Ranks can be held at their gates, and released message by message.
  bool virtual_time;   ///< Ranks are fibers, and messages take the time that a network model gives.
  /// Makes a bound link. Null if all ranks are in one process, where the runner makes their links.
  std::unique_ptr<NetworkLink> (*make)(const LinkConfig& config);
  /// Makes the descriptor that all ranks of a world inherit; null if there is none. Throws UserError if the system
  /// cannot make it.
  Fd (*make_memory)(int ranks) = nullptr;
};

std::span<const Transport> transports();
const Transport* find_transport(std::string_view name);
/// Throws a UserError that lists the known transports.
const Transport& require_transport(std::string_view name);
/// Returns the transport by which ranks of other hosts join.
const Transport& joining_transport();

/// Returns false for unknown transports, too.
bool transport_can(std::string_view name, bool Transport::*ability);
/// Returns the names of all transports, or of those with an ability.
std::vector<std::string> transport_list(bool Transport::*ability = nullptr);
std::string transport_names(std::string_view separator, bool Transport::*ability = nullptr);

/// Returns a bound link of config.transport. Throws UserError if no transport between processes has this name, or if it
/// cannot be bound.
std::unique_ptr<NetworkLink> make_link(const LinkConfig& config);

}  // namespace rankscope
