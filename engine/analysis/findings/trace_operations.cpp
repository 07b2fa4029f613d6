// Collects a trace's operations for the findings, and implements the report to which findings are added.
#include "engine/analysis/findings/trace_operations.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/events/event_text.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/analysis/findings/source_lines.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/platform.h"

namespace rankscope::finder {
TraceOperations::TraceOperations(const Trace& of) : trace(of) {
  const JobSpec job = trace.meta().job.value_or(JobSpec());
  if (trace.meta().outcome) status = trace.meta().outcome->status;
  every_wait = job.recording.every_wait;
  rendezvous = job.transport.mode == SendMode::rendezvous && job.transport.eager_limit == 0;
  platform = job.call.platform;
  const Platform& rules = platform_of(platform);
  short_messages = !every_wait || platform.empty() || rules.mpi || rules.compiled;
  ended.assign(static_cast<std::size_t>(std::max(trace.world_size(), 0)), kNoEvent);
  stays = ended;
  built_in_phase_.resize(trace.definitions(Definition::Kind::phase).size() + 1);
  for (std::uint32_t phase = 1; phase < built_in_phase_.size(); ++phase)
    built_in_phase_[phase] = in_built_in(trace, phase);
  calls = built_in_calls(trace);
  for (std::uint64_t k = 0; k < trace.size(); ++k) take(k);
  if (status == JobResult::Status::deadlock) keep_idle();
}

/// An idle rank may leave before it hears that the run was stopped; that does not count as its end.
void TraceOperations::keep_idle() {
  const std::uint64_t last = operations.empty() ? 0 : operations.back().posted;
  for (std::size_t rank = 0; rank < ended.size(); ++rank)
    if (ended[rank] != kNoEvent && ended[rank] > last && stays[rank] != kNoEvent &&
        trace[stays[rank]].verb == Verb::wait)
      ended[rank] = kNoEvent;
}

/// Remembers the rank's last local wait or computation; any later event clears it.
void TraceOperations::take_stay(const StepEvent& event, std::uint64_t k) {
  const auto rank = static_cast<std::size_t>(event.rank);
  if (event.rank < 0 || rank >= stays.size() || event.kind == EventKind::job) return;
  const bool alone = event.kind == EventKind::local && event.cause == 0;
  stays[rank] = alone && (event.verb == Verb::wait || event.verb == Verb::compute) ? k : kNoEvent;
}

void TraceOperations::take(std::uint64_t k) {
  const StepEvent& event = trace[k];
  take_stay(event, k);
  switch (event.kind) {
    case EventKind::posted: {
      by_op_[event.op] = static_cast<std::uint32_t>(operations.size());
      Operation one;
      one.posted = k;
      one.rank = event.rank;
      one.peer = event.peer;
      one.tag = event.tag;
      one.send = is_send(event.verb);
      one.bytes = event.bytes;
      one.offset = one.send ? event.in_offset : event.out_offset;
      one.buffer = one.send ? event.in_buffer : event.out_buffer;
      one.site = event.site;
      one.verb = event.verb;
      one.dtype = event.dtype;
      one.sync = event.verb == Verb::sync || event.verb == Verb::sync_recv;
      one.built_in = event.phase < built_in_phase_.size() && built_in_phase_[event.phase];
      operations.push_back(one);
      happened(k, static_cast<std::uint32_t>(operations.size() - 1), Moment::What::posted);
      break;
    }
    case EventKind::matched:
    case EventKind::completed:
      if (const auto at = find(event.op); at != kNone) {
        link(operations[at], event, k);
        if (event.kind == EventKind::completed) happened(k, at, Moment::What::completed);
      }
      break;
    case EventKind::local: take_local(event, k); break;
    case EventKind::watch:
      if (event.verb == Verb::touch) happened(k, kNone, Moment::What::worked);
      break;
    case EventKind::job:
      if (event.verb == Verb::job_end && event.tag == 0 && event.rank >= 0 &&
          static_cast<std::size_t>(event.rank) < ended.size())
        ended[static_cast<std::size_t>(event.rank)] = k;
      break;
    case EventKind::note:
      notes.push_back(k);
      if (event.tag == static_cast<std::int32_t>(Note::request_dropped))
        if (const auto at = find(event.cause); at != kNone) operations[at].dropped = true;
      if (event.tag == static_cast<std::int32_t>(Note::buffer_changed))
        if (const auto at = find(event.cause); at != kNone) operations[at].changed = true;
      break;
    default: break;
  }
}

void TraceOperations::take_local(const StepEvent& event, std::uint64_t k) {
  if (event.verb != Verb::wait) {
    if (event.in_buffer != 0 || event.out_buffer != 0) happened(k, kNone, Moment::What::worked);
    return;
  }
  const auto at = event.cause == 0 ? kNone : find(event.cause);
  if (at == kNone || operations[at].waited != kNoEvent) return;
  operations[at].waited = k;
  happened(k, at, Moment::What::waited);
}

void TraceOperations::happened(std::uint64_t k, std::uint32_t operation, Moment::What what) {
  moments.push_back({k, operation, trace[k].strand, what});
}

void TraceOperations::link(Operation& one, const StepEvent& event, std::uint64_t k) {
  auto& when = event.kind == EventKind::matched ? one.matched : one.completed;
  if (when == kNoEvent) when = k;
  if (event.cause == 0) return;
  const auto other = find(event.cause);
  if (other == kNone || operations[other].send == one.send) return;
  one.partner = other;
  if (operations[other].partner == kNone) operations[other].partner = find(event.op);
}

bool TraceOperations::ran_through() const {
  return trace.meta().complete && (!status || status == JobResult::Status::ok);
}

bool TraceOperations::has_threads(Rank rank) const {
  return ranges::any_of(notes, [&](std::uint64_t k) {
    return trace[k].rank == rank && static_cast<Note>(trace[k].tag) == kSeveralThreads;
  });
}

bool TraceOperations::has_ended(Rank rank) const {
  return rank >= 0 && static_cast<std::size_t>(rank) < ended.size() &&
         ended[static_cast<std::size_t>(rank)] != kNoEvent;
}

ContextId TraceOperations::context(const StepEvent& event) const {
  const auto* comm = trace.definition(Definition::Kind::comm, event.comm);
  const ContextId id = comm == nullptr ? ContextId{event.comm} : comm->context;
  return event.verb == Verb::sync || event.verb == Verb::sync_recv ? ~id : id;
}

bool TraceOperations::is_idle(Rank rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= stays.size() || has_ended(rank)) return false;
  const std::uint64_t k = stays[static_cast<std::size_t>(rank)];
  return status == JobResult::Status::deadlock && k != kNoEvent && trace[k].verb == Verb::wait;
}

