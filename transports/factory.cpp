// The table of transports. A new one is a row here and a NetworkLink (CONTRIBUTING.md, "Add a transport").
#include "transports/factory.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "transports/shm/shm_link.h"
#include "transports/zeromq/zeromq_link.h"

namespace rankscope {
namespace {

std::unique_ptr<NetworkLink> make_zeromq(const LinkConfig& config) {
  return std::make_unique<ZeromqLink>(config);
}

std::unique_ptr<NetworkLink> make_shm(const LinkConfig& config) {
  return std::make_unique<ShmLink>(config);
}

constexpr std::array kTransports = {
    Transport{.name = kDefaultTransport,
              .about = "Unix domain sockets: processes of one host",
              .processes = true,
              .several_hosts = false,
              .stepped = true,
              .virtual_time = false,
              .make = make_zeromq},
    Transport{.name = "tcp",
              .about = "TCP: one host, or many with encryption",
              .processes = true,
              .several_hosts = true,
              .stepped = true,
              .virtual_time = false,
              .make = make_zeromq},
    Transport{.name = kThreadTransport,
              .about = "Memory: threads of one process",
              .processes = false,
              .several_hosts = false,
              .stepped = false,
              .virtual_time = false,
              .make = nullptr},
    Transport{.name = kSimTransport,
              .about = "Virtual time: fibers of one process on a simulated network",
              .processes = false,
              .several_hosts = false,
              .stepped = false,
              .virtual_time = true,
              .make = nullptr},
    Transport{
        .name = kSharedTransport,
        .about = "Shared memory: processes of one host, which read each other's data in place",
        .processes = true,
        .several_hosts = false,
        .stepped = true,
        .virtual_time = false,
        .make = make_shm,
        .make_memory = make_shm_memory},
};

}  // namespace

std::span<const Transport> transports() { return kTransports; }

const Transport* find_transport(std::string_view name) {
  const auto found = ranges::find(kTransports, name, &Transport::name);
  return found == kTransports.end() ? nullptr : &*found;
}

const Transport& require_transport(std::string_view name) {
  if (const Transport* found = find_transport(name)) return *found;
  throw UserError(
      fmt::format("there is no transport '{}': choose one of {}", name, transport_names(", ")));
}

const Transport& joining_transport() {
  return *ranges::find(kTransports, true, &Transport::several_hosts);
}

bool transport_can(std::string_view name, bool Transport::*ability) {
  const Transport* found = find_transport(name);
  return found != nullptr && found->*ability;
}

std::vector<std::string> transport_list(bool Transport::*ability) {
  std::vector<std::string> names;
  for (const Transport& one : kTransports)
    if (ability == nullptr || one.*ability) names.emplace_back(one.name);
  return names;
}

std::string transport_names(std::string_view separator, bool Transport::*ability) {
  return fmt::format("{}", fmt::join(transport_list(ability), separator));
}

std::unique_ptr<NetworkLink> make_link(const LinkConfig& config) {
  const Transport& transport = require_transport(config.transport);
  if (transport.make == nullptr)
    throw UserError(
        fmt::format("the transport {} makes no links between processes: choose one of {}",
                    transport.name, transport_names(", ", &Transport::processes)));
  return transport.make(config);
}

}  // namespace rankscope
