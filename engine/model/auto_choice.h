// Chooses an algorithm by ranks, bytes and transport, from a table of rules that is fitted to
// measurements.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A measurement of one algorithm.
struct ChoiceSample {
  std::string collective, transport, algorithm;
  int np = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// The algorithm for np ranks and at most `up_to` bytes. Rules of the same (collective, transport, np)
/// are in ascending order of up_to, and the last one has no limit.
struct ChoiceRule {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::string collective, transport;
  int np = 0;
  std::uint64_t up_to = kNoLimit;
  std::string algorithm;
  bool operator==(const ChoiceRule&) const = default;
};

class ChoiceTable {
 public:
  ChoiceTable() = default;
  explicit ChoiceTable(std::vector<ChoiceRule> rules) : rules_(std::move(rules)) {}

  /// Fits a table to measurements. It minimises the sum of log(time / best time) over the sizes plus a
  /// price for every change of algorithm, so that neither small differences nor one disturbed
  /// measurement make a rule.
  static ChoiceTable fit(const std::vector<ChoiceSample>& samples);
  /// Returns the built-in table, measured on a machine with two cores.
  static const ChoiceTable& built_in();

  /// Returns the algorithm's name; empty if the table has no rule for the collective. A number of
  /// ranks without rules takes those of the nearest number (as a ratio), and an unknown transport
  /// those of ipc.
  std::string_view choose(std::string_view collective, std::string_view transport, int np,
                          std::uint64_t bytes) const noexcept;
  const std::vector<ChoiceRule>& rules() const noexcept { return rules_; }
  /// Replaces the rules of each (collective, transport, np) that `other` has.
  void merge(const ChoiceTable& other);

 private:
  std::vector<ChoiceRule> rules_;
};

/// How well a table chooses at measured points.
struct ChoiceQuality {
  struct Miss {
    std::string collective, transport;
    int np = 0;
    std::uint64_t bytes = 0;
    std::string chosen, best;
    double ratio = 1;
  };
  int points = 0;
  int within = 0;    ///< Points where the choice took at most 1.1 times the best.
  double worst = 1;  ///< Largest ratio of the choice's time to the best.
  std::vector<Miss> misses;
  double share() const noexcept { return points == 0 ? 1 : static_cast<double>(within) / points; }
};
ChoiceQuality judge_choice(const ChoiceTable& table, const std::vector<ChoiceSample>& samples);

}  // namespace rankscope
