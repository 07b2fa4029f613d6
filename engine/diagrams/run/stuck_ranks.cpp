// Reads findings for ranks that cannot go on.
#include "engine/diagrams/run/stuck_ranks.h"

#include "engine/core/base/ranges.h"
#include "engine/diagrams/run/run_outcome.h"

namespace rankscope {
namespace {

bool may_block(const Finding& found) noexcept {
  const FindingKind& kind = info(found.kind);
  return kind.blocks || (kind.may_block && found.severity == Finding::Severity::error);
}

bool ended_well(const Trace& trace) { return trace.meta().outcome && run_outcome(trace).empty(); }

}  // namespace

bool StuckRanks::is_lost(Rank rank) const noexcept {
  return ranges::find(lost, rank) != lost.end();
}

StuckRanks stuck_ranks(const TraceAnalysis& analysis) {
  StuckRanks stuck;
  if (analysis.large() || ended_well(analysis.trace())) return stuck;
  const int world = analysis.trace().world_size();
  bool blocks = false;
  for (const Finding& found : analysis.findings()) {
    blocks = blocks || may_block(found);
    if (found.kind != Finding::Kind::lost_rank && found.kind != Finding::Kind::not_supported)
      continue;
    if (stuck.lost.empty()) {
      stuck.lost_what = found.what;
      stuck.lost_why = found.why;
    }
    for (const Rank rank : found.ranks)
      if (rank >= 0 && rank < world) stuck.lost.push_back(rank);
  }
  if (blocks && stuck.lost.empty()) stuck.blocked = blocked_ranks(analysis.trace());
  return stuck;
}

}  // namespace rankscope
