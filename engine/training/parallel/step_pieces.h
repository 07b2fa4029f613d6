// Makes a rank's pieces of what it has, for forms whose ranks have whole tensors.
#pragma once

#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

/// Logits and loss of the whole batch.
template <class T>
void add_outputs(StepResult<T>& out, HeadResult<T> result);
/// Whole tensors, from a vector of all gradients.
template <class T>
void add_gradients(StepResult<T>& out, std::span<const TensorInfo> tensors,
                   std::span<const T> gradients);

}  // namespace rankscope::training
