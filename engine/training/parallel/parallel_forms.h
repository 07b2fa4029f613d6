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

}  // namespace rankscope::training
