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

/// A link's terms as a person gives them, in bytes per second and seconds.
struct LinkTerms {
  double bandwidth = 0, back = 0, latency = 0;
  bool operator==(const LinkTerms&) const = default;
};

class TopologyEditor {
 public:
  TopologyEditor() = default;
  explicit TopologyEditor(Topology topology) : topology_(std::move(topology)) {}

  const Topology& topology() const noexcept { return topology_; }

  // Each throws UserError, and changes nothing, for an invalid link or place. The first change drops the family call,
  // so that the file then lists nodes and links.
  void add_link(int a, int b, const LinkTerms& terms);
  /// `back` is ignored for half duplex, which has one bandwidth.
  void change_link(int link, const LinkTerms& terms);
  /// Removes the link and the given routes over it. Ranks may no longer reach each other (unreachable_text).
  void cut(int link);
  /// Moves a node. It must stay at least 0.3 away from every other node.
  void move(int node, double x, double y);

  /// Return false if there is nothing to undo or redo.
  bool undo();
  bool redo();
  std::size_t undoable() const noexcept { return done_; }
  std::size_t redoable() const noexcept { return steps_.size() - done_; }
  /// Returns whether it has changed since it was opened or saved.
  bool changed() const noexcept { return saved_ != done_; }
  void saved() noexcept { saved_ = done_; }

 private:
  struct Step {
    enum class Kind : std::uint8_t { move, add, change, cut } kind = Kind::move;
    int at = 0;                            ///< Node or link.
    TopologyLink before = {}, after = {};  ///< The link's.
    double from_x = 0, from_y = 0, to_x = 0, to_y = 0;
    FamilyCall family = {};  ///< The topology's family before the step.
    std::vector<std::pair<std::size_t, GivenRoute>> routes =
        {};  ///< Removed with a link, ascending.
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
  std::optional<std::size_t> saved_ = 0;  ///< Empty if no undo leads back to the saved state.
};

/// Returns a node by its name, or by the number of its rank. Throws UserError with the nearest name.
int node_named(const Topology& topology, std::string_view name);
/// Returns the links between two nodes, ascending.
std::vector<int> links_between(const Topology& topology, int a, int b);
/// Returns the terms of a new link at `a`: those of one of its links, else of any link, else 10 GB/s and 1 us.
LinkTerms usual_terms(const Topology& topology, int a);

/// Says which ranks do not reach each other, "rank 3 reaches no other rank", "0 and 3, 1 and 3 and 4 other pairs do not
/// reach each other"; empty if all do. With more than 256 ranks it names one pair.
std::string unreachable_text(const Topology& topology);

}  // namespace rankscope
