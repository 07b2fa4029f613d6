// The layer of experts with the experts on several ranks (Lepikhin et al., "GShard", 2020, section 3.1; Fedus et al.,
// "Switch Transformers", 2021, section 2.2): each rank routes its own tokens, an all-to-all takes them to the ranks of
// their experts, and a second one brings the results back. How many go where is known only when the router has run, so
// counts are exchanged first. Backward, the derivatives take the same ways.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

struct ExpertShape {
  Count width = 1;  ///< Numbers of a token.
  Count inner = 1;  ///< Numbers between an expert's fc1 and fc2.
  int experts = 1;
  /// Throws UserError for anything below 1.
  void validate() const;
  std::size_t router_parameters() const noexcept;
  std::size_t parameters_of_one() const noexcept;
  /// The router [experts, width], then each expert: fc1.weight [inner, width], fc1.bias, fc2.weight [width, inner].
  std::size_t parameters() const noexcept;
  std::size_t offset_of(int expert) const noexcept;
};

/// Where each token goes, and with which probabilities.
template <class T>
struct Routing {
  Matrix<T> probabilities;   ///< [tokens, experts]
  std::vector<int> experts;  ///< By token; of equal probabilities the first.
  T gate(Count token) const {
    return probabilities(token, experts[static_cast<std::size_t>(token)]);
  }
  /// Tokens that each expert gets.
  std::vector<Count> load() const;
  /// The tokens by expert, each expert's in their order.
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
/// fc2(GELU(fc1(x))). `expert`: parameters_of_one() elements; x may have no rows.
template <class T>
Matrix<T> run_expert(const ExpertShape& shape, std::span<const T> expert, Matrix<T> x,
                     ExpertContext<T>& context);
/// Adds to `gradients`; returns the derivative by x.
template <class T>
Matrix<T> run_expert_backward(const ExpertShape& shape, std::span<const T> expert,
                              const ExpertContext<T>& context, const Matrix<T>& d_y,
                              std::span<T> gradients);

/// The rows of m that are named, in that order; and the other way, each row to its place.
template <class T>
Matrix<T> take_rows(const Matrix<T>& m, std::span<const Count> rows);
template <class T>
void put_rows(const Matrix<T>& from, std::span<const Count> rows, Matrix<T>& into);

/// Each row times its token's gate value: what the layer gives of its experts' results, and, of derivatives, what
/// experts get back.
template <class T>
void multiply_by_gates(const Routing<T>& routing, Matrix<T>& m);
/// d_y . result, by token: the derivative by the gate values.
template <class T>
std::vector<T> gate_derivatives(const Matrix<T>& d_y, const Matrix<T>& results);

template <class T>
struct ExpertLayerContext {
  Matrix<T> x;
  Routing<T> routing;
  std::vector<ExpertContext<T>> experts;
  Matrix<T> results;  ///< The experts' outputs, by token, before the gate.
};
/// The whole layer on one rank: the reference. x: [tokens, width]; so is the result.
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

/// Rows for each rank, by rank, go to it: MPI's alltoallv. `to` and `from`: rows for and of each rank; ranks with none
/// exchange no message. Returns the rows by rank. All ranks call it, each with counts that agree with the others'.
template <class T>
Matrix<T> exchange_rows(Communicator& comm, const Matrix<T>& rows, std::span<const Count> to,
                        std::span<const Count> from);

template <class T>
struct ExpertParallelContext {
  Matrix<T> x;
  Routing<T> routing;
  std::vector<Count> to, from;               ///< Tokens sent to and received from each rank.
  std::vector<std::vector<Count>> received;  ///< By own expert: its rows among those received.
  std::vector<ExpertContext<T>> experts;     ///< The own ones.
  Matrix<T> results;                         ///< By token, before the gate.
};

/// One rank's part. All ranks make the same calls.
template <class T>
class ExpertParallel {
 public:
  /// Rank r owns the experts Partition(experts, ranks)[r]. Throws UserError for fewer experts than ranks.
  ExpertParallel(Communicator& comm, const ExpertShape& shape);

  Range own() const noexcept { return owners_[comm_.rank()]; }
  /// router: as in ExpertShape::parameters(), the same on all ranks; own_experts: those of own(). x: this rank's tokens.
  Matrix<T> forward(std::span<const T> router, std::span<const T> own_experts, const Matrix<T>& x,
                    ExpertParallelContext<T>& context);
  /// Adds to the gradients: the own experts' are whole, the router's is of this rank's tokens (to be summed up over
  /// ranks). Returns the derivative by x.
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

/// The numbers that one rank sends to others in a layer, each way.
struct ExpertTraffic {
  Count counts = 0;  ///< Numbers of tokens: one for each expert elsewhere.
  Count away = 0;    ///< Own tokens whose expert is elsewhere.
  Count back = 0;    ///< Others' tokens whose expert is here.
  ExpertTraffic& operator+=(const ExpertTraffic& other) noexcept;
};
/// `load`: by rank, its tokens for each expert.
ExpertTraffic expert_traffic(const std::vector<std::vector<Count>>& load, Rank rank);

extern template class ExpertParallel<float>;
extern template class ExpertParallel<double>;

}  // namespace rankscope::training
