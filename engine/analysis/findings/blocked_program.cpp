// Reads where blocked ranks stand, and the line behind.
#include "engine/analysis/findings/blocked_program.h"

#include <charconv>

namespace rankscope::finder {

BlockedProgram::BlockedProgram(const Trace& trace) : trace_(trace), blocked_(blocked_ranks(trace)) {
  for (const BlockedGroup& group : blocked_.groups)
    for (const auto* verbs : {&group.roots, &group.followers})
      for (const BlockedVerb& verb : *verbs) {
        possible_ = possible_ && !verb.in_call && verb.on >= 0 && verb.on != verb.rank;
        stands_.try_emplace(verb.rank, verb);
      }
  for (const auto& [rank, verb] : stands_) add(verb);
}

std::vector<Rank> BlockedProgram::first_by_order() const {
  std::vector<Rank> first;
  for (const BlockedGroup& group : blocked_.groups)
    if (group.by_order && program_.at(group.roots.front().rank).size() > 1)
      first.push_back(group.roots.front().rank);
  return first;
}

void BlockedProgram::add(const BlockedVerb& verb) {
  auto& calls = program_[verb.rank];
  const std::uint32_t site = trace_[verb.event].site;
  calls.push_back({verb.send, verb.on, verb.tag, verb.bytes, site});
  const auto next = next_of(verb);
  if (!next) {
    unknown_.push_back(verb.rank);
    return;
  }
  lines_.insert(verb.next_line);
  calls.push_back(*next);
  calls.back().site = site_of_next(verb, site);
}

/// The call behind, which its rank never came to: its line is in the text; its peer is a number, written as that of
/// the call before, or the one rank that waits for it.
std::optional<ReplayedCall> BlockedProgram::next_of(const BlockedVerb& verb) const {
  if (verb.next_line == 0) return std::nullopt;
  const BlockedVerb* partner = nullptr;
  int partners = 0;
  for (const auto& [rank, other] : stands_)
    if (other.on == verb.rank && other.send == verb.send) {
      partner = &other;
      ++partners;
    }
  ReplayedCall call{!verb.send, -1, verb.tag, verb.bytes};
  int number = -1;
  const std::string& text = verb.next_peer_text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) call.peer = number;
  else if (!text.empty() && text == verb.peer_text) call.peer = verb.on;
  else if (partners == 1) call.peer = partner->rank;
  if (call.peer < 0 || call.peer >= trace_.world_size()) return std::nullopt;
  if (partner != nullptr && partner->rank == call.peer) {
    call.tag = partner->tag;
    if (verb.send) call.bytes = partner->bytes;
  }
  return call;
}

std::uint32_t BlockedProgram::site_of_next(const BlockedVerb& verb, std::uint32_t site) {
  const auto* known = trace_.definition(Definition::Kind::site, site);
  if (known == nullptr) return 0;
  for (const Definition& one : sites_)
    if (one.line == verb.next_line && one.file == known->file) return one.id;
  Definition made = *known;
  made.id = static_cast<std::uint32_t>(trace_.definitions(Definition::Kind::site).size() +
                                       sites_.size() + 1);
  made.line = verb.next_line;
  sites_.push_back(made);
  return made.id;
}

}  // namespace rankscope::finder
