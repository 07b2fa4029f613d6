// Finds messages that do not fit their receive, and operations with a note in the trace.
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
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

/// A message with its receive.
struct Pair {
  const Operation& send;
  const Operation& recv;
};

Finding of_pair(const TraceOperations& facts, const Pair& pair, Kind kind) {
  Finding found(kind);
  found.ranks = {pair.send.rank, pair.recv.rank};
  found.events = {pair.send.posted, pair.recv.posted};
  found.site = facts.site(pair.recv.posted);
  return found;
}

std::string ends_of(const TraceOperations& facts, const Pair& pair) {
  return fmt::format("from rank {} to rank {} (sent{}, received{})", pair.send.rank, pair.recv.rank,
                     facts.at(pair.send.posted), facts.at(pair.recv.posted));
}

bool is_of(const Operation& one, const Operation& other) {
  return one.send == other.send && !one.sync && !one.built_in && one.rank == other.rank &&
         one.tag == other.tag;
}

/// The message of the same sender and tag, next to this one, that has just the receive's size and type, where this one
/// has not: the two sides have these two in another order. Null if there is none.
const Operation* in_other_order(const TraceOperations& facts, const Pair& pair) {
  const auto alike = [](const Operation& a, const Operation& b) {
    return a.bytes == b.bytes && a.dtype == b.dtype;
  };
  if (alike(pair.send, pair.recv)) return nullptr;
  const auto here = static_cast<std::size_t>(&pair.send - facts.operations.data());
  const auto is_next = [&](const Operation& one) {
    return is_of(one, pair.send) && one.peer == pair.send.peer &&
           facts.posted(one).comm == facts.posted(pair.send).comm;
  };
  const Operation* next = nullptr;
  for (std::size_t k = here + 1; k < facts.operations.size() && next == nullptr; ++k)
    if (is_next(facts.operations[k])) next = &facts.operations[k];
  if (next != nullptr && alike(*next, pair.recv)) return next;
  const Operation* before = nullptr;
  for (std::size_t k = here; k-- > 0 && before == nullptr;)
    if (is_next(facts.operations[k])) before = &facts.operations[k];
  // The one before fitted its own receive no better than this one would have.
  if (before == nullptr || before->partner == kNone || !alike(*before, pair.recv)) return nullptr;
  return alike(pair.send, facts.operations[before->partner]) ? before : nullptr;
}

void explain_order(const TraceOperations& facts, const Pair& pair, const Operation& other,
                   Finding& found) {
  const bool is_later = other.posted > pair.send.posted;
  found.why = fmt::format(
      "The two sides have two messages in another order: the {} message of rank {}{} has just the "
      "size and the type of this receive. Messages of one sender and tag come as they were sent.",
      is_later ? "next" : "previous", other.rank, facts.at(other.posted));
  found.advice =
      "Receive in the order of the sends, or send in that of the receives; or give the two "
      "messages different tags.";
}

/// Returns the number of elements, if both sides give as many but of types of different sizes.
std::optional<std::uint64_t> same_count(const Pair& pair) {
  const auto sent = pair.send.bytes / dtype_size(pair.send.dtype);
  const bool raw = pair.send.dtype == DType::uint8 || pair.recv.dtype == DType::uint8;
  if (raw || pair.send.dtype == pair.recv.dtype ||
      sent != pair.recv.bytes / dtype_size(pair.recv.dtype))
    return std::nullopt;
  return sent;
}

