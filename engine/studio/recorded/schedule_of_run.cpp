// Reads moves from the messages of a trace.
#include "engine/studio/recorded/schedule_of_run.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// Returns the event with which the receiver adds a message: at once, or from the memory into which it was received;
// kNoEvent if it keeps the message.
std::uint64_t adding_event(const TraceAnalysis& run, const MessageRecord& message) {
  if (message.received == kNoEvent) return kNoEvent;
  const StepEvent& got = run.trace()[message.received];
  if (got.verb == Verb::recv_reduce) return message.received;
  for (std::uint64_t k = message.received + 1; k < run.trace().size(); ++k) {
    const StepEvent& event = run.trace()[k];
    if (event.rank != message.to) continue;
    if (event.verb == Verb::reduce && event.cause == message.recv) return k;
    if (got.out_buffer == 0 || event.kind == EventKind::posted) continue;
    const auto touches = [&](BufferId buffer, std::uint64_t offset) {
      return buffer == got.out_buffer && offset < got.out_offset + got.bytes &&
             got.out_offset < offset + event.bytes;
    };
    // The first use of that memory decides.
    if (touches(event.in_buffer, event.in_offset)) return event.verb == Verb::reduce ? k : kNoEvent;
    if (touches(event.out_buffer, event.out_offset)) return kNoEvent;
  }
  return kNoEvent;
}

// In a table, a step sends the sums of all steps before it. A receiver that adds from other memory may still send the
// same elements without the sum in a later step.
bool sends_before_adding(const TraceAnalysis& run, std::uint32_t m, std::uint64_t adding) {
  const auto& rounds = run.rounds();
  const MessageRecord& message = rounds.messages[m];
  if (adding == kNoEvent || adding == message.received) return false;
  for (std::uint32_t later = 0; later < rounds.messages.size(); ++later) {
    const MessageRecord& sent = rounds.messages[later];
    if (sent.from == message.to && rounds.round[later] > rounds.round[m] && sent.sent < adding)
      return true;
  }
  return false;
}

class RunReader {
 public:
  RunReader(const TraceAnalysis& run, std::string_view algorithm, std::string_view advice)
      : run_(run), algorithm_(algorithm), advice_(advice) {}

  /// Messages that carry data, by round, sender, receiver and time.
  std::vector<std::uint32_t> messages() const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t m = 0; m < run_.rounds().messages.size(); ++m)
      if (!run_.rounds().messages[m].sync && run_.rounds().messages[m].bytes > 0) out.push_back(m);
    ranges::sort(out, {}, [&](std::uint32_t m) {
      const MessageRecord& message = run_.rounds().messages[m];
      return std::tuple(run_.rounds().round[m], message.from, message.to, m);
    });
    return out;
  }
  Range range_of(std::uint32_t m) const {
    const Range out = run_.pieces().of(run_.rounds().messages[m]).elements;
    if (out.offset < 0)
      fail(fmt::format("a message of rank {} does not lie in one place of the data",
                       run_.rounds().messages[m].from));
    return out;
  }
  void add_moves(std::uint32_t m, const Partition& part, Schedule& out) const {
    const MessageRecord& message = run_.rounds().messages[m];
    const Range range = range_of(m);
    const std::uint64_t adding = adding_event(run_, message);
    ScheduleMove move{run_.rounds().round[m], message.from, message.to, ScheduleMove::kWhole,
                      adding != kNoEvent};
    if (sends_before_adding(run_, m, adding))
      fail(fmt::format("rank {} adds what it receives in step {} only after later sends",
                       message.to, move.step));
    if (range.count == part.count() && part.parts() > 1) return out.moves.push_back(move);
    const int first = part.chunk_of(range.offset), last = part.chunk_of(range.end() - 1);
    if (part.span(first, last + 1) != range)
      fail(fmt::format("it sends parts of {} chunks", part.parts()));
    for (move.chunk = first; move.chunk <= last; ++move.chunk) out.moves.push_back(move);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UserError(fmt::format("{} cannot be written as a table of steps, because {}: {}",
                                algorithm_, why, advice_));
  }
  const TraceAnalysis& run_;
  const std::string_view algorithm_, advice_;
};

}  // namespace

Schedule schedule_of_run(const TraceAnalysis& run, int chunks, std::string_view algorithm,
                         std::string_view advice) {
  Schedule out;
  if (chunks != run.trace().world_size()) out.chunks = chunks;
  const Partition part(run.pieces().whole(), chunks);
  const RunReader reader(run, algorithm, advice);
  for (const std::uint32_t m : reader.messages()) reader.add_moves(m, part, out);
  return out;
}

int chunks_of_run(const TraceAnalysis& run, std::string_view algorithm) {
  const RunReader reader(run, algorithm, "record another algorithm or size");
  const int ranks = run.trace().world_size();
  std::vector<Range> ranges;
  for (const std::uint32_t m : reader.messages()) ranges.push_back(reader.range_of(m));
  if (ranges.empty() && ranks > 1)
    throw UserError(fmt::format(
        "{} has no messages with data: record a collective of several ranks", algorithm));
  const auto fits = [&](int chunks) {
    const Partition part(run.pieces().whole(), chunks);
    return ranges::all_of(ranges, [&](const Range& range) {
      return part.span(part.chunk_of(range.offset), part.chunk_of(range.end() - 1) + 1) == range;
    });
  };
  constexpr Count kMost = 1 << 16;
  const auto whole = static_cast<int>(std::min(run.pieces().whole(), kMost));
  for (int chunks = ranks; chunks <= whole; chunks += ranks)
    if (fits(chunks)) return chunks;
  for (int chunks = 1; chunks <= whole; ++chunks)
    if (fits(chunks)) return chunks;
  throw UserError(
      fmt::format("{} cannot be written as a table of steps, because its messages are no whole "
                  "parts of at most {} chunks: "
                  "record another size",
                  algorithm, whole));
}

}  // namespace rankscope
