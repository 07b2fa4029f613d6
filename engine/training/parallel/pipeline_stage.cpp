// Carries out one stage's slots.
#include "engine/training/parallel/pipeline_stage.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/training/parallel/form_parts.h"

namespace rankscope::training {
namespace {

template <class T>
Buffer rows_buffer(Matrix<T>& m) {
  return Buffer::borrow(reinterpret_cast<std::byte*>(m.at.data()), dtype_of<T>(),
                        Shape({m.rows, m.cols}));
}

template <class V>
std::vector<V> part_of_rows(const std::vector<V>& all, Range rows) {
  return {all.begin() + rows.offset, all.begin() + rows.end()};
}

}  // namespace

StagePlace::StagePlace(const TransformerShape& shape, int stages, int stage)
    : first(stage == 0), last(stage == stages - 1) {
  if (shape.layers < stages)
    throw UserError(
        fmt::format("{} layers are too few for a pipeline of {} stages, as each has at least one: "
                    "take {} layers or fewer ranks",
                    shape.layers, stages, stages));
  layers = Partition(shape.layers, stages)[stage];
  const TransformerLayout layout(shape);
  const Count begin = first ? 0 : layout.block(layers.offset).offset;
  const Count end = last ? layout.head().end() : layout.block(layers.end() - 1).end();
  parameters = {begin, end - begin};
}

void check_microbatches(const TransformerShape& shape, int microbatches) {
  if (microbatches < 1) throw UserError("a pipeline needs 1 or more microbatches");
  if (microbatches > shape.batch)
    throw UserError(
        fmt::format("a batch of {} sequences cannot be cut into {} microbatches: take a batch of "
                    "{} or fewer microbatches",
                    shape.batch, microbatches, microbatches));
}

template <class T>
PipelineStage<T>::PipelineStage(Communicator& comm, const TransformerShape& shape,
                                PipelineKind kind, int microbatches)
    : comm_(comm),
      shape_((shape.validate(), shape)),
      kind_(kind),
      microbatches_(shape.batch, std::max(microbatches, 1)),
      layout_(shape),
      place_(shape, comm.size(), comm.rank()) {
  check_microbatches(shape, microbatches);
}

template <class T>
Range PipelineStage<T>::rows_of(int microbatch) const {
  const Range sequences = microbatches_[microbatch];
  return {sequences.offset * shape_.sequence, sequences.count * shape_.sequence};
}

template <class T>
Block<T> PipelineStage<T>::block_for(int microbatch) {
  BlockShape shape = shape_.block();
  shape.batch = microbatches_[microbatch].count;
  return Block<T>(shape, operators_);
}

template <class T>
Matrix<T> PipelineStage<T>::receive(Rank from, int microbatch) {
  Matrix<T> rows(rows_of(microbatch).count, shape_.width);
  comm_.recv(from, rows_buffer(rows), microbatch);
  return rows;
}

// Does not wait for the send, as the other stage may be about to send to this one.
template <class T>
void PipelineStage<T>::send(Rank to, int microbatch, Matrix<T> rows) {
  while (!sent_.empty() && comm_.test(sent_.front().request)) {
    comm_.wait(sent_.front().request);
    sent_.pop_front();
  }
  sent_.push_back({std::move(rows), {}});
  Sent& one = sent_.back();
  one.request = comm_.isend(to, rows_buffer(one.rows), microbatch);
}

template <class T>
Matrix<T> PipelineStage<T>::input(int microbatch, const TransformerPart& whole,
                                  std::span<const T> parameters) {
  if (!place_.first) {
    auto phase = comm_.phase(kPipelineForward);
    return receive(comm_.rank() - 1, microbatch);
  }
  const Range rows = rows_of(microbatch);
  return embed<T>(shape_, own(parameters, layout_.embedding()), part_of_rows(whole.tokens, rows),
                  part_of_rows(whole.positions, rows));
}

template <class T>
void PipelineStage<T>::forward(int microbatch, const TransformerPart& whole,
                               std::span<const T> parameters, StageResult<T>& result) {
  Matrix<T> x = input(microbatch, whole, parameters);
  {
    const ComputeSpan span(comm_, fmt::format("forward {}", microbatch));
    Kept& kept = kept_.emplace_back();
    result.most_kept = std::max(result.most_kept, static_cast<int>(kept_.size()));
    kept.microbatch = microbatch;
    kept.blocks.resize(static_cast<std::size_t>(place_.layers.count));
    const Block<T> block = block_for(microbatch);
    for (Count i = 0; i < place_.layers.count; ++i)
      x = block.forward(own(parameters, layout_.block(place_.layers.offset + i)), x,
                        kept.blocks[static_cast<std::size_t>(i)]);
    if (place_.last) {
      const Range rows = rows_of(microbatch);
      const HeadResult<T> part = head_forward<T>(shape_, own(parameters, layout_.head()), x,
                                                 part_of_rows(whole.targets, rows),
                                                 1 / double(shape_.tokens()), kept.head);
      result.head.loss += part.loss;
      ranges::copy(part.logits.at, result.head.logits.at.begin() + rows.offset * shape_.vocabulary);
      return;
    }
  }
  auto phase = comm_.phase(kPipelineForward);
  send(comm_.rank() + 1, microbatch, std::move(x));
}

template <class T>
void PipelineStage<T>::backward(int microbatch, const TransformerPart& whole,
                                std::span<const T> parameters, std::span<T> gradients) {
  Matrix<T> d;
  if (!place_.last) {
    auto phase = comm_.phase(kPipelineBackward);
    d = receive(comm_.rank() + 1, microbatch);
  }
  {
    const ComputeSpan span(comm_, fmt::format("backward {}", microbatch));
    const auto kept = ranges::find(kept_, microbatch, &Kept::microbatch);
    if (place_.last)
      d = head_backward<T>(shape_, own(parameters, layout_.head()), kept->head,
                           own(gradients, layout_.head()));
    const Block<T> block = block_for(microbatch);
    for (Count i = place_.layers.count - 1; i >= 0; --i) {
      const Range of_layer = layout_.block(place_.layers.offset + i);
      d = block.backward(own(parameters, of_layer), kept->blocks[static_cast<std::size_t>(i)], d,
                         own(gradients, of_layer));
    }
    kept_.erase(kept);
    if (place_.first) {
      const Range rows = rows_of(microbatch);
      embed_backward<T>(shape_, part_of_rows(whole.tokens, rows),
                        part_of_rows(whole.positions, rows), d,
                        own(gradients, layout_.embedding()));
      return;
    }
  }
  auto phase = comm_.phase(kPipelineBackward);
  send(comm_.rank() - 1, microbatch, std::move(d));
}

template <class T>
StageResult<T> PipelineStage<T>::step(const TokenBatch& batch, std::span<const T> parameters,
                                      std::span<T> gradients) {
  const TransformerPart whole = whole_transformer(shape_, batch);
  StageResult<T> result;
  if (place_.last) result.head.logits = Matrix<T>(shape_.tokens(), shape_.vocabulary);
  for (const PipelineSlot slot :
       pipeline_schedule(kind_, comm_.rank(), microbatches_.parts(), comm_.size())) {
    if (slot.backward) backward(slot.microbatch, whole, parameters, gradients);
    else forward(slot.microbatch, whole, parameters, result);
  }
  for (; !sent_.empty(); sent_.pop_front()) comm_.wait(sent_.front().request);
  return result;
}

template class PipelineStage<float>;
template class PipelineStage<double>;

namespace {

/// Returns the tensors of a stage, with offsets from its first element.
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

template <PipelineKind kKind>
ParallelForm pipeline_form(std::string_view name, std::string_view title, std::string_view divides,
                           std::string_view source) {
  return {.name = name,
          .title = title,
          .divides = divides,
          .source = source,
          .check = check_pipeline,
          .lines = pipeline_lines,
          .of_float = {pipeline_step<float, kKind>, serial_step<float>},
          .of_double = {pipeline_step<double, kKind>, serial_step<double>},
          .memory = pipeline_memory<kKind>,
          .pipeline = kKind};
}

}  // namespace

ParallelForm gpipe_form() {
  return pipeline_form<PipelineKind::gpipe>(
      "gpipe", "pipeline, GPipe",
      "the layers: each rank has some of them, and microbatches go through",
      "Huang et al.: GPipe, NeurIPS 2019, section 2");
}

ParallelForm one_forward_one_backward_form() {
  return pipeline_form<PipelineKind::one_forward_one_backward>(
      "1f1b", "pipeline, 1F1B",
      "the layers, as GPipe does; a backward pass follows each forward pass as soon as it can",
      "Narayanan et al.: Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021, "
      "section 2.2");
}

}  // namespace rankscope::training
