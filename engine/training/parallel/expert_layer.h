// A mixture of experts in place of a block's MLP (Fedus et al., "Switch Transformers", 2021, section 2.1): a router sends
// each token to the one expert with the largest probability, whose output is multiplied by it (the gate value). No expert
// has a limit (a capacity), so no token is dropped; there is no loss for balance. fc2 has no bias: a block adds its own
// after the gate, to all tokens.
//
// The functions here are serial: the reference, and what each rank of the parallel layer does with the tokens it has.
#pragma once

#include <span>
#include <vector>

#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

struct ExpertShape {
  Count width = 1;  ///< Of a token.
  Count inner = 1;  ///< Of an expert: between fc1 and fc2.
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

/// What one expert keeps of its tokens.
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
  Matrix<T> results;  ///< Of the experts, by token, before the gate.
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

}  // namespace rankscope::training
