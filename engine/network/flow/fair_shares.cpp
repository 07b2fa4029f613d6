// Recomputes rates, by progressive filling, in the part of the network that a change touches.
#include "engine/network/flow/fair_shares.h"

#include <algorithm>
#include <utility>

namespace rankscope {

FairShares::FairShares(std::vector<double> capacities) : capacities_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) capacities_[i].capacity = capacities[i];
}

FairShares::Flow FairShares::add(std::span<const Capacity> uses, double weight) {
  if (free_.empty()) {
    free_.push_back(static_cast<Flow>(flows_.size()));
    flows_.emplace_back();
  }
  const Flow flow = free_.back();
  free_.pop_back();
  FlowState& state = flows_[flow];
  state.rate = 0;
  state.weight = weight;
  state.uses.clear();
  for (const Capacity used : uses) {
    auto& users = capacities_[used].users;
    state.uses.push_back({used, static_cast<std::uint32_t>(users.size())});
    users.push_back({flow, static_cast<std::uint32_t>(state.uses.size() - 1)});
    touch(used);
  }
  return flow;
}

void FairShares::remove(Flow flow) {
  for (const Use& use : flows_[flow].uses) {
    auto& users = capacities_[use.capacity].users;
    const User last = users.back();
    users[use.place] = last;
    flows_[last.flow].uses[last.use].place = use.place;
    users.pop_back();
    touch(use.capacity);
  }
  flows_[flow].uses.clear();
  free_.push_back(flow);
}

void FairShares::touch(Capacity capacity) {
  if (std::exchange(capacities_[capacity].touched, true)) return;
  touched_.push_back(capacity);
}

std::span<const FairShares::Change> FairShares::update() {
  changes_.clear();
  gather();
  fill();
  for (const Flow flow : part_) {
    FlowState& state = flows_[flow];
    if (state.next_rate == state.rate) continue;
    state.rate = state.next_rate;
    changes_.push_back({flow, state.rate});
  }
  return changes_;
}

void FairShares::reach(Capacity capacity) {
  CapacityState& state = capacities_[capacity];
  if (std::exchange(state.stamp, stamp_) == stamp_) return;
  state.left = state.capacity;
  state.open_weight = 0;
  state.open = static_cast<std::uint32_t>(state.users.size());
  part_capacities_.push_back(capacity);
}

/// Finds all flows and capacities that a chain of shared capacities joins with a touched one.
void FairShares::gather() {
  ++stamp_;
  part_.clear();
  part_capacities_.clear();
  for (const Capacity capacity : touched_) {
    capacities_[capacity].touched = false;
    reach(capacity);
  }
  touched_.clear();
  for (std::size_t i = 0; i < part_capacities_.size(); ++i) {
    CapacityState& capacity = capacities_[part_capacities_[i]];
    for (const User& user : capacity.users) {
      FlowState& flow = flows_[user.flow];
      capacity.open_weight += flow.weight;
      if (std::exchange(flow.stamp, stamp_) == stamp_) continue;
      flow.fixed = false;
      part_.push_back(user.flow);
      for (const Use& use : flow.uses) reach(use.capacity);
    }
  }
}

/// Bertsekas and Gallager's algorithm: the capacity that gives the least for a weight of 1 fixes its flows' rates, and
/// so on with what is left. A share can only grow meanwhile, so an outdated entry of the heap is found when it is
/// taken.
void FairShares::fill() {
  heap_.clear();
  for (const Capacity capacity : part_capacities_)
    if (const CapacityState& state = capacities_[capacity]; state.open > 0)
      heap_.push_back({state.left / state.open_weight, capacity});
  std::ranges::make_heap(heap_, std::ranges::greater());
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::ranges::greater());
    const Share old = heap_.back();
    heap_.pop_back();
    CapacityState& state = capacities_[old.capacity];
    if (state.open == 0) continue;
    const double share = state.left / state.open_weight;
    if (share > old.share) {
      heap_.push_back({share, old.capacity});
      std::ranges::push_heap(heap_, std::ranges::greater());
      continue;
    }
    fix(state, old.share);
  }
}

void FairShares::fix(CapacityState& tightest, double share) {
  for (const User& user : tightest.users) {
    FlowState& flow = flows_[user.flow];
    if (std::exchange(flow.fixed, true)) continue;
    flow.next_rate = share * flow.weight;
    for (const Use& use : flow.uses) {
      CapacityState& used = capacities_[use.capacity];
      used.left = std::max(0.0, used.left - flow.next_rate);
      used.open_weight -= flow.weight;
      --used.open;
    }
  }
}

double FairShares::load(Capacity capacity) const noexcept {
  double sum = 0;
  for (const User& user : capacities_[capacity].users) sum += flows_[user.flow].rate;
  return sum;
}

std::vector<FairShares::Flow> FairShares::users(Capacity capacity) const {
  std::vector<Flow> out;
  for (const User& user : capacities_[capacity].users) out.push_back(user.flow);
  return out;
}

}  // namespace rankscope
