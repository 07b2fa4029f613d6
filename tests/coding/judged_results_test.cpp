// What is said of results and messages that agents report: here without a program.
#include <cmath>
#include <cstring>
#include <functional>
#include <span>

#include "lessons/coding/cases.h"
#include "lessons/coding/inputs.h"
#include "lessons/coding/near_results.h"
#include "lessons/coding/results.h"
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/lesson.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using capi::AgentReport;
using Catch::Matchers::Contains;

CodingExercise ring() {
  Complaints complaints;
  const Lesson lesson =
      read_lesson(test::source_root() / "lessons/content/12-ring-allreduce", complaints);
  const CodingExercise* const found = lesson.find_coding("ring-allreduce");
  REQUIRE(found != nullptr);
  return *found;
}

CodeCase four_ranks(const CodingExercise& exercise) {
  for (const CodeCase& one : cases_of(exercise, 7))
    if (one.ranks == 4 && one.dtype == DType::float32 && one.shape[0] >= 4) return one;
  FAIL("the exercise has no case of 4 ranks in float32");
  return {};
}

std::vector<float> input(const std::vector<capi::AgentTask>& tasks, std::size_t rank) {
  const auto& bytes = tasks[rank].inputs.at(0);
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<float> input_sum(const CodingExercise& exercise, const CodeCase& one) {
  const auto tasks = tasks_of(exercise, one);
  std::vector<float> sum = input(tasks, 0);
  for (std::size_t rank = 1; rank < tasks.size(); ++rank)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += input(tasks, rank)[i];
  return sum;
}

/// As if each rank's argument had become what `change` makes of an element of the sum.
std::vector<AgentReport> reports(const CodingExercise& exercise, const CodeCase& one,
                                 const std::function<float(float)>& change) {
  std::vector<float> sum = input_sum(exercise, one);
  for (float& element : sum) element = change(element);
  const auto bytes = std::as_bytes(std::span(sum));
  capi::TaskResult result;
  result.name = "argument 0|float32";
  result.data.assign(bytes.begin(), bytes.end());
  result.shape = one.shape.extents();
  AgentReport report;
  report.results.push_back(result);
  return std::vector<AgentReport>(static_cast<std::size_t>(one.ranks), report);
}

void send(AgentReport& rank, const std::vector<float>& message) {
  rank.sent.add(std::as_bytes(std::span(message)), DType::float32);
}

TEST_CASE("coding: a quick try has cases of several ranks, whatever the exercise's world sizes") {
  CodingExercise exercise = ring();
  for (const auto& worlds : {std::vector{2, 3, 4, 5}, std::vector{1, 2, 8}, std::vector{6, 8}}) {
    exercise.call.worlds = worlds;
    const auto quick = quick_cases(cases_of(exercise, 7));
    CAPTURE(worlds);
    CHECK_FALSE(quick.empty());
    CHECK(std::ranges::all_of(quick, [](const CodeCase& one) { return one.ranks > 1; }));
  }
}

TEST_CASE("coding: numbers whose last bits are right had too little room on their way") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  const auto words = [&](const std::function<float(float)>& change) {
    return judge_results({exercise, one, reports(exercise, one, change)}).values;
  };
  CHECK(words([](float value) { return value; }) == "");
  CHECK_THAT(words([](float value) { return std::fmod(value, 256.0F); }),
             Contains("multiples of 2^8, as if only 8 bits of each number had been sent"));
  CHECK_THAT(words([](float value) { return value + 65536.0F; }), Contains("as if only 16 bits"));
  const auto other = words([](float value) { return value + 3; });
  CHECK(other != "");
  CHECK_THAT(other, !Contains("bits of each number"));
  // One element may be so by chance, and several ranks have it.
  const float first = input_sum(exercise, one)[0];
  CHECK_THAT(words([&](float value) { return value == first ? value + 65536.0F : value; }),
             !Contains("bits of each number"));
  CHECK_THAT(words([](float) { return INFINITY; }), !Contains("bits of each number"));
}

/// The argument of one rank becomes these numbers.
void set_result(AgentReport& rank, const std::vector<float>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  rank.results.at(0).data.assign(bytes.begin(), bytes.end());
}