Finding truncated(const TraceOperations& facts, const Pair& pair) {
  Finding found = of_pair(facts, pair, Kind::truncated);
  found.what = fmt::format("the message {} has {}, but the receive has room for {} only",
                           ends_of(facts, pair), counted(pair.send.bytes, "byte"), pair.recv.bytes);
  found.why = "What does not fit is lost, so the receive fails.";
  if (const auto elements = same_count(pair)) {
    found.why = fmt::format(
        "Both sides give {}, but they are sent as {} and received as {}: not of the same size.",
        counted(*elements, "element"), to_string(pair.send.dtype), to_string(pair.recv.dtype));
    found.advice = "Make both arrays of one type, or convert before the send.";
    return found;
  }
  found.advice =
      "Give both sides the same count. Do the two compute the chunk's bounds in the same "
      "way, also where the length is no multiple of the number of ranks?";
  const SourceText text(facts.trace, pair.recv.site);
  const std::string name = call_text_of(text, text.line_number(), false).data;
  const auto line =
      !name.empty() && ranges::all_of(name, in_name)
          ? line_above(text, text.line_number(), std::regex("vector<[^;]*> (" + name + ")\\("))
                .first
          : 0;
  if (line > 0) found.what += fmt::format("; {} is made at {}", name, text.site(line));
  if (pair.recv.bytes == 0)
    found.advice =
        "The receive's array is empty at this line: give it elements first, by resize() or its "
        "constructor. reserve() gives it none.";
  if (const Operation* const other = in_other_order(facts, pair))
    explain_order(facts, pair, *other, found);
  return found;
}

Finding shorter(const TraceOperations& facts, const Pair& pair) {
  Finding found = of_pair(facts, pair, Kind::size_mismatch);
  const bool reduced = pair.recv.verb == Verb::recv_reduce;
  if (reduced) found.severity = Severity::error;
  found.what = fmt::format("the message {} has {} only, where the receive expects {}",
                           ends_of(facts, pair), counted(pair.send.bytes, "byte"), pair.recv.bytes);
  found.why = reduced ? "A message can be reduced into a range of its own length only."
                      : "The rest of the memory keeps what was there before.";
  found.advice = "Give both sides the same count; receive into a slice of the message's length.";
  return found;
}

Finding other_type(const TraceOperations& facts, const Pair& pair) {
  Finding found = of_pair(facts, pair, Kind::dtype_mismatch);
  const bool raw = pair.send.dtype == DType::uint8 || pair.recv.dtype == DType::uint8;
  if (raw) found.severity = Severity::hint;
  found.what = fmt::format("the message {} is sent as {} and received as {}", ends_of(facts, pair),
                           to_string(pair.send.dtype), to_string(pair.recv.dtype));
  found.why = "Only bytes travel: the receiver takes the bits of the one type for the other.";
  if (pair.send.bytes < pair.recv.bytes)
    found.why += fmt::format(" They fill {} of its {} bytes.", pair.send.bytes, pair.recv.bytes);
  found.advice = "Make both arrays of one type, or convert before the send.";
  if (const Operation* const other = in_other_order(facts, pair))
    explain_order(facts, pair, *other, found);
  return found;
}

/// Returns whether a program in C++ drops what its receive returns, and so does not hear of the message's length.
bool drops_length(const TraceOperations& facts, const Operation& receive) {
  const SourceText text(facts.trace, receive.site);
  const std::string_view line = trimmed(text.here());
  if (!text.is_cpp() || !platform_of(facts.platform).compiled) return false;
  const auto call = line.find("recv(");
  if (call == std::string_view::npos) return false;
  // A statement of its own, "comm.recv(...);" or "comm->sendrecv(...);"
  return line.substr(0, call).find_first_of("=( ") == std::string_view::npos &&
         line.ends_with(';') && line.substr(call).find(").") == std::string_view::npos;
}

Finding rest_kept(const TraceOperations& facts, const Pair& pair) {
  Finding found = shorter(facts, pair);
  found.severity = Severity::hint;
  if (pair.send.bytes == 0) {
    found.what = fmt::format("the message {} is empty, and the receive has room for {}",
                             ends_of(facts, pair), counted(pair.recv.bytes, "byte"));
    found.advice = "Is the sender's array empty at this line, as after std::move or clear()?";
  } else {
    found.advice =
        "If it is meant so, look at the length that recv returns (.bytes); else give both sides "
        "the same count.";
  }
  return found;
}

