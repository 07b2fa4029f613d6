// Finds memory of an open operation that another one of the same rank writes or reads, from the ranges alone. An
// operation is open from the event that posts it to the wait for it (or to its completion, where the trace lacks the
// wait), in the rank's program order.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/findings/early_reads.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_lines.h"
#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
namespace {

using Kind = Finding::Kind;
using Severity = Finding::Severity;

struct Range64 {
  std::uint64_t begin = 0, end = 0;
  bool empty() const { return end <= begin; }
};

/// The open ranges of one buffer, of one sort (read by sends, or written by receives).
class OpenRanges {
 public:
  void add(Range64 range, std::uint32_t operation) {
    longest_ = std::max(longest_, range.end - range.begin);
    open_.emplace(range.begin, Open{range.end, operation});
  }
  void remove(Range64 range, std::uint32_t operation) {
    for (auto [at, last] = open_.equal_range(range.begin); at != last; ++at)
      if (at->second.operation == operation) {
        open_.erase(at);
        return;
      }
  }
  /// An operation whose range overlaps this one, or kNone.
  std::uint32_t over(Range64 range) const {
    if (range.empty()) return kNone;
    const auto first = open_.upper_bound(range.begin - std::min(range.begin, longest_));
    for (auto at = first == open_.begin() ? first : std::prev(first);
         at != open_.end() && at->first < range.end; ++at)
      if (at->second.end > range.begin) return at->second.operation;
    return kNone;
  }

 private:
  struct Open {
    std::uint64_t end;
    std::uint32_t operation;
  };
  std::multimap<std::uint64_t, Open> open_;
  std::uint64_t longest_ = 0;
};

class Memory {
 public:
  Memory(const TraceOperations& facts, Report& report)
      : facts_(facts),
        report_(report),
        of_buffer_(facts.trace.definitions(Definition::Kind::buffer).size() + 1) {}

  void find() {
    for (const Moment& moment : facts_.moments) {
      if (moment.operation == kNone) work(moment.event);
      else if (moment.what == Moment::What::posted) post(moment.operation, moment.event);
      else if (closes(moment)) close(moment.operation);
    }
  }

 private:
  struct Buffer {
    OpenRanges sends, receives;
  };

  bool closes(const Moment& moment) const {
    const Operation& one = facts_.operations[moment.operation];
    return moment.event == (one.waited != kNoEvent ? one.waited : one.completed);
  }
  static Range64 written(const StepEvent& event) {
    return {event.out_offset, event.out_offset + event.bytes};
  }
  static Range64 read(const StepEvent& event) {
    return {event.in_offset, event.in_offset + event.bytes};
  }
  /// The range that an operation reads or writes, as far as its message reaches.
  Range64 range_of(const Operation& one) const {
    Range64 range{one.offset, one.offset + one.bytes};
    if (!one.send && one.partner != kNone)
      range.end = std::min(range.end, range.begin + facts_.operations[one.partner].bytes);
    return range;
  }
  std::uint32_t buffer_of(const Operation& one) const {
    return one.buffer < of_buffer_.size() ? one.buffer : 0;
  }

  void post(std::uint32_t i, std::uint64_t k) {
    const Operation& one = facts_.operations[i];
    const auto id = buffer_of(one);
    const Range64 range = range_of(one);
    if (id == 0 || range.empty()) return;
    if (one.send) check_read(id, range, k);
    else check_write(id, range, k, i);
    auto& buffer = of_buffer_[id];
    (one.send ? buffer.sends : buffer.receives).add(range, i);
  }
  void close(std::uint32_t i) {
    const Operation& one = facts_.operations[i];
    const auto id = buffer_of(one);
    if (id == 0) return;
    auto& buffer = of_buffer_[id];
    (one.send ? buffer.sends : buffer.receives).remove(range_of(one), i);
  }

  void work(std::uint64_t k) {
    const StepEvent& event = facts_.trace[k];
    // The reduction of a recv_reduce is the receive's own.
    if (event.cause == 0 && event.in_buffer != 0) check_read(event.in_buffer, read(event), k);
    if (event.out_buffer != 0)
      check_write(event.out_buffer, written(event), k, facts_.find(event.cause));
  }

  void check_read(std::uint32_t id, Range64 range, std::uint64_t k) {
    if (id >= of_buffer_.size()) return;
    if (const auto open = of_buffer_[id].receives.over(range); open != kNone)
      report_overlap(open, k, true);
  }
  void check_write(std::uint32_t id, Range64 range, std::uint64_t k, std::uint32_t own) {
    if (id >= of_buffer_.size()) return;
    for (const auto* list : {&of_buffer_[id].sends, &of_buffer_[id].receives})
      if (const auto open = list->over(range); open != kNone && open != own)
        return report_overlap(open, k, false, own);
  }

