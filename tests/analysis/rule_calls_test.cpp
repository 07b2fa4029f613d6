// Rules on built-in calls, on what is under way while a rank computes, and on groups.
#include "tests/analysis/rule_bench.h"
#include "tests/support/catch.h"
#include "tests/support/scripted_run.h"

namespace rankscope {
namespace {

using namespace test;

RuleResult checked(const ScriptedRun& run, const Rule& rule, const ExerciseCase& asked) {
  return check_rule(TraceAnalysis(run.trace()), rule, asked);
}

Rule calls_of(std::vector<std::string> allowed) {
  Rule out = rule(Kind::built_in_calls);
  out.allowed = std::move(allowed);
  return out;
}

void call(ScriptedRun& run, Rank rank, const std::string& name) {
  run.call(rank, name);
  run.returned(rank);
}

TEST_CASE("Rules: which built-ins are called, and how often", "[rules]") {
  ScriptedRun run(2);
  run.line(7, "reference");
  for (const Rank rank : {0, 1, 1}) call(run, rank, "allreduce");
  const ExerciseCase asked{{.ranks = 2}};
  Rule once = calls_of({"allreduce"});
  CHECK(checked(run, once, asked).kept);
  once.exactly = 1;
  CHECK(checked(run, once, asked).says ==
        "rank 1 calls the built-in allreduce twice, it should do so once");
  once.exactly.reset();
  once.at_most = 2;
  CHECK(checked(run, once, asked).kept);
  CHECK(checked(run, calls_of({"reduce", "allreduce"}), asked).says ==
        "rank 0 never calls the built-in reduce, it should do so once or more");
  call(run, 1, "broadcast");
  const RuleResult other = checked(run, once, asked);
  CHECK(other.says == "rank 1 calls the built-in broadcast, where only allreduce is allowed");
  CHECK(other.site == "worker.py:7");
  CHECK(other.rank == 1);
}

/// A rank that computes three times; `ends`: after how many computations each of its calls ends.
ScriptedRun computing(const std::vector<int>& ends) {
  ScriptedRun run(1);
  run.line(4, "overlap");
  const auto compute = [&] {
    run.phase("compute");
    StepEvent& event = run.work(Verb::phase_begin, 0);
    event.kind = EventKind::phase;
    run.phase("");
  };
  for (int done = 1; done <= 3; ++done) {
    compute();
    for (std::size_t k = 0; k < ends.size(); ++k)
      if (ends[k] == done) {
        run.phase("built-in allreduce");
        StepEvent& end = run.work(Verb::phase_end, 0);
        end.kind = EventKind::call;
        end.tag = static_cast<int>(k) + 1;
        run.phase("");
      }
    run.call(0, "allreduce");
    run.phase("");
  }
  return run;
}

TEST_CASE("Rules: what is under way while a rank computes", "[rules]") {
  const ExerciseCase asked{{.ranks = 1}};
  Rule one = rule(Kind::under_way), all = one;
  all.all = true;
  const ScriptedRun open = computing({});
  CHECK(checked(open, one, asked).kept);
  CHECK(checked(open, all, asked).kept);
  // The first call ends after the second computation.
  const ScriptedRun early = computing({2});
  CHECK(checked(early, one, asked).kept);
  const RuleResult lacks = checked(early, all, asked);
  CHECK(lacks.says ==
        "while rank 0 is in its call 3 of compute, 1 of its operations is under way, where 2 were "
        "expected");
  CHECK(lacks.site == "worker.py:4");
  ScriptedRun blocking(1);
  CHECK(checked(blocking, one, asked).says == "rank 0 never calls compute");
}

TEST_CASE("Rules: between groups only leaders send", "[rules]") {
  Run run = run_of("allreduce.flat", 4, 8);
  run.asked.parameter = 4;
  CHECK(says(run, rule(Kind::groups)) == "");
  run.asked.parameter = 1;
  CHECK(says(run, rule(Kind::groups)) == "");
  run.asked.parameter = 2;
  CHECK(says(run, rule(Kind::groups)) ==
        "step 3: rank 3 sent to rank 0, which is of another group of 2; between groups only "
        "leaders do, the lowest rank of each group");
}

TEST_CASE("Rules: at least so many messages", "[rules]") {
  Rule least = rule(Kind::messages);
  least.at_least = 6;
  CHECK(says(run_of("allreduce.flat", 4, 8), least) == "");
  least.at_least = 7;
  CHECK(says(run_of("allreduce.flat", 4, 8), least) ==
        "6 messages were sent in all, where at least 7 were expected");
}

}  // namespace
}  // namespace rankscope