/// The verb's name in the program's text: "Isend"; empty if unknown.
std::string verb_of(const TraceOperations& facts, const Operation& one) {
  const SourceText text(facts.trace, one.site);
  return text.known() ? call_text_of(text, text.line_number(), one.send).verb : std::string();
}

/// mpi4py: names in lower case pass objects, others the memory of arrays.
Finding mixed(const TraceOperations& facts, const Pair& pair) {
  const std::string sent = verb_of(facts, pair.send), received = verb_of(facts, pair.recv);
  Finding found = of_pair(facts, pair, Kind::mixed_kinds);
  found.what = fmt::format("the message {} mixes objects and buffers: {} meets {}",
                           ends_of(facts, pair), sent, received);
  found.why =
      "send and recv, in lower case, pass any object, pickled; Send and Recv pass the memory of an "
      "array as it is. Neither reads what the other has sent.";
  found.advice =
      "Use the same on both sides: Send with Recv for arrays, send with recv for objects.";
  return found;
}

bool is_mixed(const TraceOperations& facts, const Pair& pair) {
  if (!platform_of(facts.platform).mpi) return false;
  const std::string sent = verb_of(facts, pair.send), received = verb_of(facts, pair.recv);
  const auto of_buffers = [](const std::string& verb) { return verb[0] >= 'A' && verb[0] <= 'Z'; };
  return !sent.empty() && !received.empty() && of_buffers(sent) != of_buffers(received);
}

bool has_failed(const TraceOperations& facts, Rank rank) {
  const auto& outcome = facts.trace.meta().outcome;
  return outcome && ranges::any_of(outcome->ranks, [&](const RankOutcome& one) {
           return one.rank == rank && !one.error.empty() && one.cause != rankscope::Cause::stopped;
         });
}

/// A message that a function receives into its own copy of an array, which ends with it.
void find_lost_copy(const TraceOperations& facts, const Pair& pair, Report& report) {
  const auto copy = lost_copy(SourceText(facts.trace, pair.recv.site));
  if (!copy) return;
  report.add_at(pair.recv.site, 0, Kind::misused_call, [&] {
    Finding found = of_pair(facts, pair, Kind::misused_call);
    found.severity = Severity::hint;
    found.what = fmt::format(
        "what rank {} receives{} goes into {}, the copy of an array that {}() takes (line {}), and "
        "nothing reads it",
        pair.recv.rank, facts.at(pair.recv.posted), copy->name, copy->function, copy->line);
    found.why = "A parameter by value is the function's own: the caller's array stays as it was.";
    found.advice = fmt::format("Take the parameter by reference: {}& {}.", copy->type, copy->name);
    return found;
  });
}

void look_at(const TraceOperations& facts, const Pair& pair, Report& report) {
  // A receive of any size (of mpi4py's objects) names no memory: every message fits, also one that was not taken any more.
  const bool too_long = pair.send.bytes > pair.recv.bytes && pair.recv.completed == kNoEvent;
  const bool has_memory =
      platform_of(facts.platform).compiled && too_long && has_failed(facts, pair.recv.rank);
  if (pair.recv.bytes == 0 && !has_memory) return;
  const auto told = [&](Kind kind, Finding (*make)(const TraceOperations&, const Pair&)) {
    report.add_at(pair.send.site, pair.recv.site, kind, [&] { return make(facts, pair); });
  };
  if (too_long) told(Kind::truncated, truncated);
  else if (pair.send.bytes < pair.recv.bytes &&
           (!facts.short_messages || pair.recv.verb == Verb::recv_reduce))
    told(Kind::size_mismatch, shorter);
  else if (pair.send.bytes < pair.recv.bytes && drops_length(facts, pair.recv) && !same_count(pair))
    told(Kind::size_mismatch, rest_kept);
  const bool is_reported = too_long && same_count(pair);
  if (pair.send.dtype != pair.recv.dtype && pair.send.bytes > 0 && !is_reported)
    told(Kind::dtype_mismatch, other_type);
}

