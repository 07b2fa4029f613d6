// The words for made-up results, as the usual mistakes leave them.
#include "engine/analysis/results/result_words.h"

#include <cstring>

#include "tests/support/catch.h"
#include "tests/support/job_traces.h"

namespace rankscope {
namespace {

ExerciseCase case_of(Collective kind, int ranks, std::vector<Count> shape) {
  ExerciseCase run;
  run.collective = kind;
  run.ranks = ranks;
  run.shape = Shape(std::move(shape));
  return run;
}

std::vector<RankResult> right(const ExerciseCase& run) {
  std::vector<RankResult> results;
  for (Rank rank = 0; rank < run.ranks; ++rank) results.push_back(expected_result(run, rank));
  return results;
}

/// Adds rank `whose` once more (or -1: takes it out) in elements of a rank's result.
void add(const ExerciseCase& run, RankResult& result, Rank whose, Range elements,
         double times = 1) {
  const auto input = traceable_input(run, whose);
  for (Count e = elements.offset; e < elements.end(); ++e)
    result.values[static_cast<std::size_t>(e)] += times * input[static_cast<std::size_t>(e)];
}

/// A program's results of the telling inputs.
std::vector<RankResult> results_of(const ExerciseCase& run, const std::string& algorithm) {
  JobSpec spec;
  spec.call.algorithm = algorithm;
  spec.world.size = run.ranks;
  spec.call.shape = run.shape.extents();
  spec.call.dtype = DType::int64;
  spec.data.check = false;
  spec.call.root = run.root;
  spec.call.scatter_dim = run.scatter_dim;
  spec.call.gather_dim = run.gather_dim;
  spec.data.input = InputPattern::given;
  for (Rank rank = 0; rank < run.ranks; ++rank)
    spec.data.values.push_back(traceable_input(run, rank));
  const Trace trace = test::trace_of_job(spec);
  std::vector<RankResult> results(static_cast<std::size_t>(run.ranks));
  for (const BufferState& state : trace.seek(trace.size())) {
    const auto* buffer = trace.definition(Definition::Kind::buffer, state.buffer);
    if (buffer->name != "data") continue;
    RankResult& result = results[static_cast<std::size_t>(buffer->rank)];
    result.shape = Shape(buffer->extents);
    for (std::size_t at = 0; at < state.samples.size(); at += sizeof(std::int64_t)) {
      std::int64_t value = 0;
      std::memcpy(&value, &state.samples[at], sizeof value);
      result.values.push_back(static_cast<double>(value));
    }
  }
  return results;
}

TEST_CASE("Result words: of programs", "[rules]") {
  const ExerciseCase sum = case_of(Collective::allreduce, 4, {16});
  CHECK(explain_result(sum, results_of(sum, "allreduce.ring")) == "");
  CHECK(explain_result(sum, results_of(sum, "exercise.flat_a")) == "every element lacks rank 0");
  CHECK(explain_result(sum, results_of(sum, "exercise.sum_b")) ==
        "rank 0's result has rank 0 four times and lacks ranks 1, 2 and 3");
  CHECK(explain_result(sum, results_of(sum, "exercise.ring_b")) ==
        "rank 0's result has ranks 2 and 3 three times");
  const ExerciseCase uneven = case_of(Collective::allreduce, 4, {10});
  CHECK(explain_result(uneven, results_of(uneven, "exercise.ring_f")) ==
        "chunk 3 of rank 0's result lacks rank 1");
  const ExerciseCase scattered = case_of(Collective::reduce_scatter, 4, {16});
  CHECK(explain_result(scattered, results_of(scattered, "reduce_scatter.direct")) == "");
  CHECK(explain_result(scattered, results_of(scattered, "exercise.reduce_scatter_b")) ==
        "rank 0's result lacks rank 0");
  CHECK(explain_result(scattered, results_of(scattered, "exercise.reduce_scatter_a")) != "");
  ExerciseCase moved = case_of(Collective::broadcast, 4, {6});
  moved.root = 2;
  CHECK(explain_result(moved, results_of(moved, "broadcast.binomial")) == "");
  CHECK(explain_result(moved, results_of(moved, "exercise.broadcast_a")) ==
        "rank 0 holds rank 1's data, it should hold rank 2's");
  moved = case_of(Collective::allgather, 4, {3});
  CHECK(explain_result(moved, results_of(moved, "allgather.ring")) == "");
  CHECK(explain_result(moved, results_of(moved, "exercise.allgather_a")) ==
        "block 1 of rank 0's result holds rank 3's data, it should hold rank 1's");
  moved = case_of(Collective::alltoall, 4, {8});
  CHECK(explain_result(moved, results_of(moved, "alltoall.pairwise")) == "");
  CHECK(explain_result(moved, results_of(moved, "exercise.alltoall_b")) ==
        "block 0 of rank 0's result was never written");
  moved = case_of(Collective::alltoall, 4, {8, 4});
  moved.gather_dim = 1;
  CHECK(explain_result(moved, results_of(moved, "alltoall.pairwise")) == "");
  CHECK(explain_result(moved, results_of(moved, "exercise.alltoall_a")) ==
        "the chunks are joined along dimension 0, not 1");
}

TEST_CASE("A reduce-scatter of other elements than those of the rank's chunk is named", "[words]") {
  const ExerciseCase run = case_of(Collective::reduce_scatter, 4, {8, 2});
  std::vector<RankResult> own = right(run), strided = right(run), shifted = right(run);
  constexpr Count kPart = 4, kRow = 2;
  for (Rank rank = 0; rank < run.ranks; ++rank)
    for (Count i = 0; i < kPart; ++i) {
      const auto at = static_cast<std::size_t>(rank), part = static_cast<std::size_t>(i);
      own[at].values[part] = strided[at].values[part] = shifted[at].values[part] = 0;
      for (Rank source = 0; source < run.ranks; ++source) {
        const auto input = traceable_input(run, source);
        const Count row = i / kRow * run.ranks + rank, next = (rank + source + 1) % run.ranks;
        own[at].values[part] += input[static_cast<std::size_t>(source * kPart + i)];
        strided[at].values[part] += input[static_cast<std::size_t>(row * kRow + i % kRow)];
        shifted[at].values[part] += input[static_cast<std::size_t>(next * kPart + i)];
      }
    }
  CHECK(explain_result(run, own) ==
        "rank 0's result adds chunk s of each rank s, their own one; it should add chunk 0 of "
        "every rank");
  CHECK(explain_result(run, strided) ==
        "rank 0's result adds rows 0, 4 and so on; the rows of a chunk are neighbours");
  CHECK(explain_result(run, shifted).find("adds") == std::string::npos);
}

TEST_CASE("What no rank was added so often to give is not told as so many times", "[words]") {
  const ExerciseCase run = case_of(Collective::allreduce, 2, {4});
  auto results = right(run);
  for (auto& result : results)
    for (double& value : result.values) value *= 1e9;
  const std::string words = explain_result(run, results);
  CHECK(words.find("times") == std::string::npos);
  CHECK(words.find("which no sum of the ranks' data gives") != std::string::npos);
}

TEST_CASE("Result words: right results have none", "[rules]") {
  for (const int n : {1, 2, 3, 4, 5, 8})
    for (const Collective kind :
         {Collective::allreduce, Collective::reduce_scatter, Collective::broadcast,
          Collective::allgather, Collective::alltoall}) {
      INFO(n << " ranks, kind " << static_cast<int>(kind));
      for (const auto& shape : {std::vector<Count>{2 * n}, {n, 3}, {2 * n, n, 2}}) {
        ExerciseCase run = case_of(kind, n, shape);
        CHECK(explain_result(run, right(run)) == "");
        if (kind != Collective::alltoall || shape.size() < 3) continue;
        run.scatter_dim = -2;
        run.gather_dim = 2;
        CHECK(explain_result(run, right(run)) == "");
        CHECK(expected_result(run, 0).shape == Shape({2 * n, 1, 2 * n}));
      }
    }
}

TEST_CASE("Result words: who is in a sum, and how often", "[rules]") {
  const ExerciseCase run = case_of(Collective::allreduce, 4, {16});
  auto results = right(run);
  for (RankResult& one : results) add(run, one, 2, {4, 4}), add(run, one, 0, {4, 4}, -1);
  CHECK(explain_result(run, results) == "chunk 1 has rank 2 twice and lacks rank 0");

  results = right(run);
  for (RankResult& one : results) add(run, one, 0, {0, 16});
  CHECK(explain_result(run, results) == "every element has rank 0 twice");

  results = right(run);
  for (const Rank rank : {1, 2}) add(run, results[3], rank, {0, 16}, -1);
  CHECK(explain_result(run, results) == "rank 3's result lacks ranks 1 and 2");

  results = right(run);
  add(run, results[2], 1, {12, 4}, 2);
  CHECK(explain_result(run, results) == "chunk 3 of rank 2's result has rank 1 three times");

  results = right(run);
  for (RankResult& one : results) std::copy_n(one.values.begin() + 8, 4, one.values.begin());
  CHECK(explain_result(run, results) == "chunk 0 holds the sum of chunk 2");

  results = right(run);
  for (RankResult& one : results)
    for (double& value : one.values) value /= 4;
  CHECK(explain_result(run, results) ==
        "every element is the average of 4 ranks, it should be their sum");

  results = right(run);
  results[1].values[5] = 0.5;
  CHECK(explain_result(run, results) ==
        "chunk 1 of rank 1's result has 0.5 in element 5, which no sum of the ranks' data gives");

  results = right(run);
  results[1] = {run.shape, traceable_input(run, 1)};
  CHECK(explain_result(run, results) == "rank 1's result lacks ranks 0, 2 and 3");
}

TEST_CASE("Result words: reduce-scatter", "[rules]") {
  const ExerciseCase run = case_of(Collective::reduce_scatter, 4, {16});
  auto results = right(run);
  results[1] = expected_result(run, 2);
  CHECK(explain_result(run, results) == "rank 1's result holds the sum of chunk 2");
  results = right(run);
  for (Rank rank = 0; rank < 4; ++rank)  // each forgot its own
    results[static_cast<std::size_t>(rank)].values[static_cast<std::size_t>(rank)] = 0;
  CHECK(explain_result(run, results) == "rank 0's result lacks rank 0");
  results = right(run);
  results[0] = {run.shape, traceable_input(run, 0)};
  CHECK(explain_result(run, results) == "rank 0's result has shape [16] instead of [4]");
  results[0] = {};
  CHECK(explain_result(run, results) == "rank 0 has no result");
}

TEST_CASE("Result words: data that only moves", "[rules]") {
  ExerciseCase run = case_of(Collective::broadcast, 4, {6});
  run.root = 1;
  auto results = right(run);
  results[2].values = traceable_input(run, 2);
  CHECK(explain_result(run, results) == "rank 2 still holds its own data, it should hold rank 1's");
  results[0].values = traceable_input(run, 3);
  CHECK(explain_result(run, results) == "rank 0 holds rank 3's data, it should hold rank 1's");
  results = right(run);
  results[3].values[4] = 0;
  CHECK(explain_result(run, results) ==
        "element 4 of rank 3's result is 0, as if it was never written, it should be rank 1's "
        "element "
        "4");

  run = case_of(Collective::allgather, 3, {2});
  results = right(run);
  auto& values = results[0].values;
  std::swap_ranges(values.begin() + 2, values.begin() + 4, values.begin() + 4);
  CHECK(explain_result(run, results) ==
        "block 1 of rank 0's result holds rank 2's data, it should hold rank 1's");
  std::fill_n(values.begin() + 2, 2, 0);
  CHECK(explain_result(run, results) == "block 1 of rank 0's result was never written");
  values = {1, 3, 5, 2, 4, 6};
  CHECK(explain_result(run, results) ==
        "the ranks' elements are interleaved, where one rank's block was to follow the other's");
  run = case_of(Collective::allgather, 2, {2, 2});
  results = right(run);
  results[0] = {Shape({2, 4}), {1, 2, 5, 6, 3, 4, 7, 8}};
  CHECK(explain_result(run, results) == "the chunks are joined along dimension 1, not 0");
  results[0] = {Shape({2, 4}), {1, 2, 5, 6, 3, 4, 7, 9}};
  CHECK(explain_result(run, results) == "rank 0's result has shape [2, 4] instead of [4, 2]");
}

TEST_CASE("Result words: the right values in another shape", "[rules]") {
  ExerciseCase run = case_of(Collective::alltoall, 2, {2, 3});
  run.gather_dim = 1;
  auto results = right(run);
  results[0].shape = Shape({6});
  CHECK(explain_result(run, results) == "rank 0's result has shape [6] instead of [1, 6]");
}

TEST_CASE("Result words: all-to-all", "[rules]") {
  ExerciseCase run = case_of(Collective::alltoall, 2, {4, 4});
  run.scatter_dim = 0;
  run.gather_dim = 1;
  auto results = right(run);
  ExerciseCase other = run;
  other.gather_dim = 0;
  results[0] = expected_result(other, 0);
  CHECK(explain_result(run, results) == "the chunks are joined along dimension 0, not 1");
  other.scatter_dim = 1;
  results[0] = expected_result(other, 0);
  CHECK(explain_result(run, results) ==
        "the tensor is cut along dimension 1 and joined along dimension 0: the two are swapped");
  // The numbers of single rows come out in order: only the shape differs.
  run = case_of(Collective::alltoall, 2, {2, 4});
  run.scatter_dim = 0;
  run.gather_dim = 1;
  results = right(run);
  results[0].shape = Shape({2, 4});
  CHECK(explain_result(run, results) == "the chunks are joined along dimension 0, not 1");
  results[0].shape = Shape({8});
  CHECK(explain_result(run, results) == "rank 0's result has shape [8] instead of [1, 8]");
  results = right(run);
  results[1] = expected_result(run, 0);  // chunk 0 went to rank 1
  CHECK(explain_result(run, results) ==
        "block 0 of rank 1's result holds rank 0's chunk 0, it should hold rank 0's chunk 1");
}

}  // namespace
}  // namespace rankscope
