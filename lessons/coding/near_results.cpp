// Compares wrong results with what one slip leaves.
#include "lessons/coding/near_results.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/coding/inputs.h"
#include "lessons/coding/result_parts.h"
#include "lessons/coding/results.h"

namespace rankscope {
namespace {

using Harness = CodingCall::Harness;
using Numbers = std::vector<double>;

constexpr double kMost = 0.6;  ///< The share of elements that counts as most of them.

/// A tensor that a rank may have put its result into.
struct Candidate {
  Numbers values;
  bool right_type = true;
};

std::vector<Candidate> candidates(const CaseReports& in, Rank rank) {
  std::vector<Candidate> out;
  for (const char* name : {"return", "argument 0", "msg"}) {
    // A function that returns another tensor only reads its argument.
    if (!in.exercise.call.in_place && std::string_view(name) != "return") continue;
    const auto* got = result_called(in.of(rank), name);
    if (got == nullptr || got->dtype == DType::uint8) continue;
    out.push_back({numbers_in(*got), kind_in(*got) == to_string(in.one.dtype)});
  }
  return out;
}

// Numbers of another type than the one asked for may have been rounded to it.
bool alike(double have, double want, bool right_type) {
  constexpr double kRounded = 1.0 / (1 << 22);
  if (have == want) return true;
  return !right_type && std::abs(have - want) <= std::abs(want) * kRounded;
}

// ---- Sums ----

class Sums {
 public:
  explicit Sums(const CodeCase& one) : one_(one) {
    for (Rank rank = 0; rank < one.ranks; ++rank) {
      inputs_.push_back(values_for(one, rank));
      const account::Contents owed = account::promised(one, rank);
      if (owed.empty()) parts_.emplace_back();
      else parts_.push_back({owed[0].shares.begin()->element, owed[0].elements.count});
    }
  }

  /// The range of a rank's input that its result covers.
  Range part_of(Rank rank) const { return parts_[static_cast<std::size_t>(rank)]; }

  bool is_near(const Candidate& got, Rank rank, Count i) const {
    const auto at = static_cast<std::size_t>(part_of(rank).offset + i);
    const double have = got.values[static_cast<std::size_t>(i)];
    Numbers all;
    for (const Numbers& input : inputs_) all.push_back(input[at]);
    const double sum = std::accumulate(all.begin(), all.end(), 0.0);
    if (alike(have, sum, got.right_type)) return true;
    const double n = one_.ranks;
    const auto is_float32 = [](double value) {
      return static_cast<double>(static_cast<float>(value)) == value;
    };
    // It was float32 on its way. A sum that lacks a rank is further off, as large types have large inputs.
    if (is_float32(have) && std::abs(have - sum) <= std::abs(sum) / (1 << 20)) return true;
    // An integer's average is rounded; a float's last bits, too.
    constexpr double kLastBits = 1e-12;
    const double rounded = one_.dtype == DType::float32 ? 1.0 / (1 << 22) : kLastBits;
    const double least = one_.dtype == DType::float32 || one_.dtype == DType::float64 ? 0 : n;
    if (std::abs(have * n - sum) <= std::max(least, std::abs(sum) * rounded)) return true;
    // An integer's average computed in float32, which rounds the sum and the quotient.
    if (is_float32(have) && std::abs(have * n - sum) <= std::abs(sum) / (1 << 22)) return true;
    if (account::is_miscounted_sum(have, all)) return true;
    return one_.collective == Collective::reduce_scatter &&
           (have == with_own_chunks(i) || is_of_other_chunk(have, i));
  }

  /// Returns whether an element adds up numbers of several ranks.
  bool is_sum(const Candidate& got, Rank rank, Count i) const {
    const auto at = static_cast<std::size_t>(part_of(rank).offset + i);
    Numbers all;
    for (const Numbers& input : inputs_) all.push_back(input[at]);
    const double have = got.values[static_cast<std::size_t>(i)];
    return have == std::accumulate(all.begin(), all.end(), 0.0) ||
           account::is_miscounted_sum(have, all);
  }

  /// Returns whether an element is another rank's number instead of a sum, among more than two ranks.
  bool is_copied(const Candidate& got, Rank rank, Count i) const {
    const auto at = static_cast<std::size_t>(part_of(rank).offset + i);
    const double have = got.values[static_cast<std::size_t>(i)];
    for (Rank other = 0; other < one_.ranks; ++other)
      if (other != rank && have == inputs_[static_cast<std::size_t>(other)][at]) return true;
    return false;
  }

