// Records a call in virtual time, and reads its plan from the events.
#include "cli/model/recorded_plan.h"

#include <map>
#include <set>
#include <unordered_map>

#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"
#include "engine/run/job/execute.h"
#include "transports/inproc/inproc_world.h"
#include "transports/sim/sim_world.h"

namespace rankscope::cli {
namespace {

/// Messages take so long that each receiver blocks and its wait is in the trace, unless several messages arrive together.
std::vector<StepEvent> recorded_events(const Algorithm& algorithm, const ClosedFormInput& in) {
  CollectingSink sink;
  SimOptions options;
  options.model.alpha = 1;
  options.model.ports = PortModel::none;
  SimWorld world(in.n, options, &sink);
  RankSettings settings;
  settings.trace = TraceLevel::light;
  settings.every_wait = true;
  world.run(
      [&](Communicator& comm) {
        const Extents extents = extents_of(algorithm.collective, in.shape, in.n, comm.rank(),
                                           in.root, in.scatter_dim, in.scatter_dim);
        Args args{.root = in.root,
                  .scatter_dim = in.scatter_dim,
                  .gather_dim = in.scatter_dim,
                  .segment_bytes = in.segment_bytes,
                  .group_size = in.group_size};
        args.in = Buffer::allocate(in.dtype, extents.in);
        args.out = Buffer::allocate(in.dtype, extents.out);
        start_together(comm, algorithm.collective);
        comm.mark_job(Verb::job_begin, 0);
        run_algorithm(comm, algorithm, args);
      },
      settings);
  std::vector<StepEvent> events;
  for (const EventBatch& batch : sink.take())
    events.insert(events.end(), batch.events.begin(), batch.events.end());
  ranges::sort(events, [](const StepEvent& a, const StepEvent& b) {
    return a.rank < b.rank || (a.rank == b.rank && a.seq < b.seq);
  });
  return events;
}

class PlanReader {
 public:
  PlanReader(const std::vector<StepEvent>& events, int ranks) {
    plan_.ranks = ranks;
    for (Rank rank = 0; rank < ranks; ++rank) line_of(rank, 0);
    for (const StepEvent& event : events) {
      if (event.kind == EventKind::posted && is_send(event.verb)) {
        message_of_[event.op] = static_cast<std::uint32_t>(plan_.messages.size());
        plan_.messages.push_back({event.rank, event.peer, event.bytes});
        plan_.touched_bytes += static_cast<double>(event.bytes);
      }
      if (event.kind == EventKind::matched && is_recv(event.verb)) sent_as_[event.op] = event.cause;
      if (event.kind == EventKind::local && event.verb == Verb::wait) waited_.insert(event.cause);
    }
    for (const StepEvent& event : events) read(event);
    for (const auto& [place, line] : lines_) take_pending(line);
  }

  RunPlan take() { return std::move(plan_); }

 private:
  using Step = RunPlan::Step;
  /// A receive of a blocking verb whose message had already arrived, so that the trace has no wait for it.
  struct Pending {
    OpId op = 0;
    std::uint32_t site = 0;
  };

  std::size_t line_of(Rank rank, std::uint16_t strand) {
    const auto [found, is_new] = lines_.try_emplace({rank, strand}, plan_.lines.size());
    if (is_new) {
      plan_.lines.push_back({rank, strand, {}});
      pending_.emplace_back();
    }
    return found->second;
  }
  void add(std::size_t line, Step::Kind kind, std::uint32_t message, std::uint64_t bytes = 0) {
    plan_.lines[line].steps.push_back({kind, message, bytes});
  }
  std::uint32_t message_received(OpId op) const { return message_of_.at(sent_as_.at(op)); }
  void take_pending(std::size_t line) {
    if (pending_[line].op == 0) return;
    add(line, Step::receive, message_received(pending_[line].op));
    pending_[line] = {};
  }

  void read(const StepEvent& event) {
    const bool posted = event.kind == EventKind::posted;
    const bool local = event.kind == EventKind::local;
    const bool begins = event.kind == EventKind::job && event.verb == Verb::job_begin;
    if (!posted && !local && !begins) return;
    const std::size_t line = line_of(event.rank, event.strand);
    // The send of a sendrecv comes before the wait for its receive.
    const bool sends = posted && is_send(event.verb);
    if (!sends || event.site != pending_[line].site) take_pending(line);
    if (begins) return add(line, Step::begin, 0);
    if (sends) {
      const std::uint32_t message = message_of_.at(event.op);
      add(line, Step::send, message);
      if (!waited_.contains(event.op)) add(line, Step::await_sent, message);
    } else if (posted) {
      if (!waited_.contains(event.op)) pending_[line] = {event.op, event.site};
    } else if (event.verb == Verb::wait) {
      if (sent_as_.contains(event.cause)) add(line, Step::receive, message_received(event.cause));
      else add(line, Step::await_sent, message_of_.at(event.cause));
    } else if (event.verb == Verb::reduce) {
      add(line, Step::reduce, 0, event.bytes);
    }
  }

  RunPlan plan_;
  std::map<std::pair<Rank, std::uint16_t>, std::size_t> lines_;
  std::vector<Pending> pending_;  ///< By line of the plan.
  std::unordered_map<OpId, std::uint32_t> message_of_;
  std::unordered_map<OpId, OpId> sent_as_;  ///< The send of a sendrecv, by its receive.
  std::set<OpId> waited_;
};

}  // namespace

RunPlan recorded_plan(const Algorithm& algorithm, const ClosedFormInput& in) {
  RunPlan plan = PlanReader(recorded_events(algorithm, in), in.n).take();
  for (Rank rank = 0; rank < in.n; ++rank) {
    const Extents extents = extents_of(algorithm.collective, in.shape, in.n, rank, in.root,
                                       in.scatter_dim, in.scatter_dim);
    plan.touched_bytes += static_cast<double>((extents.in.count() + extents.out.count()) *
                                              static_cast<Count>(dtype_size(in.dtype)));
  }
  return plan;
}

}  // namespace rankscope::cli
