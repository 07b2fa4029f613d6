// Max-min fair rates of transfers that share capacities, kept up to date as transfers come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

/// A rate is max-min fair when none can grow without shrinking one that is smaller already, rates being counted by their
/// weights. What a change leaves as it
/// was, because no chain of shared capacities leads there, is not looked at.
class FairShares {
 public:
  using Flow = std::uint32_t;  ///< A place that is used again after remove().
  using Capacity = std::uint32_t;

  /// Bytes per second of each.
  explicit FairShares(std::vector<double> capacities);

  /// Its rate is 0 until update(). `uses` has at least one, none twice. On a link alone with another one, it gets `weight`
  /// parts of what that gets for its own.
  Flow add(std::span<const Capacity> uses, double weight = 1);
  void remove(Flow flow);
  bool has_changes() const noexcept { return !touched_.empty(); }

  struct Change {
    Flow flow;
    double rate;  ///< Another one than before.
  };
  /// Brings the rates up to date; what changed is valid until the next call.
  std::span<const Change> update();
  /// The capacities that the last update() looked at, among them all whose load changed.
  std::span<const Capacity> looked_at() const noexcept { return part_capacities_; }

  double rate(Flow flow) const noexcept { return flows_[flow].rate; }
  double load(Capacity capacity) const noexcept;
  /// The flows that use it.
  std::vector<Flow> users(Capacity capacity) const;

 private:
  struct Use {
    Capacity capacity;
    std::uint32_t place;  ///< In the capacity's users.
  };
  struct FlowState {
    std::vector<Use> uses;
    double rate = 0, next_rate = 0, weight = 1;
    std::uint64_t stamp = 0;  ///< The last update that saw it.
    bool fixed = false;
  };
  struct User {
    Flow flow;
    std::uint32_t use;  ///< In the flow's uses.
  };
  struct CapacityState {
    double capacity = 0, left = 0;
    std::vector<User> users;
    std::uint64_t stamp = 0;
    std::uint32_t open = 0;  ///< Flows without a rate yet.
    double open_weight = 0;
    bool touched = false;
  };

  void touch(Capacity capacity);
  void gather();
  void reach(Capacity capacity);
  void fill();
  void fix(CapacityState& tightest, double share);

  std::vector<CapacityState> capacities_;
  std::vector<FlowState> flows_;
  std::vector<Flow> free_;
  std::vector<Capacity> touched_;
  std::uint64_t stamp_ = 0;
  // Used within one update.
  std::vector<Flow> part_;
  std::vector<Capacity> part_capacities_;
  std::vector<Change> changes_;
  struct Share {
    double share;
    Capacity capacity;
    auto operator<=>(const Share&) const = default;
  };
  std::vector<Share> heap_;
};

}  // namespace rankscope