 private:
  // The whole sum, of the chunk that is another rank's.
  bool is_of_other_chunk(double have, Count i) const {
    for (Rank owner = 0; owner < one_.ranks; ++owner) {
      double sum = 0;
      for (const Numbers& input : inputs_)
        sum += input[static_cast<std::size_t>(part_of(owner).offset + i)];
      if (have == sum) return true;
    }
    return false;
  }

  // Each rank sent its own chunk to everybody, and not the receiver's.
  double with_own_chunks(Count i) const {
    double sum = 0;
    for (Rank other = 0; other < one_.ranks; ++other)
      sum += inputs_[static_cast<std::size_t>(other)]
                    [static_cast<std::size_t>(part_of(other).offset + i)];
    return sum;
  }

  const CodeCase& one_;
  std::vector<Numbers> inputs_;
  std::vector<Range> parts_;
};

/// The share of all ranks' elements that pass; of several candidates the best one counts.
template <class Passes>
double share_of_elements(const CaseReports& in, const Sums& sums, Passes passes) {
  Count all = 0, good = 0;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const Count count = sums.part_of(rank).count;
    Count best = 0;
    for (const Candidate& got : candidates(in, rank)) {
      if (std::ssize(got.values) != count) continue;
      Count here = 0;
      for (Count i = 0; i < count; ++i) here += passes(got, rank, i);
      best = std::max(best, here);
    }
    all += count;
    good += best;
  }
  return all == 0 ? 0 : static_cast<double>(good) / static_cast<double>(all);
}

bool sums_are_near(const CaseReports& in) {
  const Sums sums(in.one);
  return share_of_elements(in, sums, [&](const Candidate& got, Rank rank, Count i) {
           return sums.is_near(got, rank, i);
         }) >= kMost;
}

// ---- Data that moves ----

/// The ranks whose inputs contain a number.
using Owners = std::multimap<double, Rank>;

bool has(const Owners& owners, double number, Rank rank, bool right_type) {
  const double off = right_type ? 0 : std::abs(number) / (1 << 22);
  for (auto at = owners.lower_bound(number - off); at != owners.end() && at->first <= number + off;
       ++at)
    if (at->second == rank || rank < 0) return true;
  return false;
}

bool same_numbers(Numbers have, Numbers want, bool right_type) {
  if (ranges::any_of(have, [](double one) { return std::isnan(one); })) return false;
  ranges::sort(have);
  ranges::sort(want);
  return ranges::equal(have, want, [&](double a, double b) { return alike(a, b, right_type); });
}

bool rank_is_near(const CodeCase& one, const Owners& owners, const Candidate& got,
                  const Numbers& want, Rank rank) {
  if (got.values.empty()) return want.empty();
  if (same_numbers(got.values, want, got.right_type)) return true;
  const bool half = 2 * got.values.size() >= want.size() && one.ranks > 2;
  if (got.values.size() != want.size() && !half) return false;
  std::size_t in_place = 0, others = 0, others_wanted = 0;
  bool all_known = true;
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    all_known = all_known && has(owners, got.values[i], -1, got.right_type);
    others += !has(owners, got.values[i], rank, got.right_type);
    in_place += i < want.size() && alike(got.values[i], want[i], got.right_type);
  }
  for (const double number : want) others_wanted += !has(owners, number, rank, true);
  // A loop that stops one rank too early leaves elements that were never written.
  if (static_cast<double>(in_place) >= kMost * static_cast<double>(want.size())) return true;
  return all_known && 2 * others >= std::max<std::size_t>(others_wanted, 1);
}

bool moves_are_near(const CaseReports& in) {
  Owners owners;
  for (Rank rank = 0; rank < in.one.ranks; ++rank)
    for (const double value : values_for(in.one, rank)) owners.emplace(value, rank);
  int near = 0;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    const Numbers want = expected_values(in.one, rank);
    for (const Candidate& got : candidates(in, rank))
      if (rank_is_near(in.one, owners, got, want, rank)) {
        ++near;
        break;
      }
  }
  return 2 * near >= in.one.ranks;
}

// ---- The exercises that are no collectives ----

/// The lines of a result that is a text, without empty ones.
std::vector<std::string> printed_lines(const capi::TaskResult* result) {
  const std::string text = result == nullptr ? "" : text_in(*result);
  std::vector<std::string> out;
  for (const std::string_view line : lines_of(text))
    if (!line.empty()) out.emplace_back(line);
  return out;
}

