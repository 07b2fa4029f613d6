// A trace's operations with everything known of them, for the families of findings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/account/op_table.h"
#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/findings/findings.h"
#include "engine/core/base/quantity.h"

namespace rankscope::finder {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A send or a receive.
struct Operation {
  std::uint64_t posted = kNoEvent, matched = kNoEvent, completed = kNoEvent;
  std::uint64_t waited = kNoEvent;  ///< The end of the wait for it (see "every_wait" for sends).
  std::uint32_t partner = kNone;    ///< The operation at the other end, once matched.
  Rank rank = -1;
  Rank peer = -1;  ///< As posted; kAnyRank in a receive from any rank.
  Tag tag = 0;
  // Copied from the posting event, which is elsewhere in memory. A send reads the range, a receive writes it.
  std::uint64_t bytes = 0, offset = 0;
  std::uint32_t buffer = 0, site = 0;
  Verb verb = Verb::send;
  DType dtype = DType::uint8;
  bool send = false;
  bool sync = false;      ///< It is internal, not the program's.
  bool built_in = false;  ///< Inside a built-in collective.
  bool dropped = false;   ///< The program never waited for it, as a note says.
  bool changed = false;   ///< Its memory was written while it was open, as a note says.

  /// Returns whether it belongs to a built-in collective or to rankscope, and not to the program's own messages.
  bool inside() const noexcept { return built_in || sync; }
};

/// A compact form of an event, a tenth of its size, for searches in trace order.
struct Moment {
  enum class What : std::uint8_t { posted, completed, waited, worked };
  std::uint64_t event;
  std::uint32_t operation;  ///< kNone: work (reduce, copy, scale, touch).
  std::uint16_t strand;
  What what;
};

class TraceOperations {
 public:
  explicit TraceOperations(const Trace& trace);

  const Trace& trace;
  std::optional<JobResult::Status> status;  ///< The outcome's, if known.
  std::string platform;                     ///< The job's; empty for one of our algorithms.
  bool every_wait = false;
  bool rendezvous = false;            ///< Every send waits for its receive.
  bool short_messages = true;         ///< A message may legally be shorter than its receive.
  std::vector<Operation> operations;  ///< In the order in which they were posted.
  std::vector<Moment> moments;        ///< The moments of these operations, and of work on buffers.
  std::vector<std::uint64_t> notes;
  std::vector<std::uint64_t> ended;  ///< By rank: the event of its successful end, or kNoEvent.
  std::vector<BuiltInCall> calls;
  /// By rank: the event that shows what it did outside of any verb when the run was stopped, or kNoEvent.
  /// Verb::compute: in its own code; Verb::wait: a Ray actor between two calls, or (peer is the rank) waiting for
  /// another actor.
  std::vector<std::uint64_t> stays;

  /// Returns whether the run came to its end without a known wrong result.
  bool ran_through() const;
  /// Returns whether several threads of the rank's program made calls, whose order in the one strand means nothing.
  bool has_threads(Rank rank) const;
  bool has_ended(Rank rank) const;
  /// Returns whether a rank waits for its next call: see `stays`.
  bool is_idle(Rank rank) const;
  /// Returns an operation's index, or kNone.
  std::uint32_t find(OpId op) const { return by_op_.find(op); }
  const StepEvent& posted(const Operation& one) const { return trace[one.posted]; }
  /// Messages match within a context; communicators of one context share it.
  ContextId context(const StepEvent& event) const;

  /// "worker.py:97"; for an event in a built-in, the site of the call.
  std::string site(std::uint64_t event) const;
  /// " at worker.py:97", " in the built-in allreduce at worker.py:97", or nothing.
  std::string at(std::uint64_t event) const;

 private:
  void take(std::uint64_t k);
  void link(Operation& one, const StepEvent& event, std::uint64_t k);
  void take_stay(const StepEvent& event, std::uint64_t k);
  void keep_idle();
  void take_local(const StepEvent& event, std::uint64_t k);
  void happened(std::uint64_t k, std::uint32_t operation, Moment::What what);
  const BuiltInCall* call_of(std::uint64_t event) const;

  OpTable<std::uint32_t> by_op_{kNone};
  std::vector<bool> built_in_phase_;  // by phase: true inside a built-in
};

/// Returns the sender's own receives, up to an event, of messages that were sent after this one had arrived, or that depend on
/// such a message.
std::vector<const Operation*> receipts_after(const TraceOperations& facts, const Operation& send,
                                             std::uint64_t until);
/// Returns the words that a send's message has its old values, because such a receive came later.
std::string words_of_receipt(const TraceOperations& facts, const Operation& receipt);
/// Adds to the finding that the C++ function that posted an operation had returned by an event, so that its own arrays were
/// gone. Returns false if that is not certain.
bool explain_returned(const TraceOperations& facts, const Operation& one, std::uint64_t event,
                      Finding& found);
/// Returns whether a receive writes into memory that a send reads.
bool overwrites(const Operation& receive, const Operation& send);

/// Returns whether an event notes that nobody waited for a built-in collective.
inline bool is_dropped_call(const StepEvent& event) {
  return event.kind == EventKind::note && event.cause == 0 &&
         event.tag == static_cast<std::int32_t>(Note::request_dropped);
}

/// Collects findings: the first few of each kind, one per source line.
class Report {
 public:
  using Kind = Finding::Kind;
  using Severity = Finding::Severity;
  explicit Report(std::size_t most) : most_(most) {}

  void add(Finding finding);
  /// The same, once for each pair of lines; repetitions are counted.
  void add_at(std::uint32_t site, std::uint32_t other, Kind kind,
              const std::function<Finding()>& make);
  bool has(Kind kind) const;
  /// Returns the first error of this kind; null if there is none.
  const Finding* first_error(Kind kind) const;
  /// Returns whether another finding of this kind would be shown; if not, call count() instead of making its text.
  bool room(Kind kind) const;
  void count(Kind kind);
  /// Returns the advice for findings that follow from an error that explains why ranks wait.
  std::string_view follows() const;
  std::vector<Finding> take();

 private:
  struct Place {
    std::size_t index;
    std::uint64_t times;
  };
  std::size_t most_;
  std::vector<Finding> found_;
  std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, Place> places_;
  std::map<Kind, std::pair<std::size_t, Finding::Severity>> more_;
};

/// Returns a rank's note that it left the run after catching an exception; null if there is none.
const Handed::Remark* noted_of(const TraceOperations& facts, Rank rank);

// The families, each in a file of its own.
void find_calls(const TraceOperations& facts, Report& report);
void find_messages(const TraceOperations& facts, Report& report);
void find_notes(const TraceOperations& facts, Report& report);
void find_memory(const TraceOperations& facts, Report& report);
void find_lost(const TraceOperations& facts, Report& report);
void find_waiting(const TraceOperations& facts, Report& report);
void find_buffered_only(const TraceOperations& facts, Report& report);
void find_races(const TraceOperations& facts, Report& report);
void find_unfinished(const TraceOperations& facts, Report& report);
void find_misused(const TraceOperations& facts, Report& report);  ///< In engine/analysis/meant.
void find_meant(const TraceOperations& facts, Report& report);    ///< In engine/analysis/meant.

/// Returns "rank 0 waits for its next call, and the driver waits for another one at main.py:22", for an idle rank.
std::string idle_text(const TraceOperations& facts, Rank rank);
/// `waiting` says which ranks wait for it: "rank 1 sends to rank 0 at main.py:13". Without ranks, events and site.
Finding never_called(const TraceOperations& facts, Rank rank, const std::string& waiting);

}  // namespace rankscope::finder
