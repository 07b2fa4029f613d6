// Collects the program's own messages in program order for the rules, and keeps the first violation
// of a rule.
#include "engine/analysis/rules/program_messages.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/analysis/events/built_in_calls.h"
#include "engine/analysis/events/event_text.h"
#include "engine/core/base/ranges.h"

namespace rankscope::rules {

ProgramMessages::ProgramMessages(const TraceAnalysis& analysis, const Rule& rule,
                                 const ExerciseCase& what, const RuleEvidence& known)
    : trace(analysis.trace()), asked(what), evidence(known), built_ins_(rule.built_ins) {
  const auto& all = analysis.messages();
  const RoundNumbers counted = rounds_among(
      analysis.rounds(), [&](const MessageRecord& message) { return counts(message.sent); });
  for (std::size_t m = 0; m < all.size(); ++m) {
    const MessageRecord& one = all[m];
    if (counted.round[m] > 0)
      messages.push_back(
          {one.from, one.to, one.bytes, counted.round[m], 0, one.sent, one.received, one.send});
  }
  ranges::sort(messages, {}, [](const Message& m) { return std::tuple(m.round, m.from, m.send); });
  rounds = counted.count;
  const auto ranks = static_cast<std::size_t>(std::max({asked.ranks, trace.world_size(), 1}));
  sent.resize(ranks);
  taken.resize(ranks);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    sent[static_cast<std::size_t>(messages[m].from)].push_back(m);
    taken[static_cast<std::size_t>(messages[m].to)].push_back(m);
  }
  for (auto& own : sent) {
    ranges::sort(own, {}, [&](std::size_t m) { return messages[m].sent; });
    for (std::size_t k = 0; k < own.size(); ++k) messages[own[k]].nth = static_cast<int>(k) + 1;
  }
  for (auto& own : taken)
    ranges::sort(own, {}, [&](std::size_t m) { return messages[m].received; });
  gaps = trace.meta().lost_events > 0 || !trace.gaps().empty() || trace.issues().lost_events > 0;
}

// A trace keeps the order of each rank's events, so that positions can be compared.
bool ProgramMessages::before(const Message& arrived, const Message& sent_after) const noexcept {
  return arrived.received != kNoEvent && arrived.received < sent_after.sent;
}

bool ProgramMessages::counts(std::uint64_t event) const {
  const StepEvent& one = trace[event];
  const auto of_case = [&](const Definition& phase) { return phase.name == evidence.phase; };
  return (!evidence.agent_only || one.origin == Origin::agent) &&
         (built_ins_ || !in_built_in(trace, one.phase)) &&
         (evidence.phase.empty() ||
          find_around(trace, Definition::Kind::phase, one.phase, of_case) != nullptr);
}

RuleResult ProgramMessages::broken(const Message& at, std::string says) const {
  return broken(at.sent, std::move(says));
}

RuleResult ProgramMessages::broken(std::uint64_t event, std::string says) const {
  const StepEvent& at = trace[event];
  return {false, false, std::move(says), event, at.rank, short_site(trace, at.site)};
}

RuleResult ProgramMessages::broken(std::string says) const {
  RuleResult result;
  result.kept = false;
  result.says = std::move(says);
  return result;
}

std::vector<const Message*> ProgramMessages::by_place() const {
  std::vector<const Message*> out;
  for (const Message& message : messages) out.push_back(&message);
  ranges::stable_sort(out, {}, [](const Message* m) { return std::pair(m->nth, m->from); });
  return out;
}

void FirstFault::add(int step, const Message& at, std::string says) {
  if (at_ != nullptr &&
      std::tuple(step, at.from, at.send) >= std::tuple(step_, at_->from, at_->send))
    return;
  step_ = step;
  at_ = &at;
  says_ = std::move(says);
}

void FirstFault::missing(std::string says) {
  if (says_.empty()) says_ = std::move(says);
}

RuleResult FirstFault::result() const {
  if (says_.empty()) return {};
  return at_ == nullptr ? facts_.broken(says_) : facts_.broken(*at_, says_);
}

std::string limit_text(double limit) { return fmt::format("{}", static_cast<std::int64_t>(limit)); }

std::string messages_text(double count) {
  return fmt::format("{} message{}", limit_text(count), count == 1 ? "" : "s");
}

}  // namespace rankscope::rules
