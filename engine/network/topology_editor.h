// A topology that a person changes: each change can be taken back and made again, without limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/network/topology.h"

namespace rankscope {

/// What a person says of a link. Bytes per second and seconds.
struct LinkTerms {
  double bandwidth = 0, back = 0, latency = 0;
  bool operator==(const LinkTerms&) const = default;
};

class TopologyEditor {
 public:
  TopologyEditor() = default;
  explicit TopologyEditor(Topology topology) : topology_(std::move(topology)) {}

  const Topology& topology() const noexcept { return topology_; }
  /// Another number for each state that was shown.
  std::uint64_t revision() const noexcept { return revision_; }

  // Each throws UserError for what makes no link or place, and changes nothing then. A family's call is forgotten with
  // the first change: the file then has nodes and links.
  void add_link(int a, int b, const LinkTerms& terms);
  /// Half duplex has one bandwidth: `back` is not looked at.
  void change_link(int link, const LinkTerms& terms);
  /// Given routes that need it go with it. Ranks may be left that do not reach each other (unreachable_pairs).
  void cut(int link);
  /// At least 0.3 from each other node.
  void move(int node, double x, double y);

  /// False: there is nothing to take back, or to make again.
  bool undo();
  bool redo();
  std::size_t undoable() const noexcept { return done_; }
  std::size_t redoable() const noexcept { return steps_.size() - done_; }
  /// Since it was opened or saved.
  bool changed() const noexcept { return saved_ != done_; }
  void saved() noexcept { saved_ = done_; }

 private:
  struct Step {
    enum class Kind : std::uint8_t { move, add, change, cut } kind = Kind::move;
    int at = 0;                            ///< Node or link.
    TopologyLink before = {}, after = {};  ///< Of a link.
    double from_x = 0, from_y = 0, to_x = 0, to_y = 0;
    FamilyCall family = {};  ///< That the topology had before.
    std::vector<std::pair<std::size_t, GivenRoute>> routes =
        {};  ///< That went with a link, ascending.
  };
  void require_links() const;
  void check(const TopologyLink& link) const;
  void carry_out(Step step);
  void forward(const Step& step);
  void backward(const Step& step);
  std::vector<std::pair<std::size_t, GivenRoute>> routes_over(int link) const;

  Topology topology_;
  std::vector<Step> steps_;
  std::size_t done_ = 0;
  std::optional<std::size_t> saved_ = 0;  ///< Empty: no undo leads back to what was saved.
  std::uint64_t revision_ = 0;
};

/// A node by its name, or by the number of its rank. Throws UserError with the nearest name.
int node_named(const Topology& topology, std::string_view name);
/// The links between two nodes, ascending.
std::vector<int> links_between(const Topology& topology, int a, int b);
/// Of a link that somebody adds at `a`: those of one of its links, else of any link, else 10 GB/s and 1 us.
LinkTerms usual_terms(const Topology& topology, int a);

/// Pairs of ranks, the lower one first, that do not reach each other: at most `most`. Of more than 256 ranks none is
/// looked for: find_fault() names one.
std::vector<std::pair<Rank, Rank>> unreachable_pairs(const Topology& topology, std::size_t most);
/// For a person: "rank 3 reaches no other rank", "0 and 3, 1 and 3 and 4 other pairs do not reach each other"; empty:
/// all reach all.
std::string unreachable_text(const Topology& topology);

}  // namespace rankscope
