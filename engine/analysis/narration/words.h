// Words that all sentences share: lists of ranks, subjects and their verbs, operators.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope::narration {

/// "rank 3", "ranks 1 and 3", "ranks 4 to 7", "ranks 1, 3, …, 15", "7 ranks"; ascending ones.
/// With `brief`, more than two that do not follow each other are only counted.
std::string ranks_text(const std::vector<Rank>& ranks, bool brief = false);
/// "2 chunks", "one chunk".
std::string some(Count count, std::string_view noun);
/// "two", up to twelve; "13".
std::string number_word(int number);
/// Characters, not bytes.
std::size_t length_of(std::string_view text) noexcept;

/// The subject of a sentence.
struct Subject {
  std::string text;
  bool plural = false;
};
/// "every rank" of all of them; "each of ranks 0 to 3" where `each`.
Subject subject_of(const std::vector<Rank>& ranks, int world, bool each, bool brief);

/// Words for a reduction.
struct OperatorWords {
  std::string_view result;  ///< "sum"
  std::string_view whole;   ///< "whole sum": of all ranks
  std::string_view adds;    ///< "adds"
  std::string_view add;     ///< "add"
  std::string_view added;   ///< "added to"
};
OperatorWords words_of(ReduceOp op) noexcept;

}  // namespace rankscope::narration
