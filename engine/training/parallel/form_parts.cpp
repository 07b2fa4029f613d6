// Collectives on flat numbers, spans of computing, and a rank's sequences, tokens and results.
#include "engine/training/parallel/form_parts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope::training {
namespace {

template <class T>
Buffer buffer_of(std::span<const T> values) {
  Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(values.size()));
  ranges::copy(values, out.as<T>().begin());
  return out;
}

void call(Communicator& comm, std::string_view algorithm, std::string_view line, Args args) {
  const auto phase = comm.phase(line);
  if (args.out.bytes() > 0) comm.watch(line, args.out);
  run_algorithm(comm, require_algorithm(algorithm), args);
}

}  // namespace

template <class T>
void all_reduce(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<T> values) {
  const Buffer in = buffer_of<T>(values), out = buffer_of<T>(values);
  call(comm, algorithm, line, {.in = in, .out = out});
  ranges::copy(out.as<T>(), values.begin());
}

template <class T>
void all_gather(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<const T> mine, std::span<T> all) {
  const Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(all.size()));
  call(comm, algorithm, line, {.in = buffer_of(mine), .out = out});
  ranges::copy(out.as<T>(), all.begin());
}

template <class T>
void reduce_scatter(Communicator& comm, std::string_view algorithm, std::string_view line,
                    std::span<const T> all, std::span<T> mine) {
  const Buffer out = Buffer::allocate(dtype_of<T>(), static_cast<Count>(mine.size()));
  call(comm, algorithm, line, {.in = buffer_of(all), .out = out});
  ranges::copy(out.as<T>(), mine.begin());
}

Buffer all_to_all(Communicator& comm, std::string_view algorithm, std::string_view line, Buffer in,
                  int scatter_dim, int gather_dim) {
  const Buffer out = Buffer::allocate(
      in.dtype(), alltoall_shape(in.shape(), scatter_dim, gather_dim, comm.size(), comm.rank()));
  call(comm, algorithm, line,
       {.in = in, .out = out, .scatter_dim = scatter_dim, .gather_dim = gather_dim});
  return out;
}

CommunicationLine collective_line(const ParallelSettings& settings, std::string_view name,
                                  std::string_view algorithm, const Shape& shape, Count calls,
                                  int ranks, std::string_view formula, int scatter_dim) {
  const Algorithm& one = require_algorithm(algorithm);
  if (one.busiest_bytes == nullptr)
    throw UserError(fmt::format(
        "{} has no closed form of its bytes, which are compared with those of the run: choose one "
        "of `rankscope list`",
        one.name));
  const std::uint64_t bytes =
      one.busiest_bytes({.n = ranks,
                         .shape = shape,
                         .dtype = settings.float64 ? DType::float64 : DType::float32,
                         .scatter_dim = scatter_dim});
  return {std::string(name),
          std::string(algorithm),
          shape.to_string(),
          calls,
          bytes * static_cast<std::uint64_t>(calls),
          std::string(formula)};
}

#define RANKSCOPE_EXCHANGE(T)                                                                     \
  template void all_reduce(Communicator&, std::string_view, std::string_view, std::span<T>);      \
  template void all_gather(Communicator&, std::string_view, std::string_view, std::span<const T>, \
                           std::span<T>);                                                         \
  template void reduce_scatter(Communicator&, std::string_view, std::string_view,                 \
                               std::span<const T>, std::span<T>);
RANKSCOPE_EXCHANGE(float)
RANKSCOPE_EXCHANGE(double)
#undef RANKSCOPE_EXCHANGE

ComputeSpan::ComputeSpan(Communicator& comm, std::string_view what, Site site)
    : recorder_(comm.context().recorder()) {
  event_.kind = EventKind::local;
  event_.verb = Verb::compute;
  event_.begin_ns = comm.now();
  event_.comm = comm.definition();
  event_.site = recorder_.site(site, 0);
  event_.phase = recorder_.phase(what, 0);
}

ComputeSpan::~ComputeSpan() { recorder_.record(event_); }

namespace {

constexpr std::string_view kLossLine = "loss: sum over the ranks";

Range own_tokens(const TransformerShape& shape, int ranks, Rank rank) {
  const Range sequences = Partition(shape.batch, ranks)[rank];
  return {sequences.offset * shape.sequence, sequences.count * shape.sequence};
}

}  // namespace

void check_own_sequences(const TransformerShape& shape, int ranks) {
  if (shape.batch < ranks)
    throw UserError(
        fmt::format("a batch of {} sequences is too small for {} ranks, as each has at least one: "
                    "take a batch of {} or fewer ranks",
                    shape.batch, ranks, ranks));
}

TransformerPart own_sequences(const TransformerShape& shape, const TokenBatch& batch, int ranks,
                              Rank rank) {
  TransformerPart part = whole_transformer(shape, batch);
  const Range own = own_tokens(shape, ranks, rank);
  part.block.batch = Partition(shape.batch, ranks)[rank].count;
  for (auto* all : {&part.tokens, &part.targets, &part.positions})
    *all = std::vector<int>(all->begin() + own.offset, all->begin() + own.end());
  return part;
}

