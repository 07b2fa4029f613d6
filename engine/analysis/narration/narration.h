// A run in words, from its trace alone: what it begins with, what each step does and means, and how it ends.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// One sentence a step, in words that follow from who sent what to whom and from what the ranks held before and after;
/// never from the algorithm's name: a program that does the same is narrated alike. Steps are the rounds
/// of rounds.h.
///
/// The first sentence that is asked for costs a look at all messages (and makes the analysis's rounds, cuts and
/// contributions); each one after that costs its own step. Of a large trace (TraceAnalysis::large()) no contributions
/// are followed, so its sentences say who sends to whom, without what that makes of the data. Not to be used by two
/// threads at once.
class Narration {
 public:
  /// Characters of a sentence, at most.
  static constexpr std::size_t kLongest = 160;

  explicit Narration(TraceAnalysis analysis);
  ~Narration();
  Narration(Narration&&) noexcept;
  Narration& operator=(Narration&&) noexcept;

  int steps() const;
  /// 0: before the first step; 1 to steps(): that step; more: how the run ended.
  const std::string& sentence(int step) const;
  /// Something is wrong with the run, and the last sentence says what.
  bool went_wrong() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rankscope
