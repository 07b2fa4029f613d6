// One run of an exercise as it is asked of the ranks: the description that rules, results and grades take.
#pragma once

#include "engine/account/promise.h"

namespace rankscope {

/// A call whose shape is that of each rank's argument (without dimensions where there is none), and whose root is also
/// that of a tree, or the sender of a single message.
struct ExerciseCase : account::Call {
  DType dtype = DType::float32;
  Rank target = 1;  ///< The receiver of a single message.
  /// The number that the program is given beside its data (ranks of a group, segments of a pipeline); 0 for none.
  int parameter = 0;
};

}  // namespace rankscope