/// The first number in a text, or -1.
int number_of(std::string_view text) {
  const auto at = text.find_first_of("0123456789");
  return at == text.npos ? -1 : std::atoi(std::string(text.substr(at, 9)).c_str());
}

// One line of its own for each rank (another one may stand beside it): its words, or its number by one, are wrong.
bool greets_nearly(const CaseReports& in) {
  std::vector<int> numbers;
  for (const auto& rank : in.ranks) {
    auto lines = printed_lines(result_called(rank, "stdout"));
    const auto* returned = result_called(rank, "return");
    if (lines.empty() && returned != nullptr && kind_in(*returned) == "str")
      lines = printed_lines(returned);
    if (lines.empty() || lines.size() > 2) return false;
    numbers.push_back(number_of(lines.front()));
  }
  for (Rank rank = 0; rank < in.one.ranks; ++rank)
    if (numbers[static_cast<std::size_t>(rank)] - numbers[0] != rank) return false;
  return numbers[0] == 0 || numbers[0] == 1;
}

// Nearly right: off by some ranks' numbers, or by the rounding of a narrower type; or passed on but not returned, or not
// passed on to the last rank.
bool passes_nearly(const CaseReports& in) {
  int near = 0, returned = 0;
  double want = passed_on(in.one);
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    want += rank;
    const auto& report = in.of(rank);
    const auto* got = result_called(report, "return");
    const auto numbers =
        got == nullptr || kind_in(*got) == "NoneType" ? Numbers{} : numbers_in(*got);
    returned += !numbers.empty();
    const double off = numbers.size() == 1 ? numbers[0] - want : want;
    const double narrow = std::fmod(off, std::ldexp(1.0, 32));
    // The last rank of a loop that stops too early still has its own 0.
    const bool left_out = rank > 1 && rank + 1 == in.one.ranks && off == -want;
    near += left_out ||
            std::abs(off) <= std::max<double>(in.one.ranks * in.one.ranks, want / (1 << 22)) ||
            std::abs(narrow) <= in.one.ranks * in.one.ranks || numbers.empty();
  }
  return near == in.one.ranks && (returned > 0 || in.one.ranks > 1);
}

bool holds(const capi::TaskResult* got, const CodeCase& one, const std::vector<double>& want) {
  return got != nullptr && kind_in(*got) == to_string(one.dtype) && numbers_in(*got) == want;
}

bool is_right(const CaseReports& in, Rank rank) {
  const CodeCase& one = in.one;
  const auto* returned = result_called(in.of(rank), "return");
  switch (in.exercise.call.harness) {
    case Harness::function:
    case Harness::worker:
      return holds(result_of(in.exercise, in.of(rank)), one, expected_values(one, rank));
    case Harness::pass_it_on: {
      double want = passed_on(one);
      for (Rank other = 1; other <= rank; ++other) want += other;
      return returned != nullptr && numbers_in(*returned) == std::vector<double>{want};
    }
    case Harness::send_recv:
      if (rank == one.root || rank == one.target)
        return holds(returned, one, input_of(one, one.root));
      return returned != nullptr && kind_in(*returned) == "NoneType";
    default: return false;
  }
}

/// For each rank, the set of ranks as bits whose data has come to it, directly or through others.
std::vector<std::uint64_t> heard_from(const TraceAnalysis& run, int ranks) {
  struct Step {
    std::uint64_t at = 0;
    std::size_t message = 0;
    bool arrives = false;
  };
  const auto& messages = run.messages();
  std::vector<Step> steps;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const MessageRecord& one = messages[i];
    if (one.sync || one.sent == kNoEvent || one.received == kNoEvent) continue;
    steps.push_back({one.sent, i, false});
    steps.push_back({one.received, i, true});
  }
  ranges::sort(steps, {}, &Step::at);
  std::vector<std::uint64_t> heard, carried(messages.size());
  for (int rank = 0; rank < ranks; ++rank) heard.push_back(std::uint64_t{1} << rank);
  for (const Step& step : steps) {
    const MessageRecord& one = messages[step.message];
    if (!step.arrives) carried[step.message] = heard[static_cast<std::size_t>(one.from)];
    else heard[static_cast<std::size_t>(one.to)] |= carried[step.message];
  }
  return heard;
}

/// Returns the rank whose input all ranks hold.
std::optional<Rank> copied_everywhere(const CaseReports& in) {
  for (Rank source = 0; source < in.one.ranks; ++source) {
    const auto want = values_for(in.one, source);
    if (ranges::all_of(in.ranks, [&](const capi::AgentReport& rank) {
          return holds(result_of(in.exercise, rank), in.one, want);
        }))
      return source;
  }
  return std::nullopt;
}

