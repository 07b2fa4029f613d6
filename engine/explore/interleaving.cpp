// Prints and parses interleavings, and chooses each next move: by listed or drawn deviations, or with one rank late.
#include "engine/explore/interleaving.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"

namespace rankscope::explore {
namespace {

constexpr std::uint32_t kMostRanks = 4'096, kMostNumber = 1'000'000'000;

/// Reads an interleaving's text from left to right.
class InterleavingReader {
 public:
  explicit InterleavingReader(std::string_view text) : all_(text), rest_(text) {}

  Interleaving read() {
    Interleaving out;
    out.which = number("the case's number", kMostNumber);
    if (!take(":")) fail("a ':' after the case's number");
    while (!rest_.empty()) {
      out.deviations.push_back(deviation());
      if (rest_.empty()) break;
      if (!take(",")) fail("',' between two deviations");
      if (rest_.empty()) fail("another deviation");
    }
    ranges::sort(out.deviations);
    const auto twice = std::ranges::adjacent_find(
        out.deviations, [](const auto& a, const auto& b) { return a.same_place(b); });
    if (twice != out.deviations.end()) fail("each thing once only");
    return out;
  }

 private:
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::uint32_t number(const char* what, std::uint32_t most) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value > most) fail(what);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  Deviation deviation() {
    using Kind = Deviation::Kind;
    Deviation out;
    if (take("late")) out.kind = Kind::late;
    else if (take("slow")) out.kind = Kind::slow;
    else if (take("wait")) out.kind = Kind::wait;
    else fail("late, slow or wait");
    out.rank = static_cast<Rank>(number("a rank", kMostRanks));
    if (out.kind == Kind::slow) {
      if (take("s")) out.strand = static_cast<std::uint16_t>(number("a strand", 0xffff));
    } else {
      if (!take("-")) fail("'-' and the rank at the other end");
      out.to = static_cast<Rank>(number("a rank", kMostRanks));
    }
    if (!take(".")) fail("'.' and a number");
    out.number = number("a number", kMostNumber);
    if (take("x")) out.level = number("a level from 1 to 9", kHighestLevel);
    if (out.level == 0) fail("a level from 1 to 9");
    return out;
  }
  [[noreturn]] void fail(const char* expected) const {
    throw UserError(
        fmt::format("\"{}\" is no schedule: at \"{}\" there should be {}; give the text "
                    "that --explore printed, as 2:late1-0.0,slow2.5",
                    all_, rest_, expected));
  }

  const std::string_view all_;
  std::string_view rest_;
};

}  // namespace

bool Deviation::same_place(const Deviation& other) const noexcept {
  Deviation leveled = other;
  leveled.level = level;
  return *this == leveled;
}

std::string to_text(const Interleaving& interleaving) {
  std::string out = fmt::format("{}:", interleaving.which);
  for (const Deviation& one : interleaving.deviations) {
    if (!out.ends_with(':')) out += ',';
    switch (one.kind) {
      case Deviation::Kind::late: out += fmt::format("late{}-{}", one.rank, one.to); break;
      case Deviation::Kind::wait: out += fmt::format("wait{}-{}", one.rank, one.to); break;
      case Deviation::Kind::slow:
        out += fmt::format("slow{}", one.rank);
        if (one.strand != 0) out += fmt::format("s{}", one.strand);
        break;
    }
    out += fmt::format(".{}", one.number);
    if (one.level != 1) out += fmt::format("x{}", one.level);
  }
  return out;
}

Interleaving parse_interleaving(std::string_view text) { return InterleavingReader(text).read(); }

namespace {

using Kind = Deviation::Kind;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) { return RandomNumbers(a ^ b).next(); }

std::uint64_t draw(std::uint64_t seed, const Deviation& place) {
  std::uint64_t out = mixed(seed, static_cast<std::uint64_t>(place.kind) + 1);
  out = mixed(out, static_cast<std::uint64_t>(place.rank + 1));
  out = mixed(out, static_cast<std::uint64_t>(place.to + 2) << 16 | place.strand);
  return mixed(out, place.number);
}

Deviation place_of(const NextMove& move) {
  Deviation out;
  out.kind = move.kind == NextMove::Kind::message ? Kind::late : Kind::slow;
  out.rank = out.kind == Kind::late ? move.from : move.rank;
  out.to = out.kind == Kind::late ? move.rank : -1;
  out.strand = move.strand;
  out.number = move.number;
  return out;
}

}  // namespace

std::chrono::milliseconds compute_limit_for(double timeout_s) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 500));
}

