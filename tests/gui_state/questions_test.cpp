// What an audience asks in its own words, and the field of the job that each question changes.
#include <functional>

#include "gui/state/run/question_parser.h"
#include "gui/state/run/sentence.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

double bytes_of(const JobSpec& job) {
  double bytes = static_cast<double>(dtype_size(job.call.dtype));
  for (const Count extent : job.call.shape) bytes *= static_cast<double>(extent);
  return bytes;
}

double delay_of(const JobSpec& job, std::size_t rank) {
  return rank < job.world.delays_us.size() ? job.world.delays_us[rank] : 0;
}

bool is_on(const JobSpec& job, std::string_view topology, int ranks) {
  return job.is_simulated() && job.network.topology.find(topology) != std::string::npos &&
         ranks_of_topology(job.network.topology) >= ranks && job.world.size == ranks;
}

struct TypedQuestion {
  const char* words;
  const char* of;  ///< The run that it is asked of.
  bool (*right)(const JobSpec& before, const JobSpec& now);
};

#define RIGHT(condition)                       \
  [](const JobSpec& was, const JobSpec& now) { \
    (void)was;                                 \
    return condition;                          \
  }

// Written before the words were chosen that are understood.
const TypedQuestion kTypedQuestions[] = {
    {"what if there are 8 ranks", "ring 4", RIGHT(now.world.size == 8)},
    {"5 ranks", "ring 4", RIGHT(now.world.size == 5)},
    {"what if we had 64 ranks?", "ring 4", RIGHT(now.world.size == 64 && bytes_of(now) >= 256)},
    {"with 3 processes", "ring 4", RIGHT(now.world.size == 3)},
    {"how long does it take for 1 GB", "ring 4", RIGHT(bytes_of(now) == 1e9)},
    {"1 GiB", "ring 4", RIGHT(bytes_of(now) == 1073741824.0 && now.world.size == 4)},
    {"what if the message is 16 MiB", "ring 4", RIGHT(bytes_of(now) == 16.0 * 1048576)},
    {"what about a single byte", "ring 4", RIGHT(bytes_of(now) <= 4)},
    {"ten times as much data", "ring 4", RIGHT(bytes_of(now) == 10 * bytes_of(was))},
    {"half the data", "ring 4", RIGHT(bytes_of(now) == bytes_of(was) / 2)},
    {"rank 2 slow", "ring 4", RIGHT(delay_of(now, 2) > 0 && delay_of(now, 1) == 0)},
    {"slow rank 2", "ring 4", RIGHT(delay_of(now, 2) > 0 && delay_of(now, 1) == 0)},
    {"what if rank 2 is slow", "ring 4", RIGHT(delay_of(now, 2) > 0 && delay_of(now, 1) == 0)},
    {"what if one rank is slow", "ring 4",
     RIGHT(now.world.size == 4 && !now.world.delays_us.empty())},
    {"rank 1 starts late", "ring 4", RIGHT(delay_of(now, 1) > 0)},
    {"what if rank 0 is 10 times slower", "ring 4",
     RIGHT(delay_of(now, 0) > 0 && now.world.size == 4)},
    {"other direction", "ring 4", RIGHT(now.call.left_ring)},
    {"left ring", "ring 4", RIGHT(now.call.left_ring)},
    {"what if they send to the left", "ring 4", RIGHT(now.call.left_ring)},
    {"twice as fast", "ring 4",
     RIGHT(now.is_simulated() && now.network.bandwidth == 2 * was.network.bandwidth)},
    {"what if the network is 10 times slower", "ring 4",
     RIGHT(now.is_simulated() && now.network.bandwidth == was.network.bandwidth / 10)},
    {"with 10 Gbit/s", "ring 4", RIGHT(now.is_simulated() && now.network.bandwidth == 1.25e9)},
    {"latency 10 us", "ring 4", RIGHT(now.is_simulated() && now.network.alpha_s == 1e-5)},
    {"without link 0-1", "ring 16 on torus-2d", RIGHT(now.network.links == "0:1=cut")},
    {"without link 0–1", "ring 16 on torus-2d", RIGHT(now.network.links == "0:1=cut")},
    {"what if the cable between 0 and 1 breaks", "ring 16 on torus-2d",
     RIGHT(now.network.links == "0:1=cut")},
    {"64 on a torus", "ring 4", RIGHT(is_on(now, "torus", 64))},
    {"ring 64 on fat-tree", "broadcast 4",
     RIGHT(is_on(now, "fat-tree", 64) && now.call.algorithm == "allreduce.ring")},
    {"16 on torus", "ring 4", RIGHT(is_on(now, "torus", 16))},
    {"and on a fat tree?", "ring 8", RIGHT(is_on(now, "fat-tree", 8))},
    {"doubling 8", "ring 4", RIGHT(now.call.algorithm == "allreduce.bde" && now.world.size == 8)},
    {"what about recursive doubling", "ring 4", RIGHT(now.call.algorithm == "allreduce.bde")},
    {"how does a tree compare", "ring 4", RIGHT(now.call.algorithm == "allreduce.tree")},
    {"other order", "ring 16 on torus-2d", RIGHT(!now.network.placement.empty())},
    {"rendezvous", "ring 4", RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"what if sends do not block", "ring 4 rendezvous",
     RIGHT(now.transport.mode == SendMode::buffered)},
    {"from 2", "broadcast 4", RIGHT(now.call.root == 2)},
    {"what if the root is 3", "broadcast 4", RIGHT(now.call.root == 3 && now.world.size == 4)},
    {"max instead of sum", "ring 4", RIGHT(now.call.op == ReduceOp::max)},
    {"what if all messages are 4 times larger and there are 8 ranks", "ring 4",
     RIGHT(bytes_of(now) == 4 * bytes_of(was) && now.world.size == 8)},
    {"ring 4 rank 2 slow", "tree 8", RIGHT(now.world.size == 4 && delay_of(now, 2) > 0)},
    // A second audience, after the first words were understood.
    {"what if there are only two ranks", "ring 4", RIGHT(now.world.size == 2)},
    {"can it run with 7?", "ring 4", RIGHT(now.world.size == 7)},
    {"what happens with 100 ranks", "ring 4", RIGHT(now.world.size == 100)},
    {"double the number of ranks", "ring 4", RIGHT(now.world.size == 8)},
    {"one rank more", "ring 4", RIGHT(now.world.size == 5)},
    {"what if the vector has a million elements", "ring 4",
     RIGHT(bytes_of(now) == 4e6 && now.world.size == 4)},
    {"1000 elements", "ring 4", RIGHT(bytes_of(now) == 4000 && now.world.size == 4)},
    {"with 4 MB per rank", "ring 4", RIGHT(bytes_of(now) == 4e6 && now.world.size == 4)},
    {"much larger messages", "ring 4", RIGHT(bytes_of(now) > 4 * bytes_of(was))},
    {"100 times more data", "ring 4", RIGHT(bytes_of(now) == 100 * bytes_of(was))},
    {"what if rank 3 is the slow one", "ring 4",
     RIGHT(delay_of(now, 3) > 0 && delay_of(now, 1) == 0)},
    {"what if rank 1 has a slow GPU", "ring 4", RIGHT(delay_of(now, 1) > 0 && now.world.size == 4)},
    {"if ranks 1 and 3 are slow", "ring 4", RIGHT(delay_of(now, 1) > 0 && delay_of(now, 3) > 0)},
    {"what if rank 2 sleeps for 5 ms", "ring 4", RIGHT(delay_of(now, 2) == 5000)},
    {"could we send in the other direction", "ring 4", RIGHT(now.call.left_ring)},
    {"what if the ring goes the other way", "ring 4", RIGHT(now.call.left_ring)},
    {"reverse the ring", "ring 4", RIGHT(now.call.left_ring)},
    {"what if we swap the network for a hypercube", "ring 4", RIGHT(is_on(now, "hypercube", 4))},
    {"what about a switch", "ring 4", RIGHT(is_on(now, "star", 4))},
    {"and with a fully connected network", "ring 4", RIGHT(is_on(now, "fully-connected", 4))},
    {"what if ranks are placed randomly", "ring 16 on torus-2d",
     RIGHT(!now.network.placement.empty())},
    {"shuffle the ranks", "ring 16 on torus-2d", RIGHT(!now.network.placement.empty())},
    {"what if link 2-3 is 10 times slower", "ring 16 on torus-2d",
     RIGHT(now.network.links == "2:3=1.25GB/s")},
    {"what if the link from 4 to 5 is gone", "ring 16 on torus-2d",
     RIGHT(now.network.links == "4:5=cut")},
    {"is it faster with half the latency", "ring 4",
     RIGHT(now.network.alpha_s == was.network.alpha_s / 2)},
    {"with 100 Gbit ethernet", "ring 4", RIGHT(now.network.bandwidth == 1.25e10)},
    {"what if bandwidth doubles", "ring 4",
     RIGHT(now.network.bandwidth == 2 * was.network.bandwidth)},
    {"on slower links", "ring 4",
     RIGHT(now.is_simulated() && now.network.bandwidth < was.network.bandwidth)},
    {"use a tree instead", "ring 4", RIGHT(now.call.algorithm == "allreduce.tree")},
    {"compare with rabenseifner", "ring 4", RIGHT(now.call.algorithm == "allreduce.rabenseifner")},
    {"what about the binomial tree", "broadcast 4 by flat",
     RIGHT(now.call.algorithm == "broadcast.binomial")},
    {"star instead of ring", "ring 4", RIGHT(now.call.algorithm == "allreduce.flat")},
    {"with blocking sends", "ring 4", RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"synchronous sends", "ring 4", RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"what if sends are buffered", "ring 4 rendezvous",
     RIGHT(now.transport.mode == SendMode::buffered)},
    {"average instead of sum", "ring 4", RIGHT(now.call.op == ReduceOp::avg)},
    {"in double precision", "ring 4", RIGHT(now.call.dtype == DType::float64)},
    {"broadcast from the last rank", "broadcast 4", RIGHT(now.call.root == 3)},
    {"what if rank 1 is the root", "broadcast 4", RIGHT(now.call.root == 1)},
    {"over TCP", "ring 4", RIGHT(now.transport.name == "tcp")},
    {"no slow rank", "ring 4 slow rank 2", RIGHT(delay_of(now, 2) == 0)},
    {"32 float64 per rank", "ring 4", RIGHT(bytes_of(now) == 256 && now.world.size == 4)},
    {"simulate it", "ring 4", RIGHT(now.is_simulated())},
    // A third one.
    {"what would change with 6 ranks", "ring 4", RIGHT(now.world.size == 6)},
    {"twice as many ranks", "ring 4", RIGHT(now.world.size == 8)},
    {"2 GiB per rank", "ring 4", RIGHT(bytes_of(now) == 2147483648.0)},
    {"only 8 bytes", "ring 4", RIGHT(bytes_of(now) == 8 && now.world.size == 4)},
    {"a smaller vector", "ring 4", RIGHT(bytes_of(now) < bytes_of(was))},
    {"what if rank 0 is late", "ring 4", RIGHT(delay_of(now, 0) > 0)},
    {"rank 3 is a straggler", "ring 4", RIGHT(delay_of(now, 3) > 0 && now.world.size == 4)},
    {"rank 1 twice as slow", "ring 4", RIGHT(delay_of(now, 1) > 0 && !now.is_simulated())},
    {"go left", "ring 4", RIGHT(now.call.left_ring)},
    {"to the right", "ring 4 to the left", RIGHT(was.call.left_ring && !now.call.left_ring)},
    {"on a 4x4 torus", "ring 4", RIGHT(is_on(now, "torus", 16))},
    {"8 ranks in a star", "ring 4",
     RIGHT(is_on(now, "star", 8) || now.call.algorithm == "allreduce.flat")},
    {"16 ranks on a 3d torus", "ring 4", RIGHT(is_on(now, "torus-3d", 16))},
    {"what if the network had no latency", "ring 4",
     RIGHT(now.is_simulated() && now.network.alpha_s == 0)},
    {"with infiniband at 200 Gb/s", "ring 4", RIGHT(now.network.bandwidth == 2.5e10)},
    {"cut the link between 1 and 2", "ring 16 on torus-2d", RIGHT(now.network.links == "1:2=cut")},
    {"disconnect 0-1", "ring 16 on torus-2d", RIGHT(now.network.links == "0:1=cut")},
    {"what if a link fails", "ring 16 on torus-2d", RIGHT(now.network.links.ends_with("=cut"))},
    {"with random placement", "ring 16 on torus-2d", RIGHT(!now.network.placement.empty())},
    {"put ranks in reverse order", "ring 16 on torus-2d",
     RIGHT(now.network.placement.starts_with("15,14"))},
    {"try the double tree", "ring 4", RIGHT(now.call.algorithm == "allreduce.double_tree")},
    {"what does swing do", "ring 4", RIGHT(now.call.algorithm == "allreduce.swing")},
    {"non-blocking sends", "ring 4 rendezvous", RIGHT(now.transport.mode == SendMode::buffered)},
    {"minimum", "ring 4", RIGHT(now.call.op == ReduceOp::min)},
    {"with ints", "ring 4", RIGHT(now.call.dtype == DType::int32)},
    // A fourth one.
    {"why not 3 ranks", "ring 4", RIGHT(now.world.size == 3)},
    {"what if I double the ranks and the data", "ring 4",
     RIGHT(now.world.size == 8 && bytes_of(now) == 2 * bytes_of(was))},
    {"one megabyte each", "ring 4", RIGHT(bytes_of(now) == 1e6)},
    {"how about 16 kB", "ring 4", RIGHT(bytes_of(now) == 16000)},
    {"if rank 0 were ten times slower than the others", "ring 4",
     RIGHT(delay_of(now, 0) > 0 && now.world.size == 4)},
    {"what if two ranks are slow", "ring 4",
     RIGHT(now.world.size == 4 && !now.world.delays_us.empty())},
    {"what if the slow rank is 0", "ring 4", RIGHT(delay_of(now, 0) > 0)},
    {"run it backwards", "ring 4", RIGHT(now.call.left_ring)},
    {"what if every rank sends left instead of right", "ring 4", RIGHT(now.call.left_ring)},
    {"ring on a ring network", "tree 4",
     RIGHT(is_on(now, "ring", 8) && now.call.algorithm == "allreduce.ring")},
    {"how would it look on a 2D torus", "ring 4", RIGHT(is_on(now, "torus-2d", 4))},
    {"what if we remove the link between rank 2 and rank 3", "ring 16 on torus-2d",
     RIGHT(now.network.links == "2:3=cut")},
    {"what if link 0-4 is only half as fast", "ring 16 on torus-2d",
     RIGHT(now.network.links == "0:4=6.25GB/s")},
    {"gigabit ethernet", "ring 4", RIGHT(now.network.bandwidth == 1.25e8)},
    {"higher latency", "ring 4", RIGHT(now.network.alpha_s > was.network.alpha_s)},
    {"tree instead of ring", "ring 4", RIGHT(now.call.algorithm == "allreduce.tree")},
    {"a blocking send", "ring 4", RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"multiply instead of add", "ring 4", RIGHT(now.call.op == ReduceOp::product)},
    {"what if we start from rank 3", "broadcast 4", RIGHT(now.call.root == 3)},
    {"what if nobody waits", "ring 4 rendezvous", RIGHT(now.transport.mode == SendMode::buffered)},
    // A fifth one.
    {"what if 128 kB are sent", "ring 4", RIGHT(bytes_of(now) == 128000)},
    {"how long would 100 MB take", "ring 4", RIGHT(bytes_of(now) == 1e8)},
    {"is a tree faster", "ring 4",
     RIGHT(now.call.algorithm == "allreduce.tree" && !now.is_simulated())},
    {"rank 0 and rank 1 slow", "ring 4",
     RIGHT(delay_of(now, 0) > 0 && delay_of(now, 1) > 0 && now.world.size == 4)},
    {"turn the ring around", "ring 4", RIGHT(now.call.left_ring)},
    {"send to the left neighbour", "ring 4", RIGHT(now.call.left_ring)},
    {"32 ranks on a hypercube", "ring 4", RIGHT(is_on(now, "hypercube", 32))},
    {"what if the network is a star", "ring 4", RIGHT(is_on(now, "star", 4))},
    {"remove link 2-3", "ring 16 on torus-2d", RIGHT(now.network.links == "2:3=cut")},
    {"what if link 0\u20131 has 1 GB/s", "ring 16 on torus-2d",
     RIGHT(now.network.links == "0:1=1GB/s")},
    {"double bandwidth", "ring 4", RIGHT(now.network.bandwidth == 2 * was.network.bandwidth)},
    {"ten times the latency", "ring 4", RIGHT(now.network.alpha_s == 10 * was.network.alpha_s)},
    {"rendezvous sends instead of buffered ones", "ring 4",
     RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"broadcast from rank 1 instead", "ring 4",
     RIGHT(now.call.algorithm == "broadcast.binomial" && now.call.root == 1)},
    {"maximum instead of sum", "ring 4", RIGHT(now.call.op == ReduceOp::max)},
    {"64-bit floats", "ring 4", RIGHT(now.call.dtype == DType::float64 && now.world.size == 4)},
    {"place the ranks differently", "ring 16 on torus-2d", RIGHT(!now.network.placement.empty())},
    {"use recursive doubling on 16 ranks", "ring 4",
     RIGHT(now.call.algorithm == "allreduce.bde" && now.world.size == 16)},
    {"bigger messages, say 1 MiB", "ring 4", RIGHT(bytes_of(now) == 1048576)},
    {"what if the ranks are far apart", "ring 4",
     RIGHT(now.is_simulated() && now.network.alpha_s > was.network.alpha_s)},
    // Students who saw the lectures, and no list of words.
    {"what if rank 3 has the data?", "broadcast 8",
     RIGHT(now.call.root == 3 && now.world.size == 8)},
    {"what if rank 0 just sends it to everybody itself?", "broadcast 8",
     RIGHT(now.call.algorithm == "broadcast.flat" && now.world.size == 8)},
    {"what if send waits until the other one receives?", "ring 4",
     RIGHT(now.transport.mode == SendMode::rendezvous && now.world.size == 4)},
    {"does doubling work with 6 ranks?", "ring 4",
     RIGHT(now.call.algorithm == "allreduce.bde" && now.world.size == 6)},
    {"what if a message costs 50 microseconds of latency?", "ring 16",
     RIGHT(now.network.alpha_s == 5e-5 && now.world.size == 16)},
    {"what if it is a mesh without the wrap-around links?", "ring 16 on torus-2d",
     RIGHT(is_on(now, "mesh-2d", 16) && now.network.links.empty())},
    {"would doubling be better here?", "ring 16 on torus-2d",
     RIGHT(now.call.algorithm == "allreduce.bde" && is_on(now, "torus-2d", 16))},
    {"what if all ranks hang on one switch?", "ring 16 on fat-tree", RIGHT(is_on(now, "star", 16))},
    {"how many steps would 64 ranks need?", "broadcast 8", RIGHT(now.world.size == 64)},
    {"is there any difference if the vector is twice as long?", "ring 4",
     RIGHT(bytes_of(now) == 2 * bytes_of(was))},
    {"what if we have an odd number of ranks like 7?", "ring 4",
     RIGHT(now.world.size == 7 && bytes_of(now) == 64)},
    {"suppose rank 3's GPU is much slower", "ring 4",
     RIGHT(delay_of(now, 3) > 0 && delay_of(now, 1) == 0 && !now.is_simulated())},
    {"what if we upgrade to 100 GB/s?", "ring 4 simulated", RIGHT(now.network.bandwidth == 1e11)},
    {"what if ranks are numbered randomly?", "ring 16 on torus-2d",
     RIGHT(!now.network.placement.empty())},
    {"what if another link, between 9 and 10, is cut as well?", "ring 16 on torus-2d",
     RIGHT(now.network.links == "9:10=cut")},
    {"what if instead it is only ten times slower?", "ring 16 on torus-2d",
     RIGHT(now.world.delays_us.empty() && now.network.topology != was.network.topology)},
    {"what if one of the ranks is slow", "ring 4", RIGHT(!now.world.delays_us.empty())},
    {"does it scale better on a torus with 32 ranks", "ring 4", RIGHT(is_on(now, "torus", 32))},
    {"what if the number of ranks is not a power of two", "ring 4", RIGHT(now.world.size == 6)},
    {"what if rank 2 itself is slow", "ring 4",
     RIGHT(delay_of(now, 2) > 0 && now.call.algorithm == was.call.algorithm)},
    {"what if we use doubling rather than a tree", "ring 4",
     RIGHT(now.call.algorithm == "allreduce.bde")},
    {"does it help if every rank is fast", "ring 4, rank 2 slow",
     RIGHT(now.world.delays_us.empty() && now.world.size == 4)},
    // Words that nobody foresaw, slips of the keys, "not", and numbers and units as people write them.
    {"would it also work with ten computers?", "broadcast 8", RIGHT(now.world.size == 10)},
    {"why not pass it along in a chain from one rank to the next?", "broadcast 8",
     RIGHT(now.call.algorithm == "broadcast.chain" && now.world.size == 8)},
    {"waht if each rank has twise as much data", "ring 4",
     RIGHT(bytes_of(now) == 2 * bytes_of(was) && now.world.size == 4)},
    {"suppose there were three of them and not four", "ring 4", RIGHT(now.world.size == 3)},
    {"what happens if they only send once the neighbour is ready to take it", "ring 4",
     RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"does it matter which way they send?", "ring 4", RIGHT(now.call.left_ring)},
    {"can't we number the ranks smarter so that neighbours are really neighbours?",
     "ring 16 on torus-2d",
     RIGHT(now.network.placement == "0,1,2,3,7,4,5,6,10,9,8,11,15,14,13,12")},
    {"what about 12 ranks, thats not a power of 2", "doubling 8", RIGHT(now.world.size == 12)},
    {"at 10 megabytes each, who is faster then?", "ring 8, rank 2 slow",
     RIGHT(bytes_of(now) == 1e7 && delay_of(now, 2) > 0)},
    {"what if we had four thousand numbers rather than sixteen", "ring 4",
     RIGHT(bytes_of(now) == 16000 && now.world.size == 4)},
    {"and for sixty-four k?", "ring 4", RIGHT(bytes_of(now) == 64000)},
    {"64k elements", "ring 4", RIGHT(bytes_of(now) == 256000)},
    {"same thing on 400 gigabit ethernet", "ring 4",
     RIGHT(now.network.bandwidth == 5e10 && now.world.size == 4)},
    {"with 10 gigabytes per second", "ring 4", RIGHT(now.network.bandwidth == 1e10)},
    {"what if the start-up time per message is 20 us not 5", "ring 4",
     RIGHT(now.network.alpha_s == 2e-5 && now.world.size == 4)},
    {"and if we use recursive halving and doubling?", "ring 4",
     RIGHT(now.call.algorithm == "allreduce.rabenseifner")},
    {"does it get better if the ranks were arranged on a hypercube", "ring 16 on torus-2d",
     RIGHT(is_on(now, "hypercube", 16))},
    {"what if they're just connected in a line?", "ring 16 on fat-tree",
     RIGHT(is_on(now, "ring", 16) && now.network.links == "0:15=cut")},
    {"what if only the cable from 2 to 6 is pulled out, the other one is fine again",
     "without link 0-1, ring 16 on torus-2d", RIGHT(now.network.links == "2:6=cut")},
    {"what if the cable between 0 and 1 is fine again", "without link 0-1, ring 16 on torus-2d",
     RIGHT(now.network.links.empty())},
    {"link 1-0 is repaired", "without link 0-1, ring 16 on torus-2d",
     RIGHT(now.network.links.empty())},
    {"what if the link is repaired", "without link 0-1, ring 16 on torus-2d",
     RIGHT(now.network.links.empty())},
    {"what if it was rank 5 that is lagging, not 2?", "ring 8, rank 2 slow",
     RIGHT(delay_of(now, 5) > 0 && delay_of(now, 2) == 0 && now.world.size == 8)},
    {"what if instead it is only ten times slower?", "without link 0-1, ring 16 on torus-2d",
     RIGHT(now.network.links == "0:1=1.25GB/s" && now.network.topology == "torus-2d")},
    {"and with half the latancy?", "ring 4 simulated",
     RIGHT(now.network.alpha_s == was.network.alpha_s / 2)},
    {"what about an 8 by 8 torus", "ring 4", RIGHT(is_on(now, "torus-2d", 64))},
    {"what if number 2 is asleep", "ring 4", RIGHT(delay_of(now, 2) > 0 && now.world.size == 4)},
    {"ok but what if the last one has the message", "broadcast 8", RIGHT(now.call.root == 7)},
    {"what if nobody was slow?", "ring 4, rank 2 slow", RIGHT(now.world.delays_us.empty())},
    {"what if rank 1 is 50% slower", "ring 4", RIGHT(delay_of(now, 1) > 0 && now.world.size == 4)},
    {"what if rank 2 isn't slow", "ring 4, ranks 1 and 2 slow",
     RIGHT(delay_of(now, 1) > 0 && delay_of(now, 2) == 0 && now.world.size == 4)},
    {"what if rank 2 isn't slow", "ring 4", RIGHT(now == was)},
    {"isn't rank 2 slow?", "ring 4", RIGHT(delay_of(now, 2) > 0)},
    {"what about 50% of the bandwidth", "ring 4 simulated",
     RIGHT(now.network.bandwidth == was.network.bandwidth / 2)},
    {"what if the bandwidth grows by 50%", "ring 4 simulated",
     RIGHT(now.network.bandwidth == was.network.bandwidth * 1.5)},
    {"10% of the data", "1000 elements", RIGHT(bytes_of(now) == bytes_of(was) / 10)},
    {"50% more data", "1000 elements", RIGHT(bytes_of(now) == bytes_of(was) * 1.5)},
    {"a line where link 1-2 is slow", "ring 8 on ring",
     RIGHT(now.network.links == "0:7=cut,1:2=1.25GB/s" && now.world.delays_us.empty())},
    {"what if it has twise the ranks and twise the data", "ring 4",
     RIGHT(now.world.size == 8 && bytes_of(now) == 2 * bytes_of(was))},
    {"what if the ranks are numbered in a smarter order", "1024 on a torus",
     RIGHT(now.network.placement.size() > 3000)},
    {"what about 8 tasks in racks with a master", "ring 4", RIGHT(now.world.size == 8)},
    {"use not a tree but doubling", "ring 4", RIGHT(now.call.algorithm == "allreduce.bde")},
    // Guesses, contrasts and comparisons, which change nothing by themselves.
    {"and if theres ten of them do you need one more step?", "broadcast 8",
     RIGHT(now.world.size == 10)},
    {"why not rank 0 just sends it to every other rank by itself, is that slower", "broadcast 8",
     RIGHT(now.call.algorithm == "broadcast.flat" && now.world.delays_us.empty())},
    {"ok but now with three ranks", "ring 4", RIGHT(now.world.size == 3)},
    {"what if the ring goes the other way round, 3 to 2 to 1, does the sum still come out right?",
     "ring 4", RIGHT(now.call.left_ring&& now.world.size == 4 && bytes_of(now) == bytes_of(was))},
    {"would this hang if a send only comes back after the other side has recieved it", "ring 4",
     RIGHT(now.transport.mode == SendMode::rendezvous && now.world.size == 4)},
    {"and with six? thats no power of two", "doubling 8", RIGHT(now.world.size == 6)},
    {"would a ring need fewer messages than this doubling thing?", "doubling 8",
     RIGHT(now.call.algorithm == "allreduce.ring" && now.world.size == 8)},
    {"which one wins if the vector has a million floats insted of sixteen", "ring 8",
     RIGHT(bytes_of(now) == 4e6 && now.world.size == 8)},
    {"what if the network only does half of that, 5 gigabyte per second i mean", "ring 4 simulated",
     RIGHT(now.network.bandwidth == 5e9 && now.call.op == was.call.op)},
    {"so with 4x less data (64 kb) is it also 4 times faster?", "ring 4 simulated",
     RIGHT(bytes_of(now) == 64000 && now.network.bandwidth == was.network.bandwidth)},
    {"how many times longer does it take with four times as many ranks", "ring 16 simulated",
     RIGHT(now.world.size == 64)},
    {"isn't there something quicker than both, like halving first and then doubling",
     "doubling 64 simulated", RIGHT(now.call.algorithm == "allreduce.rabenseifner")},
    {"how much slower if the cable from 3 to 7 has only half the bandwith", "ring 16 on torus-2d",
     RIGHT(now.network.links == "3:7=6.25GB/s" && bytes_of(now) == bytes_of(was))},
    {"and without those wrap around links, just a plain grid?", "ring 16 on torus-2d",
     RIGHT(is_on(now, "mesh-2d", 16) && now.network.links.empty() && !now.call.left_ring)},
    {"rank 3 sends all the way over to rank 4, cant we walk through the nodes like a snake (0 1 2 "
     "3 "
     "7 6 5 4 8 ...) so that every hop is just one cable? does that help",
     "ring 16 on torus-2d",
     RIGHT(now.network.placement == "0,1,2,3,7,6,5,4,8,9,10,11,15,14,13,12")},
    {"what if its the link between 5 and 6 that breaks, not 0 and 1",
     "without link 0-1, ring 16 on torus-2d",
     RIGHT(now.network.links == "5:6=cut" && now.world.size == 16)},
    {"the torus was quicker than this wasnt it?", "ring 16 on fat-tree",
     RIGHT(is_on(now, "torus", 16))},
    {"does it matter who is the slow one? say rank five instead of two", "ring 8, rank 2 slow",
     RIGHT(delay_of(now, 5) > 0 && delay_of(now, 2) == 0)},
    {"for tiny messages like 1 KB, does doubling beat the ring?", "ring 64 simulated",
     RIGHT(now.call.algorithm == "allreduce.bde" && bytes_of(now) == 1000)},
    {"suppose there were a dozen instead of eight, is it still three steps?", "broadcast 8",
     RIGHT(now.world.size == 12)},
    {"hm, is it any quicker when everybody passes to the left, or does that change nothing?",
     "ring 4", RIGHT(now.call.left_ring)},
    {"could the wire joining 1 and 2 be dead, rather than 0-1",
     "without link 0-1, ring 16 on torus-2d", RIGHT(now.network.links == "1:2=cut")},
    {"does the ring get by on less messages than doubling?", "doubling 8",
     RIGHT(now.call.algorithm == "allreduce.ring")},
    {"if a send is only done once the partner has taken the data, are we stuck?", "ring 4",
     RIGHT(now.transport.mode == SendMode::rendezvous)},
    {"is it just as bad when 6 lags and 2 doesnt", "ring 8, rank 2 slow",
     RIGHT(delay_of(now, 6) > 0 && delay_of(now, 2) == 0)},
    {"put them on a hypercube then, is that 2 times faster than the torus?", "ring 16 on fat-tree",
     RIGHT(is_on(now, "hypercube", 16))},
    {"does it take twice as long with 8?", "ring 4",
     RIGHT(now.world.size == 8 && bytes_of(now) == bytes_of(was))},
    {"do faster links help?", "ring 4", RIGHT(now.network.bandwidth == 10 * was.network.bandwidth)},
    {"i bet 8 ranks take twice as long, right?", "ring 4", RIGHT(now.world.size == 8)},
    {"is the result still right if we go the other way?", "ring 4", RIGHT(now.call.left_ring)},
};

