// What the ranks of a run do, as far as it takes time: sizes only, written down once and then timed again and again.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

struct RunPlan {
  struct Message {
    Rank from = 0, to = 0;
    std::uint64_t bytes = 0;
  };
  struct Step {
    enum Kind : std::uint8_t {
      send,
      receive,     ///< Goes on when the message is there.
      await_sent,  ///< Goes on when the memory of what was sent may change.
      reduce,
      begin,  ///< The rank's time counts from here, and here its other strands begin.
    };
    Kind kind = send;
    std::uint32_t message = 0;
    std::uint64_t bytes = 0;  ///< To reduce.
  };
  /// A strand of a rank; the main ones have number 0.
  struct Line {
    Rank rank = 0;
    std::uint16_t strand = 0;
    std::vector<Step> steps;
  };

  int ranks = 0;
  std::vector<Line> lines;
  std::vector<Message> messages;
  double touched_bytes = 0;  ///< Inputs and outputs of all ranks, and what they receive.
};

}  // namespace rankscope
