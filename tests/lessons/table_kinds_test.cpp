// The kinds whose answers are tables that one draws: schedule and diagram.
#include <algorithm>
#include <set>

#include "engine/core/base/json_text.h"
#include "engine/diagrams/scene/ruler.h"
#include "lessons/kinds/diagram_answer.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
using State = Verdict::State;

Question schedule(const std::string& collective, int ranks, json more = json::object()) {
  json data = {{"collective", collective}, {"ranks", ranks}};
  data.update(more);
  if (!data.contains("reference"))
    data["reference"] = collective == "broadcast" ? "broadcast.binomial" : collective + ".flat";
  return KindBench::question("schedule", data);
}

TEST_CASE("The schedule of every algorithm's run is a right answer", "[lessons][kinds]") {
  KindBench bench;
  int told = 0;
  for (const Algorithm& algorithm : algorithms()) {
    const std::string name(algorithm.name), collective(to_string(algorithm.collective));
    if (find_algorithm(collective + ".schedule") == nullptr) continue;
    for (const int ranks : {1, 2, 3, 5, 8}) {
      INFO(name << " on " << ranks);
      const Question question =
          schedule(collective, ranks, {{"reference", name}, {"rules", {{"one_send", true}}}});
      json key;
      try {
        key = bench.key(question);
      } catch (const UserError& error) {
        // They send from memory whose place in the data the trace does not know, or add later.
        const std::set<std::string> known{"gather.binomial",    "allgather.bruck",
                                          "allgather.pat",      "reduce_scatter.pat",
                                          "allreduce.one_shot", "allreduce.recursive_multiplying"};
        CHECK(known.contains(name));
        CHECK(has(error.what(), "choose another reference"));
        continue;
      }
      const Verdict got = bench.grade(question, key);
      INFO(question.kind->show(question, key) << "\n" << got.says);
      CHECK(got.state == State::right);
      CHECK(bench.grade(question, question.kind->show(question, key)).state == State::right);
      const json again = question.kind->parse(question, {}, question.kind->show(question, key));
      CHECK(again == key);
      ++told;
      // Some messages of scatter and allgather bring what is there already.
      if (!key.is_array() || name == "broadcast.scatter_allgather") continue;
      json shorter = key;
      shorter.erase(shorter.size() - 1);
      if (!shorter.empty()) CHECK(bench.grade(question, shorter).points == 0);
    }
  }
  CHECK(told > 60);
}

TEST_CASE("A wrong schedule is told where it goes wrong", "[lessons][kinds]") {
  KindBench bench;
  const auto wrong = [&](const Question& question, const json& answer, const std::string& says) {
    const Verdict got = bench.grade(question, answer);
    INFO(answer << " gives " << got.says);
    CHECK(got.state == State::wrong);
    CHECK(has(got.says, says));
  };
  const Question sum = schedule("allreduce", 3, {{"chunks", 1}});
  const std::string right =
      "1: 1 -> 0 all add; 2: 2 -> 0 all add; 3: 0 -> 1 all keep; 4: 0 -> 2 all keep";
  CHECK(bench.grade(sum, right).state == State::right);
  wrong(sum, "1: 1 -> 0 all add; 2: 0 -> 1 all keep; 2: 0 -> 2 all keep",
        "lacks rank 2's chunk 0: it never leaves rank 2; the last message into it");
  wrong(sum, "1: 1 -> 0 all add; 2: 2 -> 0 all add; 3: 0 -> 1 all keep",
        "Chunk 0 of rank 2 lacks rank 0's chunk 0");
  wrong(sum,
        "1: 1 -> 0 all add; 2: 1 -> 0 all add; 3: 2 -> 0 all add; 4: 0 -> 1 all keep; 5: 0 -> 2 "
        "all keep",
        "adds chunk 0 from rank 1 in step 2, and then has rank 1's chunk 0 twice");
  wrong(sum, "1: 1 -> 0 all add; 2: 2 -> 0 all add; 3: 0 -> 1 all add; 4: 0 -> 2 all keep",
        "adds chunk 0 from rank 0 in step 3, and then has rank 1's chunk 0 twice");
  wrong(sum, "none", "nothing is sent there");
  wrong(schedule("broadcast", 3), "1: 0 -> 1 all add; 1: 0 -> 2 all keep",
        "has rank 1's chunk 0, which does not belong there: it was there before the first message");
  wrong(schedule("allgather", 3), "1: 0 -> 1 chunk 0 keep", "lacks rank 1's chunk 1");
  wrong(schedule("reduce_scatter", 3, {{"reference", "reduce_scatter.ring"}}),
        "1: 0 -> 1 chunk 1 add; 1: 1 -> 2 chunk 2 add; 1: 2 -> 0 chunk 0 add", "lacks rank");
  // The root of a reduce alone counts.
  CHECK(bench.grade(schedule("reduce", 3), "1: 1 -> 0 all add; 1: 2 -> 0 all add").state ==
        State::right);
  CHECK(bench.grade(schedule("reduce", 3, {{"root", 2}}), "1: 1 -> 2 all add; 1: 0 -> 2 all add")
            .state == State::right);
  wrong(schedule("reduce", 3, {{"root", 2}}), "1: 1 -> 0 all add; 1: 2 -> 0 all add",
        "Chunk 0 of rank 2 lacks rank 0's chunk 0");
}

