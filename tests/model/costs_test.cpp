// The closed forms of costs against runs on threads, whose messages are timed by a model of their own.
#include <algorithm>
#include <map>

#include "engine/core/base/error.h"
#include "engine/model/costs/cost_table.h"
#include "tests/support/catch.h"
#include "tests/support/cost_cases.h"
#include "transports/inproc/inproc_world.h"

using namespace rankscope;

namespace {

/// What the events of a run say that each strand did, timed as cost_table.h describes its network: written for the
/// test, without a line of what it checks.
class Retimed {
 public:
  Retimed(const std::vector<EventBatch>& batches, const LinkCosts& link) : link_(link) {
    for (const auto& batch : batches)
      for (const auto& event : batch.events) take(event);
  }

  double finish() {
    for (bool any = true; any;) {
      any = false;
      Lane* first = nullptr;
      for (auto& [key, lane] : lanes_)
        if (can_go_on(lane) && (first == nullptr || when(lane) < when(*first) - kEqual))
          first = &lane;
      if (first != nullptr) go_on(*first), any = true;
    }
    double last = 0;
    for (const auto& [key, lane] : lanes_) {
      CHECK(lane.next == lane.acts.size());
      last = std::max(last, lane.now);
    }
    return last;
  }

 private:
  static constexpr double kEqual = 1e-13;  // seconds: times that are added up in different orders
  struct Act {
    EventKind kind;
    OpId op;
    Rank rank, peer;
    double bytes;
  };
  struct Lane {
    std::vector<Act> acts;
    std::size_t next = 0;
    double now = 0;
  };

  void take(const StepEvent& event) {
    const bool sends = event.kind == EventKind::posted && event.verb == Verb::send;
    const bool received = event.kind == EventKind::completed &&
                          (event.verb == Verb::recv || event.verb == Verb::recv_reduce);
    const bool reduces = event.kind == EventKind::local && event.verb == Verb::reduce;
    if (!sends && !received && !reduces) return;
    lanes_[{event.rank, event.strand}].acts.push_back({event.kind, sends ? event.op : event.cause,
                                                       event.rank, event.peer,
                                                       static_cast<double>(event.bytes)});
  }
  bool can_go_on(const Lane& lane) const {
    if (lane.next == lane.acts.size()) return false;
    const Act& act = lane.acts[lane.next];
    return act.kind != EventKind::completed || arrives_.contains(act.op);
  }
  double when(const Lane& lane) const {
    const Act& act = lane.acts[lane.next];
    if (act.kind == EventKind::completed) return std::max(lane.now, arrives_.at(act.op));
    return lane.now;
  }
  void go_on(Lane& lane) {
    const Act& act = lane.acts[lane.next++];
    if (act.kind == EventKind::completed) {
      lane.now = std::max(lane.now, arrives_.at(act.op));
    } else if (act.kind == EventKind::local) {
      double& busy = processor_[act.rank];
      busy = lane.now = std::max(lane.now, busy) + act.bytes * link_.gamma;
    } else {
      double &out = out_[act.rank], &in = in_[act.peer];
      out = in = arrives_[act.op] =
          std::max({lane.now, out, in}) + link_.alpha + act.bytes * link_.beta;
    }
  }

  const LinkCosts link_;
  std::map<std::pair<Rank, int>, Lane> lanes_;
  std::map<OpId, double> arrives_;
  std::map<Rank, double> out_, in_, processor_;
};

std::vector<EventBatch> run_costed(const CostCase& c) {
  CollectingSink sink;
  InprocWorld world(c.in.n, &sink);
  RankSettings settings;
  settings.trace = TraceLevel::light;
  world.run(
      [&](Communicator& comm) {
        Args args = args_of(c);
        const Extents extents = extents_on(c, comm.rank());
        args.in = Buffer::allocate(c.in.dtype, extents.in);
        args.out = Buffer::allocate(c.in.dtype, extents.out);
        run_algorithm(comm, *c.algorithm, args);
      },
      settings);
  return sink.take();
}

}  // namespace

TEST_CASE("every built-in algorithm has a cost", "[model]") {
  for (const auto& algorithm : built_in_algorithms()) {
    CAPTURE(algorithm.name);
    REQUIRE(find_cost_row(algorithm) != nullptr);
  }
  CHECK(find_cost_row(require_algorithm("allreduce.schedule")) == nullptr);
  CHECK_THROWS_AS(cost_of(require_algorithm("allreduce.schedule"), {.n = 4}, {}), UserError);
}

TEST_CASE("costs are the times of real runs' messages: all sizes, roots and uneven parts",
          "[model]") {
  for (const auto& algorithm : built_in_algorithms())
    for (int n = 1; n <= 16; ++n)
      for (const Count count : {Count{n - 1}, Count{1000}, Count{16 * n}})
        for (const CostCase& c : cost_cases(algorithm, n, count)) {
          if (waits_for_buckets(c)) continue;  // which the test's model does not know
          const auto events = run_costed(c);
          for (const LinkCosts& link : kCostLinks) {
            const double expected = Retimed(events, link).finish();
            INFO(algorithm.name << " on " << n << " ranks, " << c.in.shape.count()
                                << " elements, root " << c.in.root << ", segments of "
                                << c.in.segment_bytes << " B, groups of " << c.in.group_size
                                << ", alpha " << link.alpha << ", gamma " << link.gamma);
            CHECK(time(cost_of(algorithm, c.in, link), link) == Approx(expected).epsilon(1e-9));
          }
        }
}
