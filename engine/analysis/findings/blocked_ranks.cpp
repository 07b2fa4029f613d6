// Reads from the diagnosis of a deadlock where each rank stands.
#include "engine/analysis/findings/blocked_ranks.h"

#include "engine/analysis/findings/run_situation.h"
#include "engine/analysis/findings/source_calls.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

using finder::Operation;
using finder::SourceText;
using matching::Diagnosis;
using Cause = Diagnosis::Cause;

std::string_view brief_of(const Diagnosis& found, const BlockedGroup& group) {
  switch (found.cause) {
    case Cause::tag: return "the tags differ";
    case Cause::order: return "the tags are used in another order";
    case Cause::communicator: return "the communicators differ";
    case Cause::source: return "the receive names another rank";
    case Cause::destination: return "the send names another rank";
    case Cause::taken: return "another receive took the message";
    case Cause::no_wait: return "nobody waits for the request";
    case Cause::itself: return "it waits for itself";
    case Cause::call: return "not all ranks are in the call";
    case Cause::partners: return "the ranks form no pairs";
    case Cause::ended:
      return !group.roots.empty() && group.roots.front().send ? "nobody receives" : "nobody sends";
    default: break;
  }
  return group.circle ? "each waits for the next" : "nobody answers";
}

/// The call site of an event: the innermost line whose text the trace has, else the innermost line.
void find_line(const Trace& trace, std::uint32_t site, BlockedVerb& verb) {
  std::uint32_t shown = 0;
  const auto* place = find_around(trace, Definition::Kind::site, site, [&](const Definition& one) {
    if (shown == 0 && one.line > 0) shown = one.id;
    return SourceText(trace, one.id).known();
  });
  if (place == nullptr) place = trace.definition(Definition::Kind::site, shown);
  if (place == nullptr) return;
  verb.file = place->file.substr(place->file.rfind('/') + 1);
  verb.line = place->line;
  const SourceText text(trace, place->id);
  if (!text.known()) return;
  verb.code = trimmed(text.line(verb.line));
  verb.peer_text = finder::call_text_of(text, verb.line, verb.send).peer;
  const auto next = finder::next_call(text, verb.line, !verb.send);
  if (next.line == 0) return;
  verb.next_line = static_cast<unsigned>(next.line);
  verb.next_code = trimmed(text.line(next.line));
  verb.next_peer_text = next.call.peer;
}

BlockedVerb verb_of(const finder::TraceOperations& facts, std::uint32_t number) {
  const Operation& one = facts.operations[number];
  BlockedVerb verb;
  verb.rank = one.rank;
  verb.on = one.peer < 0 ? -1 : one.peer;
  verb.send = one.send;
  verb.in_call = one.inside();
  verb.tag = one.tag;
  verb.bytes = one.bytes;
  verb.event = one.posted;
  find_line(facts.trace, one.site, verb);
  return verb;
}

BlockedGroup group_of(const finder::TraceOperations& facts, const Diagnosis& found) {
  BlockedGroup group;
  group.circle = !found.cycle.empty();
  for (const std::uint32_t verb : found.roots) group.roots.push_back(verb_of(facts, verb));
  for (const std::uint32_t verb : found.followers) group.followers.push_back(verb_of(facts, verb));
  group.brief = brief_of(found, group);
  group.by_order = group.circle && (found.cause == Cause::sends || found.cause == Cause::receives);
  group.tags_differ = found.cause == Cause::tag || found.cause == Cause::order;
  group.why = found.why;
  group.advice = found.advice;
  return group;
}

}  // namespace

BlockedRanks blocked_ranks(const Trace& trace) {
  BlockedRanks blocked;
  if (!trace.meta().complete) return blocked;
  const finder::TraceOperations facts(trace);
  if (facts.status != JobResult::Status::deadlock && facts.status) return blocked;
  const finder::RunSituation situation(facts);
  for (const Diagnosis& found : matching::diagnose(situation.run()))
    if (!found.roots.empty()) blocked.groups.push_back(group_of(facts, found));
  for (Rank rank = 0; rank < trace.world_size(); ++rank)
    blocked.ended.push_back(facts.has_ended(rank));
  return blocked;
}

}  // namespace rankscope
