// One run of an exercise as asked of the ranks, for rules, results and grades.
#pragma once

#include "engine/account/promise.h"

namespace rankscope {

/// A call with the shape of each rank's argument (no dimensions without one); its root is also a tree's root, or the sender
/// of a single message.
struct ExerciseCase : account::Call {
  DType dtype = DType::float32;
  Rank target = 1;  ///< The receiver of a single message.
  /// A number that the program gets besides its data (ranks of a group, segments of a pipeline); 0 for none.
  int parameter = 0;
};

}  // namespace rankscope
