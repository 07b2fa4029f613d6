// Reads the messages and results of a run by the numbers of its inputs.
#include "engine/analysis/results/data_flow.h"

#include <set>

#include "engine/analysis/narration/holdings.h"
#include "engine/analysis/rules/program_messages.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using account::Fault;

std::vector<account::Shares> read_numbers(const ExerciseCase& run,
                                          const std::vector<double>& values) {
  std::vector<account::Shares> out;
  for (const double value : values) out.push_back(account::shares_in(run, value));
  return out;
}

/// Returns the first fault: a contribution of a wrong rank if there is one, else one of wrong elements.
Fault fault_of(const account::Shares& got, const account::Shares& want) {
  if (!got.known()) return {.kind = Fault::Kind::unknown};
  const auto whose = faults_in(account::without_elements(got), account::without_elements(want));
  return whose.empty() ? faults_in(got, want).back() : whose.front();
}

}  // namespace

bool DataFlow::reached(Rank rank, Rank contribution) const {
  return !carriers_of(*this, rank, contribution).empty();
}

DataFlow data_flow(const TraceAnalysis& trace, const ExerciseCase& run,
                   const std::vector<std::vector<std::vector<double>>>& sent,
                   const std::vector<RankResult>& results) {
  DataFlow out;
  out.run = run;
  const RuleEvidence evidence{.agent_only = true};
  const rules::ProgramMessages facts(trace, Rule{}, run, evidence);
  for (const rules::Message& message : facts.messages) {
    FlowMessage one{message.from, message.to, message.round, {}, message.sent, message.received};
    const auto from = static_cast<std::size_t>(message.from);
    const auto nth = static_cast<std::size_t>(message.nth);
    if (from < sent.size() && nth >= 1 && nth <= sent[from].size())
      one.elements = read_numbers(run, sent[from][nth - 1]);
    out.messages.push_back(std::move(one));
  }
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    out.results.push_back(r < results.size() ? read_numbers(run, results[r].values)
                                             : std::vector<account::Shares>());
    out.expected.push_back(account::counted_result(run, rank));
  }
  return out;
}

std::optional<Fault> first_fault(const DataFlow& flow) {
  std::optional<Fault> best;
  for (std::size_t rank = 0; rank < flow.expected.size(); ++rank) {
    const auto& got = flow.results[rank];
    const auto& want = flow.expected[rank];
    if (got.size() != want.size()) continue;
    for (std::size_t e = 0; e < want.size(); ++e) {
      if (got[e] == want[e]) continue;
      Fault fault = fault_of(got[e], want[e]);
      if (best && fault.kind >= best->kind) continue;
      fault.rank = static_cast<Rank>(rank);
      fault.place = static_cast<Count>(e);
      best = std::move(fault);
    }
  }
  return best;
}

std::vector<Rank> senders_of(const DataFlow& flow, const Fault& fault, const TraceAnalysis* right) {
  std::set<Rank> out;
  if (right != nullptr) {
    narration::Holdings holdings(*right);
    const account::Contents owed = account::promised(flow.run, fault.rank);
    const bool sums = reduces(flow.run.collective) && !owed.empty();
    const Count place = (sums ? owed.front().shares.begin()->element : 0) + fault.place;
    for (const MessageRecord& message : right->messages()) {
      if (message.sync || message.to != fault.rank) continue;
      const Range range = right->pieces().of(message).elements;
      if (place < range.offset || place >= range.end()) continue;
      for (const account::Stretch& one : holdings.load(message))
        if (const Count at = place - range.offset;
            at >= one.elements.offset && at < one.elements.end())
          for (const Rank rank : fault.sources())
            if (one.shares.times(rank) > 0) out.insert(message.from);
    }
    return {out.begin(), out.end()};
  }
  for (Rank rank = 0; rank < flow.run.ranks; ++rank) {
    if (rank == fault.rank) continue;
    for (const Rank whose : fault.sources())
      if (rank == whose || flow.reached(rank, whose)) out.insert(rank);
  }
  return {out.begin(), out.end()};
}

std::vector<std::size_t> carriers_of(const DataFlow& flow, Rank rank, Rank contribution) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < flow.messages.size(); ++i) {
    const FlowMessage& message = flow.messages[i];
    if (message.to == rank && message.received != kNoEvent &&
        ranges::any_of(message.elements,
                       [&](const account::Shares& one) { return one.times(contribution) > 0; }))
      out.push_back(i);
  }
  return out;
}

}  // namespace rankscope
