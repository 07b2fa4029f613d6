// The whole Transformer: layout and initial parameters, embedding, head, and passes through all layers.
#include "engine/training/transformer/transformer.h"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/training/transformer/products.h"

namespace rankscope::training {
namespace {

Range range_from(Range before, std::size_t count) {
  return {before.end(), static_cast<Count>(count)};
}

/// Finds each tensor in the head's parameters, or in their gradients.
struct HeadView {
  HeadView(const TransformerShape& shape)
      : width(static_cast<std::size_t>(shape.width)),
        classes(static_cast<std::size_t>(shape.vocabulary)) {}
  template <class T>
  std::span<T> norm_weight(std::span<T> all) const {
    return all.first(width);
  }
  template <class T>
  std::span<T> norm_bias(std::span<T> all) const {
    return all.subspan(width, width);
  }
  template <class T>
  std::span<T> weight(std::span<T> all) const {
    return all.subspan(2 * width, classes * width);
  }
  template <class T>
  std::span<T> bias(std::span<T> all) const {
    return all.subspan((2 + classes) * width, classes);
  }
  std::size_t width, classes;
};

}  // namespace

void TransformerShape::validate() const {
  const auto at_least_1 = [](Count value, std::string_view what) {
    if (value < 1) throw UserError(fmt::format("a Transformer has at least 1 {}", what));
  };
  at_least_1(layers, "layer");
  at_least_1(batch, "sequence in a batch");
  at_least_1(sequence, "token in a sequence");
  at_least_1(width, "number in a token's width");
  at_least_1(heads, "head");
  at_least_1(inner, "number in the MLP's inner width");
  at_least_1(vocabulary, "token in its vocabulary");
  if (width % heads != 0)
    throw UserError(
        fmt::format("{} heads do not divide the width {}: choose a width that is a "
                    "multiple of the heads",
                    heads, width));
}

TransformerLayout::TransformerLayout(const TransformerShape& shape)
    : TransformerLayout(shape, shape.block()) {}

TransformerLayout::TransformerLayout(const TransformerShape& shape, const BlockShape& block) {
  std::size_t offset = 0;
  const auto add = [&](std::string name, Count rows, Count cols) {
    tensors_.push_back({std::move(name), rows, cols, offset});
    offset += tensors_.back().count();
  };
  add("tokens.weight", shape.vocabulary, shape.width);
  add("positions.weight", shape.sequence, shape.width);
  embedding_ = {0, static_cast<Count>(offset)};
  block0_ = range_from(embedding_, block_parameters(block));
  for (Count layer = 0; layer < shape.layers; ++layer)
    for (const TensorInfo& one : block_tensors(block))
      add(fmt::format("blocks.{}.{}", layer, one.name), one.rows, one.cols);
  head_.offset = static_cast<Count>(offset);
  add("norm.weight", 1, shape.width);
  add("norm.bias", 1, shape.width);
  add("head.weight", shape.vocabulary, shape.width);
  add("head.bias", 1, shape.vocabulary);
  head_.count = static_cast<Count>(offset) - head_.offset;
}

const TensorInfo& TransformerLayout::tensor(std::string_view name) const {
  const auto found = ranges::find(tensors_, name, &TensorInfo::name);
  if (found == tensors_.end()) throw std::out_of_range(std::string(name));
  return *found;
}

Range TransformerLayout::block(Count layer) const noexcept {
  return {block0_.offset + layer * block0_.count, block0_.count};
}

template <class T>
AlignedVector<T> initial_transformer(const TransformerLayout& whole, std::uint64_t seed) {
  RandomNumbers random(seed);
  AlignedVector<T> out;
  out.reserve(whole.count());
  for (const TensorInfo& one : whole.tensors()) {
    const bool is_norm = one.rows == 1 && one.name.ends_with("weight");
    const double most = one.rows == 1 ? 0.1 : 1 / std::sqrt(double(one.cols));
    for (std::size_t i = 0; i < one.count(); ++i)
      out.push_back(
          static_cast<T>((is_norm ? 1 : 0) + most * (double(random.next() >> 11U) * 0x1p-52 - 1)));
  }
  return out;
}

TokenBatch random_tokens(const TransformerShape& shape, std::uint64_t seed) {
  RandomNumbers random(seed ^ 0x746f6b656e73);  // other numbers than the parameters'
  TokenBatch out;
  for (Count b = 0; b < shape.batch; ++b) {
    const auto draw = [&] {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(shape.vocabulary)));
    };
    int token = draw();
    for (Count i = 0; i < shape.sequence; ++i) {
      out.tokens.push_back(token);
      out.targets.push_back(token = draw());
    }
  }
  return out;
}

