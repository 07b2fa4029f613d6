// The layer of experts with the experts on several ranks (Lepikhin et al., "GShard", 2020, section 3.1; Fedus et al.,
// "Switch Transformers", 2021, section 2.2): each rank routes its own tokens, an all-to-all takes them to the ranks of
// their experts, and a second one brings the results back. Only the router's result says how many tokens go where, so
// counts are exchanged first. In the backward pass, derivatives take the same paths.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

struct ExpertShape {
  Count width = 1;  ///< Numbers of a token.
  Count inner = 1;  ///< Width between an expert's fc1 and fc2.
  int experts = 1;
  /// Throws UserError for a number below 1.
  void validate() const;
  std::size_t router_parameters() const noexcept;
  std::size_t parameters_of_one() const noexcept;
  /// Elements of the router [experts, width], then of each expert: fc1.weight [inner, width], fc1.bias, fc2.weight
  /// [width, inner].
  std::size_t parameters() const noexcept;
  std::size_t offset_of(int expert) const noexcept;
};

/// Each token's expert, and the probabilities by which it was chosen.
template <class T>
struct Routing {
  Matrix<T> probabilities;   ///< [tokens, experts]
  std::vector<int> experts;  ///< By token: the most probable; the first of equal ones.
  T gate(Count token) const {
    return probabilities(token, experts[static_cast<std::size_t>(token)]);
  }
  /// Returns the number of tokens for each expert.
  std::vector<Count> load() const;
  /// Returns the tokens' indices sorted by expert, each expert's in ascending order.
  std::vector<Count> order() const;
};
template <class T>
Routing<T> route(const ExpertShape& shape, std::span<const T> router, const Matrix<T>& x);
/// d_gate: the loss's derivative by each token's gate value. Adds to d_router; returns the derivative by x.
template <class T>
Matrix<T> route_backward(const ExpertShape& shape, std::span<const T> router, const Matrix<T>& x,
                         const Routing<T>& routing, std::span<const T> d_gate,
                         std::span<T> d_router);

/// The values that one expert keeps for its backward pass.
template <class T>
struct ExpertContext {
  Matrix<T> x, before, after;  ///< Its input; fc1's result; GELU's.
};
/// Returns fc2(GELU(fc1(x))). `expert`: parameters_of_one() elements; x: [tokens, width], may have no rows.
template <class T>
Matrix<T> run_expert(const ExpertShape& shape, std::span<const T> expert, Matrix<T> x,
                     ExpertContext<T>& context);
/// Adds to `gradients`; returns the derivative by x.
template <class T>
Matrix<T> run_expert_backward(const ExpertShape& shape, std::span<const T> expert,
                              const ExpertContext<T>& context, const Matrix<T>& d_y,
                              std::span<T> gradients);

/// take_rows() returns these rows of m, in that order; put_rows() puts them back.
template <class T>
Matrix<T> take_rows(const Matrix<T>& m, std::span<const Count> rows);
template <class T>
void put_rows(const Matrix<T>& from, std::span<const Count> rows, Matrix<T>& into);

/// Multiplies each row by its token's gate value: experts' results forward, derivatives backward.
template <class T>
void multiply_by_gates(const Routing<T>& routing, Matrix<T>& m);
/// Returns d_y . result by token, the derivative by the gate values.
template <class T>
std::vector<T> gate_derivatives(const Matrix<T>& d_y, const Matrix<T>& results);

template <class T>
struct ExpertLayerContext {
  Matrix<T> x;
  Routing<T> routing;
  std::vector<ExpertContext<T>> experts;
  Matrix<T> results;  ///< The experts' outputs, by token, before the gate.
};
/// Computes the whole layer on one rank, as a reference. x and the result are [tokens, width].
template <class T>
Matrix<T> expert_layer(const ExpertShape& shape, std::span<const T> parameters, const Matrix<T>& x,
                       ExpertLayerContext<T>& context);
/// Adds to `gradients`; returns the derivative by x.
template <class T>
Matrix<T> expert_layer_backward(const ExpertShape& shape, std::span<const T> parameters,
                                const ExpertLayerContext<T>& context, const Matrix<T>& d_y,
                                std::span<T> gradients);

/// The phases of the layer's messages.
inline constexpr std::string_view kExpertCounts = "forward: counts of tokens for each expert",
                                  kExpertTokens = "forward: tokens to their experts",
                                  kExpertResults = "forward: results back",
                                  kExpertDerivatives = "backward: derivatives to the experts",
                                  kExpertBack = "backward: derivatives back";

/// Sends each rank its rows, as MPI's alltoallv. `rows` are sorted by target; `to` and `from` count the rows for and of
/// each rank; 0 is no message. Returns the rows received, by source. All ranks call it, with counts that agree.
template <class T>
Matrix<T> exchange_rows(Communicator& comm, const Matrix<T>& rows, std::span<const Count> to,
                        std::span<const Count> from);

template <class T>
struct ExpertParallelContext {
  Matrix<T> x;
  Routing<T> routing;
  std::vector<Count> to, from;               ///< Tokens sent to and received from each rank.
  std::vector<std::vector<Count>> received;  ///< By own expert: its rows among those received.
  std::vector<ExpertContext<T>> experts;     ///< By own expert.
  Matrix<T> results;                         ///< By token, before the gates.
};

/// One rank's part of the layer. All ranks make the same calls.
template <class T>
class ExpertParallel {
 public:
  /// Rank r owns the experts Partition(experts, ranks)[r]. Throws UserError for fewer experts than ranks.
  ExpertParallel(Communicator& comm, const ExpertShape& shape);

  Range own() const noexcept { return owners_[comm_.rank()]; }
  /// router: as in ExpertShape::parameters(), equal on all ranks; own_experts: the parameters of own(). x: this rank's
  /// [tokens, width]; so is the result.
  Matrix<T> forward(std::span<const T> router, std::span<const T> own_experts, const Matrix<T>& x,
                    ExpertParallelContext<T>& context);
  /// Adds to the gradients: those of own experts are complete, the router's has to be summed up over ranks. Returns the
  /// derivative by x.
  Matrix<T> backward(std::span<const T> router, std::span<const T> own_experts,
                     const ExpertParallelContext<T>& context, const Matrix<T>& d_y,
                     std::span<T> d_router, std::span<T> d_own_experts);

 private:
  void exchange_counts(ExpertParallelContext<T>& context);

  Communicator& comm_;
  ExpertShape shape_;
  Partition owners_;
};

/// Throws UserError for fewer experts than ranks.
void check_expert_ranks(int experts, int ranks);

/// What one rank sends to others in a layer's forward pass; the backward pass sends `away` and `back` again.
struct ExpertTraffic {
  Count counts = 0;  ///< Numbers of tokens: one for each expert elsewhere.
  Count away = 0;    ///< Own tokens whose expert is elsewhere.
  Count back = 0;    ///< Others' tokens whose expert is here.
  ExpertTraffic& operator+=(const ExpertTraffic& other) noexcept;
};
/// Returns what `rank` sends. `load`: by rank, its number of tokens for each expert.
ExpertTraffic expert_traffic(const std::vector<std::vector<Count>>& load, Rank rank);

extern template class ExpertParallel<float>;
extern template class ExpertParallel<double>;

}  // namespace rankscope::training
