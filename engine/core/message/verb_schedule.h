// Each rank's verbs in their order, with sizes only: what an algorithm does, without doing it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "engine/core/trace/event.h"

namespace rankscope {

class Communicator;

/// A program whose control flow depends on neither data nor order of arrival: each rank's verbs can be recorded by
/// running it alone, because each receive gets what it asks for.
class VerbSchedule {
 public:
  /// Called with the progress: ranks while recording, messages while they are carried out. Returns false to stop.
  using Heartbeat = std::function<bool(std::uint64_t done)>;

  /// Makes a schedule without steps; send(), receive() and the functions after them add steps.
  explicit VerbSchedule(int ranks);

  /// Runs `body` once for each rank, on this thread. Buffers must be ghosts. Throws UserError for code that needs data
  /// or arrivals: split(), receives from any rank, tests and probes, deadlines, waits for one of several.
  VerbSchedule(int ranks, const std::function<void(Communicator&)>& body,
               const Heartbeat& heartbeat = {});

  int ranks() const noexcept { return ranks_; }
  bool stopped() const noexcept { return stopped_; }
  std::uint64_t messages() const noexcept { return messages_; }
  /// The memory that all lines and their steps take.
  std::uint64_t bytes() const noexcept;

  /// A verb, kept in 16 bytes because 33 million messages are 84 million steps.
  struct Step {
    enum Kind : std::uint8_t { send, receive, reduce, compute, start, join };
    std::uint32_t kind : 4;
    std::uint32_t peer : 28;
    std::uint32_t channel;  ///< A message's context and tag, numbered; the line of start and join.
    std::uint64_t amount;   ///< Bytes, or nanoseconds.

    static Step of(Kind kind, std::uint32_t peer, std::uint32_t channel, std::uint64_t amount) {
      Step step;
      step.kind = static_cast<std::uint32_t>(kind) & 0xFU;
      step.peer = peer & 0xFFFFFFFU;
      step.channel = channel;
      step.amount = amount;
      return step;
    }
  };
  /// A strand of a rank. The first ones are the main ones, by rank.
  struct Line {
    Rank rank = 0;
    std::vector<Step> steps;
  };
  const std::vector<Line>& lines() const noexcept { return lines_; }
  /// The number of channels, at least 1.
  std::size_t channels() const noexcept { return std::max<std::size_t>(channels_.size(), 1); }

  // These append a step to a rank's main strand; they do not count messages().
  void send(Rank from, Rank to, std::int64_t bytes) { add(from, Step::send, to, bytes); }
  void receive(Rank at, Rank from) { add(at, Step::receive, from, 0); }
  void reduce(Rank at, std::int64_t bytes) { add(at, Step::reduce, 0, bytes); }
  void receive_reduce(Rank at, Rank from, std::int64_t bytes) {
    receive(at, from);
    reduce(at, bytes);
  }

 private:
  friend class VerbRecorder;
  void add(Rank rank, Step::Kind kind, Rank peer, std::int64_t amount) {
    lines_[static_cast<std::size_t>(rank)].steps.push_back(
        Step::of(kind, static_cast<std::uint32_t>(peer), 0, static_cast<std::uint64_t>(amount)));
  }
  std::uint32_t channel_of(ContextId context, Tag tag);

  const int ranks_;
  std::vector<Line> lines_;
  std::map<std::pair<ContextId, Tag>, std::uint32_t> channels_;
  std::uint64_t messages_ = 0;
  bool stopped_ = false;
};

}  // namespace rankscope