  std::string doing(std::uint64_t k) const {
    const StepEvent& event = facts_.trace[k];
    const std::string at = facts_.at(k);
    if (is_send(event.verb)) return fmt::format("the send to rank {}{}", event.peer, at);
    if (is_recv(event.verb) && event.kind == EventKind::posted)
      return fmt::format("the receive from {}{}", rank_name(event.peer), at);
    return fmt::format("the {}{}", to_string(event.verb), at);
  }
  /// Writes by the program itself are noticed at its next call.
  std::string writer(std::uint64_t k, const std::string& line) const {
    if (facts_.trace[k].verb != Verb::touch) return doing(k);
    if (!line.empty()) return "the code at " + line;
    const std::string next = facts_.site(k);
    return next.empty() ? "the code" : "the code before " + next;
  }

  /// Returns the receive that writes into an open send's memory, if its message could only come after the send's had
  /// arrived; otherwise null.
  const Operation* late_writer(const Operation& one, std::uint32_t own) const {
    if (!one.send || own == kNone || facts_.operations[own].completed == kNoEvent) return nullptr;
    const Operation* const writer = &facts_.operations[own];
    const auto late = receipts_after(facts_, one, writer->completed + 1);
    return ranges::find(late, writer) == late.end() ? nullptr : writer;
  }

  /// Advice on receives of one call from several ranks into the same place, which the text chooses by no rank; else empty.
  std::string advice_on_place(const Operation& one, std::uint32_t own) const {
    if (one.send || own == kNone || facts_.operations[own].site != one.site ||
        facts_.operations[own].offset != one.offset || facts_.operations[own].peer == one.peer)
      return {};
    const SourceText text(facts_.trace, one.site);
    const auto [verb, peer, tag, data] = call_text_of(text, text.line_number(), false);
    if (data.empty() || peer.empty() || !ranges::all_of(peer, in_name) || has_name(data, peer))
      return {};
    return fmt::format(
        "{0} is the same for each {1}: let {1}, the rank that the message comes "
        "from, choose the place, so that each has one of its own.",
        data, peer);
  }

  void report_overlap(std::uint32_t open, std::uint64_t k, bool reads, std::uint32_t own = kNone) {
    const Operation& one = facts_.operations[open];
    // Internal work, or that of a built-in on its own memory, does not concern the program.
    if (one.inside()) return;
    const bool touch = facts_.trace[k].verb == Verb::touch;
    // A note reports it, with the bytes that changed.
    Finding left(Kind::buffer_in_use);
    const bool returned = explain_returned(facts_, one, k, left);
    if (one.changed && (touch || returned || late_writer(one, own) != nullptr)) return;
    const auto* buffer = facts_.trace.definition(Definition::Kind::buffer, buffer_of(one));
    const auto line_of_write = [&] {
      return touch && buffer != nullptr
                 ? write_site(facts_.trace, one.site, facts_.trace[k].site, buffer->name)
                 : std::string();
    };
    // Once the message has come, it is itself what has changed, unless the program's text shows a write.
    const bool has_come = !one.send && one.completed != kNoEvent && one.completed < k;
    if (touch && has_come && (facts_.trace[k].site == one.site || line_of_write().empty())) return;
    report_.add_at(one.site, facts_.trace[k].site, Kind::buffer_in_use, [&] {
      Finding found(Kind::buffer_in_use);
      found.severity = Finding::Severity::warning;
      found.ranks = {one.rank, one.rank};
      found.events = {one.posted, k};
      const std::string line = line_of_write();
      found.site = line.empty() ? facts_.site(k) : line;
      found.what = fmt::format(
          "on rank {}, {} {} memory{} that {} still uses", one.rank, writer(k, line),
          reads ? "reads" : "writes",
          buffer == nullptr || buffer->name.empty() ? "" : fmt::format(" of \"{}\"", buffer->name),
          doing(one.posted));
      found.why = reads ? "Whether the message has arrived there by then is a matter of timing."
                  : one.send
                      ? "Until that request is waited for, its message may carry the old values or "
                        "the new ones."
                      : "Which of the two is there at the end is a matter of timing.";
      found.advice = reads ? "Wait for the receive before its memory is read."
                           : "Wait for the request first, or use memory of its own (a second "
                             "buffer) for one of the two.";
      if (auto advice = advice_on_place(one, own); !advice.empty())
        found.advice = std::move(advice);
      if (returned) {
        found.why = left.why;
        found.advice = left.advice;
      } else if (const Operation* const late = late_writer(one, own)) {
        found.severity = Severity::hint;
        found.why = words_of_receipt(facts_, *late);
      } else if (one.send && !reads && one.dropped && !facts_.platform.empty()) {
        found.severity = Severity::error;  // no wait of the program would make it right
      }
      return found;
    });
  }