/// Returns whether each element's sum is on one rank only, and each rank has equally many of them.
bool has_one_chunk_each(const CaseReports& in) {
  const std::vector<double> want = expected_values(in.one, 0);
  std::vector<int> owners(want.size());
  std::uint64_t sent = 0;
  for (const capi::AgentReport& rank : in.ranks) {
    sent += rank.sent.bytes;
    const auto* got = result_of(in.exercise, rank);
    const std::vector<double> have = got == nullptr ? std::vector<double>{} : numbers_in(*got);
    if (have.size() != want.size()) return false;
    std::size_t right = 0;
    for (std::size_t i = 0; i < want.size(); ++i)
      if (have[i] == want[i]) {
        ++owners[i];
        ++right;
      }
    if (right * in.ranks.size() != want.size()) return false;
  }
  // More than that is an attempt to pass the sums on.
  return sent <= want.size() * dtype_size(in.one.dtype) * (in.ranks.size() - 1) &&
         ranges::all_of(owners, [](int count) { return count == 1; });
}

}  // namespace

double worth_of_wrong_values(const CaseReports& in) {
  const Harness harness = in.exercise.call.harness;
  if (harness == Harness::hello) return greets_nearly(in) ? kOfOneSlip : 0;
  const bool sent = ranges::any_of(in.ranks, [](const auto& rank) { return rank.sent.bytes > 0; });
  if (in.one.ranks > 1 && !sent) return 0;
  if (harness == Harness::pass_it_on) return passes_nearly(in) ? kOfOneSlip : 0;
  if (harness != Harness::function && harness != Harness::worker) return 0;
  const bool near = traits(in.one.collective).reduces ? sums_are_near(in) : moves_are_near(in);
  return near ? kOfOneSlip : 0;
}

std::string explain_missing_sums(const CaseReports& in) {
  if (!traits(in.one.collective).reduces || !in.exercise.call.collective || in.one.ranks < 3)
    return {};
  const Sums data(in.one);
  const double copied = share_of_elements(in, data, [&](const Candidate& got, Rank rank, Count i) {
    return data.is_copied(got, rank, i);
  });
  const double some_sum = share_of_elements(
      in, data,
      [&](const Candidate& got, Rank rank, Count i) { return data.is_sum(got, rank, i); });
  if (copied < 0.5 || some_sum > 0) return {};
  return "the results hold single ranks' numbers and no sums: what arrives has to be added";
}

double share_of_right_ranks(const CaseReports& in) {
  int right = 0;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) right += is_right(in, rank);
  return 2 * right < in.one.ranks ? 0 : static_cast<double>(right) / in.one.ranks;
}

std::string explain_other_collective(const CaseReports& in) {
  const auto& call = in.exercise.call;
  const bool for_all =
      call.collective == Collective::allreduce || call.collective == Collective::allgather;
  if (!for_all || in.one.ranks < 3) return {};
  if (call.collective == Collective::allreduce && has_one_chunk_each(in))
    return "each rank has the sum of one chunk, and none has the others: that is a reduce-scatter";
  std::optional<Rank> only;
  for (Rank rank = 0; rank < in.one.ranks; ++rank) {
    if (!is_right(in, rank)) continue;
    if (only) return {};
    only = rank;
  }
  if (!only || in.of(*only).sent.bytes > 0) return {};
  return fmt::format("rank {} alone has the result and sends it to nobody: that is a {}", *only,
                     call.collective == Collective::allreduce ? "reduce" : "gather");
}

void weigh_source(const CaseReports& in, const TraceAnalysis& run, CodeFaults& out) {
  constexpr int kMostRanks = 64;  // bits
  const bool sum = in.exercise.call.collective == Collective::allreduce;
  if (!sum || out.near_values > 0 || in.one.ranks > kMostRanks || in.one.ranks < 2) return;
  const auto source = copied_everywhere(in);
  if (!source) return;
  const auto heard = heard_from(run, in.one.ranks);
  const std::uint64_t all = ~std::uint64_t{0} >> (kMostRanks - in.one.ranks);
  if (heard[static_cast<std::size_t>(*source)] == all) return;
  const auto holder = ranges::find(heard, all);
  if (holder == heard.end()) return;
  out.values +=
      fmt::format("; rank {} has heard from all ranks, but what rank {} has goes to the others",
                  holder - heard.begin(), *source);
  out.near_values = kOfOneSlip;
}

}  // namespace rankscope