std::string name_of(const TraceOperations& facts, const Operation& one) {
  const Rank peer =
      one.peer < 0 && one.matched != kNoEvent ? facts.trace[one.matched].peer : one.peer;
  return fmt::format("rank {}'s {} {}{}", one.rank, one.send ? "send to" : "receive from",
                     rank_name(peer), facts.at(one.posted));
}

Finding of_note(const TraceOperations& facts, std::uint64_t k, Kind kind) {
  Finding found(kind);
  found.ranks = {facts.trace[k].rank};
  found.events = {k};
  found.site = facts.site(k);
  return found;
}

/// A receive of another rank that waits for a message from this one, and may be meant by a send to itself.
const Operation* awaiting(const TraceOperations& facts, Rank rank) {
  for (const Operation& one : facts.operations)
    if (!one.send && !one.sync && !one.built_in && one.matched == kNoEvent && one.rank != rank &&
        one.peer == rank && !facts.has_ended(one.rank))
      return &one;
  return nullptr;
}

Finding self_send(const TraceOperations& facts, std::uint64_t k) {
  const Rank rank = facts.trace[k].rank;
  Finding found = of_note(facts, k, Kind::self_send);
  found.what = fmt::format("rank {} sends to itself{}", rank, facts.at(k));
  found.why =
      "A blocking send ends when its receive has begun, and a rank that waits in its send "
      "cannot begin one.";
  found.advice =
      "Copy the data instead of sending them, and check how the peer is computed: "
      "(rank + 1) % size, not rank.";
  // A loop over all ranks meets its own rank on the way.
  const Operation* const receive =
      stands_in_for_loop(facts.trace, facts.trace[k].site) ? nullptr : awaiting(facts, rank);
  if (receive != nullptr) {
    found.why = fmt::format(
        "The send names the wrong destination: rank {} waits for a message from rank {}{}.",
        receive->rank, rank, facts.at(receive->posted));
    found.advice = fmt::format("Send to rank {} on rank {}.", receive->rank, rank);
  }
  return found;
}

Finding not_contiguous(const TraceOperations& facts, std::uint64_t k) {
  const StepEvent& note = facts.trace[k];
  Finding found = of_note(facts, k, Kind::not_contiguous);
  found.what =
      fmt::format("rank {} passes an array with gaps to a message{}{}", note.rank,
                  note.peer >= 0 ? fmt::format(" to or from rank {}", note.peer) : "", facts.at(k));
  found.why =
      "A message is one piece of memory; a column, a transpose or a slice with a step is "
      "not.";
  found.advice =
      "Send a contiguous copy: x.contiguous(), or np.ascontiguousarray(x); receive into "
      "a contiguous array and copy from there.";
  return found;
}

int line_in(const std::string& site) {
  const auto colon = site.rfind(':');
  return colon == std::string::npos ? 0 : std::atoi(site.c_str() + colon + 1);
}

/// The receive that shows at its line that a message had arrived, before line `write` of the same file was reached; or,
/// without such a line, the receive that itself wrote the message's memory. Null if there is none.
const Operation* receipt_before(const TraceOperations& facts, const Operation& send,
                                std::uint64_t until, const std::string& write) {
  const Operation* writer = nullptr;
  for (const Operation* one : receipts_after(facts, send, until)) {
    const std::string site = facts.site(one->waited == kNoEvent ? one->posted : one->waited);
    if (write.empty() && overwrites(*one, send)) writer = one;
    if (!write.empty() && site.substr(0, site.rfind(':')) == write.substr(0, write.rfind(':')) &&
        line_in(site) > line_in(facts.site(send.posted)) && line_in(site) < line_in(write))
      return one;
  }
  if (writer == nullptr) return nullptr;
  const bool another = ranges::any_of(facts.operations, [&](const Operation& one) {
    return &one != writer && !one.send && one.rank == send.rank && one.posted > send.posted &&
           one.posted < until && overwrites(one, send);
  });
  return another ? nullptr : writer;
}

