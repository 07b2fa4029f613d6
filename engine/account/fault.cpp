// Compares the shares of a value with those that were promised, and words the difference.
#include "engine/account/fault.h"

#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope::account {
namespace {

using Kind = Fault::Kind;

/// "ranks 1 and 2", "rank 0's chunk 3"
std::string names_of(const std::vector<Share>& shares, std::string_view unit) {
  std::vector<Rank> ranks;
  std::vector<std::string> parts;
  for (const Share& one : shares) {
    ranks.push_back(one.rank);
    parts.push_back(fmt::format("rank {}'s {} {}", one.rank, unit, one.element));
  }
  const bool placed =
      !unit.empty() && ranges::all_of(shares, [](const Share& one) { return one.element >= 0; });
  return placed ? fmt::format("{}", fmt::join(parts, " and ")) : rank_list(ranks);
}

/// "twice", "three times": in words, because it stands behind ranks' numbers.
std::string times_text(int times) {
  static constexpr std::string_view kWords[] = {"twice", "three times", "four times"};
  return times >= 2 && times <= 4 ? std::string(kWords[times - 2]) : fmt::format("{} times", times);
}

}  // namespace

std::vector<Rank> Fault::sources() const {
  std::vector<Rank> out;
  for (const Share& one : shares) out.push_back(one.rank);
  return out;
}

std::string_view to_string(Kind kind) noexcept {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"contribution missing", "contribution doubled", "contribution in a wrong place",
       "number of nobody", "memory read before it is written", "race", "message of another length",
       "message without the other side", "cycle"});
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Fault> faults_in(const Shares& held, const Shares& wanted) {
  std::array<Fault, 3> found{Fault{.kind = Kind::missing}, Fault{.kind = Kind::doubled},
                             Fault{.kind = Kind::foreign}};
  for (const Share& one : wanted)
    if (const int times = held.times(one.rank, one.element); times != one.times)
      found[times < one.times ? 0 : 1].shares.emplace_back(one.rank, one.element, times);
  for (const Share& one : held)
    if (wanted.times(one.rank, one.element) == 0) found[2].shares.push_back(one);
  std::vector<Fault> out;
  for (Fault& one : found)
    if (!one.shares.empty()) out.push_back(std::move(one));
  return out;
}

std::string fault_words(const Shares& held, const Shares& wanted, std::string_view unit) {
  std::string has, lacks, beside;
  for (const Fault& fault : faults_in(held, wanted)) {
    if (fault.kind == Kind::missing) {
      if (held.empty() && fault.shares.size() > 1) return "has no rank's data";
      lacks = "lacks " + names_of(fault.shares, unit);
    } else if (fault.kind == Kind::doubled) {
      std::map<int, std::vector<Share>> by_times;
      for (const Share& one : fault.shares) by_times[one.times].push_back(one);
      for (const auto& [times, shares] : by_times)
        has += fmt::format("{} {} {}", has.empty() ? "has" : " and", names_of(shares, unit),
                           times_text(times));
    } else {
      beside = fmt::format("has {}, which does not belong there", names_of(fault.shares, unit));
    }
  }
  std::vector<std::string> parts;
  for (std::string* one : {&has, &lacks, &beside})
    if (!one->empty()) parts.push_back(std::move(*one));
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace rankscope::account
