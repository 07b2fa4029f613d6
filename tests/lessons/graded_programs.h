// Coding exercises graded on runs of our own algorithms, on threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lessons/course/read_lesson.h"
#include "lessons/grading/coding_grade.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/paths.h"

namespace rankscope::test {

/// An exercise of the shipped lessons.
inline CodingExercise exercise(const std::string& lesson, const std::string& id) {
  Complaints complaints;
  const Lesson read = read_lesson(source_root() / "lessons/content" / lesson, complaints);
  const CodingExercise* found = read.find_coding(id);
  REQUIRE(found != nullptr);
  return *found;
}

/// Runs of an algorithm as a student's program, in every world with every shape, and their points. `values`: the
/// faults of its results, by number of ranks.
struct Programs {
  const CodingExercise& exercise;
  std::vector<Trace> traces = {};
  std::vector<CaseRun> runs = {};

  void run(
      const std::string& algorithm, bool left_ring = false,
      const std::function<std::string(int)>& values = [](int) { return ""; }) {
    const CodingCall& call = exercise.call;
    for (const int n : call.worlds)
      for (const std::string& text : call.shapes) {
        JobSpec spec;
        spec.call.algorithm = algorithm;
        spec.world.size = n;
        spec.call.shape = shape_for(text, n);
        spec.call.left_ring = left_ring;
        spec.data.check = false;
        CaseRun run;
        run.ranks = n;
        run.shape = Shape(spec.call.shape);
        run.values = values(n);
        run.text = {"", ""};  // nothing is wrong with what it imports and calls
        if (call.all_sources) run.root = spec.call.root = n - 1;
        if (!call.dims.empty()) {
          const auto fits = std::ranges::find_if(
              call.dims, [&](const auto& dims) { return dims_fit(spec.call.shape, dims, n); });
          const int dims = static_cast<int>(spec.call.shape.size());
          spec.call.scatter_dim = wrap(fits->first, dims);
          spec.call.gather_dim = wrap(fits->second, dims);
        }
        traces.push_back(trace_of_job(spec));
        runs.push_back(run);
      }
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].trace.emplace(traces[i]);
  }
  CodingVerdict grade() const { return grade_rules(exercise, runs); }
};

inline CodingVerdict graded(const CodingExercise& one, const std::string& algorithm,
                            bool left_ring = false) {
  Programs programs{one};
  programs.run(algorithm, left_ring);
  return programs.grade();
}

/// "ring sends": the kinds of rules that are not kept.
inline std::string broken(const CodingExercise& one, const CodingVerdict& verdict) {
  std::string out;
  for (std::size_t i = 0; i < verdict.rules.size(); ++i)
    if (!one.rules[i].remark && !one.rules[i].bonus &&
        verdict.rules[i].state != RuleVerdict::State::kept)
      out += (out.empty() ? "" : " ") + one.rules[i].kind;
  return out;
}

}  // namespace rankscope::test
