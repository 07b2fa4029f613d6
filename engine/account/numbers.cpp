// Makes inputs whose sums identify their ranks, and reads these and other sums.
#include "engine/account/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "engine/core/base/ranges.h"
#include "engine/core/base/value_text.h"

namespace rankscope::account {
namespace {

// ---- Digits ----

constexpr int kMostCounted = 4;  // times that one rank's data can be recognised in a sum
constexpr int kExactBits = 52;

/// Rank r's element e is base^r (unit + e): its digit says how often it is in a sum, and which elements were added.
struct Digits {
  double base = 8, unit = 1;
  bool elements = false;
  explicit Digits(const Call& call) {
    const auto count = static_cast<double>(std::max<Count>(call.shape.count(), 1));
    const double wide_unit = (kMostCounted + 1) * count, wide = (kMostCounted + 2) * wide_unit;
    if (call.ranks * std::log2(wide) > kExactBits) return;
    base = wide;
    unit = wide_unit;
    elements = true;
  }
};

// ---- Any numbers: the sums of each half of the ranks ----

constexpr std::size_t kMostSums = 300'000, kMostSolutions = 4'096, kMostElements = 64;

/// A way in which a rank's data can be in the sum.
struct Choice {
  int times = 0;
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

  /// Returns the only code that fits all elements; nothing if none or several do.
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

std::vector<double> traceable_input(const Call& call, Rank rank) {
  const Count count = call.shape.count();
  const Partition chunks(count, std::max(call.ranks, 1));
  std::vector<double> values(static_cast<std::size_t>(count), 0);
  for (Count e = 0; e < count; ++e) {
    double& value = values[static_cast<std::size_t>(e)];
    if (!reduces(call.collective)) value = 1 + static_cast<double>(rank * count + e);
    else if (e % call.ranks == rank) value = chunk_weight(call, chunks.chunk_of(e));
  }
  return values;
}

double chunk_weight(const Call& call, int chunk) {
  constexpr int kLeast = 16;
  return std::max(kLeast, call.ranks) + chunk;
}

std::optional<int> traced_times(const Call& call, Count element, double value) {
  constexpr double kMost = 1000;  // larger numbers come from elsewhere
  const Partition chunks(call.shape.count(), call.ranks);
  const double count = value / chunk_weight(call, chunks.chunk_of(element));
  if (count != std::floor(count) || count < 0 || count > kMost) return std::nullopt;
  return static_cast<int>(count);
}

std::vector<double> counted_input(const Call& call, Rank rank) {
  if (!reduces(call.collective)) return traceable_input(call, rank);
  const Digits digits(call);
  std::vector<double> values;
  for (Count e = 0; e < call.shape.count(); ++e)
    values.push_back(std::pow(digits.base, rank) *
                     (digits.unit + (digits.elements ? static_cast<double>(e) : 0)));
  return values;
}

Shares shares_in(const Call& call, double value) {
  if (!(value >= 0) || value != std::floor(value) || value > std::ldexp(1.0, 53))
    return Shares::unknown();
  if (value == 0) return {};
  const Count count = call.shape.count();
  if (!reduces(call.collective)) {
    const Count code = static_cast<Count>(value) - 1;
    if (count == 0 || code >= count * call.ranks) return Shares::unknown();
    return Share(static_cast<Rank>(code / count), code % count);
  }
  const Digits digits(call);
  const auto most = static_cast<double>(std::max<Count>(count, 1) - 1);
  std::vector<Share> shares;
  for (Rank rank = 0; rank < call.ranks; ++rank) {
    const double digit = std::fmod(value, digits.base);
    value = std::floor(value / digits.base);
    if (digit == 0) continue;
    const double times = std::floor(digit / digits.unit), rest = digit - times * digits.unit;
    if (times < 1 || times > kMostCounted || rest > times * most) return Shares::unknown();
    const double element = rest / times;
    const bool known = digits.elements && element == std::floor(element);
    shares.emplace_back(rank, known ? static_cast<Count>(element) : -1, static_cast<int>(times));
  }
  return value == 0 ? Shares(std::move(shares)) : Shares::unknown();
}

std::vector<Shares> counted_result(const Call& call, Rank rank) {
  const bool elements = !reduces(call.collective) || Digits(call).elements;
  std::vector<Shares> out;
  for (const Stretch& owed : promised(call, rank))
    for (Count k = 0; k < owed.elements.count; ++k) {
      const Shares shares = owed.shares.further(k);
      out.push_back(elements ? shares : without_elements(shares));
    }
  return out;
}

bool is_miscounted_sum(double value, std::span<const double> numbers) {
  constexpr int kMostSubsets = 8;
  const int n = static_cast<int>(numbers.size());
  const double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0);
  for (const double one : numbers)
    if (value == sum - one || value == sum + one) return true;
  if (n < 3) return n == 2 && (value == 2 * sum || value == 4 * sum);
  for (int times = 2; times <= 1 << std::min(n, 8); ++times)
    if (value == times * sum) return true;
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (int times = 1; a != b && times < n; ++times)
        if (value == times * numbers[static_cast<std::size_t>(a)] +
                         (n - times) * numbers[static_cast<std::size_t>(b)])
          return true;
  for (unsigned chosen = 3; n <= kMostSubsets && chosen < 1U << n; ++chosen) {
    if (std::has_single_bit(chosen)) continue;  // one rank's number is no sum
    double some = 0;
    for (std::size_t rank = 0; rank < numbers.size(); ++rank)
      if ((chosen >> rank & 1U) != 0) some += numbers[rank];
    if (some == value) return true;
  }
  return false;
}

std::optional<Makeup> makeup_of(const std::vector<double>& sum, const Inputs& inputs,
                                std::size_t begin, std::size_t end, std::size_t input_begin) {
  if (begin >= end || end > sum.size() || inputs.size() < 2) return std::nullopt;
  const Search search(sum, inputs, begin, end, input_begin);
  const int parts = static_cast<int>(inputs.size());
  const auto count = static_cast<Count>(inputs.begin()->second.size());
  // From the plainest reading to rarer ones. A sum that is doubled in each of log2 N steps counts each rank N times.
  constexpr int kMostOften = 8;
  const std::vector<Choice> once{{0}, {1}}, more_often{{0}, {1}, {2}, {3}};
  std::vector<std::vector<Choice>> readings{once, more_often};
  if (parts > 3 && parts <= kMostOften) {
    readings.push_back(more_often);
    for (int times = 4; times <= parts; ++times) readings.back().push_back({times});
  }
  if (count >= parts) {
    readings.push_back(more_often);
    const Partition chunks(count, parts);
    for (int chunk = 0; chunk < parts; ++chunk)
      if (const auto shift = chunks[chunk].offset - static_cast<std::ptrdiff_t>(input_begin);
          shift != 0)
        readings.back().push_back({1, shift});
  }
  for (const auto& choices : readings) {
    const auto code = search.only(choices);
    if (!code) continue;
    std::vector<Share> shares;
    auto chosen = code->begin();
    for (const auto& [rank, values] : inputs)
      if (const Choice& choice = choices[*chosen++]; choice.times > 0)
        shares.emplace_back(rank, static_cast<Count>(input_begin) + choice.shift, choice.times);
    // A zero may be any rank's data.
    const bool certain =
        !shares.empty() && (&choices != &readings.front() || search.only(more_often));
    return Makeup{Shares(std::move(shares)), certain};
  }
  return std::nullopt;
}

std::vector<std::byte> known_samples(const Trace& trace, const Definition& buffer, Range samples,
                                     Cursor cursor) {
  const auto size = static_cast<Count>(dtype_size(buffer.dtype));
  for (const BufferState& state : trace.seek(cursor)) {
    if (state.buffer != buffer.id) continue;
    if (samples.count <= 0 || samples.end() > std::ssize(state.known)) return {};
    const auto known = state.known.begin();
    if (std::find(known + samples.offset, known + samples.end(), false) != known + samples.end())
      return {};
    const auto begin = state.samples.begin();
    return {begin + samples.offset * size, begin + samples.end() * size};
  }
  return {};
}

std::vector<double> known_values(const Trace& trace, const Definition& buffer, Range samples,
                                 Cursor cursor) {
  const std::vector<std::byte> bytes = known_samples(trace, buffer, samples, cursor);
  std::vector<double> values;
  for (std::size_t at = 0; at < bytes.size(); at += dtype_size(buffer.dtype))
    values.push_back(value_number(buffer.dtype, &bytes[at]));
  return values;
}

}  // namespace rankscope::account
