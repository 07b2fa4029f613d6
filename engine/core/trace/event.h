// The records that a rank writes of each step. Everything shown or graded is derived from these records (see
// README.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/bytes.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/types.h"

namespace rankscope {

using OpId = std::uint64_t;       ///< (world rank + 1) << 40 | counter; unique in a run; 0: none.
using ContextId = std::uint64_t;  ///< Communication context of a communicator (or strand).

inline constexpr int kOpCounterBits = 40;
constexpr Rank rank_of(OpId op) noexcept { return static_cast<Rank>(op >> kOpCounterBits) - 1; }
constexpr OpId make_op(Rank rank, std::uint64_t counter) noexcept {
  return (static_cast<OpId>(rank + 1) << kOpCounterBits) | counter;
}

/// Posted, Matched and Completed of one operation carry the same op id.
///  posted     the rank called the verb (a receive that stays blocked has no completed event)
///  matched    a receive found its message (cause = the send's op id); a send in rendezvous mode
///             learned that its receive is posted (cause = the receive's op id)
///  completed  a receive's data has arrived (in `out`, or in a message that a later reduce reads);
///             a send's memory may be reused
///  local      work on the rank itself, from begin_ns to time_ns: reduce, copy, scale, compute,
///             delay, or blocked time in wait
///  phase      verb phase_begin or phase_end
///  watch      a buffer became known, with its contents as preview (verb watch), or was changed by
///             code that we do not see (verb touch)
///  job        verb job_begin or job_end; job_end's `tag` is 0 if the rank's part succeeded
///  call       a program called one of our built-in collectives (verb phase_begin), or it returned
///             (phase_end). `phase` names it, after kBuiltIn ("built-in allreduce"); bytes, dtype and
///             reduce_op are the call's, peer is the root (-1: none), tag counts the calls on this
///             communicator. The messages that it makes stand in that phase.
///  note       what was noticed about operation `cause`; `tag` is a Note
enum class EventKind : std::uint8_t {
  posted,
  matched,
  completed,
  local,
  phase,
  watch,
  job,
  call,
  note
};
inline constexpr int kEventKindCount = 9;
inline constexpr std::string_view kBuiltIn = "built-in ";

/// A note's statement about operation `cause`.
enum class Note : std::int32_t {
  request_dropped = 1,  ///< The program never waited for it.
  buffer_changed,  ///< Its memory (bytes from out_offset of out_buffer) changed while it was open.
  self_send,       ///< Refused: a blocking send to the rank itself (peer). No operation exists.
  not_contiguous,  ///< Refused: the array has gaps. No operation exists; peer is the other side.
  group_made,      ///< The rank has called torch's new_group, which all ranks of the world should.
};
inline constexpr int kLastNote = 5;

enum class Verb : std::uint8_t {
  send,
  recv,
  recv_reduce,  ///< A receive whose message is reduced from where it lies.
  reduce,
  copy,
  scale,  ///< The division of AVG.
  compute,
  delay,  ///< An artificial delay that the user asked for.
  wait,  ///< The rank waited for operation `cause`: blocked since begin_ns, or (an irecv) not at all.
  phase_begin,
  phase_end,
  watch,
  touch,
  job_begin,
  job_end,
  sync,  ///< An internal message (split, start), not of the algorithm: a send.
  sync_recv,
};
inline constexpr int kVerbCount = 17;

enum class Origin : std::uint8_t { worker, agent, simulator };

/// One fixed-size record. Byte offsets and lengths, not elements. Unused fields are 0 (peer: -1).
struct StepEvent {
  OpId op = 0;
  OpId cause = 0;                ///< The operation that made this one possible (see EventKind).
  std::int64_t time_ns = 0;      ///< The rank's own monotonic clock, uncorrected.
  std::int64_t begin_ns = 0;     ///< Start of a local event; otherwise equal to time_ns.
  std::uint64_t bytes = 0;       ///< Payload, or length of the range.
  std::uint64_t in_offset = 0;   ///< Source range: what a send reads, a copy or reduce takes from.
  std::uint64_t out_offset = 0;  ///< Target range: what a receive, reduce, copy or scale writes.
  std::int32_t rank = -1;        ///< World rank.
  std::int32_t peer = -1;        ///< World rank of the other side; kAnyRank for a wildcard.
  std::int32_t tag = 0;
  std::uint32_t seq = 0;        ///< Position in the rank's stream, without gaps.
  std::uint32_t epoch = 0;      ///< The job's number on a persistent worker.
  std::uint32_t comm = 0;       ///< Definition id of the communicator.
  std::uint32_t in_buffer = 0;  ///< Definition id; 0: not a watched buffer (or a message).
  std::uint32_t out_buffer = 0;
  std::uint32_t site = 0;     ///< Definition id of the call site (a chain of up to four).
  std::uint32_t phase = 0;    ///< Definition id of the innermost phase.
  std::uint32_t preview = 0;  ///< 1 + offset of the contents in the blob area; 0: none.
  std::uint16_t strand = 0;   ///< 0: the rank's main strand; others: asynchronous collectives.
  EventKind kind = EventKind::posted;
  Verb verb = Verb::send;
  SendMode mode = SendMode::buffered;
  Origin origin = Origin::worker;
  DType dtype = DType::uint8;
  ReduceOp reduce_op = ReduceOp::sum;
};
static_assert(sizeof(StepEvent) == 112, "StepEvent is a wire and file format");

std::string_view to_string(EventKind kind) noexcept;
std::string_view to_string(Verb verb) noexcept;
constexpr bool is_send(Verb verb) noexcept { return verb == Verb::send || verb == Verb::sync; }
constexpr bool is_recv(Verb verb) noexcept {
  return verb == Verb::recv || verb == Verb::recv_reduce || verb == Verb::sync_recv;
}

/// Names that events refer to by number. Ids count from 1 per kind; on a rank's stream they are the
/// rank's own, in a trace they are the trace's (DefinitionTable renumbers them).
struct Definition {
  enum class Kind : std::uint8_t { site, phase, buffer, comm };
  Kind kind = Kind::site;
  std::uint32_t id = 0;
  std::uint32_t parent = 0;           ///< site: the caller's site; phase: the enclosing phase.
  std::uint32_t line = 0;             ///< site
  Rank rank = -1;                     ///< The rank that made the definition.
  std::string name;                   ///< site: function; phase, buffer, comm: name.
  std::string file;                   ///< site
  DType dtype = DType::uint8;         ///< buffer
  ContextId context = 0;              ///< comm
  std::vector<std::int64_t> extents;  ///< buffer: shape; comm: the members' world ranks.
  bool operator==(const Definition&) const = default;
};
inline constexpr int kDefinitionKinds = 4;

/// Returns the number of elements of a buffer; 0 for extents that are not an array's (a damaged or forged file).
Count count_of(const Definition& buffer) noexcept;
/// Returns the elements in `bytes` from byte `offset` on, cut at the buffer's end.
Range elements_at(const Definition& buffer, std::uint64_t offset, std::uint64_t bytes) noexcept;

/// Consecutive events of one rank, as transferred and as recorded.
struct EventBatch {
  Rank rank = -1;
  std::uint32_t epoch = 0;
  std::vector<StepEvent> events;
  Bytes blobs;  ///< Previews: u32 byte length, then the values (see Sampling).
  std::vector<Definition> definitions;  ///< New ones, before their first use.

