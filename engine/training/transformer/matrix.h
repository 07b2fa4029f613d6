// The matrices that layers of the Transformer take and return: a row is a token.
#pragma once

#include <span>

#include "engine/core/base/types.h"
#include "engine/training/kernels/kernels.h"

namespace rankscope::training {

/// Row-major. T is float or double.
template <class T>
struct Matrix {
  Count rows = 0, cols = 0;
  AlignedVector<T> at;

  Matrix() = default;
  /// Zeros.
  Matrix(Count r, Count c) : rows(r), cols(c), at(static_cast<std::size_t>(r * c)) {}

  T& operator()(Count r, Count c) { return at[static_cast<std::size_t>(r * cols + c)]; }
  T operator()(Count r, Count c) const { return at[static_cast<std::size_t>(r * cols + c)]; }
  std::span<T> row(Count r) { return std::span<T>(at).subspan(index(r), index(1)); }
  std::span<const T> row(Count r) const {
    return std::span<const T>(at).subspan(index(r), index(1));
  }

 private:
  std::size_t index(Count r) const { return static_cast<std::size_t>(r * cols); }
};

template <class T>
void add_to(Matrix<T>& into, const Matrix<T>& other) {
  for (std::size_t i = 0; i < into.at.size(); ++i) into.at[i] += other.at[i];
}

}  // namespace rankscope::training
