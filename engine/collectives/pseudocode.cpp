// The texts: a line that belongs to phases of the run begins with their names and ">"; "-" stands for no phase.
#include "engine/collectives/pseudocode.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

struct Text {
  std::string_view algorithm, lines;
};

// Written after the sources that the registry names; where ours differs from the paper, as ours does it.
constexpr Text kTexts[] = {
    {"p2p.ping", R"(if r = 0:
ping-pong>  send x to 1
ping-pong>  receive x from 1
if r = 1:
ping-pong>  receive x from 0
ping-pong>  send x to 0)"},
    {"p2p.sendrecv", R"(in parallel:
exchange>  send x to r + 1
exchange>  receive y from r − 1
return y)"},
    {"barrier.dissemination", R"(for k = 0, 1, … while 2^k < p:
barrier>  send an empty message to r + 2^k
barrier>  receive one from r − 2^k
return: every rank has arrived)"},
    {"barrier.flat", R"(if r ≠ 0:
barrier>  send an empty message to 0
barrier>  receive one from 0
else:
barrier>  receive one from each other rank
barrier>  send one to each of them
return: every rank has arrived)"},
    {"broadcast.flat", R"(if r = root:
  for each other rank q:
broadcast>    send x to q
else:
broadcast>  receive x from root)"},
    {"broadcast.binomial", R"(the ranks are a range that begins with the root
while the range has more than one rank:
  cut it in halves; its first rank is a, that of the other half is b
broadcast>  if r = a: send x to b
broadcast>  if r = b: receive x from a
  go on in the half that has r)"},
    {"broadcast.knomial", R"(the ranks are a range; its root is the root
while the range has more than one rank:
  cut it into parts of the largest power of k below its length
broadcast>  if r is its root: send x to the first rank of each other part, without waiting
broadcast>  if r is the first rank of such a part: receive x from its root
  go on in the part that has r)"},
    {"broadcast.scatter_allgather", R"(cut x into p chunks
if r ≠ root:
scatter>  receive the chunks of r's subtree from its parent
for each child c, the largest subtree first:
scatter>  send c the chunks of its subtree
for s = 0 … p − 2:
allgather>  send chunk r − s to r + 1
allgather>  receive chunk r − 1 − s from r − 1)"},
    {"broadcast.chain", R"(cut x into m segments
for k = 0 … m − 1:
  if r ≠ root:
broadcast>    receive segment k from r − 1
  if r + 1 ≠ root:
broadcast>    send segment k to r + 1, without waiting)"},
    {"broadcast.double_tree", R"(two binary trees; no rank but the root has children in both
cut x into m segments; segment k goes down tree k mod 2
for s = 0, 1, …, and for each tree with r at depth d:
  k ← s − d, if it is a segment of this tree
broadcast>  if r ≠ root: receive segment k from the parent
broadcast>  send segment k to each child, without waiting)"},
    {"reduce.flat", R"(if r = root:
  for each other rank q:
reduce>    receive y from q; x ← x + y
else:
reduce>  send x to root)"},
    {"reduce.binomial", R"(the binomial tree of the broadcast, from its leaves to the root
for each child c, the smallest subtree first:
reduce>  receive y from c; x ← x + y
if r ≠ root:
reduce>  send x to the parent)"},
    {"reduce.knomial", R"(the k-nomial tree of the broadcast, from its leaves to the root
for each child c, the smallest subtree first:
reduce>  receive y from c; x ← x + y
if r ≠ root:
reduce>  send x to the parent)"},
    {"reduce.scatter_gather", R"(cut x into p chunks
for s = 1 … p − 1:
reduce-scatter>  send chunk r − s to r + 1
reduce-scatter>  receive y from r − 1; chunk r − s − 1 ← chunk r − s − 1 + y
now chunk r is whole on rank r
for each child c in the binomial tree:
gather>  receive the chunks of its subtree from c
if r ≠ root:
gather>  send the chunks of r's subtree to the parent)"},
    {"gather.flat", R"(if r = root:
  for each other rank q:
gather>    receive block q from q
else:
gather>  send block r to root)"},
    {"gather.binomial", R"(for each child c, the smallest subtree first:
gather>  receive the blocks of c's subtree from c
if r ≠ root:
gather>  send the blocks of r's subtree to the parent, as one message)"},
    {"scatter.flat", R"(if r = root:
  for each other rank q:
scatter>    send chunk q to q
else:
scatter>  receive chunk r from root)"},
    {"scatter.binomial", R"(if r ≠ root:
scatter>  receive the chunks of r's subtree from the parent
for each child c, the largest subtree first:
scatter>  send c the chunks of its subtree
keep chunk r)"},
    {"allgather.flat", R"(if r = 0:
  for each other rank q:
gather>    receive block q from q
broadcast>  for each other rank q: send it all blocks
else:
gather>  send block r to 0
broadcast>  receive all blocks from 0)"},
    {"allgather.ring", R"(for s = 0 … p − 2:
allgather>  send block r − s to r + 1
allgather>  receive block r − 1 − s from r − 1
return all p blocks)"},
    {"allgather.doubling", R"(if p is no power of two: p' ← the power of two below it
fold, fold in>  each surplus rank sends its block to the rank before it
for d = 1, 2, 4, … while d < p':
  q ← r xor d
doubling>  exchange all blocks held so far with q
fold, fold out>  each surplus rank receives all blocks)"},
    {"allgather.bruck", R"(B ← [block r]
for k = 0, 1, … while 2^k < p:
doubling>  send the first min(2^k, p − 2^k) blocks of B to r − 2^k
doubling>  append what comes from r + 2^k to B
turn>turn B by r places, so that block 0 comes first)"},
    {"allgather.pat", R"(A ← blocks that a message may have, a power of two; P ≥ p the next one
for d = P/2, P/4, … while fewer than A blocks have been spread:
trees>  send the blocks that r has so far to r + d, receive as many from r − d
for x = 1 … P/A − 1, with d the lowest bit of x:
trees>  send to r + d the blocks of r − x + d, r − x + d − P/A, …
trees>  receive from r − d those of r − x, r − x − P/A, …)"},
    {"reduce_scatter.direct", R"(y ← chunk r of x
for s = 1 … p − 1:
reduce-scatter>  send chunk r + s to r + s
reduce-scatter>  receive z from r − s; y ← y + z
return y)"},
    {"reduce_scatter.ring", R"(for s = 1 … p − 1:
reduce-scatter>  send chunk r − s to r + 1
reduce-scatter>  receive y from r − 1
reduce-scatter>  chunk r − s − 1 ← chunk r − s − 1 + y
return chunk r)"},
    {"reduce_scatter.halving", R"(if p is no power of two: p' ← the power of two below it
fold, fold in>  each surplus rank sends all of x to the rank before it, which adds it
for d = p'/2, p'/4, …, 1:
  q ← r xor d
halving>  send q the half of the chunks still held that q keeps
halving>  receive y from q; the other half ← the other half + y
fold, fold out>  each surplus rank receives its chunk
return chunk r)"},
    {"reduce_scatter.pat", R"(the trees of the PAT allgather, from their leaves to their roots
for x = P/A − 1 … 1, with d the lowest bit of x:
trees>  send to r − d the partial sums of the chunks r − x, r − x − P/A, …
trees>  receive those of r − x + d, … from r + d; add them to r's own
for d = P/A, 2P/A, …, P/2:
trees>  send half of the partial sums to r − d
trees>  receive as many from r + d; add them to the other half
return chunk r)"},
    {"allreduce.flat", R"(if r = 0:
  for each other rank q:
reduce>    receive y from q; x ← x + y
broadcast>  for each other rank q: send x to q
else:
reduce, flat>  send x to 0
broadcast, flat>  receive x from 0)"},
    {"allreduce.in_network", R"(the switch:
reduce>  receive y from each rank; s ← sum of all y
broadcast>  send s to each rank
each rank:
reduce, flat>  send x to the switch
broadcast, flat>  receive x from the switch)"},
    {"allreduce.one_shot", R"(for each other rank q, all at once:
exchange>  send x to q
for each other rank q:
exchange>  receive y_q from q
x ← y_0 + y_1 + … + y_(p−1), where y_r = x)"},
    {"allreduce.two_shot", R"(cut x into p chunks
for each other rank q, all at once:
reduce-scatter>  send chunk q to q
for each other rank q:
reduce-scatter>  receive y from q; chunk r ← chunk r + y
for each other rank q, all at once:
allgather>  send chunk r to q
for each other rank q:
allgather>  receive chunk q from q)"},
    {"allreduce.mst",
     R"(the ranks 0 … p − 1 are cut in halves again and again; a range's far end is the partner
for each child c, the nearest first:
reduce>  receive y from c; x ← x + y
reduce>if r ≠ 0: send x to the parent
broadcast>if r ≠ 0: receive x from the parent
for each child c, the farthest first:
broadcast>  send x to c)"},
    {"allreduce.tree", R"(for i = 1 … ⌈log2 p⌉:
I: reduce to the root>  if r mod 2^i = 2^(i−1): send x to r − 2^(i−1)
I: reduce to the root>  if r mod 2^i = 0: receive y from r + 2^(i−1); x ← x + y
for i = ⌈log2 p⌉ … 1:
II: broadcast from the root>  if r mod 2^i = 2^(i−1): receive x from r − 2^(i−1)
II: broadcast from the root>  if r mod 2^i = 0: send x to r + 2^(i−1))"},
    {"allreduce.bde", R"(if p is no power of two: p' ← the power of two below it
fold, fold in>  each surplus rank sends x to the rank before it, which adds it
for d = 1, 2, 4, … while d < p':
  q ← r xor d
exchange>  send x to q and receive y from q
exchange>  x ← x + y
fold, fold out>  each surplus rank receives x)"},
    {"allreduce.recursive_multiplying", R"(p' = k · k · … · f ≤ p ranks take part, with f < k
fold, fold in>  each surplus rank sends x to the rank before it, which adds it
for each factor m of p', and d = the product of those before:
  G ← the m ranks that are i · d apart, one of which is r
exchange>  send x to all others of G, at once
exchange>  receive y from each of them
exchange>  x ← the sum of all m, in the order of ranks
fold, fold out>  each surplus rank receives x)"},
    {"allreduce.ring", R"(cut x into p chunks
for s = 0 … p − 2:
reduce-scatter>  send chunk r − s to r + 1
reduce-scatter>  receive y from r − 1; chunk r − s − 1 ← chunk r − s − 1 + y
now chunk r + 1 is whole on rank r
for s = 0 … p − 2:
allgather>  send chunk r + 1 − s to r + 1
allgather>  receive chunk r − s from r − 1)"},
    {"allreduce.rabenseifner", R"(if p is no power of two: p' ← the power of two below it
fold, fold in>  each surplus rank sends x to the rank before it, which adds it
for d = p'/2, p'/4, …, 1:
reduce-scatter>  exchange halves of the chunks still held with r xor d
reduce-scatter>  kept half ← kept half + what came
for d = 1, 2, 4, … while d < p':
allgather>  exchange all whole chunks with r xor d
fold, fold out>  each surplus rank receives x)"},
    {"allreduce.swing", R"(p' ← the largest power of two up to p; d_0, d_1, … = 1, −1, 3, −5, 11, …
fold, fold in>  each surplus rank sends x to the rank before it, which adds it
for s = 0 … log2 p' − 1:
  q ← r + d_s if r is even, r − d_s if it is odd
reduce-scatter>  send q the chunks that it reaches from step s + 1 on
reduce-scatter>  receive those that r reaches; add them
for s = log2 p' − 1 … 0:
allgather>  exchange all whole chunks with the same q
fold, fold out>  each surplus rank receives x)"},
    {"allreduce.reduce_broadcast", R"(for each child c in the binomial tree of rank 0:
reduce>  receive y from c; x ← x + y
reduce>if r ≠ 0: send x to the parent
broadcast>if r ≠ 0: receive x from the parent
for each child c, the largest subtree first:
broadcast>  send x to c)"},
    {"allreduce.reduce_scatter_allgather", R"(cut x into p chunks
for s = 1 … p − 1:
reduce-scatter>  send chunk r − s to r + 1
reduce-scatter>  receive y from r − 1; chunk r − s − 1 ← chunk r − s − 1 + y
now chunk r is whole on rank r
for s = 0 … p − 2:
allgather>  send chunk r − s to r + 1
allgather>  receive chunk r − 1 − s from r − 1)"},
    {"allreduce.hierarchical", R"(groups of g ranks; the first rank of each is its leader
group reduce>reduce x to the leader, inside each group (binomial tree)
if r is a leader:
leaders allreduce>  allreduce x among the leaders (recursive doubling)
group broadcast>broadcast x from the leader, inside each group (binomial tree))"},
    {"allreduce.two_level_ring", R"(groups of g ranks; i is r's place in its group
fold, fold in>  each rank behind the last whole group sends x to its place in the group before
cut x into g chunks
group reduce-scatter>reduce-scatter x around the ring of the group: r gets chunk i
rail allreduce>reduce-scatter chunk i around the ring of the ranks with place i,
rail allreduce>  and allgather it there
group allgather>allgather the chunks around the ring of the group
fold, fold out>  each rank behind the last whole group receives x)"},
    {"allreduce.ring_pipelined", R"(cut x into p chunks, and each chunk into segments
->for each segment k: send segment k of chunk r to r + 1, without waiting
for s = 1 … p − 1, and for each segment k:
reduce-scatter>  receive y from r − 1; segment k of chunk r − s ← it + y
reduce-scatter>  send that segment on to r + 1, without waiting
for s = 1 … p − 1, and for each segment k:
allgather>  receive segment k of chunk r + 1 − s from r − 1
allgather>  if s < p − 1: send it on to r + 1, without waiting)"},
    {"allreduce.double_tree", R"(two binary trees of height h, with root 0
cut x into m segments; segment k goes along tree k mod 2
for s = 0, 1, …, and for each tree with r at depth d:
  k ← s − (h − d), if it is a segment of this tree
reduce>  receive y from each child; segment k ← segment k + y
reduce>  send segment k to the parent, without waiting
  k ← s − (h + d), if it is one
broadcast>  receive segment k from the parent
broadcast>  send segment k to each child, without waiting)"},
    {"allreduce.bucketed", R"(cut x into buckets
for each bucket b, without waiting for the one before:
  start a strand, and in it:
bucket>    reduce-scatter b around the ring, p − 1 steps
bucket>    allgather b around the ring, p − 1 steps
wait for all strands)"},
    {"alltoall.linear", R"(for q = 0 … p − 1, q ≠ r:
exchange>  send block q to q, without waiting
for q = 0 … p − 1, q ≠ r:
exchange>  receive the block for r from q
wait for all sends)"},
    {"alltoall.pairwise", R"(keep block r
for s = 1 … p − 1:
  q ← r xor s, where p is a power of two (else r + s, and receive from r − s)
exchange>  send block q to q
exchange>  receive the block for r from q)"},
    {"alltoall.bruck", R"(turn the blocks: slot j ← the block for rank r + j
for k = 0, 1, … while 2^k < p:
exchange>  pack all slots j whose bit k is set into one message
exchange>  send it to r + 2^k, and receive one from r − 2^k
exchange>  unpack it into the same slots
place: the block from rank r − j ← slot j)"},
    {"alltoall.hierarchical", R"(groups of g ranks; place i of each; r = (group h, place i)
for s = 1 … g − 1:
in group>  send place i + s of the group the blocks for that place in all groups
in group>  receive from place i − s its blocks for place i in all groups
for s = 1 … p/g − 1:
between groups>  send place i of group h + s all blocks of group h for it
between groups>  receive those of group h − s for r from its place i)"},
};

PseudocodeLine line_of(std::string_view text) {
  PseudocodeLine line;
  const auto mark = static_cast<std::size_t>(ranges::find(text, '>') - text.begin());
  if (mark != text.size()) {
    for (auto names = text.substr(0, mark); !names.empty();) {
      const auto comma = names.find(", ");
      line.phases.emplace_back(names.substr(0, comma));
      names = comma == std::string_view::npos ? "" : names.substr(comma + 2);
    }
    text.remove_prefix(mark + 1);
  }
  line.text = text;
  return line;
}

}  // namespace

bool PseudocodeLine::done_in(std::string_view path) const {
  if (path.empty()) path = "-";
  return ranges::any_of(phases, [path](const std::string& phase) {
    for (auto at = path.find(phase); at != std::string_view::npos; at = path.find(phase, at + 1)) {
      const auto end = at + phase.size();
      const bool begins = at == 0 || path[at - 1] == '/' || path[at - 1] == ' ';
      if (begins && (end == path.size() || path[end] == '/' || path[end] == ' ')) return true;
    }
    return false;
  });
}

std::vector<PseudocodeLine> pseudocode_of(std::string_view algorithm) {
  std::vector<PseudocodeLine> lines;
  const auto* const found = ranges::find(kTexts, algorithm, &Text::algorithm);
  if (found == std::end(kTexts)) return lines;
  for (std::string_view rest = found->lines; !rest.empty();) {
    const auto end = std::min(rest.find('\n'), rest.size());
    lines.push_back(line_of(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

}  // namespace rankscope