TEST_CASE("coding: sums of too few ranks, or of some too often, are near") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  const auto tasks = tasks_of(exercise, one);
  const auto worth = [&](const std::vector<float>& times) {
    std::vector<float> sum(input(tasks, 0).size());
    for (std::size_t rank = 0; rank < times.size(); ++rank)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times[rank] * input(tasks, rank)[i];
    auto ranks = reports(exercise, one, [](float value) { return value; });
    for (AgentReport& rank : ranks) {
      set_result(rank, sum);
      send(rank, input(tasks, 0));
    }
    return judge_results({exercise, one, ranks}).near_values;
  };
  CHECK(worth({1, 1, 0, 0}) == kOfOneSlip);  // a round too few
  CHECK(worth({2, 2, 2, 2}) == kOfOneSlip);  // a round too many
  CHECK(worth({1, 0, 3, 0}) == kOfOneSlip);  // one buffer for all that arrives
  CHECK(worth({0, 0, 1, 0}) == 0);           // no sum
  CHECK(worth({0, 5, -7, 3}) == 0);
}

// Each grading draws other inputs: what a slip is worth must not depend on them.
TEST_CASE("coding: an integer's average by way of float32 is near, whatever the inputs") {
  const CodingExercise exercise = ring();
  int seen = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    for (const CodeCase& one : cases_of(exercise, seed)) {
      if (one.dtype != DType::int64 || one.ranks < 2 || one.shape.count() == 0) continue;
      std::vector<std::int64_t> average;
      for (std::size_t i = 0; i < static_cast<std::size_t>(one.shape.count()); ++i) {
        double sum = 0;
        for (Rank rank = 0; rank < one.ranks; ++rank) sum += values_for(one, rank)[i];
        average.push_back(
            static_cast<std::int64_t>(static_cast<float>(sum) / static_cast<float>(one.ranks)));
      }
      const auto bytes = std::as_bytes(std::span(average));
      auto ranks = reports(exercise, four_ranks(exercise), [](float value) { return value; });
      ranks.resize(static_cast<std::size_t>(one.ranks), ranks.front());
      for (AgentReport& rank : ranks) {
        rank.results.at(0).name = "argument 0|int64";
        rank.results.at(0).dtype = DType::int64;
        rank.results.at(0).shape = one.shape.extents();
        rank.results.at(0).data.assign(bytes.begin(), bytes.end());
        send(rank, {1});
      }
      INFO(seed << " " << one.ranks << " " << one.shape.count());
      CHECK(judge_results({exercise, one, ranks}).near_values == kOfOneSlip);
      ++seen;
    }
  CHECK(seen > 0);
}

TEST_CASE("coding: ranks are judged one by one where not all of them are right") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  auto ranks = reports(exercise, one, [](float value) { return value; });
  const auto wrong = input(tasks_of(exercise, one), 0);
  CHECK(share_of_right_ranks({exercise, one, ranks}) == 1);
  ranks[3].results.clear();
  CHECK(share_of_right_ranks({exercise, one, ranks}) == 0.75);
  for (const std::size_t rank : {1U, 2U}) set_result(ranks[rank], wrong);
  CHECK(share_of_right_ranks({exercise, one, ranks}) == 0);  // less than half

  CHECK_THAT(explain_other_collective({exercise, one, ranks}),
             Contains("rank 0 alone has the result and sends it to nobody: that is a reduce"));
  send(ranks[0], wrong);
  CHECK(explain_other_collective({exercise, one, ranks}) == "");

  // Each has its chunk of the sum; a ring that has sent more would have passed it on.
  const auto sum = input_sum(exercise, one);
  ranks = reports(exercise, one, [](float value) { return value; });
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    auto has = input(tasks_of(exercise, one), rank);
    const std::size_t chunk = sum.size() / ranks.size();
    for (std::size_t i = rank * chunk; i < (rank + 1) * chunk; ++i) has[i] = sum[i];
    set_result(ranks[rank], has);
    send(ranks[rank], {sum.begin(), sum.end() - static_cast<std::ptrdiff_t>(chunk)});
  }
  CHECK_THAT(explain_other_collective({exercise, one, ranks}),
             Contains("that is a reduce-scatter"));
  send(ranks[0], sum);
  CHECK(explain_other_collective({exercise, one, ranks}) == "");
}

