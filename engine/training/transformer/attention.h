// Causal multi-head attention (Vaswani et al.: Attention Is All You Need, 2017, section 3.2): a token looks at itself and
// at those before it in its sequence.
#pragma once

#include <vector>

#include "engine/training/transformer/matrix.h"

namespace rankscope::training {

/// Rows are [batch][sequence], columns [heads][head_width].
struct AttentionShape {
  Count batch = 1, sequence = 1, heads = 1, head_width = 1;
  Count tokens() const noexcept { return batch * sequence; }
  Count width() const noexcept { return heads * head_width; }
};

/// What attention takes, or the loss's derivative by it.
template <class T>
struct Qkv {
  Matrix<T> q, k, v;
};

/// softmax(Q K^T / sqrt(head_width)) V for each sequence and head. `probabilities` becomes the softmax, as
/// [batch * heads * sequence, sequence]: what the backward pass needs.
template <class T>
Matrix<T> attend(const AttentionShape& shape, const Qkv<T>& in, Matrix<T>& probabilities);
template <class T>
Qkv<T> attend_backward(const AttentionShape& shape, const Qkv<T>& in,
                       const Matrix<T>& probabilities, const Matrix<T>& d_out);

}  // namespace rankscope::training