template <class T>
Matrix<T> embed(const TransformerShape& shape, std::span<const T> parameters,
                std::span<const int> tokens, std::span<const int> positions) {
  const auto rows =
      map_of(parameters, shape.vocabulary + shape.sequence, shape.width);  // tokens, positions
  Matrix<T> x(static_cast<Count>(tokens.size()), shape.width);
  for (Count r = 0; r < x.rows; ++r)
    map_of(x).row(r) = rows.row(tokens[static_cast<std::size_t>(r)]) +
                       rows.row(shape.vocabulary + positions[static_cast<std::size_t>(r)]);
  return x;
}

template <class T>
void embed_backward(const TransformerShape& shape, std::span<const int> tokens,
                    std::span<const int> positions, const Matrix<T>& d_x, std::span<T> gradients) {
  auto rows = map_of(gradients, shape.vocabulary + shape.sequence, shape.width);
  for (Count r = 0; r < d_x.rows; ++r) {
    rows.row(tokens[static_cast<std::size_t>(r)]) += map_of(d_x).row(r);
    rows.row(shape.vocabulary + positions[static_cast<std::size_t>(r)]) += map_of(d_x).row(r);
  }
}

template <class T>
HeadResult<T> head_forward(const TransformerShape& shape, std::span<const T> parameters,
                           const Matrix<T>& x, std::span<const int> targets, double scale,
                           HeadContext<T>& context) {
  const HeadView of(shape);
  context.normed =
      layer_norm(x, of.norm_weight(parameters), of.norm_bias(parameters), context.norm);
  HeadResult<T> out;
  out.logits = linear(context.normed, of.weight(parameters), of.bias(parameters));
  out.loss = cross_entropy(out.logits, targets, scale, context.d_logits);
  return out;
}

template <class T>
Matrix<T> head_backward(const TransformerShape& shape, std::span<const T> parameters,
                        const HeadContext<T>& context, std::span<T> gradients) {
  const HeadView of(shape);
  const Matrix<T> d_normed =
      linear_backward(context.normed, context.d_logits, of.weight(parameters), of.weight(gradients),
                      of.bias(gradients));
  return layer_norm_backward(context.norm, d_normed, of.norm_weight(parameters),
                             of.norm_weight(gradients), of.norm_bias(gradients));
}

TransformerPart whole_transformer(const TransformerShape& shape, const TokenBatch& batch) {
  TransformerPart part{shape.block(), batch.tokens, batch.targets, {}};
  for (Count b = 0; b < shape.batch; ++b)
    for (int i = 0; i < shape.sequence; ++i) part.positions.push_back(i);
  return part;
}

template <class T>
Transformer<T>::Transformer(const TransformerShape& shape, TransformerPart part,
                            BlockOperators<T>& operators)
    : shape_(shape),
      part_(std::move(part)),
      layout_(shape, part_.block),
      block_(part_.block, operators),
      contexts_(static_cast<std::size_t>(shape.layers)) {}

template <class T>
HeadResult<T> Transformer<T>::forward(std::span<const T> parameters) {
  Matrix<T> x =
      embed<T>(shape_, part_of(parameters, layout_.embedding()), part_.tokens, part_.positions);
  for (Count layer = 0; layer < shape_.layers; ++layer)
    x = block_.forward(part_of(parameters, layout_.block(layer)), x,
                       contexts_[static_cast<std::size_t>(layer)]);
  return head_forward<T>(shape_, part_of(parameters, layout_.head()), x, part_.targets,
                         1 / double(shape_.tokens()), head_);
}

template <class T>
Matrix<T> Transformer<T>::backward(std::span<const T> parameters, std::span<T> gradients) {
  Matrix<T> d = head_backward<T>(shape_, part_of(parameters, layout_.head()), head_,
                                 part_of(gradients, layout_.head()));
  for (Count layer = shape_.layers - 1; layer >= 0; --layer)
    d = block_.backward(part_of(parameters, layout_.block(layer)),
                        contexts_[static_cast<std::size_t>(layer)], d,
                        part_of(gradients, layout_.block(layer)));
  embed_backward<T>(shape_, part_.tokens, part_.positions, d,
                    part_of(gradients, layout_.embedding()));
  return d;
}

// Instantiates transformer.h for each type.
#define RANKSCOPE_TRANSFORMER(T)                                                              \
  template AlignedVector<T> initial_transformer<T>(const TransformerLayout&, std::uint64_t);  \
  template Matrix<T> embed(const TransformerShape&, std::span<const T>, std::span<const int>, \
                           std::span<const int>);                                             \
  template void embed_backward(const TransformerShape&, std::span<const int>,                 \
                               std::span<const int>, const Matrix<T>&, std::span<T>);         \
  template HeadResult<T> head_forward(const TransformerShape&, std::span<const T>,            \
                                      const Matrix<T>&, std::span<const int>, double,         \
                                      HeadContext<T>&);                                       \
  template Matrix<T> head_backward(const TransformerShape&, std::span<const T>,               \
                                   const HeadContext<T>&, std::span<T>);                      \
  template class Transformer<T>;
RANKSCOPE_TRANSFORMER(float)
RANKSCOPE_TRANSFORMER(double)
#undef RANKSCOPE_TRANSFORMER

}  // namespace rankscope::training
