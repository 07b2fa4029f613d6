// Runs of algorithms and rules in few words, for the tests of rules.
#pragma once

#include <string>
#include <string_view>

#include "engine/analysis/rules/rules.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/made_up_run.h"

namespace rankscope::test {

using Kind = Rule::Kind;

struct Run {
  Trace trace;
  ExerciseCase asked;
};

inline ExerciseCase asked_of(int ranks, Count count) {
  return {{.ranks = ranks, .shape = Shape::flat(count)}};
}

inline Run run_of(const std::string& algorithm, int ranks, Count count, bool left_ring = false,
                  SendMode mode = SendMode::buffered) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = ranks;
  spec.call.shape = {count};
  spec.data.check = false;
  spec.call.left_ring = left_ring;
  spec.transport.mode = mode;
  if (algorithm == "broadcast.flat" || algorithm == "broadcast.binomial")
    spec.call.root = 1 % ranks;
  ExerciseCase asked = asked_of(ranks, count);
  asked.root = spec.call.root;
  return {trace_of_job(spec), asked};
}

/// A run in which all ranks do something.
inline MadeUpRun made_up(int ranks) {
  MadeUpRun run(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) run.work(Verb::compute, rank, 0, 1);
  return run;
}

inline bool has_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

inline RuleResult check(const Run& run, const Rule& rule) {
  return check_rule(TraceAnalysis(run.trace), rule, run.asked);
}
inline std::string says(const Run& run, const Rule& rule) {
  const RuleResult result = check(run, rule);
  CHECK(result.says.empty() == (result.kept && !result.unsure));
  if (result.event != kNoEvent) {
    CHECK(result.rank == run.trace[result.event].rank);
    CHECK_FALSE(result.site.empty());
  }
  return result.says;
}

inline Rule rule(Kind kind) {
  Rule out;
  out.kind = kind;
  return out;
}
inline Rule exactly(Kind kind, double limit) {
  Rule out = rule(kind);
  out.exactly = limit;
  return out;
}
inline Rule at_most(Kind kind, double limit) {
  Rule out = rule(kind);
  out.at_most = limit;
  return out;
}
inline Rule ring(Rule::Direction direction, double steps = -1) {
  Rule out = rule(Kind::ring);
  out.direction = direction;
  if (steps >= 0) out.exactly = steps;
  return out;
}
inline Rule order(Rule::Direction direction) {
  Rule out = rule(Kind::chunk_order);
  out.direction = direction;
  return out;
}
inline Rule tree(Rule::Tree which) {
  Rule out = rule(Kind::tree);
  out.tree = which;
  return out;
}
inline Rule whole() {
  Rule out = rule(Kind::size);
  out.size = Rule::Size::whole;
  return out;
}

}  // namespace rankscope::test
