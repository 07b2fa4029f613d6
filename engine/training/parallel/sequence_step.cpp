// A step on a part of each sequence.
#include "engine/training/parallel/sequence_step.h"

#include <algorithm>

#include "engine/core/message/communicator.h"
#include "engine/training/parallel/exchange.h"
#include "engine/training/parallel/step_pieces.h"

namespace rankscope::training {
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

/// A piece for each sequence.
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
  // One more element than the parameters: the loss of this rank's tokens, to be summed up with them.
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
