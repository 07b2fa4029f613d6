// The layers of a Transformer that work token by token, forward and backward. Each backward function adds to the
// gradients of parameters, and returns the derivative by its input.
#pragma once

#include <span>

#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

/// Returns x [rows, in] times weight [out, in] transposed, plus bias [out] (empty: none): [rows, out].
template <class T>
Matrix<T> linear(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias);
/// d_bias may be empty, and is then not computed.
template <class T>
Matrix<T> linear_backward(const Matrix<T>& x, const Matrix<T>& d_y, std::span<const T> weight,
                          std::span<T> d_weight, std::span<T> d_bias);
/// add_bias() adds the bias to each row; add_bias_backward() adds the sum of the rows to its gradient.
template <class T>
void add_bias(Matrix<T>& y, std::span<const T> bias);
template <class T>
void add_bias_backward(const Matrix<T>& d_y, std::span<T> d_bias);

/// The values that a layer norm keeps for its backward pass.
template <class T>
struct NormContext {
  Matrix<T> normed;          ///< Before weight and bias.
  AlignedVector<T> inverse;  ///< 1 / deviation, by row.
};
/// Normalises each row (Ba, Kiros, Hinton: Layer Normalization, 2016, section 3), with PyTorch's epsilon, 1e-5.
template <class T>
Matrix<T> layer_norm(const Matrix<T>& x, std::span<const T> weight, std::span<const T> bias,
                     NormContext<T>& context);
template <class T>
Matrix<T> layer_norm_backward(const NormContext<T>& context, const Matrix<T>& d_y,
                              std::span<const T> weight, std::span<T> d_weight,
                              std::span<T> d_bias);

/// Returns x times P(X <= x) of a standard normal X (Hendrycks, Gimpel: Gaussian Error Linear Units, 2016, section 2).
template <class T>
Matrix<T> gelu(const Matrix<T>& x);
template <class T>
Matrix<T> gelu_backward(const Matrix<T>& x, const Matrix<T>& d_y);

/// Returns the cross-entropy (natural logarithm) of the logits' softmax, summed over the rows and multiplied by
/// `scale`. `d_logits` becomes the derivative by the logits. targets: a class for each row.
template <class T>
double cross_entropy(const Matrix<T>& logits, std::span<const int> targets, double scale,
                     Matrix<T>& d_logits);

}  // namespace rankscope::training