template <class T>
void add_own_outputs(Communicator& comm, const ParallelSettings& settings, HeadResult<T> own,
                     StepResult<T>& out) {
  Matrix<T> loss(1, 1);
  loss(0, 0) = static_cast<T>(own.loss);
  all_reduce<T>(comm, settings.allreduce, kLossLine, loss.at);
  out.outputs.push_back({"loss", std::move(loss), 0, 1});
  const Count vocabulary = settings.shape.vocabulary;
  const Range tokens = own_tokens(settings.shape, comm.size(), comm.rank());
  out.outputs.push_back({"logits", std::move(own.logits),
                         static_cast<std::size_t>(tokens.offset * vocabulary),
                         static_cast<std::size_t>(vocabulary)});
}

CommunicationLine loss_line(const ParallelSettings& settings, int ranks) {
  return collective_line(settings, kLossLine, settings.allreduce, Shape({1}), 1, ranks,
                         "allreduce of E");
}

template void add_own_outputs(Communicator&, const ParallelSettings&, HeadResult<float>,
                              StepResult<float>&);
template void add_own_outputs(Communicator&, const ParallelSettings&, HeadResult<double>,
                              StepResult<double>&);

namespace {

constexpr std::string_view kGradients = "gradients: sum over all tokens";

TransformerPart part_of_sequence(const TransformerShape& shape, const TokenBatch& batch,
                                 Range tokens) {
  TransformerPart part{shape.block(), {}, {}, {}};
  part.block.sequence = tokens.count;
  for (Count b = 0; b < shape.batch; ++b)
    for (Count i = tokens.offset; i < tokens.end(); ++i) {
      const auto at = static_cast<std::size_t>(b * shape.sequence + i);
      part.tokens.push_back(batch.tokens[at]);
      part.targets.push_back(batch.targets[at]);
      part.positions.push_back(static_cast<int>(i));
    }
  return part;
}

/// Adds a piece for each sequence.
template <class T>
void add_logits(StepResult<T>& out, const TransformerShape& shape, Range tokens,
                const Matrix<T>& logits) {
  const auto stride = static_cast<std::size_t>(logits.cols);
  for (Count b = 0; b < shape.batch; ++b) {
    Matrix<T> rows(tokens.count, logits.cols);
    std::copy_n(logits.row(b * tokens.count).data(), rows.at.size(), rows.at.begin());
    out.outputs.push_back({"logits", std::move(rows),
                           static_cast<std::size_t>(b * shape.sequence + tokens.offset) * stride,
                           stride});
  }
}

}  // namespace

Range tokens_of(const TransformerShape& shape, int ranks, Rank rank) {
  return Partition(shape.sequence, ranks)[rank];
}

template <class T>
StepResult<T> sequence_step(Communicator& comm, const ParallelSettings& settings,
                            BlockOperators<T>& operators, Computing& computing) {
  const TransformerShape& shape = settings.shape;
  const Range tokens = tokens_of(shape, comm.size(), comm.rank());
  const TransformerLayout layout(shape);
  const auto parameters = initial_transformer<T>(layout, settings.seed);
  Transformer<T> network(
      shape, part_of_sequence(shape, random_tokens(shape, settings.seed), tokens), operators);
  computing.begin("forward");
  HeadResult<T> result = network.forward(parameters);
  // One more element than the parameters: the loss of this rank's tokens, summed up with the gradients.
  AlignedVector<T> gradients(layout.count() + 1);
  const auto of_parameters = std::span(gradients).first(layout.count());
  computing.begin("backward");
  network.backward(parameters, of_parameters);
  computing.pause();
  gradients.back() = static_cast<T>(result.loss);
  all_reduce<T>(comm, settings.allreduce, kGradients, gradients);
  StepResult<T> out;
  add_logits(out, shape, tokens, result.logits);
  Matrix<T> loss(1, 1);
  loss(0, 0) = gradients.back();
  out.outputs.push_back({"loss", std::move(loss)});
  add_gradients<T>(out, layout.tensors(), of_parameters);
  return out;
}
template StepResult<float> sequence_step(Communicator&, const ParallelSettings&,
                                         BlockOperators<float>&, Computing&);
template StepResult<double> sequence_step(Communicator&, const ParallelSettings&,
                                          BlockOperators<double>&, Computing&);

CommunicationLine gradients_line(const ParallelSettings& settings, int ranks) {
  const auto count = static_cast<Count>(TransformerLayout(settings.shape).count());
  return collective_line(settings, kGradients, settings.allreduce, Shape::flat(count + 1), 1, ranks,
                         "allreduce of (P + 1)·E, with P parameters and the loss");
}

}  // namespace rankscope::training
