// Mistakes in a run, found in its trace alone: ranks that wait for each other, messages and receives that
// stayed alone or do not fit, collectives that do not agree, memory that was touched too early; each with its reason and
// advice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/account/messages.h"
#include "engine/core/run/handed.h"

namespace rankscope {

struct Finding {
  /// Described by kFindingKinds, which has a row for each in the same order.
  enum class Kind : std::uint8_t {
    mismatched_call,
    deadlock,
    endless_work,
    never_called,
    lost_rank,
    not_supported,
    early_exit,
    unfinished,
    self_send,
    not_contiguous,
    truncated,
    size_mismatch,
    dtype_mismatch,
    mixed_kinds,
    misused_call,
    buffer_in_use,
    unreceived,
    unmatched,
    needs_buffering,
    request_dropped,
    wildcard,
    wrong_result,
    input_changed,
    wrong_units,
    no_data_sent,
    one_value,
    not_passed_on,
    own_not_used,
    doubtful_numbers
  };
  /// Errors and warnings are faults; a hint may be meant so.
  enum class Severity : std::uint8_t { error, warning, hint };
  Finding() = default;
  /// With the kind's usual severity.
  explicit Finding(Kind of) noexcept;

  Kind kind = Kind::deadlock;
  Severity severity = Severity::error;
  /// The ranks that it concerns. In a deadlock (and for needs_buffering) each waits for the next, the last for the
  /// first. For a message: sender, receiver (kAnyRank in a receive from any rank).
  std::vector<Rank> ranks;
  /// The event at which each of these ranks stood, or kNoEvent.
  std::vector<std::uint64_t> events;
  std::string site;  ///< The first event's, "allreduce_ring.cpp:27"; empty if unknown.
  std::string what, why, advice;
};

/// A kind of finding. Findings of equal severity are in the order of these rows: earlier ones explain later ones.
struct FindingKind {
  Finding::Kind kind;
  std::string_view name;
  Finding::Severity severity =
      Finding::Severity::error;  ///< Unless the run makes it more, or less.
  std::string_view summary;
  bool fails = false;      ///< It makes a rank fail with an error, which needs no other words.
  bool blocks = false;     ///< It is why ranks cannot go on.
  bool may_block = false;  ///< As an error, it may be why its ranks cannot go on.
  /// Where the window reports it instead of as a finding: with the run's result, in a broken run or in all.
  enum class Elsewhere : std::uint8_t { no, when_broken, always } elsewhere = Elsewhere::no;
  /// The advice for findings that follow from it (messages that stayed alone); empty where none do.
  std::string_view follows = {};
};
inline constexpr FindingKind kFindingKinds[] = {
    {.kind = Finding::Kind::mismatched_call,
     .name = "calls that do not agree",
     .summary = "ranks call different collectives, or with other arguments, or some do not",
     .fails = true,
     .blocks = true,
     .follows = "This follows from the calls that do not agree: resolve that first."},
    {.kind = Finding::Kind::deadlock,
     .name = "deadlock",
     .summary = "ranks wait for each other",
     .blocks = true,
     .elsewhere = FindingKind::Elsewhere::when_broken,
     .follows = "This follows from the deadlock: resolve that first."},
    {.kind = Finding::Kind::endless_work,
     .name = "endless work",
     .summary = "a rank was in its own code, without any message, until the run was ended",
     .blocks = true,
     .follows = "This follows from the rank that is in its own code: look at that first."},
    {.kind = Finding::Kind::never_called,
     .name = "call that never comes",
     .summary = "a rank waits to be called, and the driver waits for another call",
     .blocks = true,
     .follows = "This follows from the call that never comes: resolve that first."},
    {.kind = Finding::Kind::lost_rank,
     .name = "lost rank",
     .summary = "a rank died, or failed with an error of its own",
     .elsewhere = FindingKind::Elsewhere::always},
    {.kind = Finding::Kind::not_supported,
     .name = "not supported",
     .summary =
         "a part of the program's platform that rankscope lacks; the program is not at fault",
     .elsewhere = FindingKind::Elsewhere::always},
    {.kind = Finding::Kind::early_exit,
     .name = "early exit",
     .summary = "a rank ended while another one waits for it",
     .blocks = true,
     .elsewhere = FindingKind::Elsewhere::when_broken},
    {.kind = Finding::Kind::unfinished,
     .name = "not ended",
     .summary = "a rank was still in a verb when the run took too long or was interrupted",
     .elsewhere = FindingKind::Elsewhere::always},
    {.kind = Finding::Kind::self_send,
     .name = "message to itself",
     .summary = "a rank sends to itself, or waits for a message from itself",
     .fails = true,
     .may_block = true,
     .follows = "This may follow from the rank that waits for itself: resolve that first."},
    {.kind = Finding::Kind::not_contiguous,
     .name = "array with gaps",
     .summary = "an array with gaps was to be sent or received into",
     .fails = true},
    {.kind = Finding::Kind::truncated,
     .name = "truncated message",
     .summary = "a message is longer than its receive",
     .fails = true},
    {.kind = Finding::Kind::size_mismatch,
     .name = "size mismatch",
     .severity = Finding::Severity::warning,
     .summary = "a message is shorter than its receive",
     .fails = true},
    {.kind = Finding::Kind::dtype_mismatch,
     .name = "dtype mismatch",
     .severity = Finding::Severity::warning,
     .summary = "a message is sent as one type and received as another"},
    {.kind = Finding::Kind::mixed_kinds,
     .name = "mixed kinds",
     .summary = "an object is sent and a buffer received, or the reverse (mpi4py)",
     .fails = true},
    {.kind = Finding::Kind::misused_call,
     .name = "misused call",
     .summary = "a call that its platform carries out differently than intended"},
    {.kind = Finding::Kind::buffer_in_use,
     .name = "buffer in use",
     .summary = "memory of an operation that is still open is written, or read"},
    {.kind = Finding::Kind::unreceived,
     .name = "unreceived message",
     .summary = "no receive matched a message",
     .elsewhere = FindingKind::Elsewhere::always},
    {.kind = Finding::Kind::unmatched,
     .name = "unmatched receive",
     .summary = "no send matched a receive",
     .may_block = true,
     .elsewhere = FindingKind::Elsewhere::when_broken},
    {.kind = Finding::Kind::needs_buffering,
     .name = "needs buffered sends",
     .severity = Finding::Severity::warning,
     .summary = "the run is right only as long as sends are buffered"},
    {.kind = Finding::Kind::request_dropped,
     .name = "request never waited for",
     .severity = Finding::Severity::warning,
     .summary = "a request was dropped, and nobody waited for it",
     .may_block = true},
    {.kind = Finding::Kind::wildcard,
     .name = "receive from anybody",
     .severity = Finding::Severity::warning,
     .summary = "a receive from any rank could have got another rank's message"},
    {.kind = Finding::Kind::wrong_result,
     .name = "wrong result",
     .summary = "the ranks' results differ from those of the collective given by --as"},
    {.kind = Finding::Kind::input_changed,
     .name = "input changed",
     .severity = Finding::Severity::warning,
     .summary = "a function that returns its result changes its argument as well (--as)"},
    {.kind = Finding::Kind::wrong_units,
     .name = "elements for bytes",
     .severity = Finding::Severity::warning,
     .summary = "a number of bytes that the program prints is the number of elements sent"},
    {.kind = Finding::Kind::no_data_sent,
     .name = "no data sent",
     .severity = Finding::Severity::hint,
     .summary = "a rank, or every rank, neither sends nor receives data"},
    {.kind = Finding::Kind::one_value,
     .name = "one value only",
     .severity = Finding::Severity::hint,
     .summary = "all data sent are zeros, or the same number"},
    {.kind = Finding::Kind::not_passed_on,
     .name = "not passed on",
     .severity = Finding::Severity::hint,
     .summary = "every rank sends the same data in each step, whatever it has received"},
    {.kind = Finding::Kind::own_not_used,
     .name = "built-in instead of own function",
     .severity = Finding::Severity::hint,
     .summary = "a built-in collective is called where the file has a function of that name"},
    {.kind = Finding::Kind::doubtful_numbers,
     .name = "doubtful numbers",
     .severity = Finding::Severity::hint,
     .summary = "memory is sent that nobody wrote, NaN arises, or a division leaves elements over"},
};
static_assert(std::size(kFindingKinds) ==
                      static_cast<std::size_t>(Finding::Kind::doubtful_numbers) + 1 &&
                  std::ranges::is_sorted(kFindingKinds, std::ranges::less_equal(),
                                         &FindingKind::kind),
              "a row for each kind, in their order");
constexpr const FindingKind& info(Finding::Kind kind) noexcept {
  return kFindingKinds[static_cast<std::size_t>(kind)];
}
constexpr std::string_view to_string(Finding::Kind kind) noexcept { return info(kind).name; }
std::string_view to_string(Finding::Severity severity) noexcept;
inline Finding::Finding(Kind of) noexcept : kind(of), severity(info(of).severity) {}
/// "0 → 1 → 0"
std::string cycle_text(const Finding& deadlock);

/// The findings on a run, most serious first: at most `most` of each kind, and then one that says how many more there
/// are. Empty for a run that did what it should, or that goes on. A run that broke off has only those that are certain:
/// lost ranks, and mistakes made until then; its messages were still on their way.
///
/// Some depend on the trace's job: with "every_wait" each wait for a request is in the
/// trace, so that a blocking send is known from an isend, and a message that is shorter than its
/// receive is a fault, unless the job's platform is MPI or our own interface (core/run/platform.h).
std::vector<Finding> findings(const Trace& trace, std::size_t most = 8);
/// Returns whether one of them is more than a hint.
bool any_fault(const std::vector<Finding>& found) noexcept;
/// Returns whether one of them is an error: with it a command fails.
bool any_error(const std::vector<Finding>& found) noexcept;
/// Returns whether the only errors among them are parts that rankscope lacks.
bool only_unsupported(const std::vector<Finding>& found) noexcept;
/// Reports a part of the platform that a rank called and rankscope lacks.
Finding unsupported(const Handed::Remark& noted);

}  // namespace rankscope
