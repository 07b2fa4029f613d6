// The layer of experts with the experts on several ranks (Lepikhin et al., "GShard", 2020, section 3.1; Fedus et al.,
// "Switch Transformers", 2021, section 2.2): each rank routes its own tokens, an all-to-all takes them to the ranks of
// their experts, and a second one brings the results back. How many go where is known only when the router has run, so
// counts are exchanged first. Backward, the derivatives take the same ways.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/training/parallel/expert_layer.h"

namespace rankscope::training {

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

/// What one rank sends to others in a layer, each way.
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
