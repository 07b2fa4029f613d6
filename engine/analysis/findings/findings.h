// What is wrong with a run, found in its trace alone: who waited for whom, which messages and receives
// stayed alone or do not fit each other, which collectives do not agree, whose memory was touched too
// early; each with why it is wrong and what to try.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/messages.h"

namespace rankscope {

struct Finding {
  /// Of equal severity, in this order: what comes first explains what follows.
  enum class Kind : std::uint8_t {
    mismatched_call,  ///< Ranks call different collectives, or with other arguments, or some do not.
    deadlock,
    lost_rank,       ///< A rank died, or failed with an error of its own.
    early_exit,      ///< A rank ended while another one waits for it.
    self_send,       ///< A rank sends to itself, or waits for a message from itself.
    not_contiguous,  ///< An array with gaps was to be sent or received into.
    truncated,       ///< A message was longer than its receive.
    size_mismatch,   ///< It was shorter.
    dtype_mismatch,
    buffer_in_use,  ///< Memory of an operation that was still open was written, or read.
    unreceived,
    unmatched,
    needs_buffering,  ///< Right only as long as sends are buffered.
    request_dropped,  ///< Nobody waited for it.
    wildcard          ///< A receive from anybody could have got another rank's message.
  };
  /// Errors and warnings are faults; a hint may be meant so.
  enum class Severity : std::uint8_t { error, warning, hint };
  Kind kind = Kind::deadlock;
  Severity severity = Severity::error;
  /// Whom it concerns. A deadlock's are a circle: each waits for the next, the last for the first
  /// (those of needs_buffering, too). Of a message: sender, receiver (kAnyRank: of a receive from
  /// anybody).
  std::vector<Rank> ranks;
  /// Where each of these ranks stood, as far as it concerns them (kNoEvent: nowhere).
  std::vector<std::uint64_t> events;
  std::string site;  ///< "allreduce_ring.cpp:27" of the first event; empty: unknown.
  std::string what, why, advice;
};
inline constexpr int kFindingKinds = 15;
std::string_view to_string(Finding::Kind kind) noexcept;
std::string_view to_string(Finding::Severity severity) noexcept;
/// "0 → 1 → 0"
std::string circle_text(const Finding& deadlock);

/// Nothing for a run that did what it should, or that goes on. Of one that broke off only what is
/// certain all the same: the ranks that were lost, and what had gone wrong until then; its messages
/// were still on their way. Most serious first; of each kind at most `most`, and then one that says
/// how many more there are.
///
/// What the trace's job says decides about some: with "every_wait" each wait for a request is in the
/// trace, so that a blocking send is known from an isend, and a message that is shorter than its
/// receive is a fault, unless "platform" is "mpi" (or "mpi4py" ...) or "native" (our own interface).
std::vector<Finding> findings(const Trace& trace, std::size_t most = 8);
/// Whether one of them is more than a hint.
bool any_fault(const std::vector<Finding>& found) noexcept;

}  // namespace rankscope
