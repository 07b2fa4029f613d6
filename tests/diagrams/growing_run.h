// A run that is watched while it goes on, and held: what it has recorded so far, and its plan.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/run_plan.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/diagrams/run/live_marks.h"
#include "tests/support/job_traces.h"

namespace rankscope::test {

/// A job whose events come round by round; in the last one only to every second rank.
class GrowingRun {
 public:
  GrowingRun(const std::string& algorithm, int ranks) {
    JobSpec spec;
    spec.call.algorithm = algorithm;
    spec.world.size = ranks;
    spec.call.shape = {ranks};
    spec.transport.name = "inproc";
    CollectingSink sink;
    InprocRunner runner;
    if (!runner.run(spec, sink).ok()) throw std::runtime_error(algorithm + " did not end well");
    meta_.algorithm = algorithm;
    meta_.collective = collective_of(spec);
    meta_.world_size = ranks;
    meta_.job = spec;
    batches_ = sink.take();
    plan = TraceAnalysis(make_trace(batches_, meta_));
  }

  TraceAnalysis after(int rounds) const {
    const RoundCuts& cuts = plan.cuts();
    TraceBuilder builder(meta_);
    std::map<Rank, std::uint64_t> had, most;
    for (Rank rank = 0; rank < meta_.world_size; ++rank) {
      const auto& cut = cuts.cut[static_cast<std::size_t>(rank)];
      const auto at = static_cast<std::size_t>(rounds + (rank % 2));
      const Cursor end = cut[std::min(at, cut.size() - 1)];
      for (Cursor k = 0; k < end; ++k)
        if (plan.trace()[k].rank == rank) ++most[rank];
    }
    for (EventBatch batch : batches_) {
      const auto room = most[batch.rank] - std::min(most[batch.rank], had[batch.rank]);
      had[batch.rank] += batch.events.size();
      if (batch.events.size() > room) batch.events.resize(static_cast<std::size_t>(room));
      builder.deliver(std::move(batch));
    }
    return TraceAnalysis(builder.snapshot());
  }

  TraceAnalysis plan;

 private:
  TraceMeta meta_;
  std::vector<EventBatch> batches_;
};

/// Every rank is held before what it sends next.
inline LiveMarks held(const PlanMatch& plan) {
  LiveMarks marks;
  for (Rank rank = 0; rank < plan.run.trace().world_size(); ++rank) {
    marks.badges.push_back({LiveBadge::Kind::held, "held", fmt::format("rank {}", rank)});
    const std::size_t next = plan.next(rank, 0);
    if (next == PlanMatch::kNone) {
      marks.badges.back() = {LiveBadge::Kind::waits, "waits for 1", ""};
      continue;
    }
    const MessageRecord& message = plan.run.messages()[next];
    marks.offers.push_back({rank, message.to, 0, message.bytes, next, "offered"});
  }
  return marks;
}

}  // namespace rankscope::test