InterleavingOrder::InterleavingOrder(std::uint64_t seed, int ranks, const OrderSettings& settings)
    : settings_(settings), by_chance_(true), seed_(mixed(seed, 0x6f72646572)) {
  RandomNumbers random(seed_);
  const auto rank = static_cast<Rank>(random.below(static_cast<std::uint64_t>(std::max(ranks, 1))));
  switch (random.below(4)) {
    case 0: chances_ = {.late = 128, .levels = 3}; break;
    case 1: chances_ = {.late = 16, .wait = 32, .slow_rank = rank}; break;
    case 2: chances_ = {.late = 96, .slow = 96, .wait = 128, .levels = 4}; break;
    default: chances_ = {.late = 48, .slow = 32, .wait = 256, .levels = 2};
  }
}

InterleavingOrder::InterleavingOrder(std::vector<Deviation> deviations,
                                     const OrderSettings& settings)
    : settings_(settings), by_chance_(false) {
  for (Deviation& one : deviations) {
    const auto level = std::exchange(one.level, 1);
    listed_[one] = level;
  }
}

std::uint32_t InterleavingOrder::drawn_level(const Deviation& place) const {
  const std::uint64_t random = draw(seed_, place);
  if (place.kind == Kind::slow && place.rank == chances_.slow_rank) return 1;
  if (place.kind == Kind::late && place.rank == chances_.slow_rank && (random >> 32) % 2 == 0)
    return 1;
  const auto chance = place.kind == Kind::late   ? chances_.late
                      : place.kind == Kind::slow ? chances_.slow
                                                 : chances_.wait;
  if (random % 256 >= chance) return 0;
  return place.kind == Kind::wait
             ? 1
             : 1 + static_cast<std::uint32_t>((random >> 16) % chances_.levels);
}

std::uint32_t InterleavingOrder::chosen_level(const Deviation& place) const {
  if (by_chance_) return drawn_level(place);
  const auto listed = listed_.find(place);
  return listed == listed_.end() ? 0 : listed->second;
}

std::uint32_t InterleavingOrder::level_of(Deviation place, OpId op) {
  const auto [at, first] = asked_.try_emplace(place, 0);
  if (!first) return at->second;
  const std::uint32_t level = at->second = chosen_level(place);
  if (level > 0) {
    place.level = level;
    taken_.push_back({place, op});
  }
  return level;
}

void InterleavingOrder::count(std::uint64_t what) { digest_ = mixed(digest_, what); }

// A poll that finds nothing is the last choice, because a polling program would otherwise go on for ever. Of several, the
// strand with the fewest polls is first.
std::size_t InterleavingOrder::next(std::span<const NextMove> moves) {
  const std::lock_guard lock(mutex_);
  using Order = std::tuple<std::uint32_t, int, std::uint64_t, Rank, std::uint16_t>;
  std::size_t best = 0;
  Order first;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const NextMove& move = moves[i];
    const bool look = move.kind == NextMove::Kind::look;
    Order order{0, 1, 0, move.rank, move.strand};
    if (move.kind == NextMove::Kind::message) order = {0, 0, move.since, move.rank, 0};
    if (look && !move.news) order = {kHighestLevel + 1, 1, move.number, move.rank, move.strand};
    if (!look) std::get<0>(order) = level_of(place_of(move), move.op);
    if (i > 0 && order >= first) continue;
    best = i;
    first = order;
  }
  const NextMove& chosen = moves[best];
  ++moves_;
  count(static_cast<std::uint64_t>(chosen.kind) + 1);
  count(static_cast<std::uint64_t>(chosen.rank + 1) << 32 |
        static_cast<std::uint64_t>(chosen.from + 1));
  count(static_cast<std::uint64_t>(chosen.strand) << 32 | chosen.number);
  return best;
}

bool InterleavingOrder::waits(Rank from, Rank to, std::uint32_t number) {
  if (!settings_.may_wait) return false;
  const std::lock_guard lock(mutex_);
  Deviation place;
  place.kind = Kind::wait;
  place.rank = from;
  place.to = to;
  place.number = number;
  return level_of(place, 0) > 0;
}

void InterleavingOrder::continue_without(Rank rank) {
  const std::lock_guard lock(mutex_);
  if (left_behind_ < 0) left_behind_ = rank;
}

// Polls without news come last, as in InterleavingOrder.
std::size_t LateRankOrder::next(std::span<const NextMove> moves) {
  const auto order_of = [this](const NextMove& move) {
    const bool message = move.kind == NextMove::Kind::message;
    const bool idle = move.kind == NextMove::Kind::look && !move.news;
    const bool late = (message ? move.from : move.rank) == late_;
    const std::uint64_t turn = message ? move.since : idle ? move.number : 0;
    return std::tuple(idle ? 2 : late ? 1 : 0, message ? 0 : 1, turn, move.rank, move.strand);
  };
  return static_cast<std::size_t>(ranges::min_element(moves, {}, order_of) - moves.begin());
}

}  // namespace rankscope::explore
