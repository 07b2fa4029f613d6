// The kinds that ask about runs: predict, fill, bug.
#include <sstream>

#include <fmt/format.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/json_text.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
using State = Verdict::State;

json message(int from, int to, json chunk) {
  return {{"from", from}, {"to", to}, {"chunk", std::move(chunk)}};
}
Question predict(const std::string& run, int after) {
  return KindBench::question("predict", {{"run", run}, {"after", after}});
}

TEST_CASE("The messages of each coming round are right, for every algorithm", "[lessons][kinds]") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name == "barrier.dissemination" || algorithm.name == "p2p.ping") continue;
    for (const int ranks : {1, 2, 3, 5, 8}) {
      INFO(algorithm.name << " on " << ranks);
      KindBench bench(
          {run_of("r", {{"algorithm", algorithm.name}, {"ranks", ranks}, {"count", 2 * ranks}})});
      const RunRecord& run = bench.runs.run("r", {});
      REQUIRE(run.result.ok());
      for (int after = 0; after <= run.rounds().count; ++after) {
        INFO("after " << after);
        const Question question = predict("r", after);
        const json key = bench.key(question);
        CHECK((key == "none") == (after == run.rounds().count));
        CHECK(bench.grade(question, key).state == State::right);
        CHECK(bench.grade(question, question.kind->show(question, key)).state == State::right);
        if (key != "none") CHECK(bench.grade(question, "none").state == State::wrong);
        for (std::size_t m = 0; m < run.rounds().messages.size(); ++m) {
          if (run.rounds().round[m] != after + 1) continue;
          const MessageRecord& one = run.rounds().messages[m];
          const Piece piece = run.pieces().of(one);
          if (!piece.exact || algorithm.collective == Collective::alltoall) continue;
          CHECK(bench
                    .grade(question,
                           message(one.from, one.to,
                                   fmt::format("{}-{}", piece.first_chunk, piece.last_chunk)))
                    .state == State::right);
        }
      }
      CHECK(run.computed(TraceAnalysis::Part::rounds) == 1);
      CHECK(run.computed(TraceAnalysis::Part::pieces) == (run.rounds().count > 0 ? 1 : 0));
    }
  }
}

TEST_CASE("A wrong next message is told why", "[lessons][kinds]") {
  KindBench bench(
      {run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 4}, {"count", 8}}),
       run_of("flat", {{"algorithm", "allreduce.flat"}, {"ranks", 4}, {"count", 4}}),
       run_of("broadcast", {{"algorithm", "broadcast.flat"}, {"ranks", 4}, {"count", 4}}),
       run_of("tree", {{"algorithm", "allreduce.tree"}, {"ranks", 4}, {"count", 4}})});
  const auto wrong = [&](const std::string& run, int after, const json& answer,
                         const std::string& says) {
    const Verdict got = bench.grade(predict(run, after), answer);
    INFO(run << " after " << after << ": " << answer << " gives " << got.says);
    CHECK(got.points == 0);
    CHECK(has(got.says, says));
  };
  CHECK(bench.grade(predict("ring", 0), message(0, 1, 0)).state == State::right);
  CHECK(bench.grade(predict("ring", 0), "3 -> 0 chunk 3").state == State::right);
  CHECK(bench.grade(predict("ring", 0), "rank 3 -> rank 0 chunk 3").state == State::right);
  CHECK(bench.grade(predict("ring", 0), "P3 -> P0, chunk 3").state == State::right);
  CHECK(bench.grade(predict("ring", 1), message(1, 2, "0")).state == State::right);
  wrong("ring", 0, message(0, 1, 2), "comes later: before it, rank 0 sends chunk 0 to rank 1");
  wrong("broadcast", 0, message(0, 1, 2), "Rank 0 sends everything, not chunk 2");
  wrong("broadcast", 0, message(1, 2, "all"), "Rank 1 sends nothing in this run");
  wrong("ring", 0, "0 -> 1 all", "Rank 0 sends chunk 0, not everything");
  wrong("ring", 0, message(0, 3, 0), "Rank 0 does not send to rank 3 now, but to rank 1");
  wrong("ring", 0, message(1, 2, 0), "comes later");
  wrong("ring", 1, message(0, 1, 0), "already sent in round 1 (it comes again, but not now)");
  wrong("ring", 6, message(0, 1, 0), "No message comes any more");
  wrong("ring", 0, message(4, 0, 0), "There is no rank 4");
  wrong("ring", 0, message(0, -1, 0), "There is no rank -1");
  wrong("ring", 0, message(2, 2, 0), "does not send to itself");
  wrong("ring", 0, "none", "There are messages to come");
  wrong("tree", 0, message(2, 0, "all"), "Rank 2 has nothing to send yet: it waits for rank 3");
  wrong("tree", 3, message(3, 2, "all"), "already sent in round 1");
  wrong("flat", 1, message(1, 0, "all"), "already sent");
  wrong("flat", 0, message(0, 1, "all"), "Rank 0 has nothing to send yet");
  // Others need not wait for their turn: the root takes them in order, they may send before.
  CHECK(bench.grade(predict("flat", 0), message(3, 0, "all")).state == State::right);
  CHECK(bench.grade(predict("flat", 1), message(3, 0, "all")).state == State::right);
}