TEST_CASE("coding: results without a single sum show that nothing was added") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  auto ranks = reports(exercise, one, [](float value) { return value; });
  auto copied = input(tasks_of(exercise, one), 0);
  for (AgentReport& rank : ranks) set_result(rank, copied);
  CHECK_THAT(explain_missing_sums({exercise, one, ranks}), Contains("no sums"));
  copied.back() += input(tasks_of(exercise, one), 1).back();
  for (AgentReport& rank : ranks) set_result(rank, copied);
  CHECK(explain_missing_sums({exercise, one, ranks}) == "");
}

TEST_CASE("coding: one rank's data for all is a slip where another rank has heard from everybody") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  auto ranks = reports(exercise, one, [](float value) { return value; });
  const auto words = [&](std::size_t source) {
    for (AgentReport& rank : ranks) set_result(rank, input(tasks_of(exercise, one), source));
    const TraceAnalysis run(test::trace_of_job("reduce.flat", one.ranks, 4));  // to rank 0
    CodeFaults out;
    weigh_source({exercise, one, ranks}, run, out);
    CHECK(out.near_values == (out.values.empty() ? 0 : kOfOneSlip));
    return out.values;
  };
  CHECK_THAT(words(3),
             Contains("rank 0 has heard from all ranks, but what rank 3 has goes to the others"));
  CHECK(words(0) == "");
}

TEST_CASE("coding: messages are hollow when nothing that a rank has can be in them") {
  const CodingExercise exercise = ring();
  const CodeCase one = four_ranks(exercise);
  const auto tasks = tasks_of(exercise, one);
  const auto empty_messages = [&](const std::function<std::vector<float>(std::size_t)>& message) {
    std::vector<AgentReport> ranks(4);
    for (std::size_t rank = 0; rank < 4; ++rank) send(ranks[rank], message(rank));
    return explain_empty_messages({exercise, one, ranks});
  };
  CHECK_THAT(empty_messages([](std::size_t) { return std::vector<float>(4, 0); }),
             Contains("nothing but the number 0,"));
  CHECK_THAT(
      empty_messages([](std::size_t rank) { return std::vector<float>(4, -0.5F * float(rank)); }),
      Contains("of a rank holds one and the same number"));
  CHECK(empty_messages([&](std::size_t rank) { return input(tasks, rank); }) == "");
  CHECK_THAT(empty_messages([](std::size_t) { return std::vector<float>(4, NAN); }),
             Contains("no message holds a number"));
  // One number of one rank is something.
  CHECK(empty_messages([&](std::size_t rank) {
          return std::vector<float>(4, rank == 2 ? input(tasks, 2)[0] : 0);
        }) == "");
  // Nor is a number that inputs become when they are rounded.
  CHECK(empty_messages([&](std::size_t) {
          return std::vector<float>(4, std::round(input(tasks, 1)[0] / 128) * 128);
        }) == "");
  // A single sum is a number that no rank has.
  CHECK(empty_messages(
            [](std::size_t rank) { return std::vector<float>(1, -0.5F * float(rank)); }) == "");
  // So little may be what partial sums happen to be; and nothing at all is no message.
  CHECK(empty_messages([](std::size_t rank) { return std::vector<float>(rank == 0 ? 3 : 0); }) ==
        "");
  CHECK(empty_messages([](std::size_t) { return std::vector<float>(); }) == "");
}

TEST_CASE("coding: what a rank sent is looked at as bytes, wherever it lies") {
  const std::vector<float> numbers = {0, 1.5F, 1.5F, 2};
  std::vector<std::byte> bytes(sizeof(float) * 4 + 1);
  std::memcpy(bytes.data() + 1, numbers.data(), sizeof(float) * 4);
  const auto part = [&](std::size_t from, std::size_t count) {
    return std::span<const std::byte>(bytes).subspan(1 + from * sizeof(float),
                                                     count * sizeof(float));
  };
  capi::SentValues sent;
  sent.add(part(1, 2), DType::float32);
  sent.add({}, DType::float32);
  CHECK((sent.alike && sent.count == 2 && sent.value == 1.5));
  sent.add(part(3, 1), DType::float32);
  CHECK_FALSE(sent.alike);
}

}  // namespace
}  // namespace rankscope
