// A run in words, from its trace alone: its beginning, what each step does and means, and its end.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

#include "engine/analysis/trace_analysis.h"

namespace rankscope {

/// One sentence for each step, in words that follow from its messages and from what the ranks held before and after, never
/// from the algorithm's name: a program that does the same is narrated alike. Steps are the rounds of rounds.h.
///
/// The first sentence that is asked for costs a look at all messages (and makes the analysis's rounds, cuts and
/// contributions); each later one costs its own step. In a large trace (TraceAnalysis::large()) no contributions are
/// followed, so sentences name senders and receivers, without the effect on data. Not to be used by two threads at once.
class Narration {
 public:
  /// Characters of a sentence, at most.
  static constexpr std::size_t kLongest = 160;
  /// The sentence before the first step, without the number of steps that follow: where they are to be counted.
  static constexpr int kCoveredStart = std::numeric_limits<int>::min();

  explicit Narration(TraceAnalysis analysis);
  ~Narration();
  Narration(Narration&&) noexcept;
  Narration& operator=(Narration&&) noexcept;

  int steps() const;
  /// 0 is the sentence before the first step, 1 to steps() that of the step, a higher number that on the end.
  const std::string& sentence(int step) const;
  /// Returns whether something is wrong with the run, as the last sentence says.
  bool went_wrong() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rankscope