TEST_CASE("With rendezvous no rank runs ahead of its receiver", "[lessons][kinds]") {
  KindBench bench({run_of(
      "flat",
      {{"algorithm", "allreduce.flat"}, {"ranks", 4}, {"count", 4}, {"mode", "rendezvous"}})});
  CHECK(bench.grade(predict("flat", 0), message(1, 0, "all")).state == State::right);
  const Verdict early = bench.grade(predict("flat", 0), message(3, 0, "all"));
  CHECK(early.state == State::wrong);
  CHECK(has(early.says, "rank 0 is not ready to receive"));
}

TEST_CASE("What is no message is malformed", "[lessons][kinds]") {
  KindBench bench({run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 4}, {"count", 8}})});
  const auto malformed = [&](const json& answer, const std::string& says) {
    const Verdict got = bench.grade(predict("ring", 0), answer);
    INFO(answer << " gives " << got.says);
    CHECK(got.state == State::malformed);
    CHECK(has(got.says, says));
  };
  malformed({{"from", 0}}, "'to' is missing");
  malformed({{"from", 0}, {"to", 1}}, "which chunk");
  malformed({{"from", 0.5}, {"to", 1}, {"chunk", 0}}, "whole number");
  malformed({{"from", "x"}, {"to", 1}, {"chunk", 0}}, "whole number");
  malformed({{"from", json::array({1})}, {"to", 1}, {"chunk", 0}}, "whole number");
  malformed({{"from", 0}, {"to", 1}, {"chunk", "two"}}, "the chunk is missing");
  malformed({{"from", 0}, {"to", 1}, {"chunk", 1e300}}, "chunk");
  malformed("0 -> ", "the receiving rank is missing");
  malformed("0 -> 1 chunk 2 and more", "something after");
  malformed(json::array({0, 1, 2}), "a message is expected");
  malformed(7, "a message is expected");
  malformed(true, "a message is expected");
}

// ---- fill ----

Question fill(json data) { return KindBench::question("fill", std::move(data)); }

TEST_CASE("Buffers of every algorithm are filled in rightly by their key", "[lessons][kinds]") {
  for (const char* algorithm : {"allreduce.ring", "allreduce.tree", "allgather.ring",
                                "broadcast.binomial", "reduce.flat", "alltoall.pairwise"})
    for (const int ranks : {1, 2, 3, 5, 8}) {
      KindBench bench({run_of(
          "r",
          {{"algorithm", algorithm}, {"ranks", ranks}, {"count", ranks}, {"values", "=10*r+i"}})});
      const int rounds = bench.runs.run("r", {}).rounds().count;
      for (int after = 0; after <= rounds; ++after)
        for (const char* show : {"values", "contributions"}) {
          const Question question = fill({{"run", "r"}, {"after", after}, {"show", show}});
          const json key = bench.key(question);
          INFO(algorithm << " on " << ranks << " after " << after << ": " << key);
          REQUIRE(key.size() == static_cast<std::size_t>(ranks));
          if (blank(key)) continue;  // nobody's data is there yet
          CHECK(bench.grade(question, key).state == State::right);
          CHECK(bench.grade(question, question.kind->show(question, key)).state == State::right);
          json wrong = key;
          wrong[0][0] = std::string(show) == "values" ? json(-77) : json("0 0 0");
          if (key[0][0].is_null()) continue;
          CHECK(bench.grade(question, wrong).points == 0);
        }
    }
}

