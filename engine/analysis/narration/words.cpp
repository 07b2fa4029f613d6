// Lists, plurals and capitals of narrated sentences.
#include "engine/analysis/narration/words.h"

#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

constexpr std::size_t kListed = 4;

bool in_steps_of(const std::vector<Rank>& ranks, int step) {
  for (std::size_t i = 1; i < ranks.size(); ++i)
    if (ranks[i] - ranks[i - 1] != step) return false;
  return true;
}

}  // namespace

std::string ranks_text(const std::vector<Rank>& ranks, bool brief) {
  const std::size_t count = ranks.size();
  if (count <= 2) return rank_list(ranks);
  if (in_steps_of(ranks, 1)) return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  if (brief) return fmt::format("{} ranks", count);
  if (count <= kListed) return rank_list(ranks);
  if (in_steps_of(ranks, ranks[1] - ranks[0]))
    return fmt::format("ranks {}, {}, …, {}", ranks[0], ranks[1], ranks.back());
  return fmt::format("{} ranks", count);
}

std::string some(Count count, std::string_view noun) {
  return count == 1 ? fmt::format("one {}", noun) : fmt::format("{} {}s", count, noun);
}

std::string number_word(int number) {
  static constexpr std::string_view kWords[] = {"no",   "one",    "two",   "three", "four",
                                                "five", "six",    "seven", "eight", "nine",
                                                "ten",  "eleven", "twelve"};
  return number >= 0 && number < static_cast<int>(std::size(kWords)) ? std::string(kWords[number])
                                                                     : fmt::format("{}", number);
}

std::size_t length_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Subject subject_of(const std::vector<Rank>& ranks, int world, bool each, bool brief) {
  if (static_cast<int>(ranks.size()) == world && world > 1) return {"every rank", false};
  if (ranks.size() == 1) return {ranks_text(ranks), false};
  if (each) return {"each of " + ranks_text(ranks, brief), false};
  return {ranks_text(ranks, brief), true};
}

OperatorWords words_of(ReduceOp op) noexcept {
  constexpr std::string_view kCombines = "combines", kCombine = "combine", kCombined = "combined";
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return {"sum", "whole sum", "adds", "add", "added to"};
    case ReduceOp::product:
      return {"product", "final product", "multiplies", "multiply", "multiplied"};
    case ReduceOp::min: return {"minimum", "final minimum", kCombines, kCombine, kCombined};
    case ReduceOp::max: return {"maximum", "final maximum", kCombines, kCombine, kCombined};
    default: return {"result", "final result", kCombines, kCombine, kCombined};
  }
}

}  // namespace rankscope::narration
