// What the ranks of one run of an exercise are asked for: the one description that rules, results and grades take.
#pragma once

#include "engine/core/base/buffer.h"
#include "engine/core/base/collective.h"

namespace rankscope {

struct ExerciseCase {
  Collective collective = Collective::allreduce;
  int ranks = 1;
  /// Of each rank's argument: what chunks are chunks of. Without dimensions: there is none.
  Shape shape = {};
  DType dtype = DType::float32;
  Rank root = 0;    ///< Of a broadcast, a tree; the sender of a single message.
  Rank target = 1;  ///< Its receiver.
  /// Of an all-to-all, from 0. A negative one counts from the end.
  int scatter_dim = 0, gather_dim = 0;
  /// What the program is given beside its data: the ranks of a group, the segments of a pipeline; 0: nothing.
  int parameter = 0;
};

}  // namespace rankscope