/// Puts into a finding's words that one call sends and receives in one memory, so that there is no request to wait for;
/// and the line that keeps the buffer of an earlier receive, which makes it so.
void say_one_call(const TraceOperations& facts, const Operation& one, const std::string& buffer,
                  Finding& found) {
  const SourceText text(facts.trace, one.site);
  found.what = fmt::format("rank {} sends and receives in one memory in one call{}", one.rank,
                           facts.at(one.posted));
  found.why = "What comes may be sent in place of what was there.";
  found.advice = "Receive into memory of its own, and copy it from there.";
  if (platform_of(facts.platform).mpi) {
    found.why = "What comes may be sent in place of what was there: MPI forbids it.";
    found.advice =
        "Receive into memory of its own; to replace what is sent there is Sendrecv_replace.";
  }
  const auto keeps = [&](std::string_view line) {
    line = line.substr(0, line.find('#'));
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    return !buffer.empty() && (line.ends_with("= " + buffer) || line.ends_with("=" + buffer) ||
                               line.find(".append(" + buffer + ")") != std::string_view::npos);
  };
  for (std::size_t line = 1; line <= text.size(); ++line)
    if (keeps(text.line(line))) {
      found.site = text.site(line);
      found.advice = fmt::format("{} keeps the buffer itself, not what has come: keep {}.copy().",
                                 found.site, buffer);
      return;
    }
}

Finding buffer_changed(const TraceOperations& facts, std::uint64_t k, const Operation& one) {
  const StepEvent& note = facts.trace[k];
  Finding found = of_note(facts, k, Kind::buffer_in_use);
  found.ranks = {one.rank, one.peer};
  found.events = {one.posted, k};
  const auto* buffer = facts.trace.definition(Definition::Kind::buffer, one.buffer);
  const SourceText text(facts.trace, one.site);
  // In C++ only arrays that are watched have names.
  const std::string data =
      text.is_cpp() ? call_text_of(text, text.line_number(), one.send).data : std::string();
  const std::string line =
      buffer == nullptr
          ? std::string()
          : write_site(facts.trace, one.site, note.site,
                       !data.empty() && ranges::all_of(data, in_name) ? data : buffer->name);
  found.site = line.empty() ? facts.site(one.posted) : line;
  found.what = fmt::format("the memory of {} changed{}{} before the request was waited for",
                           name_of(facts, one),
                           note.bytes > 0 ? fmt::format(" ({})", counted(note.bytes, "byte")) : "",
                           line.empty() ? "" : " at " + line);
  found.why = one.send ? "Until the wait ends, the message may carry the old values, the new ones, "
                         "or some of both."
                       : "The message may arrive before or after that write, and one of the two is "
                         "lost.";
  found.advice = one.send ? "Wait for the request before the memory is written, or send a copy."
                          : "Wait for the request first, or receive into memory of its own.";
  if (note.site == one.site && text.here().find("endrecv(") != std::string_view::npos) {
    say_one_call(facts, one, buffer == nullptr ? std::string() : buffer->name, found);
  } else if (const Operation* const receipt = explain_returned(facts, one, k, found)
                                                  ? nullptr
                                                  : receipt_before(facts, one, k, line)) {
    found.severity = Finding::Severity::hint;
    found.why = words_of_receipt(facts, *receipt);
  }
  return found;
}

