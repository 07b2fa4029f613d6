// Records each rank's verbs once, with sizes only, and executes them in virtual time without fibers, for large worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "engine/core/message/communicator.h"
#include "engine/core/message/rank_context.h"
#include "transports/sim/sim_options.h"

namespace rankscope {

/// A program whose control flow depends on neither data nor order of arrival: each rank's verbs can be recorded by
/// running it alone, because each receive gets what it asks for.
class VerbSchedule {
 public:
  /// Called with the progress: ranks while recording, messages while executing. Returns false to stop.
  using Heartbeat = std::function<bool(std::uint64_t done)>;

  /// Runs `body` once for each rank, on this thread. Buffers must be ghosts. Throws UserError for code that needs data
  /// or arrivals: split(), receives from any rank, tests and probes, deadlines, waits for one of several.
  VerbSchedule(int ranks, const std::function<void(Communicator&)>& body,
               const Heartbeat& heartbeat = {});

  struct Result {
    double finish_s = 0;  ///< The virtual time at which the last rank ended.
    std::uint64_t messages = 0, events = 0;
    bool stopped = false;
  };
  /// Executes the steps as a SimWorld would, to the same finish time. Throws UserError for a network with shared links,
  /// jitter, failures, messages above the eager limit or shorter than their receives, and if ranks wait for each other.
  Result carry_out(const SimOptions& options, const Heartbeat& heartbeat = {}) const;

  int ranks() const noexcept { return ranks_; }
  bool stopped() const noexcept { return stopped_; }
  std::uint64_t messages() const noexcept { return messages_; }
  /// The steps of all lines.
  std::uint64_t bytes() const noexcept;

  /// 16 bytes: 33 million messages are 84 million steps.
  struct Step {
    enum Kind : std::uint8_t { send, receive, reduce, compute, start, join };
    std::uint32_t kind : 4;
    std::uint32_t peer : 28;
    std::uint32_t channel;  ///< A message's context and tag, numbered; the line of start and join.
    std::uint64_t amount;   ///< Bytes, or nanoseconds.
  };
  /// A strand of a rank. The first ones are the main ones, by rank.
  struct Line {
    Rank rank = 0;
    std::vector<Step> steps;
  };
  const std::vector<Line>& lines() const noexcept { return lines_; }

 private:
  friend class VerbRecorder;
  std::uint32_t channel_of(ContextId context, Tag tag);

  const int ranks_;
  std::vector<Line> lines_;
  std::map<std::pair<ContextId, Tag>, std::uint32_t> channels_;
  std::uint64_t messages_ = 0;
  bool stopped_ = false;
};

}  // namespace rankscope