TEST_CASE("Each broken rule costs its part of half of the points", "[lessons][kinds]") {
  KindBench bench;
  const json rules = {
      {"rounds", "=2*(N-1)"}, {"chunks_sent", "=2*(N-1)"}, {"peers", "ring"}, {"one_send", true}};
  const Question question = KindBench::question("schedule", {{"collective", "allreduce"},
                                                             {"ranks", "=N"},
                                                             {"reference", "allreduce.ring"},
                                                             {"rules", rules}});
  for (const double n : {2.0, 3.0, 5.0, 8.0})
    CHECK(bench.grade(question, bench.key(question, {{"N", n}}), {{"N", n}}).state == State::right);
  // Two chunks to one rank are one message.
  for (const int chunks : {3, 6, 12}) {
    const Question finer =
        schedule("allreduce", 3,
                 {{"chunks", chunks},
                  {"reference", "allreduce.ring"},
                  {"rules", {{"one_send", true}, {"chunks_sent", 4 * chunks / 3}}}});
    CHECK(bench.grade(finer, bench.key(finer)).state == State::right);
    CHECK(bench.key(finer).size() == static_cast<std::size_t>(4 * chunks));
  }
  const Values four{{"N", 4}};
  const auto flat = [&](const std::string& answer) {
    const Verdict got = bench.grade(question, answer, four);
    INFO(got.says);
    CHECK(has(got.says, "The result is right."));
    return got;
  };
  // Sums at rank 0, which then tells everybody: too many chunks, strangers, crowded steps.
  const Verdict crowd = flat(
      "1: 1 -> 0 all add; 1: 2 -> 0 all add; 1: 3 -> 0 all add; 2: 0 -> 1 all keep; 2: 0 -> 2 all "
      "keep; 2: 0 -> 3 all keep");
  CHECK(crowd.points == Approx(1 - 0.5 * 3 / 4));
  CHECK(has(crowd.says, "Rank 0 sends 12 chunks; 6 are enough"));
  CHECK(has(crowd.says, "rank 2 sends to rank 0, which is not its neighbour"));
  CHECK(has(crowd.says, "In step 2 rank 0 sends to 3 ranks; one is allowed"));
  const Verdict chain = flat(
      "1: 3 -> 2 all add; 2: 2 -> 1 all add; 3: 1 -> 0 all add; 4: 0 -> 1 all keep; 5: 1 -> 2 all "
      "keep; 7: 2 -> 3 all keep");
  CHECK(chain.points == Approx(1 - 0.5 / 4));
  CHECK(has(chain.says, "sends 8 chunks; 6 are enough"));
  const Verdict slow = flat(
      "1: 3 -> 2 all add; 2: 2 -> 1 all add; 3: 1 -> 0 all add; 4: 0 -> 1 all keep; 5: 1 -> 2 all "
      "keep; 6: 2 -> 3 chunk 0 keep; 7: 2 -> 3 chunk 1 keep; 8: 2 -> 3 chunk 2 keep; 9: 2 -> 3 "
      "chunk 3 keep");
  CHECK(slow.points == Approx(1 - 0.5 * 2 / 4));
  CHECK(has(slow.says, "It takes 9 steps; 6 are enough"));
}

