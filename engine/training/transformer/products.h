// Matrix products and softmax, compiled once: each product that Eigen compiles again takes a second of a build.
#pragma once

#include <Eigen/Core>

#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

template <class T>
using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Eigen::Map<EigenMatrix<T>> map_of(Matrix<T>& m) {
  return {m.at.data(), m.rows, m.cols};
}
template <class T>
Eigen::Map<const EigenMatrix<T>> map_of(const Matrix<T>& m) {
  return {m.at.data(), m.rows, m.cols};
}
template <class T>
Eigen::Map<EigenMatrix<T>> map_of(std::span<T> values, Count rows, Count cols) {
  return {values.data(), rows, cols};
}
template <class T>
Eigen::Map<const EigenMatrix<T>> map_of(std::span<const T> values, Count rows, Count cols) {
  return {values.data(), rows, cols};
}

/// A block of a row-major matrix. T is float or double.
template <class T>
using Rows = Eigen::Ref<EigenMatrix<T>, 0, Eigen::OuterStride<>>;
template <class T>
using ConstRows = Eigen::Ref<const EigenMatrix<T>, 0, Eigen::OuterStride<>>;

/// out += factor · a b; a is [m, k], b [k, n], out [m, n], which must not overlap them.
template <class T>
void add_product(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor = 1);
/// out += factor · a bᵀ; b is [n, k].
template <class T>
void add_product_bt(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor = 1);
/// out += factor · aᵀ b; a is [k, m].
template <class T>
void add_product_at(Rows<T> out, const ConstRows<T>& a, const ConstRows<T>& b, T factor = 1);

/// row[i] = exp(row[i] - less).
template <class T>
void take_exponentials(std::span<T> row, T less);
/// Replaces the row by its softmax; returns the logarithm of the sum of the exponentials.
template <class T>
T softmax(std::span<T> row);

/// Turns derivatives d by probabilities p into those by scores, times `scale`: d = (d - sum of a∘b over the row) ∘ p ·
/// scale. d and p are [m, n]; a and b have m rows of any width.
template <class T>
void softmax_backward(Rows<T> d, const ConstRows<T>& p, const ConstRows<T>& a,
                      const ConstRows<T>& b, T scale);

}  // namespace rankscope::training
