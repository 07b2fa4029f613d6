// Compares the ranks' data before and after a step.
#include "engine/analysis/narration/effects.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/analysis/narration/words.h"
#include "engine/core/base/ranges.h"

namespace rankscope::narration {
namespace {

/// The parts of `now` that differ from `old`.
Contents changed_parts(const Contents& old, const Contents& now) {
  Contents changed;
  for (const account::Stretch& one : now)
    for (Count at = one.elements.offset; at < one.elements.end();) {
      const auto before = ranges::find_if(old, [&](const account::Stretch& other) {
        return other.elements.offset <= at && at < other.elements.end();
      });
      const Count end = before == old.end() ? one.elements.end()
                                            : std::min(before->elements.end(), one.elements.end());
      const bool same = before != old.end() && account::without_elements(before->shares) ==
                                                   account::without_elements(one.shares);
      if (!same) {
        changed.push_back(one);
        changed.back().elements = {at, end - at};
      }
      at = end;
    }
  return changed;
}

Count size(const Contents& map) {
  Count all = 0;
  for (const account::Stretch& one : map) all += one.elements.count;
  return all;
}

bool covers(const std::vector<Range>& ranges, Range wanted) {
  Count covered = 0;
  for (const Range& one : ranges) {
    const Count begin = std::max(one.offset, wanted.offset),
                end = std::min(one.end(), wanted.end());
    covered += std::max<Count>(0, end - begin);
  }
  return covered == wanted.count;
}

/// The number of chunks that these ranges make up; nothing where they are no whole chunks. Empty chunks do not count.
std::optional<int> chunks_of(const std::vector<Range>& ranges, Count whole, int world) {
  const Partition chunks(whole, world);
  Count all = 0, in_chunks = 0;
  int count = 0;
  for (const Range& one : ranges) all += one.count;
  for (int c = 0; c < world; ++c)
    if (chunks[c].count > 0 && covers(ranges, chunks[c])) {
      ++count;
      in_chunks += chunks[c].count;
    }
  return in_chunks == all ? std::optional(count) : std::nullopt;
}

template <class Chosen>
std::vector<Range> ranges_of(const Contents& map, Chosen chosen) {
  std::vector<Range> ranges;
  for (const account::Stretch& one : map)
    if (chosen(one)) ranges.push_back(one.elements);
  return ranges;
}

/// A number that is equal for all, or the range in which all lie.
struct Span {
  Count least = 0, most = 0;
  bool any = false;
  void add(Count value) {
    least = any ? std::min(least, value) : value;
    most = any ? std::max(most, value) : value;
    any = true;
  }
  bool same() const { return any && least == most; }
  std::string text() const {
    return same() ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  }
};

class Effect {
 public:
  Effect(const StepFacts& facts, Holdings& holdings, int world)
      : facts_(facts), holdings_(holdings), world_(world), op_(words_of(holdings.op())) {
    for (Rank rank = 0; rank < world; ++rank) all_.push_back(rank);
  }

  std::string words() {
    switch (holdings_.motion()) {
      case Motion::combines: return of_sum();
      case Motion::spreads: return of_spread();
      case Motion::deals: return of_deal();
      case Motion::gathers: return of_gather();
      case Motion::collects:
      case Motion::regroups: return of_blocks();
      case Motion::moves: return of_move();
      default: return {};
    }
  }

 private:
  bool everybody() const { return facts_.receivers.size() == all_.size(); }
  /// "every rank", "each of these", "rank 0".
  std::string who() const {
    if (everybody()) return "every rank";
    if (facts_.receivers.size() == 1) return ranks_text(facts_.receivers);
    return are_these() ? "each of these" : "each of " + ranks_text(facts_.receivers);
  }
  /// Returns whether the receivers were named last, or are all that were named.
  bool are_these() const {
    return facts_.receivers == facts_.senders || ranges::none_of(facts_.receivers, [&](Rank rank) {
             return std::ranges::binary_search(facts_.senders, rank);
           });
  }
  std::string of_n() const { return fmt::format("of {}", world_); }

  // ---- Reductions ----

  std::string of_sum() {
    if (facts_.several_strands) return of_last_one();
    Contents all;
    Span counts, sizes;
    std::set<Rank> changed_ranks;
    for (const Rank rank : facts_.receivers) {
      const Contents old = holdings_.data(rank, facts_.step - 1);
      const auto changed = changed_parts(old, holdings_.data(rank, facts_.step));
      for (const account::Stretch& one : changed) {
        if (one.shares.empty()) return {};
        if (one.shares.most() > 1) return doubled(rank, one);
        counts.add(one.shares.count());
        all.push_back(one);
      }
      if (changed.empty()) continue;
      changed_ranks.insert(rank);
      sizes.add(size(changed));
      changed_.push_back(changed);
    }
    if (changed_ranks.empty()) return {};
    receivers_.assign(changed_ranks.begin(), changed_ranks.end());
    if (ranges::all_of(all, [&](const auto& one) { return one.shares.complete(world_); }))
      return of_completion();
    return of_partial(counts, sizes);
  }

