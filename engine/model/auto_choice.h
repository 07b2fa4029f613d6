// Which algorithm suits a number of ranks, of bytes and a transport: a table of rules, fitted from
// measurements.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A measurement: one algorithm at one point.
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

  /// From measurements. Where algorithms are about as fast as each other the choice does not change
  /// from size to size: it minimises the sum of log(time / best time) over the sizes plus a price for
  /// every change, so that one disturbed measurement makes no rule.
  static ChoiceTable fit(const std::vector<ChoiceSample>& samples);
  /// Returns the built-in table, measured on a machine with two cores.
  static const ChoiceTable& built_in();

  /// The algorithm's name; empty when the table says nothing about the collective. A number of ranks
  /// without rules of its own takes those of the nearest (as a ratio), and an unknown transport
  /// those of ipc.
  std::string_view choose(std::string_view collective, std::string_view transport, int np,
                          std::uint64_t bytes) const noexcept;
  const std::vector<ChoiceRule>& rules() const noexcept { return rules_; }
  /// Rules of `other`'s (collective, transport, np) replace this table's.
  void merge(const ChoiceTable& other);

 private:
  std::vector<ChoiceRule> rules_;
};

/// How good a table is on measurements that it was not fitted on.
struct ChoiceQuality {
  struct Miss {
    std::string collective, transport;
    int np = 0;
    std::uint64_t bytes = 0;
    std::string chosen, best;
    double ratio = 1;
  };
  int points = 0;
  int within = 0;    ///< Points at which the choice took at most (1 + tolerance) the best's time.
  double worst = 1;  ///< Largest ratio to the best.
  std::vector<Miss> misses;
  double share() const noexcept { return points == 0 ? 1 : static_cast<double>(within) / points; }
};
ChoiceQuality judge_choice(const ChoiceTable& table, const std::vector<ChoiceSample>& samples,
                           double tolerance = 0.10);

}  // namespace rankscope
