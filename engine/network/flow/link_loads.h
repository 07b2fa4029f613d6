// How loaded each link is over time.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace rankscope {

/// Hears of each change of a link's load, by ascending time.
class LinkObserver {
 public:
  virtual ~LinkObserver() = default;
  /// Sets the bytes per second that flow from `at` on; `back`: from the link's b to its a. Of a half-duplex link both
  /// directions together, as not `back`.
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
  /// Each holds until the next one; before the first the link is idle.
  std::span<const Step> steps(int link, bool back) const { return steps_[index(link, back)]; }
  /// Bytes per second at that moment.
  double load(int link, bool back, double at) const;
  /// Bytes that flowed between the two moments.
  double bytes(int link, bool back, double from, double to) const;

 private:
  static std::size_t index(int link, bool back) {
    return 2 * static_cast<std::size_t>(link) + (back ? 1 : 0);
  }
  std::vector<std::vector<Step>> steps_;
};

}  // namespace rankscope
