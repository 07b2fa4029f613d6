// The links for which a schedule is found: which ranks they join, and what they share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/network/topology.h"

namespace rankscope {

/// One direction of a link. While it carries a message, it holds everything that it uses.
struct SynthesisLink {
  Rank from = 0, to = 0;
  double latency = 0;    ///< Seconds.
  double bandwidth = 0;  ///< Bytes per second.
  std::vector<int> uses =
      {};  ///< Numbers of shared parts (a cable, a port) on the way; the last is the receiver's.
};

struct LinkList {
  std::string name;
  int ranks = 0;
  std::vector<SynthesisLink> links;
  std::vector<double> shared = {};  ///< Bytes per second of each shared part.
};

inline constexpr int kMostSynthesisRanks = 128;

/// "ring:8", "hypercube:16", "full:4", "torus:4x4", "star:8" (each rank has one port in and one out), of equal links. Throws
/// UserError that lists them.
LinkList named_links(std::string_view name, double latency, double bandwidth);
/// The links of a topology: two ranks are linked where the route between them leads over no other rank. Such a link uses
/// the topology's links that other ones use, too, and the ranks' ports, as the model has them. Throws UserError for more
/// than kMostSynthesisRanks and for a network without bandwidths.
LinkList links_of(const Topology& topology, std::string name);

/// Returns whether every rank reaches every other one.
bool all_reached(const LinkList& list);
/// Throws UserError for links to nowhere, bandwidths that are not above 0, ranks that cannot reach each other, and too many
/// ranks.
void check_links(const LinkList& list);

/// The same links the other way round.
LinkList reversed(const LinkList& list);

}  // namespace rankscope
