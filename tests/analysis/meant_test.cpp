// Why a result is wrong, from what ranks began and ended with.
#include <cmath>

#include "engine/analysis/meant/verdict.h"
#include "tests/support/catch.h"

namespace rankscope::meant {
namespace {

using Catch::Matchers::Contains;

/// Line 6 gives each rank's number another value, unless it is the same.
Handed one_number(const std::vector<double>& begin, double end) {
  Handed out;
  out.ranks = static_cast<int>(begin.size());
  for (Rank rank = 0; rank < out.ranks; ++rank) {
    Handed::Call call;
    call.rank = rank;
    call.function = "count";
    call.file = "p.py";
    call.end = 7;
    call.arguments = {"n"};
    call.begin["n"] = {{begin[static_cast<std::size_t>(rank)]}, "int64", {}};
    call.after["n"] = {{end}, "int64", {}};
    if (call.begin["n"].values != call.after["n"].values) call.history.push_back({6, "n", {end}});
    call.verbs = {{6, "all_reduce"}};
    out.calls.push_back(std::move(call));
  }
  return out;
}

TEST_CASE("meant: a rank that has the maximum itself does not hide that it is one", "[meant]") {
  for (const std::vector<double>& begin : {std::vector<double>{9, 3, 5}, {3, 9, 5}}) {
    const Verdict verdict = judge(one_number(begin, 9), parse_meaning("allreduce:sum"), "n");
    CHECK(verdict.state == Verdict::State::wrong);
    REQUIRE(verdict.findings.size() == 1);
    CHECK_THAT(verdict.findings[0].what, Contains("the result is the maximum"));
    CHECK_THAT(verdict.findings[0].advice, Contains("SUM"));
    CHECK(verdict.findings[0].site == "p.py:6");
  }
  // Whoever changes nothing has only its own data.
  Handed alone = one_number({9, 3, 5}, 9);
  for (Handed::Call& call : alone.calls) call.after = call.begin;
  const Verdict verdict = judge(alone, parse_meaning("allreduce:sum"), "n");
  REQUIRE(verdict.findings.size() == 1);
  CHECK_THAT(verdict.findings[0].what, Contains("lacks ranks 1 and 2"));
}

TEST_CASE("meant: a multiple of a rank's own data that may be others' sum is not called its own",
          "[meant]") {
  // 10 = 5 times 2, but also 1 + 2 + 3 + 4.
  const Verdict verdict =
      judge(one_number({1, 2, 3, 4, 5}, 10), parse_meaning("allreduce:sum"), "n");
  REQUIRE(verdict.findings.size() == 1);
  CHECK_THAT(verdict.findings[0].what, !Contains("its own data"));
  CHECK_FALSE(verdict.certain);
  CHECK_THAT(
      judge(one_number({7, 100}, 14), parse_meaning("allreduce:sum"), "n").findings.at(0).what,
      Contains("2 times its own data"));
  // 1372 = 4 * 343: what came is added to itself in both steps of a tree.
  const Verdict doubled =
      judge(one_number({1, 7, 49, 343}, 1372), parse_meaning("reduce:sum:0"), "n");
  REQUIRE(doubled.findings.size() == 1);
  CHECK_THAT(doubled.findings[0].what, Contains("rank 3 four times and lacks ranks 0, 1 and 2"));
  CHECK_THAT(doubled.findings[0].advice, Contains("to the rank's own data"));
}

TEST_CASE("meant: numbers that tell the ranks apart make a second run needless", "[meant]") {
  const auto verdict_on = [](const std::vector<double>& begin, double end) {
    return judge(one_number(begin, end), parse_meaning("allreduce:sum"), "n");
  };
  const Verdict certain = verdict_on({1000, 50, 3}, 1050);
  CHECK(certain.certain);
  REQUIRE(certain.findings.size() == 1);
  CHECK_THAT(certain.findings[0].what, Contains("lacks rank 2"));
  CHECK_THAT(verdict_on({1000, 50, 3}, 1153).findings.at(0).what,
             Contains("rank 0's result has rank 1 three times"));
  // 6 = 4 + 2, but also 3 times 2.
  CHECK_FALSE(verdict_on({4, 2, 1}, 6).certain);
}

/// Four ranks that are given `count` and make `x` of their own, which holds these sums at the end.
Handed given_a_count(const std::vector<std::vector<double>>& ends) {
  Handed out;
  out.ranks = static_cast<int>(ends.size());
  for (Rank rank = 0; rank < out.ranks; ++rank) {
    Handed::Call call;
    call.rank = rank;
    call.size = out.ranks;
    call.function = "main";
    call.file = "p.py";
    call.end = 9;
    call.arguments = {"count"};
    call.carried = {"x"};
    call.begin["count"] = {{static_cast<double>(out.ranks)}, "int", std::vector<Count>{}};
    const double own = std::pow(10, rank);
    call.begin["x"] = {std::vector<double>(ends.size(), own), "float64", std::vector<Count>{4}};
    call.history.push_back({7, "x", ends[static_cast<std::size_t>(rank)]});
    call.verbs = {{6, "sendrecv"}};
    call.loops = {{5, 7, 3}};
    out.calls.push_back(std::move(call));
  }
  return out;
}

TEST_CASE("meant: a count is no data, and half of a ring is a reduce-scatter", "[meant]") {
  const std::vector<double> all(4, 1111);
  const Verdict right =
      judge(given_a_count({all, all, all, all}), parse_meaning("allreduce"), "main");
  CHECK(right.state == Verdict::State::right);
  CHECK(right.data == "x");
  // Rank r has chunk r + 1.
  const std::vector<std::vector<double>> half{
      {1, 1111, 1101, 1001}, {11, 10, 1111, 1011}, {111, 110, 100, 1111}, {1111, 1110, 1100, 1000}};
  const Verdict wrong = judge(given_a_count(half), parse_meaning("allreduce"), "main");
  REQUIRE(wrong.findings.size() == 1);
  CHECK_THAT(wrong.findings[0].what,
             Contains("the result is that of a reduce-scatter") && Contains("rank 0 chunk 1"));
  CHECK_THAT(wrong.findings[0].why, Contains("3 steps") && Contains("has 6"));
  CHECK(wrong.findings[0].site == "p.py:5");
  // Two ranks with the same chunk: something else.
  auto other = half;
  other[3] = half[2];
  CHECK_THAT(judge(given_a_count(other), parse_meaning("allreduce"), "main").findings.at(0).what,
             !Contains("reduce-scatter"));
}

TEST_CASE("meant: counts of an exchange are no data, and may make blocks unequal", "[meant]") {
  const auto exchange = [](const std::vector<std::vector<double>>& counts, const char* verb) {
    Handed out;
    out.ranks = 2;
    for (Rank rank = 0; rank < 2; ++rank) {
      Handed::Call call;
      call.rank = rank;
      call.size = 2;
      call.file = "p.py";
      call.carried = {"x", "counts"};
      call.begin["x"] = {{10.0 * rank + 1, 10.0 * rank + 2}, "float64", std::vector<Count>{2}};
      call.begin["counts"] = {counts[static_cast<std::size_t>(rank)], "int", std::vector<Count>{2}};
      call.verbs = {{6, verb}};
      call.history.push_back({6, "y", {1.0 + rank, 11.0 + rank}});
      out.calls.push_back(std::move(call));
    }
    return judge(out, parse_meaning("alltoall"), "");
  };
  const Verdict even = exchange({{1, 1}, {1, 1}}, "Alltoallv");
  CHECK(even.state == Verdict::State::right);
  CHECK(even.data == "x");
  CHECK(exchange({{1, 2}, {2, 1}}, "Alltoallv").state == Verdict::State::unknown);
  CHECK(exchange({{1, 2}, {2, 1}}, "sendrecv").data == "x");
}

}  // namespace
}  // namespace rankscope::meant
