// Interleavings as text, and as what decides.
#include "engine/explore/interleaving.h"

#include <random>
#include <set>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

namespace rankscope::explore {
namespace {

using Kind = Deviation::Kind;

NextMove verb(Rank rank, std::uint32_t number) {
  NextMove out;
  out.rank = rank;
  out.number = number;
  return out;
}

NextMove message(Rank from, Rank to, std::uint32_t number, std::uint64_t since) {
  NextMove out;
  out.kind = NextMove::Kind::message;
  out.from = from;
  out.rank = to;
  out.number = number;
  out.since = since;
  return out;
}

NextMove look(Rank rank, std::uint32_t number, bool news = false) {
  NextMove out;
  out.kind = NextMove::Kind::look;
  out.rank = rank;
  out.number = number;
  out.news = news;
  return out;
}

std::size_t chosen(InterleavingOrder& order, const std::vector<NextMove>& moves) {
  return order.next(moves);
}

TEST_CASE("interleaving: what is written is read again") {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    Interleaving interleaving;
    interleaving.which = below(20);
    for (std::uint32_t k = below(6); k > 0; --k) {
      Deviation one;
      one.kind = static_cast<Kind>(below(3));
      one.rank = static_cast<Rank>(below(8));
      if (one.kind == Kind::slow) one.strand = static_cast<std::uint16_t>(below(3));
      else one.to = static_cast<Rank>(below(8));
      one.number = 10 * k + below(10);  // each once
      one.level = 1 + below(kHighestLevel);
      interleaving.deviations.push_back(one);
    }
    std::ranges::sort(interleaving.deviations);
    INFO(to_text(interleaving));
    CHECK(parse_interleaving(to_text(interleaving)) == interleaving);
  }
  CHECK(to_text({3, {{Kind::late, 1, 0, 0, 2, 2}, {Kind::slow, 2, -1, 0, 5, 1}}}) ==
        "3:late1-0.2x2,slow2.5");
}

TEST_CASE("interleaving: what is none is refused with what there should be") {
  for (const char* text :
       {"", "3", "3:late", "3:late1.0", "3:late1-0", "3:late1-0.", "3:slow1", "x:slow1.0",
        "3:slow1.0,", "3:slow1.0;slow2.0", "3:slow1.0x0", "3:slow1.0x10", "3:early1.0",
        "3:slow1.0,slow1.0x2", "99999999999999999999:", "3:late1-0.0 "}) {
    INFO(text);
    CHECK_THROWS_AS(parse_interleaving(text), UserError);
  }
}

TEST_CASE("order: by default messages come first as they were sent, then the lowest rank") {
  InterleavingOrder order({}, {});
  CHECK(chosen(order, {verb(2, 0), verb(1, 7), verb(3, 0)}) == 1);
  CHECK(chosen(order, {verb(0, 0), message(2, 0, 0, 9), message(1, 0, 0, 4)}) == 2);
  CHECK(order.taken().empty());
  CHECK(order.moves() == 2);
}

TEST_CASE("order: what is late waits for all that is less late, and no longer") {
  InterleavingOrder order({{Kind::late, 1, 0, 0, 0, 2}, {Kind::slow, 0, -1, 0, 3, 1}}, {});
  const auto first = message(1, 0, 0, 1), second = message(1, 0, 1, 2);
  CHECK(chosen(order, {first, verb(2, 0)}) == 1);
  CHECK(chosen(order, {first, verb(0, 3), verb(2, 1)}) == 2);
  CHECK(chosen(order, {first, verb(0, 3)}) == 1);
  CHECK(chosen(order, {first}) == 0);
  CHECK(chosen(order, {verb(0, 4), second}) == 1);
  REQUIRE(order.taken().size() == 2);
  CHECK(order.taken()[0].deviation.level == 2);
}

TEST_CASE("order: a late rank moves, and its messages arrive, when nothing else can happen") {
  LateRankOrder order(1, std::chrono::seconds(5));
  CHECK(order.next(std::vector{verb(1, 0), verb(2, 0)}) == 1);
  CHECK(order.next(std::vector{message(1, 0, 0, 1), message(2, 0, 0, 9)}) == 1);
  CHECK(order.next(std::vector{message(1, 0, 0, 1), verb(0, 4)}) == 1);
  CHECK(order.next(std::vector{message(0, 1, 0, 1), verb(0, 4)}) == 0);  // to it is not from it
  CHECK(order.next(std::vector{look(0, 5), verb(1, 0)}) ==
        1);  // polling does not keep it away for ever
  CHECK(order.next(std::vector{look(0, 5, true), verb(1, 0)}) == 0);
  CHECK(order.exact());
  order.continue_without(2);
  CHECK_FALSE(order.exact());
}

TEST_CASE("order: who looks in vain is last, in turns, unless there is news") {
  InterleavingOrder order({{Kind::late, 1, 0, 0, 0, 9}}, {});
  CHECK(chosen(order, {look(0, 5), message(1, 0, 0, 1)}) == 1);
  CHECK(chosen(order, {look(0, 5), look(1, 4)}) == 1);
  CHECK(chosen(order, {look(0, 5), verb(2, 0)}) == 1);
  CHECK(chosen(order, {look(0, 5, true), verb(2, 0)}) == 0);
}

TEST_CASE(
    "order: a seed gives the same deviations whatever comes in between, and as a list the same "
    "order") {
  std::mt19937 random(4);
  int deviations = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    InterleavingOrder first(seed, 4, {.may_wait = true}), again(seed, 4, {.may_wait = true});
    std::vector<NextMove> moves;
    for (std::uint32_t k = 0; k < 40; ++k) {
      moves.push_back(k % 2 == 0 ? verb(static_cast<Rank>(k % 4), k)
                                 : message(static_cast<Rank>(k % 4), 0, k, k));
    }
    std::vector<std::size_t> order;
    auto left = moves;
    while (!left.empty()) {
      order.push_back(chosen(first, left));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(order.back()));
    }
    std::vector<Deviation> listed;
    for (const TakenChoice& one : first.taken()) listed.push_back(one.deviation);
    deviations += static_cast<int>(listed.size());
    InterleavingOrder list(listed, {.may_wait = true});
    // Asked in another order, it says the same.
    auto shuffled = moves;
    std::ranges::shuffle(shuffled, random);
    (void)again.next(shuffled);
    std::set<std::string> one, other;
    for (const TakenChoice& taken : first.taken()) one.insert(to_text({0, {taken.deviation}}));
    for (const TakenChoice& taken : again.taken()) other.insert(to_text({0, {taken.deviation}}));
    CHECK(one == other);
    left = moves;
    for (const std::size_t expected : order) {
      REQUIRE(chosen(list, left) == expected);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(expected));
    }
    CHECK(list.digest() == first.digest());
  }
  CHECK(deviations > 200);
}

TEST_CASE("order: sends wait only where the platform allows both") {
  InterleavingOrder strict({{Kind::wait, 0, 1, 0, 2, 1}}, {});
  CHECK_FALSE(strict.waits(0, 1, 2));
  InterleavingOrder both({{Kind::wait, 0, 1, 0, 2, 1}}, {.may_wait = true});
  CHECK_FALSE(both.waits(0, 1, 1));
  CHECK(both.waits(0, 1, 2));
}

}  // namespace
}  // namespace rankscope::explore
