// Makes transports by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/message/network_link.h"

namespace rankscope {

struct TransportInfo {
  std::string_view name;
  std::string_view about;
};
/// The transports between processes.
const std::vector<TransportInfo>& transports();
std::string transport_names();  ///< "ipc, tcp"
/// Throws UserError, which lists the known ones.
void check_transport(std::string_view name);

/// A bound link of config.transport. Throws UserError when there is no such transport or it cannot
/// be bound.
std::unique_ptr<NetworkLink> make_link(const LinkConfig& config);

}  // namespace rankscope
