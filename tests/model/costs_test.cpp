// The closed forms of costs against runs on threads, whose messages are timed by a model of their own.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>
#include <span>

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
    for (double next = 0; next < kNever; next = next_moment()) {
      now_ = next;
      end_messages();
      for (bool any = true; any;) {
        any = false;
        for (auto& [key, lane] : lanes_)
          while (can_go_on(lane)) go_on(lane), any = true;
      }
      for (auto& [rank, port] : ports_)
        if (!port.taken) begin_message(port);
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
  static constexpr double kNever = 1e9;
  using LaneKey = std::pair<Rank, int>;
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
  // A rank's: what it has posted and not sent, and what comes in.
  struct Port {
    std::deque<Act> posted;
    double ready = 0;  // the first of them
    bool sends = false;
    const Act* taken = nullptr;
    double free = 0;
  };

  void take(const StepEvent& event) {
    const bool sends = event.kind == EventKind::posted && event.verb == Verb::send;
    const bool received = event.kind == EventKind::completed &&
                          (event.verb == Verb::recv || event.verb == Verb::recv_reduce);
    const bool reduces = event.kind == EventKind::local && event.verb == Verb::reduce;
    if (!sends && !received && !reduces) return;
    const LaneKey key{event.rank, event.strand};
    auto& acts = lanes_[key].acts;
    if (received) takers_[event.cause] = {key, acts.size()};
    acts.push_back({event.kind, sends ? event.op : event.cause, event.rank, event.peer,
                    static_cast<double>(event.bytes)});
    ports_[event.rank];
  }
  bool can_go_on(const Lane& lane) const {
    if (lane.next == lane.acts.size() || lane.now > now_ + kEqual) return false;
    const Act& act = lane.acts[lane.next];
    return act.kind != EventKind::completed || arrived_.contains(act.op);
  }
  void go_on(Lane& lane) {
    const Act& act = lane.acts[lane.next++];
    if (act.kind == EventKind::completed) {
      lane.now = now_;
    } else if (act.kind == EventKind::local) {
      double& busy = processor_[act.rank];
      busy = lane.now = std::max(now_, busy) + act.bytes * link_.gamma;
    } else {
      Port& port = ports_[act.rank];
      if (port.posted.empty()) port.ready = now_;
      port.posted.push_back(act);
    }
  }
  // Of the ready messages for a port: one that a strand waits for at this moment, then the one that is ready for longest.
  void begin_message(Port& in) {
    std::vector<Port*> ready;
    for (auto& [rank, port] : ports_)
      if (!port.sends && !port.posted.empty() && &ports_[port.posted.front().peer] == &in)
        ready.push_back(&port);
    if (ready.empty()) return;
    const auto is_waited_for = [&](const Port* port) {
      const auto& [key, index] = takers_.at(port->posted.front().op);
      const Lane& lane = lanes_.at(key);
      return lane.next == index && lane.now <= now_ + kEqual;
    };
    Port* given = ready.front();
    for (Port* port : ready) {
      const bool waited_for = is_waited_for(port), least = is_waited_for(given);
      if (waited_for != least ? waited_for : port->ready < given->ready - kEqual) given = port;
    }
    given->sends = true;
    in.taken = &given->posted.front();
    in.free = now_ + link_.alpha + in.taken->bytes * link_.beta;
  }
  void end_messages() {
    for (auto& [rank, in] : ports_) {
      if (in.taken == nullptr || in.free > now_ + kEqual) continue;
      arrived_.insert(in.taken->op);
      Port& out = ports_[in.taken->rank];
      in.taken = nullptr;
      out.posted.pop_front();
      out.sends = false;
      out.ready = now_;
    }
  }
  double next_moment() const {
    double next = kNever;
    for (const auto& [rank, port] : ports_)
      if (port.taken != nullptr) next = std::min(next, port.free);
    for (const auto& [key, lane] : lanes_)
      if (lane.now > now_ + kEqual) next = std::min(next, lane.now);
    return next;
  }

  const LinkCosts link_;
  double now_ = 0;
  std::map<LaneKey, Lane> lanes_;
  std::map<Rank, Port> ports_;
  std::map<OpId, std::pair<LaneKey, std::size_t>> takers_;
  std::set<OpId> arrived_;
  std::map<Rank, double> processor_;
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

void compare_costs(std::span<const int> worlds) {
  for (const auto& algorithm : built_in_algorithms())
    for (const int n : worlds)
      for (const Count count : {Count{n - 1}, Count{1000}, Count{16 * n}})
        for (const CostCase& c : cost_cases(algorithm, n, count)) {
          if (waits_for_buckets(c)) continue;  // which the test's model does not know
          const auto events = run_costed(c);
          for (const LinkCosts& link : kCostLinks) {
            const double expected = Retimed(events, link).finish();
            INFO(algorithm.name << " on " << n << " ranks, " << c.in.shape.count()
                                << " elements, root " << c.in.root << ", segments of "
                                << c.in.segment_bytes << " B, groups of " << c.in.group_size
                                << ", radix " << c.in.radix << ", alpha " << link.alpha
                                << ", gamma " << link.gamma);
            CHECK(time(cost_of(algorithm, c.in, link), link) == Approx(expected).epsilon(1e-9));
          }
        }
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

TEST_CASE("costs are the times of real runs' messages", "[model]") {
  compare_costs(std::array{1, 2, 3, 4, 5, 7, 8, 13, 16});
}

TEST_CASE("costs are the times of real runs' messages: all sizes", "[model][full]") {
  compare_costs(std::array{6, 9, 10, 11, 12, 14, 15});
}
