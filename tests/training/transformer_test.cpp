// The reference Transformer: its gradient against differences, and the properties that its layers must have.
#include "engine/training/transformer/transformer.h"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

struct Serial {
  explicit Serial(const TransformerShape& s, std::uint64_t seed = 3)
      : shape(s),
        layout(s),
        parameters(initial_transformer<double>(layout, seed)),
        tokens(random_tokens(s, seed)) {}

  HeadResult<double> forward() {
    network.emplace(shape, whole_transformer(shape, tokens), operators);
    return network->forward(parameters);
  }
  AlignedVector<double> gradients() {
    forward();
    AlignedVector<double> out(parameters.size());
    network->backward(parameters, out);
    return out;
  }

  TransformerShape shape;
  TransformerLayout layout;
  AlignedVector<double> parameters;
  TokenBatch tokens;
  BlockOperators<double> operators;
  std::optional<Transformer<double>> network;
};

}  // namespace

TEST_CASE("training: the Transformer's gradient is that of differences", "[transformer]") {
  for (const TransformerShape& shape : {TransformerShape{.layers = 2,
                                       .batch = 2,
                                       .sequence = 5,
                                       .width = 6,
                                       .heads = 2,
                                       .inner = 7,
                                       .vocabulary = 5},
                                        TransformerShape{.layers = 1,
                                        .batch = 1,
                                        .sequence = 1,
                                        .width = 3,
                                        .heads = 1,
                                        .inner = 1,
                                        .vocabulary = 2},
                                        TransformerShape{.layers = 1,
                                        .batch = 3,
                                        .sequence = 4,
                                        .width = 4,
                                        .heads = 4,
                                        .inner = 9,
                                        .vocabulary = 3}}) {
    Serial serial(shape);
    const AlignedVector<double> gradients = serial.gradients();
    constexpr double kStep = 1e-5;
    for (const TensorInfo& tensor : serial.layout.tensors()) {
      double worst = 0;
      for (std::size_t i = tensor.offset; i < tensor.offset + tensor.count(); ++i) {
        const double kept = serial.parameters[i];
        serial.parameters[i] = kept + kStep;
        const double above = serial.forward().loss;
        serial.parameters[i] = kept - kStep;
        const double below = serial.forward().loss;
        serial.parameters[i] = kept;
        worst = std::max(worst, std::abs((above - below) / (2 * kStep) - gradients[i]));
      }
      INFO(fmt::format("{}: {:g}", tensor.name, worst));
      CHECK(worst < 1e-8);
    }
  }
}

TEST_CASE("training: a token of the Transformer sees only those before it", "[transformer]") {
  Serial serial({.batch = 2, .sequence = 8, .width = 8, .heads = 2, .inner = 16, .vocabulary = 7});
  const Matrix<double> before = serial.forward().logits;
  const std::size_t changed = 4;  // of the first sequence
  serial.tokens.tokens[changed] = (serial.tokens.tokens[changed] + 1) % 7;
  const Matrix<double> after = serial.forward().logits;
  for (Count r = 0; r < before.rows; ++r) {
    double difference = 0;
    for (Count c = 0; c < before.cols; ++c)
      difference = std::max(difference, std::abs(before(r, c) - after(r, c)));
    INFO(r);
    CHECK((difference > 0) == (r >= Count(changed) && r < serial.shape.sequence));
  }
}

TEST_CASE("training: the Transformer's parameters lie side by side in one vector",
          "[transformer]") {
  const TransformerShape shape{.layers = 3};
  const TransformerLayout layout(shape);
  std::size_t next = 0;
  for (const TensorInfo& tensor : layout.tensors()) {
    CHECK(tensor.offset == next);
    next += tensor.count();
  }
  CHECK(next == layout.count());
  CHECK(layout.embedding().end() == layout.block(0).offset);
  CHECK(layout.block(0).end() == layout.block(1).offset);
  CHECK(layout.block(2).end() == layout.head().offset);
  CHECK(layout.tensor("blocks.1.fc1.weight").rows == shape.inner);
  CHECK_THROWS_AS(layout.tensor("blocks.3.fc1.weight"), std::out_of_range);
}

TEST_CASE("training: the Transformer learns its batch by steps along the gradient",
          "[transformer]") {
  Serial serial({.layers = 2,
                 .batch = 2,
                 .sequence = 6,
                 .width = 16,
                 .heads = 2,
                 .inner = 32,
                 .vocabulary = 5});
  const double first = serial.forward().loss;
  for (int step = 0; step < 60; ++step) {
    const AlignedVector<double> gradients = serial.gradients();
    for (std::size_t i = 0; i < gradients.size(); ++i) serial.parameters[i] -= 0.3 * gradients[i];
  }
  CHECK(serial.forward().loss < first / 4);
}

TEST_CASE("training: shapes that no Transformer has are refused, and why", "[transformer]") {
  CHECK_NOTHROW(TransformerShape().validate());
  CHECK_THROWS_WITH((TransformerShape{.width = 30, .heads = 4}.validate()),
                    ContainsSubstring("4 heads do not divide the width 30"));
  CHECK_THROWS_WITH((TransformerShape{.layers = 0}.validate()), ContainsSubstring("1 layer"));
  CHECK_THROWS_WITH((TransformerShape{.vocabulary = 0}.validate()),
                    ContainsSubstring("vocabulary"));
}
