// Coding exercises: what programs get. They are our own algorithms, run on threads.
#include <set>

#include "lessons/course/check_lesson.h"
#include "tests/lessons/graded_programs.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

namespace rankscope {
namespace {

using namespace test;
using RuleState = RuleVerdict::State;
using Status = CaseRun::Status;

// ---- our own fifteen ------------------------------------------------------------------------------

TEST_CASE("Every coding exercise of the lessons can be graded", "[lessons][coding]") {
  std::set<std::string> ids;
  for (const auto& folder : lesson_folders(source_root() / "lessons/content")) {
    Complaints complaints;
    const Lesson lesson = read_lesson(folder, complaints);
    for (const CodingExercise& one : lesson.coding) {
      check_coding(one, folder, "lesson.toml", complaints);
      CHECK(one.graded());
      const bool forbids = std::ranges::any_of(one.rules, [](const CodingRule& rule) {
        return (rule.kind == "no_built_in" && rule.required) || rule.kind == "built_in_calls";
      });
      CHECK((forbids || one.call.harness == CodingCall::Harness::hello));
      ids.insert(one.id);
    }
    CHECK(complaints.to_string() == "");
  }
  CHECK(ids.size() == 33);
}

TEST_CASE("Right programs get all points, and others lose those of what they do otherwise",
          "[lessons][coding]") {
  const struct {
    const char *lesson, *id, *algorithm;
    bool left;
    const char* broken;
    std::size_t remarks;
  } kPrograms[] = {
      {"03-broadcast", "my-broadcast", "broadcast.flat", false, "", 0},
      {"03-broadcast", "my-broadcast", "broadcast.binomial", false, "", 1},
      {"03-broadcast", "my-broadcast", "broadcast.scatter_allgather", false, "once once", 0},
      {"05-flat-allreduce", "my-allreduce", "allreduce.flat", false, "", 0},
      {"05-flat-allreduce", "my-allreduce", "allreduce.ring", false, "", 1},
      {"05-flat-allreduce", "my-allreduce", "allreduce.tree", false, "", 1},
      {"06-allgather", "my-allgather", "allgather.flat", false, "", 0},
      {"06-allgather", "my-allgather", "allgather.ring", false, "", 1},
      {"07-reduce-scatter", "my-reduce-scatter", "reduce_scatter.direct", false, "", 1},
      {"07-reduce-scatter", "my-reduce-scatter", "reduce_scatter.ring", false, "", 1},
      {"07-reduce-scatter", "my-reduce-scatter", "allreduce.ring", false, "bytes", 0},
      {"08-all-to-all", "my-all-to-all", "alltoall.pairwise", false, "", 0},
      {"08-all-to-all", "my-all-to-all", "alltoall.bruck", false, "pairs bytes bytes", 0},
      {"09-mst-allreduce", "mst-all-reduce", "allreduce.mst", false, "", 0},
      {"09-mst-allreduce", "mst-all-reduce", "allreduce.tree", false, "", 0},
      {"09-mst-allreduce", "mst-all-reduce", "allreduce.flat", false, "rounds", 0},
      {"09-mst-allreduce", "mst-all-reduce", "allreduce.bde", false, "tree tree", 0},
      {"10-bde-allreduce", "bde-all-reduce", "allreduce.bde", false, "", 0},
      {"10-bde-allreduce", "bde-all-reduce", "allreduce.flat", false, "xor bytes xor", 0},
      {"11-tree-allreduce", "tree-allreduce", "allreduce.tree", false, "", 0},
      {"11-tree-allreduce", "tree-allreduce", "allreduce.mst", false, "tree tree", 0},
      {"11-tree-allreduce", "tree-allreduce", "allreduce.flat", false, "tree rounds tree", 0},
      {"11-tree-allreduce", "tree-allreduce", "allreduce.ring", false, "tree rounds size tree", 0},
      {"12-ring-allreduce", "ring-allreduce", "allreduce.ring", true, "", 1},
      {"12-ring-allreduce", "ring-allreduce", "allreduce.ring", false, "ring chunk_order", 1},
      {"12-ring-allreduce", "ring-allreduce", "allreduce.rabenseifner", true,
       "ring sends size chunk_order bytes ring", 1},
  };
  for (const auto& program : kPrograms) {
    INFO(program.id << " by " << program.algorithm);
    const CodingExercise one = exercise(program.lesson, program.id);
    const CodingVerdict verdict = graded(one, program.algorithm, program.left);
    INFO(verdict_text(one, verdict));
    CHECK(broken(one, verdict) == program.broken);
    CHECK(verdict.remarks.size() == program.remarks);
    CHECK((verdict.points == one.points) == (std::string_view(program.broken) == ""));
    CHECK(verdict.most == one.points);
  }
}

TEST_CASE("The first divergence is told with its run and line", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  const CodingVerdict verdict = graded(one, "allreduce.bde");
  const std::string text = verdict_text(one, verdict);
  INFO(text);
  CHECK(has(text,
            "- Each message is one chunk. (0 of 2)\n    with 2 ranks, [8], float32: step 1: rank 0 "
            "sent the whole tensor, 2 chunks, to rank 1, where one chunk (4 elements) was expected "
            "(allreduce_bde.cpp:"));
  CHECK(has(text, "+ No built-in collective is called, except a barrier."));
  const auto json = to_json(one, verdict);
  CHECK(json["most"] == 15);
  const auto& size = json["rules"].at(3);
  CHECK(size["kind"] == "size");
  CHECK(size["state"] == "broken");
  CHECK(size["first"]["case"] == "2 ranks, [8], float32");
  CHECK(size["first"]["rank"] == 0);
  CHECK(size["first"]["event"].is_number());
  CHECK(size["first"]["site_in_says"] == false);
}

// ---- values, runs that do not end, programs that do nothing ----------------------------------------

TEST_CASE("Values count by the worlds in which they are right", "[lessons][coding]") {
  const CodingExercise one = exercise("10-bde-allreduce", "bde-all-reduce");
  Programs programs{one};
  programs.run("exercise.bde_a", false,
               [](int n) { return is_power_of_two(n) ? "" : "rank 4's result lacks rank 2"; });
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.rules[0].state == RuleState::partly);
  // 2, 4, 8 of 2, 3, 4, 5, 6, 8: half of 3, less two fifths of what 5.88 points are above 4
  CHECK(verdict.rules[0].points == Approx(0.75));
  CHECK(verdict.rules[0].says ==
        "rank 4's result lacks rank 2 (right with 2, 4 and 8 ranks: powers of two)");
  CHECK(has(verdict_text(one, verdict),
            "First of all: with 3 ranks, [20], float32: rank 4's result lacks rank 2 (right with "
            "2, 4 and 8 ranks: powers of two)\n"));
  CHECK(broken(one, verdict) == "values xor xor");
}

TEST_CASE("Rules on the schedule count when the values are wrong everywhere", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true,
               [](int n) { return n == 1 ? "" : "every element has rank 0 twice"; });
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.rules[0].state == RuleState::broken);
  CHECK(verdict.points == Approx(10));
}

