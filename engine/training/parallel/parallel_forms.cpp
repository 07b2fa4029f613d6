// The table of parallel forms.
#include "engine/training/parallel/parallel_forms.h"

#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/suggest.h"
#include "engine/training/parallel/parallel_form.h"

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

}  // namespace rankscope::training
