// Forms whose ranks have whole sequences of the batch, as data parallelism has.
#pragma once

#include "engine/training/parallel/parallel_form.h"

namespace rankscope::training {

/// Throws UserError for fewer sequences than ranks.
void check_own_sequences(const TransformerShape& shape, int ranks);
/// The sequences Partition(batch, ranks)[rank].
TransformerPart own_sequences(const TransformerShape& shape, const TokenBatch& batch, int ranks,
                              Rank rank);
/// This rank's logits, and the batch's loss, summed up over the ranks in the phase of loss_line().
template <class T>
void add_own_outputs(Communicator& comm, const ParallelSettings& settings, HeadResult<T> own,
                     StepResult<T>& out);
CommunicationLine loss_line(const ParallelSettings& settings, int ranks);

}  // namespace rankscope::training
