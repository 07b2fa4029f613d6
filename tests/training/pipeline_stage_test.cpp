// Pipelines in runs: the same gradients whatever the number of microbatches, kept activations as the schedule says, one
// message a microbatch and boundary.
#include "engine/training/parallel/pipeline_stage.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/training/job/parallel_run.h"
#include "engine/training/parallel/parallel_form.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

constexpr auto kAlternating = PipelineKind::one_forward_one_backward;
constexpr PipelineKind kKinds[] = {PipelineKind::gpipe, kAlternating};

TransformerShape eight_layers(Count batch) {
  return {.layers = 8,
          .batch = batch,
          .sequence = 3,
          .width = 6,
          .heads = 2,
          .inner = 5,
          .vocabulary = 4};
}

struct PipelineRun {
  std::vector<int> most_kept;
  AlignedVector<double> gradients;  ///< Of all stages.
  Matrix<double> logits;
  double loss = 0;
  Trace trace;
};

PipelineRun run_pipeline(PipelineKind kind, const TransformerShape& shape, int microbatches,
                         int ranks, SendMode mode = SendMode::buffered) {
  PipelineRun out;
  const TransformerLayout layout(shape);
  const auto parameters = initial_transformer<double>(layout, 3);
  out.gradients.resize(layout.count());
  out.most_kept.resize(static_cast<std::size_t>(ranks));
  const auto body = [&](Communicator& comm) {
    PipelineStage<double> stage(comm, shape, kind, microbatches);
    const Range own = stage.place().parameters;
    auto result =
        stage.step(random_tokens(shape, 3), part_of(std::span<const double>(parameters), own),
                   part_of(std::span(out.gradients), own));
    out.most_kept[static_cast<std::size_t>(comm.rank())] = result.most_kept;
    if (!stage.place().last) return;
    out.logits = std::move(result.head.logits);
    out.loss = result.head.loss;
  };
  out.trace = test::trace_of(ranks, body, TraceLevel::light, mode);
  return out;
}

double largest_difference(const AlignedVector<double>& a, const AlignedVector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

}  // namespace

TEST_CASE("training: pipelines with more and fewer microbatches than stages give the serial step",
          "[parallel]") {
  double worst = 0;
  for (const Count batch : {1, 2, 7, 12}) {
    const TransformerShape shape = eight_layers(batch);
    BlockOperators<double> operators;
    Transformer<double> network(shape, whole_transformer(shape, random_tokens(shape, 3)),
                                operators);
    const auto parameters = initial_transformer<double>(TransformerLayout(shape), 3);
    const HeadResult<double> head = network.forward(parameters);
    AlignedVector<double> gradients(parameters.size());
    network.backward(parameters, std::span(gradients));
    for (const PipelineKind kind : kKinds)
      for (const int ranks : {1, 2, 3, 4, 8})
        for (const int microbatches : {1, 2, 3, 5, 12}) {
          if (microbatches > batch) continue;
          const PipelineRun ran = run_pipeline(kind, shape, microbatches, ranks);
          INFO(fmt::format("{}, batch {}, {} microbatches, {} ranks", title_of(kind), batch,
                           microbatches, ranks));
          const double error = std::max(largest_difference(ran.gradients, gradients),
                                        largest_difference(ran.logits.at, head.logits.at));
          CHECK(error < 1e-13);
          CHECK(std::abs(ran.loss - head.loss) < 1e-13);
          worst = std::max(worst, error);
        }
  }
  WARN(fmt::format("largest error of pipelines: {:g}", worst));
}

TEST_CASE("training: stages of a pipeline keep what its schedule says", "[parallel]") {
  for (const PipelineKind kind : kKinds)
    for (const int ranks : {1, 2, 4, 8})
      for (const int microbatches : {1, 3, 8}) {
        const PipelineRun ran = run_pipeline(kind, eight_layers(8), microbatches, ranks);
        INFO(fmt::format("{}, {} microbatches, {} ranks", title_of(kind), microbatches, ranks));
        for (int stage = 0; stage < ranks; ++stage)
          CHECK(ran.most_kept[static_cast<std::size_t>(stage)] ==
                most_activations(kind, stage, microbatches, ranks));
      }
}

TEST_CASE("training: each microbatch crosses each boundary of a pipeline once each way",
          "[parallel]") {
  const TransformerShape shape = eight_layers(7);
  constexpr int kRanks = 4, kMicrobatches = 3;  // of 3, 2 and 2 sequences
  for (const PipelineKind kind : kKinds)
    for (const SendMode mode : {SendMode::buffered, SendMode::rendezvous}) {
      const PipelineRun ran = run_pipeline(kind, shape, kMicrobatches, kRanks, mode);
      std::vector<CommunicationLine> lines(2);
      lines[0].name = kPipelineForward;
      lines[1].name = kPipelineBackward;
      const auto counts = count_lines(ran.trace, lines);
      const std::uint64_t bytes = 7 * 3 * 6 * sizeof(double);
      CHECK(counts[0].messages == std::vector<std::uint64_t>{3, 3, 3, 0});
      CHECK(counts[1].messages == std::vector<std::uint64_t>{0, 3, 3, 3});
      CHECK(counts[0].bytes == std::vector<std::uint64_t>{bytes, bytes, bytes, 0});
      CHECK(counts[1].bytes == std::vector<std::uint64_t>{0, bytes, bytes, bytes});
      CHECK(counts[2].busiest() == 0);
    }
}

TEST_CASE("training: the trace of a pipeline has its stages' work, in the schedule's order",
          "[parallel]") {
  constexpr int kRanks = 4, kMicrobatches = 6;
  for (const PipelineKind kind : kKinds) {
    const PipelineRun ran = run_pipeline(kind, eight_layers(6), kMicrobatches, kRanks);
    std::vector<std::vector<std::string>> done(kRanks);
    for (std::uint64_t k = 0; k < ran.trace.size(); ++k) {
      const StepEvent& event = ran.trace[k];
      if (event.kind != EventKind::local || event.verb != Verb::compute) continue;
      CHECK(event.begin_ns <= event.time_ns);
      const Definition* name = ran.trace.definition(Definition::Kind::phase, event.phase);
      REQUIRE(name != nullptr);
      done.at(static_cast<std::size_t>(event.rank)).push_back(name->name);
    }
    for (int stage = 0; stage < kRanks; ++stage) {
      std::vector<std::string> planned;
      for (const PipelineSlot slot : pipeline_schedule(kind, stage, kMicrobatches, kRanks))
        planned.push_back(
            fmt::format("{} {}", slot.backward ? "backward" : "forward", slot.microbatch));
      CHECK(done[static_cast<std::size_t>(stage)] == planned);
    }
  }
}

TEST_CASE("training: pipelines that cannot be say what to change", "[parallel]") {
  const ParallelForm& form = require_parallel_form("1f1b");
  CHECK_THROWS_WITH(form.check({.shape = eight_layers(8)}, 9), ContainsSubstring("take 9 layers"));
  CHECK_THROWS_WITH(form.check({.shape = eight_layers(3), .microbatches = 4}, 8),
                    ContainsSubstring("fewer microbatches"));
  CHECK_THROWS_AS(run_pipeline(kAlternating, eight_layers(2), 3, 2), UserError);
  CHECK_THROWS_AS(run_pipeline(kAlternating, eight_layers(2), 2, 9), UserError);
}
