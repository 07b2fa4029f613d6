// What forms that divide the sequence have in common: each rank has some tokens of every sequence, all of the
// parameters, and sums up the gradients at the end.
#pragma once

#include "engine/training/parallel/compute_span.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

/// The tokens of each sequence that a rank has.
Range tokens_of(const TransformerShape& shape, int ranks, Rank rank);

/// A step in which a rank computes its tokens. `operators`: how they attend to those of other ranks, while they leave out
/// their messages from `computing`.
template <class T>
StepResult<T> sequence_step(Communicator& comm, const ParallelSettings& settings,
                            BlockOperators<T>& operators, Computing& computing);
/// The line that sequence_step() itself adds, after those of the operators.
CommunicationLine gradients_line(const ParallelSettings& settings, int ranks);

}  // namespace rankscope::training
