// A small Transformer that predicts the next token (Vaswani et al. 2017, as in GPT-2: decoder only, norm before each
// half block): embeddings, blocks, a norm, logits, cross-entropy; forward and backward in parts that can lie on
// different ranks. All parallel forms are compared with it on one rank.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/base/partition.h"
#include "engine/training/transformer/block.h"

namespace rankscope::training {

struct TransformerShape {
  Count layers = 2;
  Count batch = 2, sequence = 16;
  Count width = 32, heads = 4, inner = 64;
  Count vocabulary = 19;

  /// Throws UserError for a number below 1, and if heads do not divide the width.
  void validate() const;
  Count head_width() const noexcept { return width / heads; }
  Count tokens() const noexcept { return batch * sequence; }
  BlockShape block() const noexcept { return {batch, sequence, width, heads, head_width(), inner}; }
  bool operator==(const TransformerShape&) const = default;
};

/// Where the parameters lie in one flat vector: embedding, then block by block, then the head; no gaps.
class TransformerLayout {
 public:
  /// `block` is the shape of a part of each block; the whole block by default.
  explicit TransformerLayout(const TransformerShape& shape);
  TransformerLayout(const TransformerShape& shape, const BlockShape& block);

  std::span<const TensorInfo> tensors() const noexcept { return tensors_; }
  /// Throws std::out_of_range if there is none of this name.
  const TensorInfo& tensor(std::string_view name) const;
  std::size_t count() const noexcept { return static_cast<std::size_t>(head_.end()); }
  Range embedding() const noexcept { return embedding_; }
  Range block(Count layer) const noexcept;
  Range head() const noexcept { return head_; }

 private:
  std::vector<TensorInfo> tensors_;
  Range embedding_, block0_, head_;
};

/// Returns the elements of a range of a flat vector.
template <class T>
std::span<T> part_of(std::span<T> all, Range range) {
  return all.subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.count));
}

/// Returns weights uniform in (-1/sqrt(inputs), 1/sqrt(inputs)), norms near 1 and 0, and biases other than 0, so that a
/// comparison sees each of them. float and double differ by rounding only.
template <class T>
AlignedVector<T> initial_transformer(const TransformerLayout& whole, std::uint64_t seed);

/// Tokens and the tokens to predict after them, [batch][sequence] each, 0 to vocabulary - 1.
struct TokenBatch {
  std::vector<int> tokens, targets;
};
TokenBatch random_tokens(const TransformerShape& shape, std::uint64_t seed);

/// Computes the layer before the blocks: "tokens.weight" [vocabulary, width] and "positions.weight" [sequence, width].
/// `tokens`: any rows of the batch; `positions`: the place of each in its sequence.
template <class T>
Matrix<T> embed(const TransformerShape& shape, std::span<const T> parameters,
                std::span<const int> tokens, std::span<const int> positions);
template <class T>
void embed_backward(const TransformerShape& shape, std::span<const int> tokens,
                    std::span<const int> positions, const Matrix<T>& d_x, std::span<T> gradients);

/// The layers after the blocks: "norm.weight", "norm.bias", "head.weight" [vocabulary, width], "head.bias".
template <class T>
struct HeadContext {
  NormContext<T> norm;
  Matrix<T> normed, d_logits;
};
template <class T>
struct HeadResult {
  Matrix<T> logits;  ///< [rows of x, vocabulary]
  double loss = 0;   ///< Of these rows.
};
/// `scale`: 1 over the tokens of the whole batch, so that the losses of parts add up to the mean.
template <class T>
HeadResult<T> head_forward(const TransformerShape& shape, std::span<const T> parameters,
                           const Matrix<T>& x, std::span<const int> targets, double scale,
                           HeadContext<T>& context);
/// Returns the derivative by x; adds to the gradients.
template <class T>
Matrix<T> head_backward(const TransformerShape& shape, std::span<const T> parameters,
                        const HeadContext<T>& context, std::span<T> gradients);

/// The part of the network that a rank with all layers computes: all of it, some heads, or some tokens.
struct TransformerPart {
  BlockShape block;
  std::vector<int> tokens, targets, positions;  ///< By row.
};
TransformerPart whole_transformer(const TransformerShape& shape, const TokenBatch& batch);

/// A forward and a backward pass through all layers.
template <class T>
class Transformer {
 public:
  /// `operators` must outlive the network.
  Transformer(const TransformerShape& shape, TransformerPart part, BlockOperators<T>& operators);

  const TransformerLayout& layout() const noexcept { return layout_; }  ///< Of the part.
  HeadResult<T> forward(std::span<const T> parameters);
  /// Goes back through the last forward(). Adds to `gradients`; returns the derivative by the first block's input.
  Matrix<T> backward(std::span<const T> parameters, std::span<T> gradients);

 private:
  TransformerShape shape_;
  TransformerPart part_;
  TransformerLayout layout_;
  Block<T> block_;
  std::vector<BlockContext<T>> contexts_;
  HeadContext<T> head_;
};

extern template class Transformer<float>;
extern template class Transformer<double>;

}  // namespace rankscope::training
