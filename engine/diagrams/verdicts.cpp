// Compares a run's measured steps and bytes with the collective's lower bounds, in words.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/diagrams/run_outcome.h"
#include "engine/diagrams/table/statistics_table.h"
#include "engine/diagrams/traced_job.h"
#include "engine/model/lower_bounds.h"

namespace rankscope {
namespace {

std::string meaning_of_data(const CollectiveTraits& collective) {
  if (collective.counts_all_ranks()) return "the parts of all ranks together";
  if (collective.rooted && !collective.result_at_root) return "the root's data";
  return "the input of one rank";
}

// "1.75 D", "D".
std::string times_data(double factor) {
  const std::string number = decimal(factor, 3);
  return number == "1" ? "D" : number + " D";
}

class BoundsComparison {
 public:
  explicit BoundsComparison(const TraceAnalysis& analysis)
      : facts_(analysis),
        statistics_(analysis.statistics()),
        n_(std::max(analysis.trace().world_size(), 1)) {
    data_ = static_cast<double>(facts_.data_bytes);
    if (facts_.collective != nullptr)
      bounds_ = lower_bounds(facts_.collective->collective, n_, data_);
  }

  Verdicts judge() const {
    Verdicts found;
    if (!bounds_) return found;
    found.lines.push_back(of_rounds());
    if (facts_.data_bytes > 0) {
      found.data = fmt::format("D = {}, {}", amount_text(facts_.data_bytes),
                               meaning_of_data(*facts_.collective));
      std::uint64_t sent = 0, received = 0;
      for (const auto& rank : statistics_.ranks) {
        sent = std::max(sent, rank.sent.bytes);
        received = std::max(received, rank.received.bytes);
      }
      found.lines.push_back(of_bytes("bytes sent, busiest rank:", sent, bounds_->sent));
      found.lines.push_back(of_bytes("bytes received, busiest rank:", received, bounds_->received));
    }
    add_reasons(found);
    return found;
  }

 private:
  BoundLine of_rounds() const {
    const bool reached = statistics_.rounds <= bounds_->rounds;
    return {"rounds:", grouped(static_cast<std::uint64_t>(statistics_.rounds)),
            reached ? "lower bound reached" : fmt::format("at least {}", bounds_->rounds), reached};
  }

  // Chunks differ by one element where N does not divide the data; then the bound, which knows no
  // elements, is reached as nearly as it can be.
  double rounding() const {
    const auto elements = facts_.data_bytes / std::max<std::size_t>(facts_.element_bytes, 1);
    const auto n = static_cast<std::uint64_t>(n_);
    return elements % n == 0 ? 1e-9
                             : static_cast<double>(facts_.element_bytes) * 2.0 * (n_ - 1) + 1e-9;
  }

  BoundLine of_bytes(std::string what, std::uint64_t amount, double bound) const {
    const double bytes = static_cast<double>(amount);
    const bool exact = bytes <= bound + 1e-6, reached = bytes <= bound + rounding();
    const std::string least = times_data(bound / data_);
    return {std::move(what), times_data(bytes / data_),
            exact     ? "lower bound reached"
            : reached ? "lower bound reached, except for chunks of different lengths"
                      : "at least " + least,
            reached};
  }

  void add_reasons(Verdicts& found) const {
    if (n_ <= 1) return;
    found.reasons.push_back("Rounds: " + std::string(bounds_->rounds_why));
    if (facts_.data_bytes > 0) found.reasons.push_back("Bytes: " + std::string(bounds_->bytes_why));
    if (!bounds_->source.empty())
      found.reasons.push_back("Source: " + std::string(bounds_->source));
  }

  const TracedJob facts_;
  const Statistics& statistics_;
  const int n_;
  double data_ = 0;
  std::optional<LowerBounds> bounds_;
};

}  // namespace

Verdicts verdicts(const TraceAnalysis& analysis) {
  // What was not sent, or not received, would look like a bound that was reached.
  const std::string outcome = run_outcome(analysis.trace());
  if (analysis.statistics().unreceived > 0 || (!outcome.empty() && outcome != "wrong result"))
    return {};
  return BoundsComparison(analysis).judge();
}

}  // namespace rankscope