  bool empty() const noexcept { return events.empty() && definitions.empty(); }
  void clear();
};

void encode(const Definition& definition, ByteWriter& out);
Definition decode_definition(ByteReader& in);
/// Throws FormatError for anything that is not a batch.
Bytes encode(const EventBatch& batch);
EventBatch decode_batch(std::span<const std::byte> data);

/// Returns the contents of an event's preview; empty if it has none or the blob area is damaged.
std::span<const std::byte> preview_of(const StepEvent& event, std::span<const std::byte> blobs);

class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Batches of one rank arrive in order; batches of several ranks may arrive from several threads.
  virtual void deliver(EventBatch&& batch) = 0;
  /// Gives an opportunity to write out what has gathered: several times per second, and at the end of a job.
  virtual void flush() {}
};

/// Selects the elements of a buffer that a preview shows: all of a lesson-sized buffer, otherwise kSamples evenly
/// spaced ones. The positions depend only on the buffer's count, so that every event that changes a range updates the
/// same samples.
class Sampling {
 public:
  static constexpr Count kWhole = 1024;  ///< Buffers up to this many elements are shown whole.
  static constexpr Count kSamples = 256;

  explicit Sampling(Count count) noexcept
      : count_(count), size_(count <= kWhole ? count : kSamples) {}
  Count size() const noexcept { return size_; }
  Count position(Count sample) const noexcept {
    return size_ == count_ ? sample : sample * count_ / size_;
  }
  /// Returns the samples whose positions lie in [range.offset, range.end()), as [offset, end) of samples.
  Range within(Range range) const noexcept {
    const Count first = first_at(range.offset);
    return {first, first_at(range.end()) - first};
  }

 private:
  Count first_at(Count element) const noexcept {
    if (size_ == count_) return element;
    Count sample = element * size_ / count_;
    while (sample < size_ && position(sample) < element) ++sample;
    while (sample > 0 && position(sample - 1) >= element) --sample;
    return sample;
  }
  Count count_;
  Count size_;
};

}  // namespace rankscope