  /// Words for strands without a common moment: only that nothing is missing any more.
  std::string of_last_one() {
    const auto all_done = [&](int step) {
      return finished(holdings_, step, world_).size() == all_.size();
    };
    if (all_done(facts_.step - 1) || !all_done(facts_.step)) return {};
    return fmt::format("now every rank holds the {}", op_.whole);
  }

  std::string doubled(Rank rank, const account::Stretch& wrong) const {
    const Rank at = ranges::max_element(wrong.shares.list(), {}, &account::Share::times)->rank;
    const int chunk = Partition(holdings_.whole(), world_).chunk_of(wrong.elements.offset);
    return fmt::format("chunk {} on rank {} now holds rank {}'s part {} times", chunk, rank, at,
                       wrong.shares.most());
  }

  /// "every rank", "each of these", for the ranks whose data changed.
  std::string changed_who() const {
    if (receivers_.size() == all_.size()) return "every rank";
    if (receivers_.size() == 1) return ranks_text(receivers_);
    return receivers_ == facts_.receivers && are_these() ? "each of these"
                                                         : "each of " + ranks_text(receivers_);
  }
  std::string of_partial(const Span& counts, const Span& sizes) const {
    if (sizes.same() && sizes.least == holdings_.whole())
      return fmt::format("{} now holds the {} of {} of the {} vectors", changed_who(), op_.result,
                         counts.text(), world_);
    const bool each = receivers_.size() == all_.size();
    const std::string where = each                     ? "on each rank"
                              : receivers_.size() == 1 ? "on " + ranks_text(receivers_)
                              : receivers_ == facts_.receivers
                                  ? "on each of these"
                                  : "on each of " + ranks_text(receivers_);
    const auto chunks = same_chunks();
    const std::string held = fmt::format("{} {}", counts.text(), of_n());
    if (chunks)
      return fmt::format("after this step {} {} {} {}", some(*chunks, "chunk"), where,
                         *chunks == 1 ? "holds" : "hold", held);
    if (sizes.same())
      return fmt::format("after this step {} {} {} {}", some(sizes.least, "element"), where,
                         sizes.least == 1 ? "holds" : "hold", held);
    return fmt::format("what has arrived {} now holds {}", where, held);
  }

  /// The number of whole chunks that changed on each of them; nothing where it differs.
  std::optional<int> same_chunks() const {
    std::optional<int> count;
    for (const Contents& changed : changed_) {
      const auto here = chunks_of(ranges_of(changed, [](const auto&) { return true; }),
                                  holdings_.whole(), world_);
      if (!here || *here == 0 || (count && *count != *here)) return std::nullopt;
      count = here;
    }
    return count;
  }

  std::string of_completion() {
    const auto done = finished(holdings_, facts_.step, world_);
    if (done.size() == all_.size()) return fmt::format("now every rank holds the {}", op_.whole);
    const auto just = [&](Rank rank) { return ranges::find(done, rank) != done.end(); };
    if (ranges::all_of(receivers_, just))
      return done.size() == 1
                 ? fmt::format("{} now holds the {}", ranks_text(done), op_.whole)
                 : fmt::format("now {} of {} ranks hold the {}", done.size(), world_, op_.whole);
    Span chunks, elements;
    bool exact = true;
    for (const Rank rank : receivers_) {
      const auto& map = holdings_.data(rank, facts_.step);
      const auto count =
          chunks_of(ranges_of(map, [&](const auto& one) { return one.shares.complete(world_); }),
                    holdings_.whole(), world_);
      exact = exact && count;
      chunks.add(count.value_or(0));
      elements.add(complete_elements(map, world_));
    }
    if (!exact)
      return fmt::format("{} now has {} of {} elements of the {}", changed_who(), elements.text(),
                         holdings_.whole(), op_.result);
    if (chunks.same() && chunks.least == 1)
      return fmt::format("{} now holds one chunk of the {}", changed_who(), op_.whole);
    return fmt::format("{} now has {} of {} chunks of the {}", changed_who(), chunks.text(), world_,
                       op_.result);
  }

  // ---- Data that moves ----

  std::string of_spread() {
    const auto before = supplied(holdings_, facts_.step - 1, world_);
    const auto now = supplied(holdings_, facts_.step, world_);
    const bool whole = ranges::all_of(facts_.links, &StepLink::whole);
    if (now.size() == all_.size())
      return before.size() == now.size() ? ""
             : whole                     ? "now every rank has it"
                                         : "now every rank has all of the data";
    if (whole) return fmt::format("now {} of {} ranks have it", now.size(), world_);
    Span chunks;
    bool others = false;
    for (const Rank rank : facts_.receivers) {
      if (std::ranges::binary_search(before, rank)) {
        others = true;  // the root, and who has all of it: they are not meant
        continue;
      }
      Owned owned = holdings_.owned(rank, facts_.step);
      const auto count = chunks_of(owned[holdings_.center()], holdings_.whole(), world_);
      if (!count) return {};
      chunks.add(*count);
    }
    if (!chunks.any) return {};
    return fmt::format("{} now has {} of {} chunks", others ? "each other rank" : who(),
                       chunks.text(), world_);
  }

