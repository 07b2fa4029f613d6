// Finds the combination of the ranks' data that a sum is, by trying the sums of each half of the ranks.
#include "engine/analysis/meant/makeup.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope::meant {
namespace {

constexpr std::size_t kMostSums = 300'000, kMostSolutions = 4'096, kMostElements = 64;

/// What one rank may add: its element at `from`, `times` times.
struct Choice {
  int times = 0;
  int chunk = -1;
  std::ptrdiff_t shift = 0;  ///< From the element that belongs there.
};

using Code = std::vector<std::uint8_t>;  // by rank: an index into the choices

class Search {
 public:
  Search(const std::vector<double>& sum, const Inputs& inputs, std::size_t begin, std::size_t end,
         std::size_t input_begin)
      : sum_(sum), begin_(begin), end_(std::min(end, begin + kMostElements)), from_(input_begin) {
    for (const auto& [rank, values] : inputs) inputs_.push_back(&values);
    for (std::size_t e = begin_; e < end_; ++e) scale_ = std::max(scale_, std::abs(sum_[e]));
    for (const auto* values : inputs_)
      for (const double value : *values) scale_ = std::max(scale_, std::abs(value));
  }

  /// The only code that fits all elements; empty: none, or several.
  std::optional<Code> only(const std::vector<Choice>& choices) const;

 private:
  using Sums = std::vector<std::pair<double, Code>>;
  bool is_near(double a, double b) const { return std::abs(a - b) <= scale_ * 1e-6; }
  std::optional<double> value(std::size_t rank, const Choice& choice, std::size_t element) const {
    const auto at = static_cast<std::ptrdiff_t>(from_ + element - begin_) + choice.shift;
    const auto& values = *inputs_[rank];
    if (choice.times == 0) return 0.0;
    if (at < 0 || at >= std::ssize(values)) return std::nullopt;
    return choice.times * values[static_cast<std::size_t>(at)];
  }
  Sums sums(std::size_t first, std::size_t last, const std::vector<Choice>& choices) const;
  bool fits(const Code& code, const std::vector<Choice>& choices) const;

  const std::vector<double>& sum_;
  const std::size_t begin_, end_, from_;
  std::vector<const std::vector<double>*> inputs_;
  double scale_ = 0;
};

Search::Sums Search::sums(std::size_t first, std::size_t last,
                          const std::vector<Choice>& choices) const {
  Sums out{{0.0, {}}};
  for (std::size_t rank = first; rank < last; ++rank) {
    if (out.size() * choices.size() > kMostSums) return {};
    Sums next;
    for (const auto& [sum, code] : out)
      for (std::size_t c = 0; c < choices.size(); ++c) {
        const auto added = value(rank, choices[c], begin_);
        if (!added) continue;
        Code longer = code;
        longer.push_back(static_cast<std::uint8_t>(c));
        next.emplace_back(sum + *added, std::move(longer));
      }
    out = std::move(next);
  }
  return out;
}

bool Search::fits(const Code& code, const std::vector<Choice>& choices) const {
  for (std::size_t e = begin_; e < end_; ++e) {
    double sum = 0;
    for (std::size_t rank = 0; rank < code.size(); ++rank) {
      const auto added = value(rank, choices[code[rank]], e);
      if (!added) return false;
      sum += *added;
    }
    if (!is_near(sum, sum_[e])) return false;
  }
  return true;
}

std::optional<Code> Search::only(const std::vector<Choice>& choices) const {
  const std::size_t half = inputs_.size() / 2;
  const Sums left = sums(0, half, choices);
  Sums right = sums(half, inputs_.size(), choices);
  if (left.empty() || right.empty()) return std::nullopt;
  ranges::sort(right, {}, &std::pair<double, Code>::first);
  std::optional<Code> found;
  std::size_t tried = 0;
  for (const auto& [sum, code] : left) {
    const double rest = sum_[begin_] - sum;
    auto at = ranges::lower_bound(right, rest - scale_ * 1e-6, {}, &std::pair<double, Code>::first);
    for (; at != right.end() && is_near(at->first, rest); ++at) {
      if (++tried > kMostSolutions) return std::nullopt;
      Code whole = code;
      whole.insert(whole.end(), at->second.begin(), at->second.end());
      if (!fits(whole, choices)) continue;
      if (found) return std::nullopt;
      found = std::move(whole);
    }
  }
  return found;
}

}  // namespace

std::optional<std::vector<Term>> makeup_of(const std::vector<double>& sum, const Inputs& inputs,
                                           std::size_t begin, std::size_t end,
                                           std::size_t input_begin) {
  if (begin >= end || end > sum.size() || inputs.size() < 2) return std::nullopt;
  const Search search(sum, inputs, begin, end, input_begin);
  const int parts = static_cast<int>(inputs.size());
  const auto count = static_cast<Count>(inputs.begin()->second.size());
  std::vector<Choice> choices{{0}, {1}};
  for (int level = 0; level < 3; ++level) {
    if (level == 1) choices.insert(choices.end(), {{2}, {3}});
    if (level == 2 && count >= parts) {
      const Partition chunks(count, parts);
      for (int chunk = 0; chunk < parts; ++chunk)
        if (const auto shift = chunks[chunk].offset - static_cast<std::ptrdiff_t>(input_begin);
            shift != 0)
          choices.push_back({1, chunk, shift});
    }
    const auto code = search.only(choices);
    if (!code) continue;
    std::vector<Term> terms;
    for (const auto& [rank, values] : inputs) {
      const Choice& choice = choices[(*code)[terms.size()]];
      terms.push_back({rank, choice.times, choice.chunk});
    }
    return terms;
  }
  return std::nullopt;
}

}  // namespace rankscope::meant
