// Max-min fair rates of transfers that share capacities, kept up to date as transfers come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

/// Rates are max-min fair if none can grow without shrinking another that is smaller already, each divided by its
/// weight. An update looks only at flows that a chain of shared capacities joins with a change.
class FairShares {
 public:
  using Flow = std::uint32_t;  ///< An index that is used again after remove().
  using Capacity = std::uint32_t;

  /// `capacities` are in bytes per second.
  explicit FairShares(std::vector<double> capacities);

  /// Adds a flow over at least one capacity, none twice. Its rate is 0 until update(). Two flows that share one
  /// capacity divide it in proportion to their weights.
  Flow add(std::span<const Capacity> uses, double weight = 1);
  void remove(Flow flow);
  bool has_changes() const noexcept { return !touched_.empty(); }

  struct Change {
    Flow flow;
    double rate;  ///< The new rate.
  };
  /// Brings the rates up to date. Returns those that changed, valid until the next call.
  std::span<const Change> update();
  /// The capacities that the last update() looked at, among them all whose load changed.
  std::span<const Capacity> looked_at() const noexcept { return part_capacities_; }

  double rate(Flow flow) const noexcept { return flows_[flow].rate; }
  double load(Capacity capacity) const noexcept;
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