TEST_CASE("Half of the messages is work, whatever comes of it", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("reduce_scatter.ring", false, [](int n) { return n == 1 ? "" : "no sum"; });
  const CodingVerdict verdict = programs.grade();
  INFO(verdict_text(one, verdict));
  CHECK(verdict.rules[0].points == 0);
  CHECK(verdict.points > 0);
  CHECK(verdict.points <= one.points / 2);
}

TEST_CASE("A program that does nothing gets nothing", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("barrier.dissemination", false,
               [](int n) { return n == 1 ? "" : "rank 0's result has only its own data"; });
  for (CaseRun& run : programs.runs) run.evidence.phase = "of another case";  // no message counts
  const CodingVerdict verdict = programs.grade();
  INFO(verdict_text(one, verdict));
  CHECK(verdict.points == 0);
  // The last rule is the point on top.
  CHECK(verdict.rules.at(verdict.rules.size() - 2).state == RuleState::unearned);
  CHECK(has(verdict_text(one, verdict), "no rank sent a message"));
}

TEST_CASE("Messages that carry nothing keep no rule that asks for messages", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true,
               [](int n) { return n == 1 ? "" : "rank 0's result has only its own data"; });
  for (CaseRun& run : programs.runs)
    if (run.ranks > 1) run.empty_messages = "every message holds nothing but the number 0";
  const CodingVerdict verdict = programs.grade();
  INFO(verdict_text(one, verdict));
  CHECK(verdict.points == 0);
  CHECK(has(verdict_text(one, verdict), "nothing but the number 0"));
  // One world that is not hollow was guessed; one that is does not keep the rules for itself.
  for (CaseRun& run : programs.runs)
    if (run.ranks == 4) run.empty_messages.clear();
  CHECK(programs.grade().points == 0);
  for (CaseRun& run : programs.runs)
    run.empty_messages = run.ranks == 4 ? "every message holds nothing but the number 0" : "";
  const CodingVerdict some = programs.grade();
  const auto sends = std::ranges::find(one.rules, "sends", &CodingRule::kind) - one.rules.begin();
  const RuleVerdict& rule = some.rules.at(static_cast<std::size_t>(sends));
  const auto has_four = [&](const std::vector<std::size_t>& runs) {
    return std::ranges::any_of(runs,
                               [&](std::size_t run) { return programs.runs[run].ranks == 4; });
  };
  CHECK(rule.state == RuleState::partly);
  CHECK(has(rule.says, "nothing but the number 0"));
  CHECK((!has_four(rule.kept_in) && has_four(rule.broken_in)));
  for (CaseRun& run : programs.runs) run.empty_messages.clear();
  CHECK(programs.grade().points == Approx(10));
}

