// How long a link needs for the bytes that go over it, and its load over time.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "engine/network/router.h"
#include "engine/network/topology.h"

namespace rankscope {

/// Receives each change of a link's load, in order of time.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// Reports the bytes per second that flow from `at` on; `back` means from the link's b to its a. For a half-duplex
  /// link, `back` is false and the load is that of both directions.
  virtual void load_changed(double at, int link, bool back, double bytes_per_second) = 0;
};

/// Keeps the loads of a run, as steps.
class LinkLoads final : public LinkObserver {
 public:
  struct Step {
    double at, bytes_per_second;
    bool operator==(const Step&) const = default;
  };

  explicit LinkLoads(int links) : steps_(2 * static_cast<std::size_t>(links)) {}

  void load_changed(double at, int link, bool back, double bytes_per_second) override;
  /// Returns the steps of a load: each holds until the next one; before the first, the link is idle.
  std::span<const Step> steps(int link, bool back) const { return steps_[index(link, back)]; }
  /// Returns the bytes per second at that moment.
  double load(int link, bool back, double at) const;
  /// Returns the bytes that flowed between the two moments.
  double bytes(int link, bool back, double from, double to) const;

 private:
  static std::size_t index(int link, bool back) {
    return 2 * static_cast<std::size_t>(link) + (back ? 1 : 0);
  }
  std::vector<std::vector<Step>> steps_;
};

/// Returns the index of the sum to which a hop's bytes count: 1 from the link's b to its a, else 0. A half-duplex link
/// has only sum 0.
inline std::size_t way_of(const TopologyLink& link, const Hop& hop) {
  return hop.back && link.duplex != Duplex::half ? 1 : 0;
}

/// Returns the seconds that a link needs for the bytes of its two sums (see way_of): the longer time of the two.
inline double seconds_needed(const TopologyLink& link, double there, double back) {
  return std::max(there / link.bandwidth, back / link.back);
}

}  // namespace rankscope