TEST_CASE("Values and contributions after a round of the ring", "[lessons][kinds]") {
  KindBench bench(
      {run_of("ring", {{"algorithm", "allreduce.ring"},
                       {"ranks", 3},
                       {"count", 3},
                       {"values", json::array({{1, 2, 3}, {10, 20, 30}, {100, 200, 300}})}})});
  const Question values = fill({{"run", "ring"}, {"after", 1}});
  CHECK(bench.grade(values, "1 2 303; 11 20 30; 100 220 300").state == State::right);
  CHECK(bench.grade(values, "[[1,2,303],[11,20,30],[100,220,300]]").state == State::right);
  CHECK(bench.grade(values, "rank 0: 1, 2, 303\nrank 1: 11, 20, 30\nrank 2: 100, 220, 300").state ==
        State::right);
  const Question who = fill({{"run", "ring"}, {"after", 1}, {"show", "contributions"}});
  CHECK(bench.grade(who, "0, 0, 0 2; 1 0, 1, 1; 2, 1+2, {2}").state == State::right);
  CHECK(bench.grade(who, json::array({{0, 0, json::array({0, 2})}, {"0-1", 1, 1}, {2, "1,2", 2}}))
            .state == State::right);
  const Question end = fill({{"run", "ring"}, {"show", "contributions"}});
  CHECK(bench.grade(end, "all, all, all; 0-2, all, all; all, all, 2 1 0").state == State::right);

  const auto wrong = [&](const Question& question, const json& answer, const std::string& says) {
    const Verdict got = bench.grade(question, answer);
    INFO(answer << " gives " << got.says);
    CHECK(got.state == State::wrong);
    CHECK(has(got.says, says));
  };
  wrong(values, "1 2 303; 11 20 30; 100 200 300", "Rank 2, element 1 is not right");
  wrong(values, "0 2 303; 11 20 30; 100 200 300", "2 cells are wrong");
  wrong(values, "1 2; 11 20 30; 100 220 300", "Rank 0, element 2");
  wrong(who, "0, 0, 2; 0 1, 1, 1; 2, 1 2, 2",
        "Rank 0, chunk 2 is not right: rank 0's data is in it");
  wrong(who, "0 2, 0, 0 2; 0 1, 1, 1; 2, 1 2, 2", "rank 2's data is not in it");
  wrong(who, "0 0, 0, 0 2; 0 1, 1, 1; 2, 1 2, 2", "rank 0's data is in it once");

  const Question partial = fill({{"run", "ring"}, {"after", 1}, {"partial", true}});
  CHECK(bench.grade(partial, "1 2 303; 11 20 30; 0 0 0").points == Approx(6.0 / 9));

  const auto malformed = [&](const Question& question, const json& answer) {
    const Verdict got = bench.grade(question, answer);
    INFO(dump_json(answer).substr(0, 80) << " gives " << got.says);
    CHECK(got.state == State::malformed);
    CHECK(!got.says.empty());
  };
  malformed(values, "1 2 303; 11 20 30");
  malformed(values, "1 2 303 4; 11 20 30; 1 2 3");
  malformed(values, "1 2 x; 11 20 30; 1 2 3");
  malformed(values, {{"a", 1}});
  malformed(values, 5);
  malformed(values, json::array({json::array({true}), 1, 2}));
  malformed(values, json(std::vector<int>(100'000, 1)));
  malformed(who, "0, 0, 0 7; 0 1, 1, 1; 2, 1 2, 2");
  malformed(who, "0, 0, 0 -1; 0 1, 1, 1; 2, 1 2, 2");
  malformed(who, "0, 0, 2-0; 0 1, 1, 1; 2, 1 2, 2");
  malformed(who, json::array({{json::object({{"x", 1}})}, {1}, {2}}));
}

// ---- bug ----

int line_of(const std::string& stem, const std::string& part) {
  const EmbeddedSource* source = find_embedded_source(stem);
  REQUIRE(source != nullptr);
  std::istringstream in{std::string(source->text)};
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    if (has(line, part)) return number;
  FAIL("no line with " << part);
  return 0;
}

TEST_CASE("A fault's line, rank and round are found", "[lessons][kinds]") {
  // A right algorithm will do: the kind reads the source, not the fault.
  KindBench bench(
      {run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", "=N"}, {"count", 8}})});
  const Values four{{"N", 4}};
  const int line = line_of("allreduce_ring", "recv_reduce");
  const Question lines = KindBench::question(
      "bug", {{"run", "ring"},
              {"ask", {"line"}},
              {"right", {{{"line", "recv_reduce"}, {"says", "It adds on {N} ranks."}}}}});
  CHECK(bench.key(lines, four) == json({{"line", line}}));
  CHECK(bench.grade(lines, {{"line", line}}, four).state == State::right);
  CHECK(bench.grade(lines, line, four).says == "It adds on 4 ranks.");
  CHECK(bench.grade(lines, fmt::format("line {}", line), four).state == State::right);
  CHECK(bench.grade(lines, std::to_string(line), four).state == State::right);
  const auto wrong = [&](const Question& question, const json& answer, const std::string& says) {
    const Verdict got = bench.grade(question, answer, four);
    INFO(answer << " gives " << got.says);
    CHECK(got.state == State::wrong);
    CHECK(has(got.says, says));
  };
  wrong(lines, line - 1, "neighbouring line");
  wrong(lines, line + 1, "neighbouring line");
  wrong(lines, 1, "Line 1 is a comment");
  wrong(lines, line_of("allreduce_ring", "namespace rankscope {"), "is not where the fault is");
  wrong(lines, 100'000, "The program has lines 1 to");
  wrong(lines, 0, "The program has lines 1 to");
  wrong(lines, -3, "The program has lines 1 to");

  const Question place = KindBench::question(
      "bug", {{"run", "ring"},
              {"ask", {"rank", "round"}},
              {"right",
               {{{"rank", "=N-1"}, {"round", 2}}, {{"rank", 0}, {"round", json::array({4, 5})}}}}});
  CHECK(bench.key(place, four) == json({{"rank", 3}, {"round", 2}}));
  CHECK(bench.grade(place, "rank 3, round 2", four).state == State::right);
  CHECK(bench.grade(place, "round 5; rank 0", four).state == State::right);
  CHECK(bench.grade(place, "0 4", four).state == State::right);
  const Verdict half = bench.grade(place, {{"rank", 3}, {"round", 1}}, four);
  CHECK(half.points == 0.5);
  CHECK(has(half.says, "The rank is right."));
  wrong(place, "rank 2, round 1", "Rank 2 is not where it begins");
  wrong(place, "rank 9, round 1", "There is no rank 9");

  for (const json& answer :
       {json({{"rank", 1}}), json("here"), json({{"rank", "a"}, {"round", 1}}),
        json("rank 1, rank 2"), json(1), json(json::array({1, 2})), json(true)}) {
    INFO(answer);
    CHECK(bench.grade(place, answer, four).state == State::malformed);
  }
}

TEST_CASE("A fault that is in no line is the lesson's mistake", "[lessons][kinds]") {
  KindBench bench({run_of("ring", {{"algorithm", "allreduce.ring"}, {"ranks", 4}, {"count", 8}})});
  const Question question = KindBench::question(
      "bug", {{"run", "ring"}, {"ask", "line"}, {"right", {{{"line", "no such text"}}}}});
  CHECK_THROWS_AS(bench.key(question), UserError);
  const Question student = KindBench::question("bug", {{"run", "ring"}, {"ask", "line"}});
  CHECK(bench.grade(student, 7).state == State::not_graded);
}

TEST_CASE("The sources of all exercises can be asked about", "[lessons][kinds]") {
  for (const Algorithm& one : exercises()) {
    KindBench bench({run_of("r", {{"algorithm", one.name}, {"ranks", 2}, {"count", 2}})});
    const Question question = KindBench::question(
        "bug", {{"run", "r"}, {"ask", "line"}, {"right", {{{"line", "void exercise_"}}}}});
    INFO(one.name);
    CHECK(bench.key(question)["line"].get<int>() > 1);
  }
}

}  // namespace
}  // namespace rankscope
