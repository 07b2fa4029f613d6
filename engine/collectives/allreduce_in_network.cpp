// In-network allreduce: each rank sends its vector up once, switches add what comes from below, and the sum comes down
// once. Graham et al., "Scalable Hierarchical Aggregation Protocol (SHArP)" (2016) for trees of InfiniBand switches; Klenk
// et al., "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives" (2020) for NVSwitch; what
// NCCL calls NVLS lets each GPU fetch the sum of an N-th through the switch and write it back, D (N+1)/N bytes. Here in K
// segments, so that the sum of one comes down while the next one goes up; with segments a, b on 4 ranks at one switch:
//
//   step   ranks 0 to 3           switch
//   1      send their a           a0 + a1 + a2 + a3 = A
//   2      send their b, get A    b0 + b1 + b2 + b3 = B
//   3      get B
//
// (K + 2 L - 1) steps of D/K bytes for L levels of switches, where a ring needs 2 (N-1) steps of D/N: half of its bytes, and
// a latency that does not grow with N. A switch adds at the speed of its links.
//
// This needs a network that can: in the simulator, a topology with a switch that `reduces`. A switch has no process: the
// lowest rank below it does its part, in buffers that have the switch's name, while the messages go to and from the switch.
// Elsewhere no switch can add, and rank 0 does all of its work: the messages are those of allreduce.flat.
#include <map>
#include <string>
#include <vector>

#include "engine/collectives/algorithms.h"
#include "engine/collectives/pipeline.h"
#include "engine/core/message/rank_context.h"
#include "engine/core/message/reducing_tree.h"
#include "engine/core/message/virtual_rank.h"

namespace rankscope {
namespace {

/// A rank's part: for its own vector, and for the switches that it plays. A receive is open for each of their links.
class InNetwork {
 public:
  InNetwork(Communicator& comm, const Args& args, const ReducingTree& tree)
      : comm_(comm),
        args_(args),
        tree_(tree),
        part_(segments(args.out.count(), args.out.dtype(),
                       or_default(args.segment_bytes, kSwitchSegmentBytes))) {
    for (int place = 0; place < tree.places(); ++place) {
      if (!is_here(place)) continue;
      if (tree.is_switch(place)) open_switch(place);
      if (tree.parent_of(place) >= 0) links_.push_back({.child = place, .is_down = true});
    }
  }

  void run() {
    const auto phase = comm_.phase("in the network");
    for (const int k : steps(part_.parts())) send_up(comm_.rank(), args_.out, k);
    std::vector<Request> receives;
    for (const Link& link : links_) receives.push_back(expect(link));
    for (std::size_t at; (at = comm_.wait_any(receives)) < receives.size();) {
      Link& link = links_[at];
      link.is_down ? came_down(link) : came_up(link);
      if (++link.segment < part_.parts()) receives[at] = expect(link);
    }
    wait_all(comm_, sent_);
  }

 private:
  struct Link {
    int child = 0;
    bool is_down = false;
    int segment = 0;  ///< The next segment.
    Buffer in = {};   ///< For a link up: room for one segment.
  };
  struct Adder {
    Buffer sum = {};
    std::vector<int> children = {};
    std::vector<int> added = {};  ///< By segment, the number of children added.
  };

  bool is_here(int place) const { return tree_.player(place) == comm_.rank(); }

  void open_switch(int place) {
    const std::string name = "switch " + tree_.switch_at(place).name;
    Adder& adder = adders_[place];
    adder.sum = comm_.scratch(args_.out.dtype(), args_.out.count(), name);
    adder.added.resize(static_cast<std::size_t>(part_.parts()));
    for (int child = 0; child < tree_.places(); ++child) {
      if (tree_.parent_of(child) != place) continue;
      adder.children.push_back(child);
      links_.push_back(
          {.child = child, .in = comm_.scratch(args_.out.dtype(), part_[0].count, name + " in")});
    }
  }

  Request expect(const Link& link) {
    if (!link.is_down)
      return comm_.irecv(tree_.player(link.child), link.in[{0, part_[link.segment].count}],
                         ReducingTree::up(link.child));
    const Buffer& into = tree_.is_switch(link.child) ? adders_.at(link.child).sum : args_.out;
    return comm_.irecv(tree_.player(tree_.parent_of(link.child)), into[part_[link.segment]],
                       ReducingTree::down(link.child));
  }

  void send_up(int child, const Buffer& from, int k) {
    sent_.push_back(
        comm_.isend(tree_.player(tree_.parent_of(child)), from[part_[k]], ReducingTree::up(child)));
  }
  void send_down(const Adder& adder, int k) {
    for (const int child : adder.children)
      sent_.push_back(
          comm_.isend(tree_.player(child), adder.sum[part_[k]], ReducingTree::down(child)));
  }

  void came_up(const Link& link) {
    const int place = tree_.parent_of(link.child), k = link.segment;
    Adder& adder = adders_.at(place);
    const Slice sum = adder.sum[part_[k]], in = link.in[{0, part_[k].count}];
    int& added = adder.added[static_cast<std::size_t>(k)];
    if (added == 0) comm_.copy(sum, in);
    else comm_.reduce(sum, in, args_.op);
    if (++added < static_cast<int>(adder.children.size())) return;
    if (tree_.parent_of(place) < 0) send_down(adder, k);
    else send_up(place, adder.sum, k);
  }
  void came_down(const Link& link) {
    if (tree_.is_switch(link.child)) send_down(adders_.at(link.child), link.segment);
  }

  Communicator& comm_;
  const Args& args_;
  const ReducingTree& tree_;
  const Partition part_;
  std::vector<Link> links_;
  std::map<int, Adder> adders_;  ///< By place: the switches that this rank plays.
  std::vector<Request> sent_;
};

}  // namespace

void allreduce_in_network(Communicator& comm, const Args& args) {
  const VirtualRank* const simulated = comm.context().virtual_rank();
  const ReducingTree* const tree = simulated == nullptr ? nullptr : simulated->reducing_tree();
  if (tree == nullptr || tree->ranks != comm.size()) allreduce_flat(comm, args);
  else InNetwork(comm, args, *tree).run();
}

}  // namespace rankscope
