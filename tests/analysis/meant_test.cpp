// Why a result is wrong, from what ranks began and ended with.
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

TEST_CASE("meant: numbers that tell the ranks apart make a second run needless", "[meant]") {
  const auto verdict_on = [](const std::vector<double>& begin, double end) {
    return judge(one_number(begin, end), parse_meaning("allreduce:sum"), "n");
  };
  const Verdict certain = verdict_on({1000, 50, 3}, 1050);
  CHECK(certain.certain);
  REQUIRE(certain.findings.size() == 1);
  CHECK_THAT(certain.findings[0].what, Contains("lacks rank 2"));
  CHECK_THAT(verdict_on({1000, 50, 3}, 1153).findings.at(0).what,
             Contains("rank 0's result has rank 1 3 times"));
  // 6 = 4 + 2, but also 3 times 2.
  CHECK_FALSE(verdict_on({4, 2, 1}, 6).certain);
}

}  // namespace
}  // namespace rankscope::meant
