// The table of transports: their names, what each can do, and how its links are made.
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
  bool processes;      ///< Each rank is a process, which can be stopped; otherwise all are in one.
  bool several_hosts;  ///< Ranks on other hosts may join, encrypted with the run's keys.
  bool stepped;        ///< Ranks can be held at their gates, and released message by message.
  bool virtual_time;   ///< Ranks are fibers, and messages take what a network is said to take.
  /// A bound link. Null without processes: there the runner hands out mailboxes, or simulates.
  std::unique_ptr<NetworkLink> (*make)(const LinkConfig& config);
  /// Makes the descriptor that all ranks of a world inherit; null where there is none. Throws UserError where the system cannot.
  Fd (*make_memory)(int ranks) = nullptr;
};

std::span<const Transport> transports();
const Transport* find_transport(std::string_view name);
/// Throws UserError, which lists the known ones.
const Transport& require_transport(std::string_view name);
/// The one over which ranks of other hosts join.
const Transport& joining_transport();

/// False for unknown ones, too.
bool transport_can(std::string_view name, bool Transport::*ability);
/// The names of all, or of those that can do something.
std::vector<std::string> transport_list(bool Transport::*ability = nullptr);
std::string transport_names(std::string_view separator, bool Transport::*ability = nullptr);

/// A bound link of config.transport. Throws UserError when no transport between processes has this name, or
/// when it cannot be bound.
std::unique_ptr<NetworkLink> make_link(const LinkConfig& config);

}  // namespace rankscope
