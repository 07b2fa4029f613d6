// The messages of a step: sender, receiver, load, and what the receiver makes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/analysis/narration/holdings.h"

namespace rankscope::narration {

/// All messages of a step from one rank to another.
struct StepLink {
  enum class Act : std::uint8_t {
    unknown,
    keeps,  ///< It replaces what the receiver had there.
    adds,   ///< It is combined with that.
    stays,  ///< It was never received.
  };
  enum class Content : std::uint8_t {
    unknown,
    own,       ///< The sender's own data only.
    partial,   ///< Some ranks' data, in a reduction.
    complete,  ///< All ranks' data, each once.
    other,     ///< Data that came from others, as it came.
    mixed,     ///< The sender's and others'.
  };
  enum class Past : std::uint8_t {
    none,
    last,  ///< All of what the sender received last.
    half,  ///< Half of it.
    all,   ///< All that it has (in a reduction, all that is complete).
  };
  Rank from = 0, to = 0;
  std::vector<std::uint32_t> messages;
  std::uint64_t bytes = 0;
  Count elements = 0;
  bool whole = false;  ///< All of the data.
  bool half = false;   ///< Half of all of the data.
  int chunks = 0;      ///< Number of whole chunks or blocks; 0 for parts of them, or if unknown.
  Act act = Act::unknown;
  Act last_act = Act::unknown;  ///< For Past::last and half, what the sender did with it.
  Content content = Content::unknown;
  Past past = Past::none;

  bool empty() const noexcept { return bytes == 0; }
};

/// The pattern of a step's messages among the ranks.
struct StepShape {
  enum class Kind : std::uint8_t {
    scattered,  ///< None of these.
    shift,      ///< Each rank of some sends as far as the others.
    exchange,   ///< In pairs, both ways.
    pairs,      ///< Each sender has a receiver of its own, which does not send.
    path,       ///< Each sends to one, and receives from one at most.
    fan_out,    ///< From one to several.
    fan_in,     ///< From several to one.
  };
  Kind kind = Kind::scattered;
  /// From sender to receiver, without sign in an exchange, around the communicator in a shift. Nothing where it differs.
  std::optional<int> distance;
  bool spaced = false;  ///< The ranks of a shift's communicator do not follow each other.
  int groups = 1;       ///< Communicators that do the same among their own ranks.
  int group_size = 0;   ///< 0 where it differs.
};

struct StepFacts {
  int step = 0;
  std::vector<StepLink> links;
  std::vector<Rank> senders, receivers;  ///< Each once, ascending.
  /// Messages belong to several strands, so that "after the step" is no single moment of a rank.
  bool several_strands = false;
};

/// Finds the messages of a step and their loads. Goes through all messages once, then through those of a step.
class StepReader {
 public:
  StepReader(const TraceAnalysis& analysis, Holdings& holdings);

  int steps() const noexcept { return static_cast<int>(by_step_.size()) - 1; }
  const std::vector<std::uint32_t>& messages(int step) const {
    return by_step_[static_cast<std::size_t>(step)];
  }
  bool is_empty(std::uint32_t message) const { return analysis_.messages()[message].bytes == 0; }
  StepFacts facts(int step);
  StepShape shape(const std::vector<const StepLink*>& links) const;

 private:
  struct Received {
    int step = 0;
    std::uint32_t message = 0;
  };
  void describe(StepLink& link, int step);
  void find_amount(StepLink& link) const;
  void find_content(StepLink& link);
  void find_past(StepLink& link, int step);
  StepLink::Act act_of(std::uint32_t message, int step);
  void find_past_by_value(StepLink& link, const std::vector<std::uint32_t>& last);
  Range where(std::uint32_t message) const;
  std::vector<std::uint32_t> last_received(Rank rank, int step) const;
  int blocks_in(const Contents& load) const;
  const Definition* communicator(const StepLink& link) const;

  const TraceAnalysis analysis_;
  Holdings& holdings_;
  std::vector<std::vector<std::uint32_t>> by_step_;  ///< From 1.
  std::vector<std::vector<Received>> received_;      ///< By rank, ascending.
};

}  // namespace rankscope::narration
