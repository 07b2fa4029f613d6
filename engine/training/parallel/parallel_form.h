// The table of ways to divide a training step of the Transformer over ranks, with what each one sends and why. Lists,
// the job, the command and the tests read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/collectives/algorithm.h"
#include "engine/training/parallel/pipeline_schedule.h"
#include "engine/training/transformer/transformer.h"

namespace rankscope {
class Communicator;
}

namespace rankscope::training {

/// The settings of a step of any form; a form ignores those that it does not use.
struct ParallelSettings {
  TransformerShape shape = {.layers = 4, .batch = 4, .heads = 8};
  int microbatches = 4;    ///< Parts of the batch, for pipelines.
  int experts = 8;         ///< Experts in each block, over all ranks, for expert parallel.
  std::uint64_t seed = 1;  ///< For parameters and tokens.
  bool float64 = true;     ///< Type of all numbers.
  /// The registry's algorithms for the collectives.
  std::string allreduce = "allreduce.ring", allgather = "allgather.ring",
              reduce_scatter = "reduce_scatter.ring", alltoall = "alltoall.pairwise";

  /// Throws UserError unless the shape validates and each algorithm is of its collective.
  void validate() const;
  std::size_t element_bytes() const noexcept { return float64 ? 8 : 4; }
};

/// Elements of a whole tensor that a rank has computed: values.rows runs of values.cols elements. The first run is at
/// `offset` of the whole tensor (row-major), each other `stride` elements after the one before.
template <class T>
struct TensorPiece {
  std::string tensor;
  Matrix<T> values;
  std::size_t offset = 0, stride = 0;
};

/// One rank's result of a step. All ranks' pieces together cover each tensor; pieces may overlap.
template <class T>
struct StepResult {
  /// "logits" [tokens, vocabulary], and "loss" [1, 1] if the rank has the whole batch's.
  std::vector<TensorPiece<T>> outputs;
  /// By the parameters' names (TransformerLayout): the derivative of the whole batch's loss.
  std::vector<TensorPiece<T>> gradients;
};

/// One communication of the step; in a trace, the phase of that name.
struct CommunicationLine {
  std::string name;         ///< "forward: sum after o_proj and fc2"; unique in its form
  std::string verb;         ///< "allreduce.ring", or "send, recv" for messages of the form's own
  std::string shape;        ///< Shape of a rank's input to one call: "[32, 32]"
  Count calls = 0;          ///< In a step, on the rank with the most.
  std::uint64_t bytes = 0;  ///< Sent by the busiest rank in all calls; exact.
  std::string formula;  ///< `bytes` as a formula, E bytes per element: "2(N-1)/N · T·d·E · 2L"
};

/// Memory in a step, on the rank that needs most.
struct MemoryLine {
  std::string what;         ///< "parameters, and as many gradients"
  std::uint64_t here = 0;   ///< In elements, unless `what` says otherwise: exact.
  std::uint64_t whole = 0;  ///< In the serial step; 0 if it has nothing of the kind.
  std::string formula;      ///< `here` as a formula.
};

template <class T>
struct FormFunctions {
  /// Carries out one step on a rank of `comm`; all ranks make the same call. Throws UserError as check(), and
  /// CommError.
  StepResult<T> (*step)(Communicator& comm, const ParallelSettings& settings);
  /// Carries out the same step on one rank, with the serial network; returns whole tensors.
  StepResult<T> (*reference)(const ParallelSettings& settings);
};

struct ParallelForm {
  std::string_view name;     ///< "ring-attention"
  std::string_view title;    ///< "ring attention"
  std::string_view divides;  ///< The data or work that is divided among ranks.
  std::string_view source;   ///< Paper and section.
  /// Throws UserError with what to change, if the settings (which validate) do not fit this number of ranks.
  void (*check)(const ParallelSettings& settings, int ranks);
  /// Returns the lines in the order of the step. `settings` passed check().
  std::vector<CommunicationLine> (*lines)(const ParallelSettings& settings, int ranks);
  FormFunctions<float> of_float;
  FormFunctions<double> of_double;
  /// Returns the memory that the form saves or costs; null if the form does not compute it.
  std::vector<MemoryLine> (*memory)(const ParallelSettings& settings, int ranks) = nullptr;
  /// Set for pipelines: the k-th span of computing (Verb::compute) of rank r in a trace is the k-th slot of stage r.
  std::optional<PipelineKind> pipeline = {};

  template <class T>
  const FormFunctions<T>& functions() const noexcept {
    if constexpr (std::is_same_v<T, float>) return of_float;
    else return of_double;
  }
};

/// Returns the table, in teaching order.
std::span<const ParallelForm> parallel_forms();
/// Returns the form of this name. Throws UserError with the nearest names.
const ParallelForm& require_parallel_form(std::string_view name);

/// Carries out the step on one rank: FormFunctions::reference of the forms that compute the Transformer unchanged.
template <class T>
StepResult<T> serial_step(const ParallelSettings& settings);

/// How far a rank's pieces are from the reference. An error is the largest difference of an element, divided by the
/// tensor's largest element or, for a gradient, by at least a thousandth of the largest gradient.
struct StepError {
  double outputs = 0, gradients = 0;
  std::string worst;         ///< The tensor with the largest error.
  std::size_t elements = 0;  ///< Number of elements compared.
};
/// Compares a rank's pieces. NaN is an infinite error. Throws std::logic_error for pieces of no tensor of the
/// reference.
template <class T>
StepError compare_step(const StepResult<T>& mine, const StepResult<T>& reference);

/// Where a piece lies, without its values.
struct PieceExtent {
  std::string tensor;
  std::size_t offset = 0, stride = 0;
  Count rows = 0, cols = 0;
};
/// Returns the extents of outputs and gradients.
template <class T>
std::vector<PieceExtent> extents_of(const StepResult<T>& result);
/// Counts the elements of the reference's tensors that are in no rank's pieces. A step is right only if there are none.
std::size_t missing_elements(std::span<const PieceExtent> reference,
                             std::span<const PieceExtent> pieces);

}  // namespace rankscope::training
