// The functions of each parallel form, for the table (parallel_forms.cpp).
#pragma once

#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

void check_tensor(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> tensor_lines(const ParallelSettings& settings, int ranks);
template <class T>
StepResult<T> tensor_step(Communicator& comm, const ParallelSettings& settings);

void check_ulysses(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> ulysses_lines(const ParallelSettings& settings, int ranks);
template <class T>
StepResult<T> ulysses_step(Communicator& comm, const ParallelSettings& settings);

void check_ring_attention(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> ring_attention_lines(const ParallelSettings& settings, int ranks);
template <class T>
StepResult<T> ring_attention_step(Communicator& comm, const ParallelSettings& settings);

void check_pipeline(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> pipeline_lines(const ParallelSettings& settings, int ranks);
template <class T, PipelineKind kKind>
StepResult<T> pipeline_step(Communicator& comm, const ParallelSettings& settings);
template <PipelineKind kKind>
std::vector<MemoryLine> pipeline_memory(const ParallelSettings& settings, int ranks);

void check_sharded(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> sharded_lines(const ParallelSettings& settings, int ranks);
std::vector<MemoryLine> sharded_memory(const ParallelSettings& settings, int ranks);
template <class T>
StepResult<T> sharded_step(Communicator& comm, const ParallelSettings& settings);

void check_experts(const ParallelSettings& settings, int ranks);
std::vector<CommunicationLine> expert_lines(const ParallelSettings& settings, int ranks);
std::vector<MemoryLine> expert_memory(const ParallelSettings& settings, int ranks);
template <class T>
StepResult<T> expert_step(Communicator& comm, const ParallelSettings& settings);
template <class T>
StepResult<T> serial_expert_step(const ParallelSettings& settings);

}  // namespace rankscope::training
