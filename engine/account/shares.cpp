// Lists of shares: sums, comparisons and texts.
#include "engine/account/shares.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"

namespace rankscope::account {
namespace {

bool is_before(const Share& a, const Share& b) noexcept {
  return a.rank != b.rank ? a.rank < b.rank : a.element < b.element;
}

}  // namespace

Shares::Shares(std::vector<Share> list) {
  if (list.size() == 1) only_ = list.front();
  else if (!list.empty()) several_ = std::make_shared<const std::vector<Share>>(std::move(list));
}

Shares Shares::unknown() noexcept { return Share(-1, -1, kUnknown); }

Shares Shares::of_all(int ranks, Count element) {
  std::vector<Share> list;
  for (Rank rank = 0; rank < ranks; ++rank) list.push_back({rank, element});
  return Shares(std::move(list));
}

int Shares::times(Rank rank) const noexcept {
  int times = 0;
  for (const Share& one : list())
    if (one.rank == rank) times += one.times;
  return times;
}

int Shares::times(Rank rank, Count element) const noexcept {
  const Share wanted{rank, element};
  const auto at = ranges::lower_bound(list(), wanted, is_before);
  return at != end() && !is_before(wanted, *at) ? at->times : 0;
}

int Shares::most() const noexcept {
  int most = 0;
  for (const Share& one : list()) most = std::max(most, one.times);
  return most;
}

bool Shares::complete(int ranks) const noexcept {
  Rank next = 0;
  for (const Share& one : list())
    if (one.rank != next++ || one.times != 1) return false;
  return next == ranks && known();
}

Shares Shares::further(Count distance) const {
  if (!several_) {
    Shares out = *this;
    if (only_.element >= 0) out.only_.element += distance;
    return out;
  }
  if (distance == 0 || ranges::all_of(*several_, [](auto& one) { return one.element < 0; }))
    return *this;
  std::vector<Share> moved = *several_;
  for (Share& one : moved)
    if (one.element >= 0) one.element += distance;
  return Shares(std::move(moved));
}

std::string Shares::text(Count place) const {
  if (!known()) return "?";
  if (empty()) return "–";
  std::vector<std::string> words;
  for (const Share& one : list()) {
    std::string word = one.times == 1 ? "" : fmt::format("{}·", one.times);
    word += fmt::format("r{}", one.rank);
    if (one.element >= 0 && one.element != place) word += fmt::format("[{}]", one.element);
    words.push_back(std::move(word));
  }
  return fmt::format("{}", fmt::join(words, "+"));
}

std::strong_ordering Shares::operator<=>(const Shares& other) const noexcept {
  if (several_ && several_ == other.several_) return std::strong_ordering::equal;
  if (known() != other.known()) return known() <=> other.known();
  const auto a = list(), b = other.list();
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

Shares sum(const Shares& a, const Shares& b) {
  if (!a.known() || !b.known()) return Shares::unknown();
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  std::vector<Share> out;
  out.reserve(a.list().size() + b.list().size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && is_before(*i, *j))) out.push_back(*i++);
    else if (i == a.end() || is_before(*j, *i)) out.push_back(*j++);
    else {
      out.push_back({i->rank, i->element, std::min(i->times + j->times, kMostTimes)});
      ++i, ++j;
    }
  }
  return Shares(std::move(out));
}

Shares without_elements(const Shares& shares) {
  if (ranges::all_of(shares.list(), [](const Share& one) { return one.element < 0; }))
    return shares;
  Shares out;
  for (Share one : shares) {
    one.element = -1;
    out = sum(out, one);
  }
  return out;
}

void append(Contents& contents, Count count, const Shares& shares) {
  if (count <= 0) return;
  if (!contents.empty()) {
    Stretch& last = contents.back();
    if (last.shares.further(last.elements.count) == shares) {
      last.elements.count += count;
      return;
    }
  }
  contents.push_back({{contents.empty() ? 0 : contents.back().elements.end(), count}, shares});
}

const Shares* shares_at(const Contents& contents, Count element) noexcept {
  for (const Stretch& one : contents)
    if (one.elements.offset <= element && element < one.elements.end()) return &one.shares;
  return nullptr;
}

Contents part_of(const Contents& contents, Range range) {
  Contents part;
  for (const Stretch& one : contents) {
    const Range both = common(one.elements, range);
    if (both.count > 0)
      part.push_back({{both.offset - range.offset, both.count},
                      one.shares.further(both.offset - one.elements.offset)});
  }
  return part;
}

}  // namespace rankscope::account