// Questions whose answer would be one to another question.
const TypedQuestion kNotUnderstood[] = {
    {"what if we compress the messages to 8 bits", "ring 4", nullptr},
    {"what if rank 3 crashes", "broadcast 8", nullptr},
    {"what if two messages get lost", "ring 4", nullptr},
    {"what if they don't use 8 ranks", "ring 4", nullptr},
    {"what if the ranks cannot use a tree", "ring 4", nullptr},
    {"what if it is neither a tree nor a ring", "ring 4", nullptr},
    {"what if rank 2 runs at 50% speed", "ring 4", nullptr},
    {"who is faster", "ring 4", nullptr},
    {"lets say there's a fifth rank joining the ring", "ring 4", nullptr},
    {"does that work", "ring 4", nullptr},
    {"what happens when everybody first waits for the message from the left before they send there "
     "own",
     "ring 4", nullptr},
    {"would that be faster if we had half?", "ring 4", nullptr},
    {"what if two of them are slow", "ring 4", nullptr},
    {"what if the message is split in 3", "ring 4", nullptr},
    {"8 machines, 2 gpus each", "ring 4", nullptr},
    {"if i double it", "ring 4", nullptr},
    {"without any links", "ring 16 on torus-2d", nullptr},
    {"does it need 3 steps or 7?", "broadcast 8", nullptr},
    {"how much slower is rank 2", "ring 4", nullptr},
};

