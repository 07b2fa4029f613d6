// Pipelines as parallel forms: GPipe (Huang et al., NeurIPS 2019, section 2) and 1F1B (Narayanan et al., SC 2021, section
// 2.2). Each rank has some layers; microbatches go through them, and the gradients of all microbatches add up to the
// batch's. Both send the same, and differ in what a stage has to keep.
#include <algorithm>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/training/parallel/parallel_forms.h"
#include "engine/training/parallel/pipeline_stage.h"
#include "engine/training/parallel/step_pieces.h"

namespace rankscope::training {
namespace {

/// The tensors of a stage, their offsets counted from its first element.
std::vector<TensorInfo> tensors_of(const TransformerShape& shape, Range parameters) {
  const TransformerLayout layout(shape);
  std::vector<TensorInfo> out;
  for (TensorInfo one : layout.tensors()) {
    const auto offset = static_cast<Count>(one.offset);
    if (offset < parameters.offset || offset >= parameters.end()) continue;
    one.offset = static_cast<std::size_t>(offset - parameters.offset);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

void check_pipeline(const ParallelSettings& settings, int ranks) {
  (void)StagePlace(settings.shape, ranks, 0);
  check_microbatches(settings.shape, settings.microbatches);
}

std::vector<CommunicationLine> pipeline_lines(const ParallelSettings& settings, int ranks) {
  const TransformerShape& s = settings.shape;
  const Count sequences = Partition(s.batch, settings.microbatches).longest();
  std::vector<CommunicationLine> out;
  for (const std::string_view name : {kPipelineForward, kPipelineBackward}) {
    CommunicationLine line{.name = std::string(name),
                           .verb = "send, recv",
                           .shape = Shape({sequences * s.sequence, s.width}).to_string(),
                           .calls = ranks > 1 ? settings.microbatches : 0,
                           .bytes = 0,
                           .formula = "B·S·d·E: M microbatches of B/M sequences"};
    if (ranks > 1)
      line.bytes = static_cast<std::uint64_t>(s.tokens() * s.width) * settings.element_bytes();
    out.push_back(std::move(line));
  }
  return out;
}

template <PipelineKind kKind>
std::vector<MemoryLine> pipeline_memory(const ParallelSettings& settings, int ranks) {
  std::uint64_t most = 0;
  for (int stage = 0; stage < ranks; ++stage)
    most = std::max(most, static_cast<std::uint64_t>(
                              StagePlace(settings.shape, ranks, stage).parameters.count));
  const bool all = kKind == PipelineKind::gpipe;
  return {{"parameters, and as many gradients", most, TransformerLayout(settings.shape).count(),
           "those of the largest stage"},
          {"microbatches whose activations the first stage keeps",
           static_cast<std::uint64_t>(most_activations(kKind, 0, settings.microbatches, ranks)),
           static_cast<std::uint64_t>(settings.microbatches),
           all ? "M, on every stage" : "min(N, M); min(N - r, M) on stage r"}};
}
template std::vector<MemoryLine> pipeline_memory<PipelineKind::gpipe>(const ParallelSettings&, int);
template std::vector<MemoryLine> pipeline_memory<PipelineKind::one_forward_one_backward>(
    const ParallelSettings&, int);

template <class T, PipelineKind kKind>
StepResult<T> pipeline_step(Communicator& comm, const ParallelSettings& settings) {
  PipelineStage<T> stage(comm, settings.shape, kKind, settings.microbatches);
  const auto all = initial_transformer<T>(TransformerLayout(settings.shape), settings.seed);
  const Range range = stage.place().parameters;
  AlignedVector<T> gradients(static_cast<std::size_t>(range.count));
  StageResult<T> result = stage.step(random_tokens(settings.shape, settings.seed),
                                     part_of(std::span<const T>(all), range), gradients);
  StepResult<T> out;
  if (stage.place().last) add_outputs(out, std::move(result.head));
  add_gradients<T>(out, tensors_of(settings.shape, range), gradients);
  return out;
}

template StepResult<float> pipeline_step<float, PipelineKind::gpipe>(Communicator&,
                                                                     const ParallelSettings&);
template StepResult<double> pipeline_step<double, PipelineKind::gpipe>(Communicator&,
                                                                       const ParallelSettings&);
template StepResult<float> pipeline_step<float, PipelineKind::one_forward_one_backward>(
    Communicator&, const ParallelSettings&);
template StepResult<double> pipeline_step<double, PipelineKind::one_forward_one_backward>(
    Communicator&, const ParallelSettings&);

}  // namespace rankscope::training