Finding dropped(const TraceOperations& facts, std::uint64_t k, const Operation& one) {
  Finding found = of_note(facts, k, Kind::request_dropped);
  // MPI goes on with sends at its end; elsewhere, and of what is received, the result is left to chance.
  const bool ends_itself = one.send && platform_of(facts.platform).mpi;
  if (!facts.platform.empty() && !ends_itself) found.severity = Severity::error;
  found.ranks = {one.rank, one.peer};
  found.events = {one.posted, k};
  found.site = facts.site(one.posted);
  found.what = fmt::format("nobody waits for {}", name_of(facts, one));
  found.why = one.send ? "Only the wait says that the memory may be used again and that the send "
                         "has not failed."
                       : "Only the wait says that the message is there.";
  found.advice = "Keep the request, and wait for it before its memory is used or the rank ends.";
  return found;
}

/// Reports a built-in collective that nobody waits for.
Finding dropped_call(const TraceOperations& facts, std::uint64_t k) {
  const StepEvent& note = facts.trace[k];
  Finding found = of_note(facts, k, Kind::request_dropped);
  if (!facts.platform.empty() || facts.status == JobResult::Status::deadlock)
    found.severity = Severity::error;
  found.site = short_site(facts.trace, note.site);
  found.what =
      fmt::format("nobody waits for rank {}'s {}{}", note.rank, built_in_name(facts.trace, note),
                  found.site.empty() ? "" : " at " + found.site);
  found.why =
      "Only the wait says that the result is there: until then its memory may hold anything.";
  found.advice =
      "Keep the request, and wait for it before its memory is used or the rank ends: work = ...; "
      "work.wait().";
  return found;
}

}  // namespace

void find_messages(const TraceOperations& facts, Report& report) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> of_lines;  // mixed, by both sites
  for (const Operation& recv : facts.operations) {
    if (recv.send || recv.partner == kNone || recv.inside()) continue;
    const Pair pair{facts.operations[recv.partner], recv};
    if (pair.send.built_in) continue;
    const auto [at, fresh] = of_lines.try_emplace({pair.send.site, recv.site});
    if (fresh) at->second = is_mixed(facts, pair);
    if (at->second)
      report.add_at(pair.send.site, recv.site, Kind::mixed_kinds,
                    [&] { return mixed(facts, pair); });
    else look_at(facts, pair, report);
    if (fresh && recv.completed != kNoEvent) find_lost_copy(facts, pair, report);
  }
}

void find_notes(const TraceOperations& facts, Report& report) {
  // By rank, not by time: the same fault is reported in the same words each time.
  auto notes = facts.notes;
  ranges::stable_sort(notes, {}, [&](std::uint64_t k) { return facts.trace[k].rank; });
  for (const std::uint64_t k : notes) {
    const StepEvent& note = facts.trace[k];
    const auto op = facts.find(note.cause);
    const Operation* const one = op == kNone ? nullptr : &facts.operations[op];
    if (one != nullptr && one->built_in) continue;
    const auto site = one == nullptr ? note.site : one->site;
    const auto told = [&](Kind kind, const std::function<Finding()>& make) {
      report.add_at(site, note.site, kind, make);
    };
    switch (static_cast<Note>(note.tag)) {
      case Note::self_send: told(Kind::self_send, [&] { return self_send(facts, k); }); break;
      case Note::not_contiguous:
        told(Kind::not_contiguous, [&] { return not_contiguous(facts, k); });
        break;
      case Note::buffer_changed:
        if (one != nullptr)
          told(Kind::buffer_in_use, [&] { return buffer_changed(facts, k, *one); });
        break;
      case Note::group_made: break;  // see find_groups()
      case Note::request_dropped:
        // A program that was stopped or failed dropped its requests for that reason; a receive that nothing matched
        // is reported as one.
        if (one != nullptr && facts.ran_through() && (one->send || one->partner != kNone))
          told(Kind::request_dropped, [&] { return dropped(facts, k, *one); });
        else if (is_dropped_call(note) &&
                 (facts.ran_through() || facts.status == JobResult::Status::deadlock))
          told(Kind::request_dropped, [&] { return dropped_call(facts, k); });
        break;
    }
  }
}

}  // namespace rankscope::finder
