// Pairs the messages of a run that grows with those of its plan.
#include "engine/analysis/run_plan.h"

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

std::map<std::pair<Rank, std::uint16_t>, std::vector<std::size_t>> sends_by_strand(
    const TraceAnalysis& analysis) {
  const Rounds& rounds = analysis.rounds();
  const Trace& trace = analysis.trace();
  std::map<std::pair<Rank, std::uint16_t>, std::vector<std::size_t>> sends;
  for (std::size_t i = 0; i < rounds.messages.size(); ++i) {
    const MessageRecord& message = rounds.messages[i];
    if (message.sync || message.sent == kNoEvent || rounds.round[i] < 1) continue;
    sends[{message.from, trace[message.sent].strand}].push_back(i);
  }
  for (auto& [strand, numbers] : sends)
    ranges::sort(numbers, {}, [&](std::size_t i) { return trace[rounds.messages[i].sent].seq; });
  return sends;
}

}  // namespace

std::size_t PlanMatch::next(Rank rank, std::uint16_t strand) const {
  const auto planned = sends.find({rank, strand});
  if (planned == sends.end()) return kNone;
  const auto known = sent.find({rank, strand});
  const std::size_t at = known == sent.end() ? 0 : known->second;
  return at < planned->second.size() ? planned->second[at] : kNone;
}

std::shared_ptr<const PlanMatch> match_plan(const TraceAnalysis& plan, const TraceAnalysis& run) {
  if (plan.large() || run.large() || plan.trace().world_size() != run.trace().world_size())
    return nullptr;
  auto matched = std::make_shared<PlanMatch>();
  matched->run = plan;
  matched->sends = sends_by_strand(plan);
  matched->planned_of.assign(run.messages().size(), PlanMatch::kNone);
  matched->made_of.assign(plan.messages().size(), PlanMatch::kNone);
  for (const auto& [strand, made] : sends_by_strand(run)) {
    const auto planned = matched->sends.find(strand);
    if (planned == matched->sends.end() || planned->second.size() < made.size()) return nullptr;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const MessageRecord &one = run.messages()[made[k]],
                          &other = plan.messages()[planned->second[k]];
      if (one.to != other.to || one.bytes != other.bytes) return nullptr;
      matched->planned_of[made[k]] = planned->second[k];
      matched->made_of[planned->second[k]] = made[k];
    }
    matched->sent[strand] = made.size();
  }
  return matched;
}

}  // namespace rankscope