// The call that was open on the event's strand; a built-in that runs on a strand of its own was called
// on another one, at a line that is among those that led to the event.
const BuiltInCall* TraceOperations::call_of(std::uint64_t event) const {
  const StepEvent& inside = trace[event];
  if (inside.phase >= built_in_phase_.size() || !built_in_phase_[inside.phase]) return nullptr;
  const auto after = ranges::upper_bound(calls, event, {}, &BuiltInCall::begins);
  const BuiltInCall *other = nullptr, *of_line = nullptr;
  for (auto call = after; call != calls.begin() && of_line == nullptr;) {
    --call;
    if (call->rank != inside.rank) continue;
    if (call->strand == inside.strand) return &*call;
    if (other == nullptr) other = &*call;
    const auto is_caller = [&](const Definition& one) {
      return one.id == trace[call->begins].site;
    };
    if (find_around(trace, Definition::Kind::site, inside.site, is_caller) != nullptr)
      of_line = &*call;
  }
  return of_line != nullptr ? of_line : other;
}

std::string TraceOperations::site(std::uint64_t event) const {
  const auto* call = call_of(event);
  return short_site(trace, trace[call == nullptr ? event : call->begins].site);
}

std::string TraceOperations::at(std::uint64_t event) const {
  const std::string where = site(event);
  const std::string line = where.empty() ? "" : " at " + where;
  const StepEvent& inside = trace[event];
  if (inside.verb == Verb::sync || inside.verb == Verb::sync_recv) {
    auto name = definition_name(trace, Definition::Kind::phase, inside.phase);
    if (name.starts_with(kBuiltIn)) name.erase(0, kBuiltIn.size());  // "new_group"
    return fmt::format(" in {}{}", name.empty() ? "split" : name, line);
  }
  const auto* call = call_of(event);
  if (call == nullptr) return line;
  return fmt::format(" in the built-in {}{}", called_collective(trace, trace[call->begins]), line);
}

bool Report::room(Kind kind) const {
  return static_cast<std::size_t>(ranges::count(found_, kind, &Finding::kind)) < most_;
}

void Report::count(Kind kind) {
  const auto shown = ranges::find(found_, kind, &Finding::kind);
  const auto severity = shown == found_.end() ? Finding::Severity::error : shown->severity;
  ++more_.try_emplace(kind, 0, severity).first->second.first;
}

void Report::add(Finding finding) {
  if (room(finding.kind)) found_.push_back(std::move(finding));
  else count(finding.kind);
}

void Report::add_at(std::uint32_t site, std::uint32_t other, Kind kind,
                    const std::function<Finding()>& make) {
  if (const auto at = places_.find({kind, site, other}); at != places_.end()) {
    ++at->second.times;
    return;
  }
  if (!room(kind)) return count(kind);
  places_.emplace(std::tuple(kind, site, other), Place{found_.size(), 1});
  found_.push_back(make());
}

bool Report::has(Kind kind) const {
  return ranges::find(found_, kind, &Finding::kind) != found_.end();
}

