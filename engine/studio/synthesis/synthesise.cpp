// Gives chunks to free links, from moment to moment, until every rank has all of them.
#include "engine/studio/synthesis/synthesise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using Moment = std::int64_t;  // femtoseconds: what is equal on paper is equal here
constexpr double kFemto = 1e15;

class ChunkSet {
 public:
  explicit ChunkSet(int chunks) : words_((static_cast<std::size_t>(chunks) + 63) / 64) {}
  void add(int chunk) {
    words_[static_cast<std::size_t>(chunk) / 64] |= std::uint64_t{1} << (chunk % 64);
  }
  /// Calls `take` for each chunk that is here and not there.
  template <class Take>
  void without(const ChunkSet& other, Take&& take) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t bits = words_[w] & ~other.words_[w]; bits != 0; bits &= bits - 1)
        take(static_cast<int>(w) * 64 + std::countr_zero(bits));
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Transfer {
  Moment begins, ends;
  std::size_t link;
  int chunk;
};

/// One run of the greedy choice for an allgather.
class GreedyGather {
 public:
  GreedyGather(const LinkList& list, int per_rank, double chunk_bytes, std::uint64_t seed)
      : list_(list),
        per_rank_(per_rank),
        chunks_(list.ranks * per_rank),
        random_(seed),
        has_(static_cast<std::size_t>(list.ranks), ChunkSet(chunks_)),
        comes_(has_),
        copies_(static_cast<std::size_t>(chunks_), 1),
        lacks_(list.ranks * (chunks_ - per_rank)),
        busy_(list.links.size(), false),
        used_(list.shared.size(), false) {
    for (const auto& link : list.links)
      takes_.push_back(std::max<Moment>(
          1, std::llround((link.latency + chunk_bytes / link.bandwidth) * kFemto)));
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      has_[static_cast<std::size_t>(chunk / per_rank)].add(chunk);
      comes_[static_cast<std::size_t>(chunk / per_rank)].add(chunk);
    }
  }

  /// Returns false, without a result, if it would end after `latest`. Links are asked in random order, or with `in_turn`
  /// by the distance between their ranks, so that all shared ports are in use.
  bool run(Moment latest, bool in_turn) {
    std::vector<std::size_t> order(list_.links.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto first = static_cast<Rank>(random_.below(static_cast<std::uint64_t>(list_.ranks)));
    if (in_turn)
      ranges::stable_sort(order, {}, [&](std::size_t link) {
        return wrap(list_.links[link].to - list_.links[link].from - first, list_.ranks);
      });
    Moment now = 0;
    while (lacks_ > 0 || !under_way_.empty()) {
      for (std::size_t i = order.size(); i > 1 && !in_turn; --i)
        std::swap(order[i - 1], order[random_.below(i)]);
      for (const std::size_t link : order) begin(link, now);
      if (under_way_.empty()) return false;
      now = under_way_.top().ends;
      if (now > latest) return false;
      while (!under_way_.empty() && under_way_.top().ends == now) {
        end(under_way_.top());
        under_way_.pop();
      }
    }
    ended_ = now;
    return true;
  }
  Moment ended() const noexcept { return ended_; }
  std::vector<Transfer> transfers;

 private:
  struct Later {
    bool operator()(const Transfer& a, const Transfer& b) const noexcept {
      return a.ends != b.ends ? a.ends > b.ends : a.link > b.link;
    }
  };

  bool free(std::size_t number) const {
    if (busy_[number]) return false;
    return ranges::none_of(list_.links[number].uses,
                           [&](int use) { return used_[static_cast<std::size_t>(use)]; });
  }
  void hold(std::size_t number, bool held) {
    busy_[number] = held;
    for (const int use : list_.links[number].uses) used_[static_cast<std::size_t>(use)] = held;
  }

  // Gives a free link one of the rarest chunks that it can take.
  void begin(std::size_t number, Moment now) {
    if (!free(number)) return;
    const auto& link = list_.links[number];
    int best = -1, rarest = 0;
    std::uint64_t equal = 0;
    has_[static_cast<std::size_t>(link.from)].without(
        comes_[static_cast<std::size_t>(link.to)], [&](int chunk) {
          const int copies = copies_[static_cast<std::size_t>(chunk)];
          if (best >= 0 && copies > rarest) return;
          if (best < 0 || copies < rarest) equal = 0;
          if (random_.below(++equal) != 0) return;
          best = chunk;
          rarest = copies;
        });
    if (best < 0) return;
    const Transfer one{now, now + takes_[number], number, best};
    comes_[static_cast<std::size_t>(link.to)].add(best);
    ++copies_[static_cast<std::size_t>(best)];
    --lacks_;
    hold(number, true);
    under_way_.push(one);
    transfers.push_back(one);
  }
  void end(const Transfer& one) {
    has_[static_cast<std::size_t>(list_.links[one.link].to)].add(one.chunk);
    hold(one.link, false);
  }

  const LinkList& list_;
  const int per_rank_, chunks_;
  RandomNumbers random_;
  std::vector<ChunkSet> has_, comes_;
  std::vector<int> copies_;
  int lacks_;
  std::vector<bool> busy_, used_;
  std::vector<Moment> takes_;
  Moment ended_ = 0;
  std::priority_queue<Transfer, std::vector<Transfer>, Later> under_way_;
};

