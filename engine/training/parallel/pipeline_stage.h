// A pipeline's stage: some layers of the Transformer, through which microbatches go forward and backward in the order
// of a schedule, with messages to the stages before and behind it.
#pragma once

#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/training/parallel/pipeline_schedule.h"
#include "engine/training/transformer/transformer.h"

namespace rankscope::training {

/// The phases of a stage's messages.
inline constexpr std::string_view kPipelineForward = "forward: activations to the next stage",
                                  kPipelineBackward = "backward: derivatives to the stage before";

/// The layers and parameters of a stage.
struct StagePlace {
  /// A stage has the layers Partition(layers, stages)[stage], the first one also the embedding, the last one the head.
  /// Throws UserError for fewer layers than stages.
  StagePlace(const TransformerShape& shape, int stages, int stage);
  bool first, last;
  Range layers;
  Range parameters;  ///< In the vector of all parameters.
};

/// Throws UserError if a microbatch would have no sequence: microbatches are Partition(batch, microbatches).
void check_microbatches(const TransformerShape& shape, int microbatches);

/// A stage's result of a step.
template <class T>
struct StageResult {
  HeadResult<T> head;  ///< The whole batch's, on the last stage only.
  int most_kept = 0;   ///< Most microbatches whose activations were kept at once.
};

template <class T>
class PipelineStage {
 public:
  /// The communicator's ranks are the stages. Throws UserError as StagePlace and check_microbatches() do.
  PipelineStage(Communicator& comm, const TransformerShape& shape, PipelineKind kind,
                int microbatches);

  const StagePlace& place() const noexcept { return place_; }
  /// Carries out a step of all microbatches. `parameters` are those of place().parameters; their derivatives are added
  /// to `gradients`. Throws CommError.
  StageResult<T> step(const TokenBatch& batch, std::span<const T> parameters,
                      std::span<T> gradients);

 private:
  /// A microbatch that has gone forward and not yet backward.
  struct Kept {
    int microbatch;
    std::vector<BlockContext<T>> blocks;  ///< By own layer.
    HeadContext<T> head;
  };
  /// A message's memory, which must live until its request is done.
  struct Sent {
    Matrix<T> rows;
    Request request;
  };

  Range rows_of(int microbatch) const;  ///< Within the whole batch.
  Block<T> block_for(int microbatch);
  Matrix<T> input(int microbatch, const TransformerPart& whole, std::span<const T> parameters);
  void forward(int microbatch, const TransformerPart& whole, std::span<const T> parameters,
               StageResult<T>& result);
  void backward(int microbatch, const TransformerPart& whole, std::span<const T> parameters,
                std::span<T> gradients);
  Matrix<T> receive(Rank from, int microbatch);
  void send(Rank to, int microbatch, Matrix<T> rows);
  template <class U>
  std::span<U> own(std::span<U> parameters, Range of_all) const {
    return part_of(parameters, {of_all.offset - place_.parameters.offset, of_all.count});
  }

  Communicator& comm_;
  TransformerShape shape_;
  PipelineKind kind_;
  Partition microbatches_;
  TransformerLayout layout_;
  StagePlace place_;
  BlockOperators<T> operators_;
  std::deque<Kept> kept_;
  std::deque<Sent> sent_;
};

extern template class PipelineStage<float>;
extern template class PipelineStage<double>;

}  // namespace rankscope::training
