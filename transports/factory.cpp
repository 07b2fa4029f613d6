#include "transports/factory.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "transports/zeromq/zeromq_link.h"

namespace rankscope {

const std::vector<TransportInfo>& transports() {
  static const std::vector<TransportInfo> known = {
      {"ipc", "Unix domain sockets: processes of one host"},
      {"tcp", "TCP: one host, or many with encryption"},
  };
  return known;
}

std::string transport_names() {
  std::string names;
  for (const auto& transport : transports())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", transport.name);
  return names;
}

void check_transport(std::string_view name) {
  if (std::ranges::find(transports(), name, &TransportInfo::name) == transports().end())
    throw UserError(
        fmt::format("there is no transport \"{}\"; choose from: {}", name, transport_names()));
}

std::unique_ptr<NetworkLink> make_link(const LinkConfig& config) {
  check_transport(config.transport);
  return std::make_unique<ZeromqLink>(config);
}

}  // namespace rankscope
