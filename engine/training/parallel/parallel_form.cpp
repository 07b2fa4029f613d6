// The table of parallel forms.
#include "engine/training/parallel/parallel_form.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/training/parallel/form_parts.h"
#include "engine/training/parallel/parallel_forms.h"

namespace rankscope::training {
namespace {

constexpr ParallelForm kForms[] = {
    {.name = "tensor",
     .title = "tensor parallel",
     .divides = "the layers: each rank has some heads and some of the MLP's inner width",
     .source = "Shoeybi et al.: Megatron-LM, 2019, section 3",
     .check = check_tensor,
     .lines = tensor_lines,
     .of_float = {tensor_step<float>, serial_step<float>},
     .of_double = {tensor_step<double>, serial_step<double>}},
    {.name = "ulysses",
     .title = "Ulysses",
     .divides = "the sequence: each rank has some tokens, and in the attention some heads",
     .source = "Jacobs et al.: DeepSpeed Ulysses, 2023, section 3",
     .check = check_ulysses,
     .lines = ulysses_lines,
     .of_float = {ulysses_step<float>, serial_step<float>},
     .of_double = {ulysses_step<double>, serial_step<double>}},
    {.name = "ring-attention",
     .title = "ring attention",
     .divides = "the sequence: each rank has some tokens, and all keys and values come by",
     .source = "Liu, Zaharia, Abbeel: Ring Attention, 2023, section 3",
     .check = check_ring_attention,
     .lines = ring_attention_lines,
     .of_float = {ring_attention_step<float>, serial_step<float>},
     .of_double = {ring_attention_step<double>, serial_step<double>}},
    {.name = "gpipe",
     .title = "pipeline, GPipe",
     .divides = "the layers: each rank has some of them, and microbatches go through",
     .source = "Huang et al.: GPipe, NeurIPS 2019, section 2",
     .check = check_pipeline,
     .lines = pipeline_lines,
     .of_float = {pipeline_step<float, PipelineKind::gpipe>, serial_step<float>},
     .of_double = {pipeline_step<double, PipelineKind::gpipe>, serial_step<double>},
     .memory = pipeline_memory<PipelineKind::gpipe>,
     .pipeline = PipelineKind::gpipe},
    {.name = "1f1b",
     .title = "pipeline, 1F1B",
     .divides =
         "the layers, as GPipe does; a backward pass follows each forward pass as soon as it can",
     .source =
         "Narayanan et al.: Efficient Large-Scale Language Model Training on GPU Clusters, SC "
         "2021, section 2.2",
     .check = check_pipeline,
     .lines = pipeline_lines,
     .of_float = {pipeline_step<float, PipelineKind::one_forward_one_backward>, serial_step<float>},
     .of_double = {pipeline_step<double, PipelineKind::one_forward_one_backward>,
                   serial_step<double>},
     .memory = pipeline_memory<PipelineKind::one_forward_one_backward>,
     .pipeline = PipelineKind::one_forward_one_backward},
    {.name = "sharded",
     .title = "sharded parameters",
     .divides =
         "batch and parameters: a block is gathered to be used, its gradient reduced to shards",
     .source = "Rajbhandari et al.: ZeRO, SC 2020, section 5.3",
     .check = check_sharded,
     .lines = sharded_lines,
     .of_float = {sharded_step<float>, serial_step<float>},
     .of_double = {sharded_step<double>, serial_step<double>},
     .memory = sharded_memory},
    {.name = "experts",
     .title = "expert parallel",
     .divides = "batch and experts: a token goes to the rank of the expert that its router chooses",
     .source = "Fedus et al.: Switch Transformers, 2021, section 2; Lepikhin et al.: GShard, 2020, "
               "section 3",
     .check = check_experts,
     .lines = expert_lines,
     .of_float = {expert_step<float>, serial_expert_step<float>},
     .of_double = {expert_step<double>, serial_expert_step<double>},
     .memory = expert_memory},
};

}  // namespace

std::span<const ParallelForm> parallel_forms() { return kForms; }

const ParallelForm& require_parallel_form(std::string_view name) {
  const auto* const found = ranges::find(kForms, name, &ParallelForm::name);
  if (found != std::end(kForms)) return *found;
  std::vector<std::string> names;
  for (const ParallelForm& one : kForms) names.emplace_back(one.name);
  throw UserError(fmt::format("there is no parallel form '{}'{}: `rankscope parallel` lists them",
                              name, did_you_mean(name, names)));
}

void ParallelSettings::validate() const {
  shape.validate();
  const auto of = [](const std::string& algorithm, Collective collective) {
    if (require_algorithm(algorithm).collective != collective)
      throw UserError(fmt::format("{} is no {}: `rankscope list {}` has them", algorithm,
                                  to_string(collective), to_string(collective)));
  };
  of(allreduce, Collective::allreduce);
  of(allgather, Collective::allgather);
  of(reduce_scatter, Collective::reduce_scatter);
  of(alltoall, Collective::alltoall);
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

/// The largest error of some tensors. `floor`: the least that a difference is divided by.
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