std::vector<const Operation*> receipts_after(const TraceOperations& facts, const Operation& send,
                                             std::uint64_t until) {
  std::vector<const Operation*> receives, late;
  if (!send.send || send.partner == kNone) return late;
  // A rank knows of a message once its call or its wait for it has ended.
  const auto known_at = [](const Operation& one) {
    return one.waited == kNoEvent ? one.completed : std::max(one.completed, one.waited);
  };
  const Operation& theirs = facts.operations[send.partner];
  if (theirs.completed == kNoEvent) return late;
  // A message that was sent before the arrival cannot depend on it.
  auto sent = ranges::lower_bound(facts.operations, theirs.completed, {}, &Operation::posted);
  for (; sent != facts.operations.end() && sent->posted < until; ++sent)
    if (sent->send && sent->partner != kNone && facts.operations[sent->partner].completed < until)
      receives.push_back(&facts.operations[sent->partner]);
  ranges::stable_sort(receives, {}, [&](const Operation* one) { return known_at(*one); });
  std::map<Rank, std::uint64_t> knows{{theirs.rank, known_at(theirs)}};
  for (const Operation* one : receives) {
    const Operation& from = facts.operations[one->partner];
    const auto known = knows.find(from.rank);
    if (known == knows.end() || from.posted < known->second) continue;
    knows.try_emplace(one->rank, known_at(*one));
    if (one->rank == send.rank) late.push_back(one);
  }
  return late;
}

std::string words_of_receipt(const TraceOperations& facts, const Operation& receipt) {
  return fmt::format(
      "The message has its old values: it had arrived before what came from rank {}{} was sent. "
      "The library may still use the memory until the wait ends.",
      receipt.peer < 0 ? facts.operations[receipt.partner].rank : receipt.peer,
      facts.at(receipt.posted));
}

bool explain_returned(const TraceOperations& facts, const Operation& one, std::uint64_t event,
                      Finding& found) {
  const auto* const posted = facts.trace.definition(Definition::Kind::site, one.site);
  const auto* const now = facts.trace.definition(Definition::Kind::site, facts.trace[event].site);
  // No function calls main, so none of the rank's only thread is under way then.
  if (!platform_of(facts.platform).compiled || posted == nullptr || now == nullptr ||
      !now->name.starts_with("int main(") || posted->name == now->name ||
      posted->name.find("<lambda") != std::string::npos || facts.has_threads(one.rank) ||
      !is_own_array(SourceText(facts.trace, one.site), one.send))
    return false;
  // "auto main()::Local::post(int) [with T = int]"
  const std::string_view called = std::string_view(posted->name).substr(0, posted->name.find(" ["));
  const auto function = function_around(called, std::min(called.rfind(')'), called.size()));
  if (function.empty()) return false;
  found.why = fmt::format(
      "{} has returned since it began the {}: an array of its own is gone then, and its memory is "
      "used again.",
      function, one.send ? "send" : "receive");
  found.advice =
      "Keep the array where it lives until the wait, as beside the request; else wait for the "
      "request before the memory is written.";
  return true;
}

bool overwrites(const Operation& receive, const Operation& send) {
  return receive.buffer != 0 && receive.buffer == send.buffer && receive.rank == send.rank &&
         receive.offset < send.offset + send.bytes && send.offset < receive.offset + receive.bytes;
}

const Handed::Remark* noted_of(const TraceOperations& facts, Rank rank) {
  const auto& handed = facts.trace.meta().handed;
  if (!handed) return nullptr;
  const auto found = ranges::find_if(handed->advice, [&](const Handed::Remark& one) {
    return one.rank == rank && !one.what.empty();
  });
  return found == handed->advice.end() ? nullptr : &*found;
}

const Finding* Report::first_error(Kind kind) const {
  const auto found = ranges::find_if(found_, [&](const Finding& one) {
    return one.kind == kind && one.severity == Severity::error;
  });
  return found == found_.end() ? nullptr : &*found;
}

std::string_view Report::follows() const {
  const auto cause = ranges::find_if(kFindingKinds, [this](const FindingKind& row) {
    return !row.follows.empty() && has(row.kind);
  });
  return cause == std::end(kFindingKinds) ? std::string_view() : cause->follows;
}

std::vector<Finding> Report::take() {
  for (const auto& [key, place] : places_)
    if (place.times > 1)
      found_[place.index].what += fmt::format(" (and {} more {} at the same place)",
                                              place.times - 1, place.times == 2 ? "time" : "times");
  for (const auto& [kind, rest] : more_) {
    Finding finding(kind);
    finding.severity = rest.second;
    finding.what = fmt::format("and {} more of this kind", rest.first);
    found_.push_back(std::move(finding));
  }
  ranges::stable_sort(found_, [](const Finding& a, const Finding& b) {
    return std::pair(a.severity, a.kind) < std::pair(b.severity, b.kind);
  });
  return std::move(found_);
}

}  // namespace rankscope::finder