#undef RIGHT

}  // namespace

TEST_CASE("questions: what an audience asks changes the job as meant", "[gui_state]") {
  for (const TypedQuestion& question : kTypedQuestions) {
    INFO(question.words << " (of " << question.of << ")");
    const JobSpec before = parse_job({}, question.of).job;
    try {
      const JobSpec now = parse_job(before, question.words).job;
      CHECK(question.right(before, now));
    } catch (const UserError& e) {
      INFO(e.what());
      CHECK(false);
    }
  }
}

TEST_CASE("questions: what is left out of one is said", "[gui_state]") {
  const JobSpec ring = parse_job({}, "ring 4").job;
  CHECK(parse_job(ring, "what about 8 ranks and 6 steps").reading == "without \u201C6 steps\u201D");
  CHECK(parse_job(ring, "8 ranks from everybody").reading == "without \u201Cfrom\u201D");
  CHECK_THROWS_WITH(parse_job(ring, "8 ranks, from which?"), ContainsSubstring("which rank?"));
  CHECK(parse_job(ring, "what about 8 tasks").reading.empty());
  CHECK(parse_job(ring, "with 64 kB, is it 4 times faster?").reading ==
        "without \u201C4 times faster\u201D");
  CHECK(parse_job(ring, "for 1 kB, does doubling beat the ring?").against == "allreduce.ring");
  CHECK(parse_job(ring, "for 50 MB, is the tree ever better").against == "allreduce.ring");
  CHECK(parse_job(ring, "tree, 50 MB").against.empty());
  CHECK(spelled("racks").empty());
  CHECK(spelled("talks").empty());
  CHECK(spelled("rakns") == "ranks");
  std::string paragraph = "what if";
  for (int word = 0; word < 40; ++word) paragraph += " lorem";
  CHECK_THROWS_WITH(parse_job(ring, paragraph), ContainsSubstring("too long for a question"));
}

TEST_CASE("questions: what could mean another change is refused", "[gui_state]") {
  for (const TypedQuestion& question : kNotUnderstood) {
    INFO(question.words << " (of " << question.of << ")");
    CHECK_THROWS_AS(parse_job(parse_job({}, question.of).job, question.words), UserError);
  }
}
