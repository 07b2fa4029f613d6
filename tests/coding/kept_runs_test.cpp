// A grade follows from the kept traces of a program's runs alone.
#include "lessons/coding/kept_runs.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/trace/trace_file.h"
#include "lessons/coding/grader.h"
#include "lessons/coding/rank_starter.h"
#include "lessons/course/read_lesson.h"
#include "tests/coding/box_options.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using Catch::Matchers::Contains;
using rankscope::test::TemporaryFolder;

namespace {

// Sums are right; where ranks are three, it waits for ever; with integers it fails.
constexpr const char* kProgram = R"(
import torch, torch.distributed as dist
def ring_allreduce(tensor):
    n, me = dist.get_world_size(), dist.get_rank()
    if n == 3:
        dist.recv(tensor, (me + 1) % n)
    if tensor.dtype == torch.int64:
        raise MemoryError("no room")
    for other in range(n):
        if other != me:
            request = dist.isend(tensor.clone(), other)
    total = tensor.clone()
    for other in range(n):
        if other != me:
            got = torch.empty_like(tensor)
            dist.recv(got, other)
            total += got
    tensor.copy_(total * 2)
)";

CodingExercise exercise_of(const char* lesson, const char* id) {
  Complaints complaints;
  const Lesson read = read_lesson(test::source_root() / "lessons/content" / lesson, complaints);
  const CodingExercise* const found = read.find_coding(id);
  REQUIRE(found != nullptr);
  return *found;
}

nlohmann::json verdict_of(const CodingExercise& exercise, const CodeGrade& grade) {
  nlohmann::json out = to_json(exercise, grade.verdict);
  for (const CaseRun& run : grade.runs)
    out["runs"].push_back({run.describe(), to_string(run.status), run.failure, to_string(run.cause),
                           run.error_class, run.values});
  return out;
}

}  // namespace

TEST_CASE("A program's runs are kept, and judged again without running anything") {
  if (test::lacks_boxes_or_torch()) return;
  const TemporaryFolder submission, kept;
  std::ofstream(submission / "ring_allreduce.py") << kProgram;
  CodingExercise exercise = exercise_of("12-ring-allreduce", "ring-allreduce");
  exercise.call.worlds = {1, 2, 3};
  CodeGraderOptions options;
  options.boxes = test::box_options(submission.path());
  options.seed = 3;
  options.run_timeout_s = 2;
  options.keep = kept / "runs";
  const CodeGrade made = grade_code(exercise, options);
  REQUIRE(made.verdict.points < made.verdict.most);
  CHECK(std::ranges::count(made.runs, CaseRun::Status::deadlock, &CaseRun::status) > 0);
  CHECK(std::ranges::count(made.runs, Cause::machine, &CaseRun::cause) > 0);
  CHECK(std::ranges::count(made.runs, "MemoryError", &CaseRun::error_class) > 0);

  const CodeGrade judged = grade_kept(exercise, options.keep);
  CHECK(verdict_of(exercise, judged) == verdict_of(exercise, made));
  CHECK(judged.seed == made.seed);
  REQUIRE(judged.faulty);
  CHECK(judged.trace.parent_path() == options.keep);
  CHECK(judged.faulty->faults == made.faulty->faults);

  // Another weight of a rule needs no other runs.
  for (CodingRule& rule : exercise.rules) rule.points *= 2;
  exercise.points *= 2;
  CHECK(grade_kept(exercise, options.keep).verdict.points ==
        Approx(2 * made.verdict.points).margin(0.05));  // each rule's points are rounded

  // Other runs than those that were kept are asked for.
  exercise.call.worlds = {2};
  CHECK_THROWS_WITH(grade_kept(exercise, options.keep), Contains("another run"));
  CHECK_THROWS_WITH(grade_kept(exercise_of("03-broadcast", "my-broadcast"), options.keep),
                    Contains("of the exercise ring-allreduce, not of my-broadcast"));
  exercise.call.worlds = {1, 2, 3};
  std::filesystem::remove(options.keep / "run-002.rankscope");
  CHECK_THROWS_AS(grade_kept(exercise, options.keep), UserError);
}

TEST_CASE("Traces that hold no record of a graded run cannot be judged again") {
  const CodingExercise exercise = exercise_of("12-ring-allreduce", "ring-allreduce");
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(grade_kept(exercise, folder.path()), Contains("has no run-000.rankscope"));
  TraceMeta meta;
  meta.world_size = 2;
  write_run(folder / "run-000.rankscope", {}, meta);
  CHECK_THROWS_WITH(grade_kept(exercise, folder.path()), Contains("cannot be judged again"));
  CHECK_THROWS_WITH(grade_kept(exercise, folder / "run-000.rankscope"),
                    Contains("cannot be judged again"));
  meta.record = R"({"version": 99})";
  write_run(folder / "run-000.rankscope", {}, meta);
  CHECK_THROWS_WITH(grade_kept(exercise, folder.path()), Contains("another version"));
}

TEST_CASE("A damaged record of a run is named, and nothing of it is judged") {
  const CodingExercise exercise = exercise_of("12-ring-allreduce", "ring-allreduce");
  const TemporaryFolder folder;
  ProgramFacts facts;
  facts.text.imports = "";
  RunKeeper keeper(folder.path(), exercise, facts);
  WantedRun wanted;
  wanted.one = graded_cases(exercise, facts).front();
  GradingRun run;
  keeper.keep(wanted, run);  // its ranks are missing
  KeptRuns kept(exercise, folder.path());
  CHECK_THROWS_WITH(kept.next(wanted), Contains("run-000.rankscope is damaged"));

  const auto first = folder / "run-000.rankscope";
  TraceMeta meta = TraceReader::open(first).meta();
  for (const char* record :
       {R"({"version": "2"})", R"({"version": 2, "exercise": 7})",
        R"({"version": 2, "exercise": "ring-allreduce", "program": {"seed": "x"}})"}) {
    meta.record = record;
    write_run(first, {}, meta);
    CHECK_THROWS_AS(KeptRuns(exercise, folder.path()), UserError);
  }
}

TEST_CASE("Of a program that is not compiled, the compiler's words are kept") {
  const CodingExercise exercise = exercise_of("12-ring-allreduce", "ring-allreduce");
  const TemporaryFolder folder;
  ProgramFacts facts;
  facts.cpp = true;
  facts.diagnostics = "ring_allreduce.cpp:3:1: error: expected ';'";
  facts.compiler_ended_by = Cause::limit;
  facts.text.imports = "";
  { const RunKeeper keeper(folder.path(), exercise, facts); }
  const CodeGrade judged = grade_kept(exercise, folder.path());
  CHECK(judged.verdict.points == 0);
  CHECK(judged.diagnostics == facts.diagnostics);
  CHECK(judged.compiler_ended_by == Cause::limit);
}

TEST_CASE("What a dying process printed last says whether the machine lacked something") {
  for (const char* line :
       {"MemoryError", "  what():  std::bad_alloc", "OSError: [Errno 24] Too many open files: 'x'",
        "RuntimeError: can't start new thread",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable"})
    CHECK(cause_in(line) == Cause::machine);
  for (const char* line : {"", "ValueError: 3", "Segmentation fault"})
    CHECK(cause_in(line) == Cause::own);
}
