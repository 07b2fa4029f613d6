// Matrices and parameters as Eigen sees them, for the sources of the shelves `transformer` and `parallel` only.
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

}  // namespace rankscope::training