struct Gather {
  std::vector<ScheduleMove> moves;
  int steps = 0, per_rank = 0;
  Moment ends = std::numeric_limits<Moment>::max();
};

// A move is at least one step after the one that brought its chunk, and after earlier ones on a link or part that they share.
Gather steps_of_transfers(const LinkList& list, const GreedyGather& run, int per_rank) {
  Gather out;
  out.ends = run.ended();
  out.per_rank = per_rank;
  std::vector<int> of_link(list.links.size()), of_use(list.shared.size());
  std::vector<std::vector<int>> brought(
      static_cast<std::size_t>(list.ranks),
      std::vector<int>(static_cast<std::size_t>(list.ranks * per_rank)));
  for (const Transfer& one : run.transfers) {  // in order of beginning
    const auto& link = list.links[one.link];
    int step =
        std::max(of_link[one.link],
                 brought[static_cast<std::size_t>(link.from)][static_cast<std::size_t>(one.chunk)]);
    for (const int use : link.uses) step = std::max(step, of_use[static_cast<std::size_t>(use)]);
    ++step;
    of_link[one.link] = step;
    for (const int use : link.uses) of_use[static_cast<std::size_t>(use)] = step;
    brought[static_cast<std::size_t>(link.to)][static_cast<std::size_t>(one.chunk)] = step;
    out.moves.push_back({step, link.from, link.to, one.chunk, false});
    out.steps = std::max(out.steps, step);
  }
  return out;
}

// Returns as many tries as a second allows: the work of one is about its links times its moments times its chunks.
int tries_for(const LinkList& list, int per_rank) {
  constexpr double kWork = 4e7;
  const double chunks = static_cast<double>(list.ranks) * per_rank;
  const double moments = chunks * list.ranks / static_cast<double>(list.links.size()) + 1;
  return static_cast<int>(
      std::clamp(kWork / (moments * static_cast<double>(list.links.size()) * chunks), 1.0, 32.0));
}

std::vector<int> numbers_of_chunks(const LinkList& list, const SynthesisTask& task) {
  if (task.chunks_per_rank > 0) return {task.chunks_per_rank};
  // A rank's links have equal loads when their number divides its chunks.
  const int links = std::max<int>(1, static_cast<int>(list.links.size()) / list.ranks);
  constexpr int kMost = 2048;
  std::vector<int> out;
  for (const int one : {1, 2, links, 2 * links})
    if (one * list.ranks <= kMost && ranges::find(out, one) == out.end()) out.push_back(one);
  return out;
}

// The network, and the same without its slower links as long as all ranks reach each other: a free slow link takes chunks
// that a fast one would have brought sooner.
std::vector<LinkList> with_fast_links(const LinkList& list) {
  constexpr std::size_t kMost = 4;
  std::set<double> bandwidths;
  for (const auto& link : list.links) bandwidths.insert(link.bandwidth);
  std::vector<LinkList> out{list};
  for (const double least : bandwidths) {
    LinkList fast = list;
    std::erase_if(fast.links, [&](const auto& link) { return link.bandwidth < least; });
    if (fast.links.size() == list.links.size()) continue;
    if (out.size() == kMost || !all_reached(fast)) break;
    out.push_back(std::move(fast));
  }
  ranges::reverse(out);  // the fastest first, so that runs on the others stop early
  return out;
}

