// A topology: ranks, switches and the links between them, as data that can be drawn, edited and saved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/network/network.h"

namespace rankscope {

enum class NodeKind : std::uint8_t {
  rank,
  network_switch,  ///< Also a router.
  nic,
  pcie_switch,
  socket,  ///< A processor with its PCIe root.
};
inline constexpr NodeKind kAllNodeKinds[] = {NodeKind::rank, NodeKind::network_switch,
                                             NodeKind::nic, NodeKind::pcie_switch,
                                             NodeKind::socket};
std::string_view to_string(NodeKind kind) noexcept;  ///< "switch"

struct TopologyNode {
  std::string name;
  NodeKind kind = NodeKind::rank;
  /// Carries what is neither from nor for it. A GPU in a server does not; a node of a torus does.
  bool forwards = true;
  bool reduces = false;   ///< A switch that adds up what passes (in-network reduction).
  int level = 0;          ///< Levels above the ranks, for up-down routing.
  std::string host = {};  ///< The host that it is built into; empty if unknown.
  double x = 0, y = 0;    ///< For a picture; y grows downwards. Neighbours are about 1 apart.
  bool operator==(const TopologyNode&) const = default;
};

enum class Duplex : std::uint8_t {
  full,  ///< Each direction has the bandwidth.
  half,  ///< Both directions share it.
};
inline constexpr Duplex kAllDuplexes[] = {Duplex::full, Duplex::half};
std::string_view to_string(Duplex duplex) noexcept;

struct TopologyLink {
  int a = 0, b = 0;      ///< Nodes.
  double bandwidth = 0;  ///< Bytes per second from a to b, above 0; half duplex: of both.
  double back = 0;       ///< From b to a; equal to `bandwidth` for half duplex.
  double latency = 0;    ///< Seconds.
  Duplex duplex = Duplex::full;
  std::string label = {};  ///< "NV4"; empty if none.
  bool operator==(const TopologyLink&) const = default;
};

/// How routes are found. All ways are deterministic: of equal routes, the widest wins, then the lower numbers of links.
enum class Routing : std::uint8_t {
  shortest,         ///< Least latency, then fewest links.
  minimal,          ///< Fewest links, then least latency.
  dimension_order,  ///< On a torus or mesh: the first dimension first, the shorter way.
  up_down,          ///< In a tree of switches: up to what both have in common, then down.
};
inline constexpr Routing kAllRoutings[] = {Routing::shortest, Routing::minimal,
                                           Routing::dimension_order, Routing::up_down};
std::string_view to_string(Routing routing) noexcept;  ///< "dimension-order"

/// A route that the file gives in place of a computed one, for both directions.
struct GivenRoute {
  std::vector<int> nodes;  ///< From a rank to another one, neighbours linked.
  bool operator==(const GivenRoute&) const = default;
};

/// A parameter of a family: whole numbers, a number (bytes per second, seconds), a switch, or a word.
using FamilyValue = std::variant<std::vector<int>, double, bool, std::string>;

/// How a topology was generated: saved in place of its nodes and links.
struct FamilyCall {
  std::string name;  ///< Empty if no family generated it.
  std::map<std::string, FamilyValue, std::less<>> values = {};
  bool operator==(const FamilyCall&) const = default;
};

struct Topology {
  std::string title = {}, about = {};
  std::vector<TopologyNode> nodes = {};
  std::vector<TopologyLink> links = {};
  std::vector<int> rank_nodes = {};  ///< The node of each rank.
  Routing routing = Routing::shortest;
  std::vector<int> dimensions =
      {};  ///< Ranks in each dimension of a torus or mesh; rank 1 is next to rank 0 in the last.
  std::vector<GivenRoute> routes = {};
  NetworkModel model = {};
  /// If above 0, the number of ranks of a uniform network: each pair has links of its own with model.alpha and
  /// model.beta, and there are no nodes or links.
  int uniform_ranks = 0;
  FamilyCall family = {};

  int ranks() const noexcept {
    return uniform_ranks > 0 ? uniform_ranks : static_cast<int>(rank_nodes.size());
  }
  /// Returns the name of a node or link in a message: "gpu0", "gpu0 - gpu1".
  const std::string& name_of(int node) const {
    return nodes.at(static_cast<std::size_t>(node)).name;
  }
  std::string link_name(int link) const;
  int add_node(TopologyNode node);  ///< A rank gets the next number.
  int add_link(TopologyLink link);
  bool operator==(const Topology&) const = default;
};

/// The largest topologies that are accepted.
inline constexpr int kMostRanks = 1 << 20;  ///< Ranks of a uniform network.
inline constexpr int kMostNodes = 100'000;
inline constexpr int kMostLinks = 200'000;

/// The links that touch each node, ascending: of(node).
class Adjacency {
 public:
  explicit Adjacency(const Topology& topology);
  struct Edge {
    int link, to;
    bool back;  ///< From the link's b to its a.
  };
  /// The edges of a node; owns no memory.
  struct Range {
    const Edge *first, *last;
    const Edge* begin() const noexcept { return first; }
    const Edge* end() const noexcept { return last; }
  };
  Range of(int node) const noexcept {
    const auto n = static_cast<std::size_t>(node);
    return {edges_.data() + begin_[n], edges_.data() + begin_[n + 1]};
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Edge> edges_;
};

/// A fault of a topology; none if `text` is empty. `at` is the node, link or route at fault (-1: the whole).
struct TopologyFault {
  enum class Of : std::uint8_t { whole, node, link, route } of = Of::whole;
  int at = -1;
  std::string text = {};
  explicit operator bool() const noexcept { return !text.empty(); }
};
/// Returns the first fault: links that lead nowhere, bandwidths that are not above 0, given routes that do not exist,
/// ranks that cannot reach each other.
TopologyFault find_fault(const Topology& topology);

/// Throws UserError with find_fault's text.
void check_topology(const Topology& topology);

}  // namespace rankscope
