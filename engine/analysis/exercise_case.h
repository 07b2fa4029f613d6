// What the ranks of one run of an exercise are asked for: the one description that rules, results and grades take.
#pragma once

#include "engine/account/promise.h"

namespace rankscope {

/// A call whose shape is that of each rank's argument (without dimensions where there is none), and whose root is also
/// that of a tree, or the sender of a single message.
struct ExerciseCase : account::Call {
  DType dtype = DType::float32;
  Rank target = 1;  ///< The receiver of a single message.
  /// What the program is given beside its data (the ranks of a group, the segments of a pipeline); 0: nothing.
  int parameter = 0;
};

}  // namespace rankscope
