// Divides a class that is graded in parts, on several machines: `rankscope grade --shard I/N`, then `--merge`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lessons/submissions/submission_heads.h"

namespace rankscope::cli {

/// Part `number` (from 1) of `of`.
struct Shard {
  int number = 1, of = 1;
  /// Keeps every `of`-th submission: neighbours, whose programs may cost alike, go to different parts.
  void keep_own(std::vector<SubmissionHead>& heads) const;
};

/// Reads "3/8"; nothing for "". Throws UserError.
std::optional<Shard> shard_of(const std::string& text);

}  // namespace rankscope::cli