TEST_CASE("What is no schedule is malformed", "[lessons][kinds]") {
  KindBench bench;
  const Question question = schedule("allreduce", 3);
  const auto row = [](json step, json from, json to, json chunk, json add) {
    return json::array(
        {{{"step", step}, {"from", from}, {"to", to}, {"chunk", chunk}, {"add", add}}});
  };
  CHECK(bench.grade(question, row("1", "0", "1", "chunk 2", "add")).state == State::wrong);
  CHECK(bench.grade(question, row(1, 0, 1, "all", "b")).state == State::wrong);
  const std::vector<json> answers = {row(0, 0, 1, 0, true),
                                     row(1, -1, 1, 0, true),
                                     row(1, 0, 3, 0, true),
                                     row(1, 1, 1, 0, true),
                                     row(1, 0, 1, 3, true),
                                     row(1, 0, 1, -1, true),
                                     row(1, 0, 1, 0, "maybe"),
                                     row(1, 0, 1, 0, json()),
                                     row(1, 0, 1, json(), true),
                                     row(1.5, 0, 1, 0, true),
                                     row(1e18, 0, 1, 0, true),
                                     row(json::array(), 0, 1, 0, true),
                                     row(1, 0, 1, json::object(), true),
                                     "1: 0 to 1",
                                     "hello",
                                     "chunks 2; 1: 0 -> 1 all add",
                                     "1: 0 -> 1 chunk 3 add",
                                     "2000: 0 -> 1 all add",
                                     17,
                                     true,
                                     json::object({{"step", 1}}),
                                     json::array({7}),
                                     json::array({json::array({1, 0, 1})}),
                                     json(std::vector<int>(100'000, 1)),
                                     std::string(3'000'000, ';') + "x"};
  for (const json& answer : answers) {
    const Verdict got = bench.grade(question, answer);
    INFO(dump_json(answer).substr(0, 100) << " gives " << got.says);
    CHECK(got.state == State::malformed);
    CHECK(!got.says.empty());
    CHECK(got.says.size() < 600);
  }
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "1: 0 -> 1 chunk 0 add\n";
  CHECK(bench.grade(question, many).state == State::malformed);
}

TEST_CASE("A known wrong schedule is recognised in any order", "[lessons][kinds]") {
  KindBench bench;
  Question question = schedule("broadcast", 3);
  question.misconceptions = {
      {"backwards", "1: 1 -> 0 all keep; 2: 1 -> 2 all keep", "Wrong way.", 0.25}};
  const Verdict got = bench.grade(question, "2: 1 -> 2 all keep\n1: 1 -> 0 all keep");
  CHECK(got.misconception == "backwards");
  CHECK(got.points == 0.25);
  CHECK(got.says == "Wrong way.");
}

// ---- diagram ----

Question diagram(int ranks, bool one_send = true,
                 const std::string& reference = "alltoall.pairwise") {
  return KindBench::question("diagram", {{"collective", "alltoall"},
                                         {"ranks", ranks},
                                         {"reference", reference},
                                         {"rules", {{"one_send", one_send}}}});
}

TEST_CASE("The diagrams of all-to-all runs are right answers", "[lessons][kinds]") {
  KindBench bench;
  for (const int ranks : {1, 2, 3, 4, 5, 8})
    for (const char* reference : {"alltoall.pairwise", "alltoall.linear"}) {
      const Question question = diagram(ranks, true, reference);
      const json key = bench.key(question);
      INFO(reference << " on " << ranks << ": " << question.kind->show(question, key));
      CHECK(key.size() == static_cast<std::size_t>(ranks * ranks));
      CHECK(bench.grade(question, key).state == State::right);
      const std::string text = question.kind->show(question, key);
      CHECK(bench.grade(question, text).state == State::right);
      CHECK(question.kind->parse(question, {}, text) == key);
    }
}

TEST_CASE("Each mistake in a diagram is named", "[lessons][kinds]") {
  KindBench bench;
  const Question three = diagram(3);
  const std::string right =
      "1: 0 -> 1 (0>1); 1: 1 -> 2 (1>2); 1: 2 -> 0 (2>0); 2: 0 -> 2 (0>2); 2: 1 -> 0 (1>0); "
      "2: 2 -> 1 (2>1); copy 0; copy 1; copy 2";
  CHECK(bench.grade(three, right).state == State::right);
  const auto replaced = [&](const std::string& what, const std::string& by) {
    std::string out = right;
    const auto at = out.find(what);
    REQUIRE(at != std::string::npos);
    return out.replace(at, what.size(), by);
  };
  const auto gets = [&](const Question& question, const std::string& answer, double share,
                        const std::string& says) {
    const Verdict got = bench.grade(question, answer);
    INFO(answer << " gives " << got.points << ": " << got.says);
    CHECK(got.points == Approx(share));
    CHECK(has(got.says, says));
  };
  gets(three, replaced("copy 0", "1: 0 -> 0 (0>0)"), 7.0 / 9, "local copy, not a message: 0→0");
  gets(three, replaced("copy 0; ", ""), 8.0 / 9, "The local copy is missing on: rank 0.");
  gets(three, replaced("2: 1 -> 0 (1>0); ", ""), 8.0 / 9, "Missing: 1→0.");
  gets(three, replaced("(0>2)", "(2>0)"), 7.0 / 9, "The wrong chunk: 0→2 carries 2>0.");
  gets(three, replaced(" (0>2)", ""), 7.0 / 9, "Without the chunk that it carries: 0→2.");
  gets(three, right + "; 3: 0 -> 1 (0>1)", 8.0 / 9, "Drawn twice: 0→1.");
  gets(three, right + "; copy 1", 8.0 / 9, "Drawn twice: copy 1.");
  gets(three, right + "; 3: 7 -> 1 (7>1)", 8.0 / 9, "These ranks do not exist: 7.");
  gets(three, replaced("2: 0 -> 2", "1: 0 -> 2"), 7.0 / 9,
       "rank 0 sends in slot 1, rank 2 receives in slot 1");
  CHECK(bench.grade(diagram(3, false), replaced("2: 0 -> 2", "1: 0 -> 2")).state == State::right);
  gets(three, "1: 0 -> 0 (0>0)", 0, "Missing: 0→1, 0→2, 1→0, 1→2, 2→0, 2→1.");
  gets(diagram(8), "copy 0", 1.0 / 64, "and 50 more");
}

TEST_CASE("Diagrams are read from rows, and what is none is malformed", "[lessons][kinds]") {
  KindBench bench;
  const Question two = diagram(2);
  const json rows = {{{"slot", 1}, {"from", "0"}, {"to", 1}, {"chunk", "0→1"}},
                     {{"slot", "1"}, {"from", 1}, {"to", 0}, {"chunk", "(1,0)"}},
                     {{"slot", "copy"}, {"from", 0}, {"to", ""}, {"chunk", ""}},
                     {{"copy", 1}},
                     {{"slot", ""}, {"from", ""}, {"to", nullptr}, {"chunk", ""}}};
  CHECK(bench.grade(two, rows).state == State::right);
  const std::vector<json> answers = {
      "1: 0 -> ",
      "0 -> 1",
      "copy",
      "1: 0 -> 1 (0 1)",
      "1: 0 -> 1 (0>1",
      "0: 0 -> 1 (0>1)",
      "1: -1 -> 1 (0>1)",
      "1: 0 -> 99999 (0>1)",
      3,
      false,
      json::object({{"slot", 1}}),
      json::array({1}),
      json::array({{{"slot", 1}, {"from", 0}}}),
      json::array({{{"copy", "x"}}}),
      json::array({{{"slot", 1}, {"from", 0}, {"to", 1}, {"chunk", json::array({1})}}}),
      json(std::vector<int>(100'000, 1))};
  for (const json& answer : answers) {
    const Verdict got = bench.grade(two, answer);
    INFO(dump_json(answer).substr(0, 100) << " gives " << got.says);
    CHECK(got.state == State::malformed);
    CHECK(!got.says.empty());
  }
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "1: 0 -> 1 (0>1);";
  CHECK(bench.grade(two, many).state == State::malformed);
}

TEST_CASE("A student's diagram becomes a picture", "[lessons][picture]") {
  KindBench bench;
  const PlainRuler ruler;
  for (const int ranks : {1, 3, 4, 8}) {
    const Scene scene =
        diagram_picture(arrows_of(bench.key(diagram(ranks))), ranks, "My all-to-all", ruler);
    CHECK(overlapping_texts(scene).empty());
    CHECK(outside_page(scene).empty());
    const auto arrows = std::ranges::count_if(scene.marks, [](const Mark& m) { return m.arrow; });
    CHECK(arrows == ranks * (ranks - 1));
  }
  // A wrong diagram is drawn with its mistakes.
  const Scene wrong = diagram_picture(parse_arrows("1: 0 -> 0; 1: 0 -> 1 (0>1); 1: 0 -> 2 (0>2); "
                                                   "900: 2 -> 1; 3: 9 -> 1 (9>1); copy 1; copy 1"),
                                      3, "", ruler);
  CHECK(overlapping_texts(wrong).empty());
  CHECK(outside_page(wrong).empty());
  const std::string text = to_text(wrong);
  for (const char* part : {"copy ×2", "slot 900", "no such rank: 3: 9 -> 1"})
    CHECK(has(text, part));
  CHECK_THROWS_AS(diagram_picture({}, 17, "", ruler), UserError);
}

}  // namespace
}  // namespace rankscope
