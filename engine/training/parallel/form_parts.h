// Parts that parallel forms share: collectives of the registry on flat numbers, each within the phase of its line;
// spans of computing for the trace; a rank's sequences or tokens, and its result.
#pragma once

#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/core/base/buffer.h"
#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

/// Replaces `values` by the sum of all ranks' values.
template <class T>
void all_reduce(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<T> values);
/// Sets `all` to the ranks' `mine` after each other, of equal size on each rank.
template <class T>
void all_gather(Communicator& comm, std::string_view algorithm, std::string_view line,
                std::span<const T> mine, std::span<T> all);
/// Sets `mine` to this rank's chunk (Partition) of the sum of the ranks' `all`.
template <class T>
void reduce_scatter(Communicator& comm, std::string_view algorithm, std::string_view line,
                    std::span<const T> all, std::span<T> mine);
/// Returns the result of an alltoall (engine/collectives/algorithm.h) of `in`, by its shape.
Buffer all_to_all(Communicator& comm, std::string_view algorithm, std::string_view line, Buffer in,
                  int scatter_dim, int gather_dim);

/// Returns the line of a collective whose calls have `shape` as input on each rank; its bytes are the algorithm's
/// closed form.
CommunicationLine collective_line(const ParallelSettings& settings, std::string_view name,
                                  std::string_view algorithm, const Shape& shape, Count calls,
                                  int ranks, std::string_view formula, int scatter_dim = 0);

/// Records a span of computing, for as long as the object lives.
class [[nodiscard]] ComputeSpan {
 public:
  ComputeSpan(Communicator& comm, std::string_view what,
              Site site = std::source_location::current());
  ~ComputeSpan();
  ComputeSpan(const ComputeSpan&) = delete;
  ComputeSpan& operator=(const ComputeSpan&) = delete;

 private:
  Recorder& recorder_;
  StepEvent event_;
};

/// Records a rank's computing as named spans, without its communication.
class Computing {
 public:
  explicit Computing(Communicator& comm) : comm_(comm) {}
  /// Begins a span of this name.
  void begin(std::string_view what) {
    what_ = what;
    resume();
  }
  void pause() { span_.reset(); }
  void resume() {
    span_.reset();
    span_.emplace(comm_, what_);
  }
  /// Calls `communicate` outside of the span.
  template <class Communicate>
  auto except(const Communicate& communicate) {
    pause();
    if constexpr (std::is_void_v<decltype(communicate())>) {
      communicate();
      resume();
    } else {
      auto result = communicate();
      resume();
      return result;
    }
  }

 private:
  Communicator& comm_;
  std::string what_;
  std::optional<ComputeSpan> span_;
};

/// Throws UserError for fewer sequences than ranks.
void check_own_sequences(const TransformerShape& shape, int ranks);
/// Returns the part with the sequences Partition(batch, ranks)[rank].
TransformerPart own_sequences(const TransformerShape& shape, const TokenBatch& batch, int ranks,
                              Rank rank);
/// Adds this rank's logits, and the batch's loss, summed up over the ranks in the phase of loss_line().
template <class T>
void add_own_outputs(Communicator& comm, const ParallelSettings& settings, HeadResult<T> own,
                     StepResult<T>& out);
CommunicationLine loss_line(const ParallelSettings& settings, int ranks);

Range tokens_of(const TransformerShape& shape, int ranks, Rank rank);

/// Carries out a step in which each rank computes its tokens. `operators` attend to other ranks' tokens, and pause
/// `computing` while they communicate.
template <class T>
StepResult<T> sequence_step(Communicator& comm, const ParallelSettings& settings,
                            BlockOperators<T>& operators, Computing& computing);
/// Returns the line that sequence_step() itself adds, after the operators' lines.
CommunicationLine gradients_line(const ParallelSettings& settings, int ranks);

/// Adds logits and loss of the whole batch.
template <class T>
void add_outputs(StepResult<T>& out, HeadResult<T> result);
/// Adds whole tensors, from a vector of all gradients.
template <class T>
void add_gradients(StepResult<T>& out, std::span<const TensorInfo> tensors,
                   std::span<const T> gradients);

/// The rows of parallel_forms(), each in the source of its form.
ParallelForm tensor_form();
ParallelForm ulysses_form();
ParallelForm ring_attention_form();
ParallelForm gpipe_form();
ParallelForm one_forward_one_backward_form();
ParallelForm sharded_form();
ParallelForm expert_form();

}  // namespace rankscope::training
