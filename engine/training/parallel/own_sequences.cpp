// Sequences of one rank, and the loss of all.
#include "engine/training/parallel/own_sequences.h"

#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"
#include "engine/training/parallel/exchange.h"

namespace rankscope::training {
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

}  // namespace rankscope::training