  std::string of_move() {
    const auto now = supplied(holdings_, facts_.step, world_);
    if (now.size() != all_.size() ||
        supplied(holdings_, facts_.step - 1, world_).size() == all_.size())
      return {};
    const std::string words = moved_words(holdings_);
    return words.empty() ? "" : "now " + words;
  }

  std::string of_deal() {
    const auto now = supplied(holdings_, facts_.step, world_);
    return now.size() == all_.size()
               ? "now every rank has its chunk"
               : fmt::format("now {} of {} ranks have their chunk", now.size(), world_);
  }

  std::string of_gather() {
    const Rank root = holdings_.center();
    const Owned& wanted = holdings_.wanted(root);
    Span held;
    for (const Rank rank : facts_.receivers)
      held.add(blocks_held(holdings_, rank, wanted, facts_.step));
    if (!held.any || held.most == 0) return {};
    if (held.least == world_) return fmt::format("{} now has all {} blocks", who(), world_);
    return fmt::format("{} now has {} of {} blocks", who(), held.text(), world_);
  }

  std::string of_blocks() {
    Span held;
    for (const Rank rank : facts_.receivers)
      held.add(blocks_held(holdings_, rank, holdings_.wanted(rank), facts_.step));
    if (!held.any || held.most == 0) return {};
    const auto now = supplied(holdings_, facts_.step, world_);
    if (now.size() == all_.size()) return fmt::format("now every rank has all {} blocks", world_);
    if (held.least == world_)
      return now.size() == 1
                 ? fmt::format("{} now has all {} blocks", who(), world_)
                 : fmt::format("now {} of {} ranks have all the blocks", now.size(), world_);
    const bool own = holdings_.motion() == Motion::regroups;
    return own ? fmt::format("{} now has {} of its {} blocks", who(), held.text(), world_)
               : fmt::format("{} now has {} of {} blocks", who(), held.text(), world_);
  }

  const StepFacts& facts_;
  Holdings& holdings_;
  const int world_;
  const OperatorWords op_;
  std::vector<Rank> all_, receivers_;
  std::vector<Contents> changed_;
};

}  // namespace

int blocks_held(Holdings& holdings, Rank rank, const Owned& wanted, int step) {
  const Owned& owned = holdings.owned(rank, step);
  int count = 0;
  for (const auto& [origin, parts] : wanted) {
    const Owned block{{origin, parts}};
    if (size_in_common(owned, block) == size_of(block)) ++count;
  }
  return count;
}

std::vector<Rank> supplied(Holdings& holdings, int step, int world) {
  std::vector<Rank> found;
  for (Rank rank = 0; rank < world; ++rank) {
    const Owned& wanted = holdings.wanted(rank);
    if (size_in_common(holdings.owned(rank, step), wanted) == size_of(wanted))
      found.push_back(rank);
  }
  return found;
}

std::vector<Rank> finished(Holdings& holdings, int step, int world) {
  std::vector<Rank> found;
  for (Rank rank = 0; rank < world; ++rank)
    if (complete_elements(holdings.data(rank, step), world) == holdings.whole())
      found.push_back(rank);
  return found;
}

std::string moved_words(const Holdings& holdings) {
  const int world = holdings.world();
  std::set<int> distances;
  std::vector<Rank> receivers;
  for (Rank rank = 0; rank < world; ++rank) {
    const Owned& wanted = holdings.wanted(rank);
    if (wanted.size() != 1 || wanted.begin()->second.size() != 1) return {};
    const Rank origin = wanted.begin()->first;
    distances.insert(wrap(rank - origin, world));
    if (origin != rank) receivers.push_back(rank);
  }
  if (receivers.size() == 1)
    return fmt::format("rank {} has rank {}'s data", receivers.front(),
                       holdings.wanted(receivers.front()).begin()->first);
  const int distance = *distances.begin();
  if (distances.size() > 1 || distance == 0) return {};
  return fmt::format("every rank has the data of {}",
                     distance == 1           ? "its left neighbour"
                     : distance == world - 1 ? "its right neighbour"
                                             : "the rank " + number_word(distance) + " before it");
}

std::string effect_of(const StepFacts& facts, Holdings& holdings) {
  if (!holdings.known() || facts.receivers.empty()) return {};
  return Effect(facts, holdings, holdings.world()).words();
}

}  // namespace rankscope::narration