Gather best_gather(const LinkList& list, double block_bytes, const SynthesisTask& task) {
  Gather best;
  const std::vector<LinkList> all = with_fast_links(list);
  for (const LinkList& links : all)
    for (const int per_rank : numbers_of_chunks(links, task)) {
      const int tries =
          task.tries > 0 ? task.tries
                         : std::max(tries_for(links, per_rank) / static_cast<int>(all.size()), 1);
      for (int k = 0; k < tries; ++k) {
        GreedyGather run(links, per_rank, block_bytes / per_rank,
                         task.seed + static_cast<std::uint64_t>(k));
        const bool in_turn = !links.shared.empty() && k % 2 == 0;
        if (run.run(best.ends, in_turn) && run.ended() < best.ends)
          best = steps_of_transfers(links, run, per_rank);
      }
    }
  if (best.per_rank == 0)
    throw UserError(list.name + ": no schedule was found: are all ranks linked?");
  return best;
}

void append(SynthesisResult& out, const Gather& gather, bool backwards, int after) {
  for (ScheduleMove move : gather.moves) {
    if (backwards) {
      move.step = gather.steps + 1 - move.step;
      std::swap(move.from, move.to);
      move.add = true;
    }
    move.step += after;
    out.schedule.moves.push_back(move);
  }
  out.steps = after + gather.steps;
  out.seconds += static_cast<double>(gather.ends) / kFemto;
  out.chunks_per_rank = gather.per_rank;
}

double into_set(const LinkList& list, std::uint32_t set, double block_bytes) {
  double bandwidth = 0;
  for (const auto& link : list.links)
    if ((set >> link.to & 1) == 1 && (set >> link.from & 1) == 0) bandwidth += link.bandwidth;
  return (list.ranks - std::popcount(set)) * block_bytes / bandwidth;
}

// Links that share the last part on their way to the rank bring no more than that part carries.
double into_rank(const LinkList& list, Rank rank, double block_bytes) {
  double bandwidth = 0;
  std::vector<double> of_use(list.shared.size());
  for (const auto& link : list.links) {
    if (link.to != rank) continue;
    (link.uses.empty() ? bandwidth : of_use[static_cast<std::size_t>(link.uses.back())]) +=
        link.bandwidth;
  }
  for (std::size_t use = 0; use < of_use.size(); ++use)
    bandwidth += std::min(of_use[use], list.shared[use]);
  return (list.ranks - 1) * block_bytes / bandwidth;
}

}  // namespace

double allgather_bound(const LinkList& list, double block_bytes) {
  double out = 0;
  for (Rank rank = 0; rank < list.ranks; ++rank)
    out = std::max(out, into_rank(list, rank, block_bytes));
  constexpr int kMostSets = 16;
  if (list.ranks > kMostSets || !list.shared.empty()) return out;
  for (std::uint32_t set = 1; set + 1 < std::uint32_t{1} << list.ranks; ++set)
    out = std::max(out, into_set(list, set, block_bytes));
  return out;
}

SynthesisResult synthesise(const LinkList& list, const SynthesisTask& task) {
  check_links(list);
  const CollectiveTraits& what = traits(task.collective);
  const bool gathers = what.out == Extent::all, scatters = what.reduces_to_chunks(),
             both = what.reduces && what.same_everywhere;
  if (!gathers && !scatters && !both)
    throw UserError(fmt::format(
        "no schedule is found for {}: choose allgather, reduce_scatter or allreduce", what.name));
  if (task.chunks_per_rank < 0 || task.chunks_per_rank > 64)
    throw UserError("a rank's block has 1 to 64 chunks");
  const double block = static_cast<double>(task.bytes) / (gathers ? 1 : list.ranks);
  SynthesisResult out;
  SynthesisTask again = task;
  if (scatters || both) {
    const LinkList back = reversed(list);
    const Gather gather = best_gather(back, block, task);
    append(out, gather, true, 0);
    again.chunks_per_rank = gather.per_rank;
    out.bound += allgather_bound(back, block);
  }
  if (gathers || both) {
    append(out, best_gather(list, block, again), false, out.steps);
    out.bound += allgather_bound(list, block);
  }
  out.schedule.chunks = list.ranks * out.chunks_per_rank;
  return out;
}

}  // namespace rankscope
