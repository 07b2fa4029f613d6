// The smallest run that fails: found by running, with a question computed from its messages.
#include "lessons/coding/smallest.h"

#include <fstream>

#include "lessons/course/read_lesson.h"
#include "tests/coding/box_options.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

using namespace rankscope;
using rankscope::test::TemporaryFolder;

namespace {

// A ring to the left without the last step of its second half.
constexpr const char* kShortRing = R"(
import torch, torch.distributed as dist
def ring_allreduce(tensor):
    n, me = dist.get_world_size(), dist.get_rank()
    if n == 1:
        return
    chunks = list(tensor.view(-1).tensor_split(n))
    left, right = (me - 1) % n, (me + 1) % n
    def step(out, into, add):
        buffer = torch.empty_like(chunks[into])
        request = dist.isend(chunks[out].clone(), left)
        dist.recv(buffer, right)
        request.wait()
        chunks[into].copy_(chunks[into] + buffer if add else buffer)
    for i in range(1, n):
        step((me + i - 1) % n, (me + i) % n, True)
    for i in range(1, n - 1):
        step((me + i - 2) % n, (me + i - 1) % n, False)
)";

constexpr const char* kBothSend = R"(
import torch, torch.distributed as dist
def ring_allreduce(tensor):
    n, me = dist.get_world_size(), dist.get_rank()
    for other in range(n):
        if other != me:
            dist.send(tensor, other)
    for other in range(n):
        if other != me:
            got = torch.empty_like(tensor)
            dist.recv(got, other)
            tensor += got
)";

CodingExercise ring_exercise() {
  Complaints complaints;
  const Lesson read =
      read_lesson(test::source_root() / "lessons/content/12-ring-allreduce", complaints);
  const CodingExercise* const found = read.find_coding("ring-allreduce");
  REQUIRE(found != nullptr);
  return *found;
}

struct Found {
  CodingExercise exercise;
  std::optional<SmallestRun> run;
  std::optional<RunQuestion> question;
};

Found found_in(const std::string& program) {
  const TemporaryFolder folder;
  std::ofstream(folder / "ring_allreduce.py") << program;
  Found out{ring_exercise(), {}, {}};
  out.exercise.call.worlds = {4};
  CodeGraderOptions options;
  options.boxes = test::box_options(folder.path());
  options.seed = 3;
  const CodeGrade grade = grade_code(out.exercise, options);
  REQUIRE(grade.verdict.points < grade.verdict.most);
  SmallestOptions search;
  search.boxes = options.boxes;
  out.run = find_smallest_run(out.exercise, grade, search);
  REQUIRE(out.run);
  const auto right = right_run(out.exercise, out.run->one);
  REQUIRE(right);
  out.question = ask_about(*out.run, &*right);
  REQUIRE(out.question);
  return out;
}

}  // namespace

TEST_CASE(
    "A ring that lacks its last step fails with two ranks, and is asked for what is missing") {
  if (test::lacks_boxes_or_torch()) return;
  const Found found = found_in(kShortRing);
  CHECK(found.run->one.ranks == 2);
  CHECK(found.run->one.shape.count() == 2);
  CHECK(found.run->failure.text() == "wrong result");
  REQUIRE(found.run->flow);
  const auto fault = first_fault(*found.run->flow);
  REQUIRE(fault);
  CHECK(fault->kind == account::Fault::Kind::missing);
  // After one step to the left rank 0 has summed chunk 1, and nobody brought it the sum of chunk 0.
  CHECK(fault->rank == 0);
  CHECK(fault->place == 0);
  CHECK(fault->sources() == std::vector<Rank>{1});
  REQUIRE(found.question->parts.size() == 2);
  CHECK(is_right(found.question->parts[0], "rank 1"));
  CHECK_FALSE(is_right(found.question->parts[0], "0"));
  CHECK(is_right(found.question->parts[1], "1 -> 0"));
  CHECK_FALSE(is_right(found.question->parts[1], "0 -> 1"));
  const std::string text = smallest_text(found.exercise, *found.run, true);
  CHECK(text.find("round 1: rank 0 -> rank 1   r0[0]") != std::string::npos);
  CHECK(text.find("rank 0   r0[0]  r0[1]+r1[1]") != std::string::npos);
}

TEST_CASE("Ranks that all send first are asked who waits for whom, with two of them") {
  if (test::lacks_boxes_or_torch()) return;
  const Found found = found_in(kBothSend);
  CHECK(found.run->one.ranks == 2);
  CHECK(found.run->failure.text() == "deadlock");
  REQUIRE(found.question->parts.size() == 1);
  CHECK(is_right(found.question->parts[0], "1 waits for 0, 0 waits for 1"));
  CHECK_FALSE(is_right(found.question->parts[0], "0>0 1>1"));
  CHECK_FALSE(is_right(found.question->parts[0], "0>1"));
}

TEST_CASE("Numbered contributions say who is in a sum, how often, and which element") {
  ExerciseCase run;
  run.ranks = 3;
  run.shape = Shape({4});
  std::vector<std::vector<double>> inputs;
  for (Rank rank = 0; rank < run.ranks; ++rank) inputs.push_back(counted_input(run, rank));
  const auto text = [&](double value) { return shares_in(run, value).text(); };
  CHECK(text(0) == "–");
  CHECK(text(inputs[0][1] + inputs[1][1] + inputs[2][1]) == "r0[1]+r1[1]+r2[1]");
  CHECK(text(inputs[0][2] + 2 * inputs[2][2]) == "r0[2]+2·r2[2]");
  CHECK(text(inputs[0][0] + inputs[1][3]) == "r0[0]+r1[3]");
  CHECK(text((inputs[0][0] + inputs[1][0]) / 2) == "?");
  CHECK(text(-1) == "?");
  // Too many ranks to number elements, too: who is in it is known all the same.
  run.ranks = 9;
  run.shape = Shape({36});
  CHECK(text(counted_input(run, 8)[5] + counted_input(run, 2)[5]) == "r2+r8");
  run.collective = Collective::allgather;
  run.ranks = 2;
  run.shape = Shape({3});
  CHECK(text(counted_input(run, 1)[2]) == "r1[2]");
  CHECK(text(7) == "?");
}