  const TraceOperations& facts_;
  Report& report_;
  std::vector<Buffer> of_buffer_;
};

/// Reads by the program itself leave no event: the text between a call and its wait shows them.
class EarlyReads {
 public:
  EarlyReads(const TraceOperations& facts, Report& report) : facts_(facts), report_(report) {}

  void find() {
    if (!facts_.every_wait || !facts_.ran_through()) return;
    for (const BuiltInCall& call : facts_.calls)
      if (call.ends != kNoEvent)
        look_between(call.begins, call.ends,
                     built_in_name(facts_.trace, facts_.trace[call.begins]));
    for (const Operation& one : facts_.operations)
      if (!one.send && !one.built_in && !one.sync && one.waited != kNoEvent)
        look_between(one.posted, one.waited, "receive");
  }

 private:
  void look_between(std::uint64_t from, std::uint64_t to, const std::string& what) {
    if (facts_.trace[from].site == facts_.trace[to].site) return;
    const auto place = std::pair(facts_.trace[from].site, facts_.trace[to].site);
    const auto [known, fresh] = lines_.try_emplace(place);
    if (fresh) known->second = look_at_text(from, to);
    if (!known->second) return;
    const auto& [line, name] = *known->second;
    report_.add_at(place.first, place.second, Kind::buffer_in_use, [&] {
      Finding found(Kind::buffer_in_use);
      found.severity = Severity::warning;
      const Rank rank = facts_.trace[from].rank;
      found.ranks = {rank, rank};
      found.events = {from, to};
      const std::string file = facts_.site(from).substr(0, facts_.site(from).rfind(':'));
      found.site = fmt::format("{}:{}", file, line);
      found.what = fmt::format(
          "on rank {}, the code at {} reads \"{}\" before the wait for the {}{}", rank, found.site,
          name, what, facts_.site(from).empty() ? "" : " at " + facts_.site(from));
      found.why = "Whether the result is there by then is a matter of timing.";
      found.advice = fmt::format("Wait first (the wait is at {}), and use the result after that.",
                                 facts_.site(to));
      return found;
    });
  }

  std::optional<EarlyRead> look_at_text(std::uint64_t from, std::uint64_t to) const {
    const auto [begin, end] =
        in_one_function(facts_.trace, facts_.trace[from].site, facts_.trace[to].site);
    if (begin == nullptr || end->line <= begin->line) return std::nullopt;
    const SourceText text(facts_.trace, begin->id);
    return text.known() ? find_early_read(text, text.line_number(), end->line) : std::nullopt;
  }

  const TraceOperations& facts_;
  Report& report_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::optional<EarlyRead>> lines_;  // by site
};

/// MPI 4.0, section 6.1: the buffers of a collective must not overlap; MPI_IN_PLACE stands for the same one.
void find_shared(const TraceOperations& facts, Report& report) {
  if (!platform_of(facts.platform).mpi) return;
  std::map<std::uint32_t, std::string> of_line;
  for (const BuiltInCall& call : facts.calls) {
    const StepEvent& event = facts.trace[call.begins];
    const auto [at, fresh] = of_line.try_emplace(event.site);
    if (fresh) at->second = shared_buffer(facts.trace, event.site);
    if (at->second.empty()) continue;
    report.add_at(event.site, 0, Kind::buffer_in_use, [&] {
      Finding found(Kind::buffer_in_use);
      found.ranks = {event.rank};
      found.events = {call.begins};
      found.site = facts.site(call.begins);
      found.what = fmt::format("the {} at {} has \"{}\" as input and output",
                               built_in_name(facts.trace, event), found.site, at->second);
      found.why =
          "The two must not be the same memory: MPI may write the result where it still reads "
          "(Open MPI refuses it).";
      found.advice = fmt::format("Pass MPI.IN_PLACE as input, or a copy: {}.copy().", at->second);
      return found;
    });
  }
}

}  // namespace

void find_memory(const TraceOperations& facts, Report& report) {
  Memory(facts, report).find();
  EarlyReads(facts, report).find();
  find_shared(facts, report);
}

}  // namespace rankscope::finder