TEST_CASE("What is forbidden in one run takes all points", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true);
  CHECK(programs.grade().points == Approx(15));
  programs.runs.back().forbidden = "rank 1 returned, and a process that it started goes on (x)";
  const CodingVerdict verdict = programs.grade();
  CHECK(verdict.points == 0);
  CHECK(verdict.capped ==
        "With " + programs.runs.back().describe() + ": " + programs.runs.back().forbidden + ".");
}

TEST_CASE("A run that breaks off keeps no rule, but what it did wrong is known",
          "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring", true);
  CaseRun& last = programs.runs.back();
  last.status = Status::deadlock;
  last.failure = "0 → 1 → 0";
  const CodingVerdict verdict = programs.grade();
  CHECK(broken(one, verdict) ==
        "values ring size chunk_order bytes ends ring");  // not "sends": with N elements
  CHECK(verdict.rules[0].says == "the ranks wait for each other: 0 → 1 → 0");
  CHECK(verdict.rules[0].broken_in == std::vector<std::size_t>{programs.runs.size() - 1});
  CHECK(verdict.capped.empty());  // that nothing forbidden was called until then is no fault

  Programs others{one};
  others.run("allreduce.flat");
  for (CaseRun& run : others.runs) run.status = Status::timeout;
  CHECK(has(grade_rules(one, others.runs).rules[1].says, "its right neighbour"));
  for (CaseRun& run : others.runs) run.trace.reset();
  const CodingVerdict nothing = others.grade();
  CHECK(nothing.points == 0);
  const auto state = [&](std::string_view kind) {
    const auto at = std::ranges::find(one.rules, kind, &CodingRule::kind) - one.rules.begin();
    return nothing.rules.at(static_cast<std::size_t>(at)).state;
  };
  CHECK(state("imports") == RuleState::unearned);  // of the text, without a run
  CHECK(state("no_built_in") == RuleState::not_judged);
}

/// Two ranks that call a built-in.
Trace delegating() {
  ScriptedRun run(2);
  run.line(7, "ring_allreduce");
  for (const Rank rank : {0, 1}) {
    run.call(rank, "allreduce");
    run.returned(rank);
  }
  return run.trace();
}

TEST_CASE("All rules of a run share what was computed of it", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  Programs programs{one};
  programs.run("allreduce.ring");
  programs.grade();
  for (const CaseRun& run : programs.runs)
    CHECK(run.trace->computed(TraceAnalysis::Part::rounds) == 1);
}

TEST_CASE("What is forbidden costs all points", "[lessons][coding]") {
  const CodingExercise one = exercise("12-ring-allreduce", "ring-allreduce");
  const Trace trace = delegating();
  CaseRun run;
  run.ranks = 2;
  run.shape = Shape({8});
  run.trace.emplace(trace);
  const CodingVerdict verdict = grade_rules(one, {run});
  CHECK(verdict.points == 0);
  CHECK(verdict.rules[0].state == RuleState::kept);
  CHECK(verdict.capped == "ring_allreduce calls the built-in allreduce at worker.py:7");
  CHECK(has(verdict_text(one, verdict),
            "0 of 15 points: a program that does what the exercise forbids gets no points. "
            "ring_allreduce calls the built-in allreduce at worker.py:7\n"));
  const auto json = to_json(one, verdict);
  CHECK(json["capped"] == verdict.capped);
  const auto& row = *std::ranges::find_if(
      json["rules"], [](const auto& rule) { return rule["kind"] == "no_built_in"; });
  CHECK(row["first"]["site"] == "worker.py:7");
  CHECK(row["first"]["site_in_says"] == true);
  Rule allowing;
  allowing.allowed = {"allreduce"};
  CHECK(check_rule(TraceAnalysis(trace), allowing, {{.ranks = 2}}).kept);
}

}  // namespace
}  // namespace rankscope
