// The table of parallel forms, the serial step, and the comparison with it.
#include "engine/training/parallel/parallel_form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/training/parallel/form_parts.h"

namespace rankscope::training {

std::span<const ParallelForm> parallel_forms() {
  static const ParallelForm kForms[] = {tensor_form(),
                                        ulysses_form(),
                                        ring_attention_form(),
                                        gpipe_form(),
                                        one_forward_one_backward_form(),
                                        sharded_form(),
                                        expert_form()};
  return kForms;
}

const ParallelForm& require_parallel_form(std::string_view name) {
  std::vector<std::string> names;
  for (const ParallelForm& one : parallel_forms()) {
    if (one.name == name) return one;
    names.emplace_back(one.name);
  }
  throw UserError(fmt::format("there is no parallel form '{}'{}", name,
                              nearest_hint(name, names, "`rankscope parallel` lists them")));
}

void ParallelSettings::validate() const {
  shape.validate();
  require_algorithm(allreduce, Collective::allreduce);
  require_algorithm(allgather, Collective::allgather);
  require_algorithm(reduce_scatter, Collective::reduce_scatter);
  require_algorithm(alltoall, Collective::alltoall);
  if (microbatches < 1) throw UserError("a batch has at least 1 microbatch");
  if (experts < 1) throw UserError("a block has at least 1 expert");
}

namespace {

template <class T>
double largest(const Matrix<T>& values) {
  double out = 0;
  for (const T one : values.at) out = std::max(out, std::abs(double(one)));
  return out;
}

template <class T>
double difference(const TensorPiece<T>& mine, const Matrix<T>& whole) {
  double out = 0;
  for (Count r = 0; r < mine.values.rows; ++r)
    for (Count c = 0; c < mine.values.cols; ++c) {
      const std::size_t at =
          mine.offset + static_cast<std::size_t>(r) * mine.stride + static_cast<std::size_t>(c);
      if (at >= whole.at.size())
        throw std::logic_error(fmt::format("a piece lies outside of {}", mine.tensor));
      const double one = std::abs(double(mine.values(r, c)) - double(whole.at[at]));
      out = std::isnan(one) ? std::numeric_limits<double>::infinity() : std::max(out, one);
    }
  return out;
}

/// Returns the largest error of the tensors. Differences are divided by at least `floor`.
template <class T>
double error_of(const std::vector<TensorPiece<T>>& mine,
                const std::vector<TensorPiece<T>>& reference, double floor, StepError& out) {
  std::map<std::string_view, const Matrix<T>*> whole;
  for (const TensorPiece<T>& one : reference) whole.emplace(one.tensor, &one.values);
  double worst = 0;
  for (const TensorPiece<T>& one : mine) {
    const auto found = whole.find(one.tensor);
    if (found == whole.end())
      throw std::logic_error(fmt::format("the reference has no tensor {}", one.tensor));
    const double scale =
        std::max({largest(*found->second), floor, std::numeric_limits<double>::min()});
    const double error = difference(one, *found->second) / scale;
    if (error > std::max({worst, out.outputs, out.gradients})) out.worst = one.tensor;
    worst = std::max(worst, error);
    out.elements += one.values.at.size();
  }
  return worst;
}

}  // namespace

template <class T>
StepResult<T> serial_step(const ParallelSettings& settings) {
  const TransformerLayout layout(settings.shape);
  const auto parameters = initial_transformer<T>(layout, settings.seed);
  BlockOperators<T> operators;
  Transformer<T> network(
      settings.shape,
      whole_transformer(settings.shape, random_tokens(settings.shape, settings.seed)), operators);
  AlignedVector<T> gradients(parameters.size());
  StepResult<T> out;
  add_outputs(out, network.forward(parameters));
  network.backward(parameters, std::span(gradients));
  add_gradients<T>(out, layout.tensors(), gradients);
  return out;
}

template <class T>
StepError compare_step(const StepResult<T>& mine, const StepResult<T>& reference) {
  double greatest = 0;
  for (const TensorPiece<T>& one : reference.gradients)
    greatest = std::max(greatest, largest(one.values));
  StepError out;
  out.outputs = error_of(mine.outputs, reference.outputs, 0, out);
  out.gradients = error_of(mine.gradients, reference.gradients, greatest / 1000, out);
  return out;
}

template <class T>
std::vector<PieceExtent> extents_of(const StepResult<T>& result) {
  std::vector<PieceExtent> out;
  for (const auto* pieces : {&result.outputs, &result.gradients})
    for (const TensorPiece<T>& one : *pieces)
      out.push_back({one.tensor, one.offset, one.stride, one.values.rows, one.values.cols});
  return out;
}

std::size_t missing_elements(std::span<const PieceExtent> reference,
                             std::span<const PieceExtent> pieces) {
  std::map<std::string_view, std::vector<bool>> seen;
  for (const PieceExtent& one : reference)
    seen[one.tensor].resize(static_cast<std::size_t>(one.rows * one.cols));
  for (const PieceExtent& one : pieces)
    for (std::size_t r = 0; r < static_cast<std::size_t>(one.rows); ++r)
      for (std::size_t c = 0; c < static_cast<std::size_t>(one.cols); ++c)
        seen.at(one.tensor).at(one.offset + r * one.stride + c) = true;
  std::size_t missing = 0;
  for (const auto& [tensor, elements] : seen)
    missing += static_cast<std::size_t>(ranges::count(elements, false));
  return missing;
}

template <class T>
void add_outputs(StepResult<T>& out, HeadResult<T> result) {
  Matrix<T> loss(1, 1);
  loss(0, 0) = static_cast<T>(result.loss);
  out.outputs.push_back({"loss", std::move(loss)});
  out.outputs.push_back({"logits", std::move(result.logits)});
  auto& logits = out.outputs.back();
  logits.stride = static_cast<std::size_t>(logits.values.cols);
}

template <class T>
void add_gradients(StepResult<T>& out, std::span<const TensorInfo> tensors,
                   std::span<const T> gradients) {
  for (const TensorInfo& one : tensors) {
    Matrix<T> values(one.rows, one.cols);
    ranges::copy(gradients.subspan(one.offset, one.count()), values.at.begin());
    out.gradients.push_back({one.name, std::move(values), 0, static_cast<std::size_t>(one.cols)});
  }
}

#define RANKSCOPE_STEPS(T)                                                     \
  template std::vector<PieceExtent> extents_of(const StepResult<T>&);          \
  template StepResult<T> serial_step(const ParallelSettings&);                 \
  template StepError compare_step(const StepResult<T>&, const StepResult<T>&); \
  template void add_outputs(StepResult<T>&, HeadResult<T>);                    \
  template void add_gradients(StepResult<T>&, std::span<const TensorInfo>, std::span<const T>);
RANKSCOPE_STEPS(float)
RANKSCOPE_STEPS(double)
#undef RANKSCOPE_STEPS

}  // namespace rankscope::training
