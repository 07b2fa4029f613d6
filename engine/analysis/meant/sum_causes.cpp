// Explains a wrong sum by its shares: whose data it lacks, has twice, or has in another chunk.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/meant/explanation.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/handed.h"

namespace rankscope::meant {

namespace {

/// The number whose bytes are all those of new memory.
template <class Number>
double number_of_new_memory() {
  std::array<std::byte, sizeof(Number)> bytes;
  bytes.fill(kUnwritten);
  return std::bit_cast<Number>(bytes);
}

}  // namespace

// A sum that begins in new memory has its number, alone or several times.
Explanation::Guess Explanation::unwritten() const {
  const double fill = dtype_ == "float64"   ? number_of_new_memory<double>()
                      : dtype_ == "float32" ? number_of_new_memory<float>()
                                            : 0;
  if (!only_watched(call_) || fill == 0 || outcome_.values.size() != expected_.size())
    return std::nullopt;
  for (std::size_t e = 0; e < expected_.size(); ++e) {
    const double times = std::round(outcome_.values[e] / fill);
    if (expected_[e] < fill / 2 || !(times >= 1 && times <= parts()) ||
        std::abs(outcome_.values[e] - times * fill) > 1e-5 * std::abs(fill))
      continue;
    Cause cause = says(
        fmt::format("element {} of rank {}'s result is {}: it begins with memory that nobody wrote",
                    e, rank_, number_text(outcome_.values[e])),
        "New memory holds whatever was there before: new double[n] and malloc() set nothing.",
        "Begin the sum with zeros: new double[n]() with brackets, or a std::vector.");
    cause.shows_element = cause.certain = cause.unwritten = true;
    return cause;
  }
  return std::nullopt;
}

// A multiple of a rank's own data is the sum only where all ranks hold the same.
Explanation::Guess Explanation::own_multiple() const {
  if (!reduces(wrong_.meaning.collective) || own().size() != expected_.size() || is_blank(own()))
    return std::nullopt;
  for (int times = 2; times <= parts(); ++times) {
    std::vector<double> product = own();
    for (double& value : product) value *= times;
    if (!is(product)) continue;
    // Other ranks' data that give the same numbers may be in it.
    const auto found =
        makeup(rank_, outcome_.values, {0, static_cast<Count>(outcome_.values.size())});
    if (!found || found->shares.times(rank_) != times) return std::nullopt;
    Cause cause = says(
        fmt::format("rank {}'s result is {} times its own data; no other rank's data are in it",
                    rank_, times),
        "That is the sum only where all ranks hold the same numbers.",
        "Add what the other ranks send, instead of multiplying.");
    cause.certain = true;
    return cause;
  }
  return std::nullopt;
}

std::vector<Range> Explanation::chunks() const {
  const auto count = static_cast<Count>(outcome_.values.size());
  std::vector<Range> out;
  if (wrong_.meaning.collective == Collective::reduce_scatter || count < parts())
    return {{0, count}};
  const Partition cut(count, parts());
  for (int chunk = 0; chunk < parts(); ++chunk) out.push_back(cut[chunk]);
  return out;
}

/// The numbers of the chunks that are wrong in a rank's result; nothing where it has another length.
std::optional<std::vector<std::size_t>> Explanation::wrong_chunks(Rank rank) const {
  const auto expected = expected_of(rank), values = result_of(rank);
  if (values.size() != expected.size()) return std::nullopt;
  std::vector<std::size_t> wrong;
  const auto all = chunks();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto from = all[c].offset, to = all[c].end();
    if (!same({values.begin() + from, values.begin() + to},
              {expected.begin() + from, expected.begin() + to}, dtype_))
      wrong.push_back(c);
  }
  return wrong;
}

/// The first element of the ranks' data that belongs into a chunk of a rank's result.
std::size_t Explanation::first_of(Rank rank, Range chunk) const {
  if (wrong_.meaning.collective != Collective::reduce_scatter)
    return static_cast<std::size_t>(chunk.offset);
  return static_cast<std::size_t>(
      Partition(static_cast<Count>(own().size()), parts())[place_of(rank)].offset);
}

account::Shares Explanation::all_data() const {
  std::vector<account::Share> all;
  for (const auto& [rank, values] : inputs_) all.emplace_back(rank);
  return account::Shares(std::move(all));
}

std::vector<Rank> Explanation::lacking_in(const account::Shares& shares) const {
  std::vector<Rank> out;
  for (const auto& [rank, values] : inputs_)
    if (shares.times(rank) == 0) out.push_back(rank);
  return out;
}

std::vector<Rank> Explanation::repeated_in(const account::Shares& shares) {
  std::vector<Rank> out;
  for (const account::Share& share : shares)
    if (share.times > 1) out.push_back(share.rank);
  return out;
}

std::optional<account::Makeup> Explanation::makeup(Rank rank, const std::vector<double>& values,
                                                   Range chunk) const {
  std::vector<double> sum = values;
  const std::size_t from = first_of(rank, chunk);
  const auto begin = static_cast<std::size_t>(chunk.offset),
             end = static_cast<std::size_t>(chunk.end());
  if (wrong_.meaning.op != ReduceOp::avg) return account::makeup_of(sum, inputs_, begin, end, from);
  for (double& value : sum) value *= parts();
  if (auto found = account::makeup_of(sum, inputs_, begin, end, from)) return found;
  return account::makeup_of(values, inputs_, begin, end, from);
}

Cause Explanation::wrong_chunk(const account::Share& share, int chunk) const {
  const Partition chunks(static_cast<Count>(own().size()), parts());
  return says(
      fmt::format(
          "rank {}'s result has the wrong chunk: chunk {} of rank {}'s data is added to chunk {}",
          rank_, chunks.chunk_of(share.element), share.rank, chunk),
      "The index of the chunk that is sent does not fit the one where it is put.",
      "Check the index of the chunk in this send: it is off, compared with the chunk that the "
      "receiver adds it to.",
      line_of_last_send());
}

/// Returns the first change of the result that adds a variable of the messages several times at once.
std::optional<Explanation::Multiple> Explanation::added_multiple() const {
  if (only_watched(call_)) return std::nullopt;  // the lines of its changes are not known
  std::map<std::string, std::vector<double>> now;
  for (const auto& [name, value] : call_.begin) now[name] = value.values;
  for (const Handed::Change& change : call_.history) {
    const auto before = now.find(outcome_.name);
    if (change.name == outcome_.name && before != now.end() &&
        before->second.size() == change.values.size())
      for (const std::string& name : call_.exchanged) {
        const auto added = now.find(name);
        if (name == outcome_.name || added == now.end() ||
            added->second.size() != change.values.size())
          continue;
        for (int times = 2; times <= std::max(2, parts()); ++times) {
          std::vector<double> sum = before->second;
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += times * added->second[i];
          if (sum != before->second && same(change.values, sum, dtype_))
            return Multiple{change.line, name, times};
        }
      }
    now[change.name] = change.values;
  }
  return std::nullopt;
}

Cause Explanation::counted_twice(const account::Shares& shares, const std::string& what) const {
  const std::vector<Rank> ranks = repeated_in(shares);
  const bool is_own = ranks == std::vector<Rank>{rank_};
  if (shares.times(rank_) == 0 && ranks.size() == 1 &&
      lacking_in(shares).size() + 1 == inputs_.size())
    return says(what, "What came is added to itself, in place of the rank's own data.",
                "Add what comes to the rank's own data, once.");
  if (const auto multiple = added_multiple())
    return says(what, fmt::format("This line adds {} {} times.", multiple->name, multiple->times),
                fmt::format("Add {} once.", multiple->name), multiple->line);
  return says(what,
              is_own ? "The sum begins with the rank's own data, and they are added once more."
                     : "They are added more than once, or what is added has them already.",
              "Add each rank's data once: begin with zeros, or leave the addition out that brings "
              "them again.");
}

/// The distances of the ranks that each result lacks; nothing where they differ from rank to rank.
std::optional<std::set<int>> Explanation::distances() const {
  std::optional<std::set<int>> all;
  for (const Rank rank : wrong_.comparison.judged) {
    const auto values = result_of(rank);
    if (values.empty()) return std::nullopt;
    const auto found = makeup(rank, values, chunks().front());
    if (!found) return std::nullopt;
    std::set<int> now;
    for (const Rank lacking : lacking_in(found->shares)) now.insert(wrap(rank - lacking, parts()));
    if (all && *all != now) return std::nullopt;
    all = std::move(now);
  }
  return all;
}

// With a minimum in place of an addition, each element is one of two parts of the sum, whichever is smaller there.
Explanation::Guess Explanation::chosen_not_added() const {
  const auto count = static_cast<Count>(expected_.size());
  if (wrong_.meaning.op != ReduceOp::sum || count < 2 || !reduces(wrong_.meaning.collective) ||
      wrong_.meaning.collective == Collective::reduce_scatter ||
      outcome_.values.size() != expected_.size())
    return std::nullopt;
  std::vector<std::set<Rank>> parts_found;
  std::vector<Count> first;
  for (Count e = 0; e < count; ++e) {
    const auto found = makeup(rank_, outcome_.values, {e, 1});
    if (!found || !found->certain || found->shares.most() > 1) return std::nullopt;
    std::set<Rank> ranks;
    for (const account::Share& share : found->shares) {
      if (share.element != e) return std::nullopt;
      ranks.insert(share.rank);
    }
    if (ranges::find(parts_found, ranks) != parts_found.end()) continue;
    parts_found.push_back(std::move(ranks));
    first.push_back(e);
  }
  if (parts_found.size() != 2 ||
      ranges::any_of(parts_found[0], [&](Rank rank) { return parts_found[1].contains(rank); }))
    return std::nullopt;
  const auto named = [&](std::size_t i) {
    return rank_list(std::vector<Rank>(parts_found[i].begin(), parts_found[i].end()));
  };
  return says(
      fmt::format("element {} of rank {}'s result has the data of {} only, element {} those "
                  "of {}",
                  first[0], rank_, named(0), first[1], named(1)),
      "One of two parts is taken, and which one differs from element to element, as with a "
      "minimum or a maximum.",
      "Add the two parts where they are combined.");
}

// A ring allreduce's first half leaves each rank with one chunk of the sum; the second half hands these chunks on.
Explanation::Guess Explanation::half_of_a_ring() const {
  if (wrong_.meaning.collective != Collective::allreduce) return std::nullopt;
  const auto all = chunks();
  if (std::ssize(all) != parts()) return std::nullopt;
  std::set<std::size_t> done;
  std::size_t ours = 0;
  for (const auto& [rank, call] : wrong_.instance.calls) {
    const auto wrong = wrong_chunks(rank);
    if (!wrong || wrong->size() + 1 != all.size()) return std::nullopt;
    std::size_t whole = 0;  // the only right one
    while (whole < wrong->size() && (*wrong)[whole] == whole) ++whole;
    if (!done.insert(whole).second) return std::nullopt;
    if (rank == rank_) ours = whole;
  }
  if (std::ssize(done) != parts()) return std::nullopt;
  // More steps mean that the second half is there, and something else is wrong with it.
  int steps = 0;
  for (const Handed::Loop& each : call_.loops)
    if (ranges::any_of(call_.verbs, [&](const auto& verb) {
          return verb.first >= each.first && verb.first <= each.last;
        }))
      steps += each.passes;
  if (call_.loops.empty())
    steps = static_cast<int>(
        ranges::count_if(call_.verbs, [](const auto& verb) { return receives(verb.second); }));
  if (steps >= parts()) return std::nullopt;
  const Handed::Loop* const loop = loop_of_messages();
  Cause cause = says(
      fmt::format("too few steps: the result is that of a reduce-scatter: each rank has one chunk "
                  "of the {}, rank {} chunk {}, and the others are partial",
                  operator_noun(wrong_.meaning.op), rank_, ours),
      loop != nullptr
          ? fmt::format("The loop makes {} steps; a ring allreduce of {} ranks has {}: "
                        "the second half passes the finished chunks on (an all-gather).",
                        loop->passes, parts(), 2 * (parts() - 1))
          : "The second half of an allreduce is missing: it passes the finished chunks on (an "
            "all-gather).",
      "Add the second half: as many steps again, in which each rank sends the chunk that is "
      "finished, "
      "and stores (does not add) the one that it receives.",
      loop != nullptr ? loop->first : line_of_last_send());
  cause.certain = true;
  return cause;
}

// The second half of a ring allreduce that ends one step too early: each rank keeps one chunk as its first half left it.
Explanation::Guess Explanation::one_step_short() const {
  const auto all = chunks();
  if (wrong_.meaning.collective != Collective::allreduce || std::ssize(all) != parts() ||
      parts() < 3 || wrong_.comparison.wrong.size() != wrong_.instance.calls.size())
    return std::nullopt;
  std::optional<int> behind;
  std::size_t ours = 0;
  for (const auto& [rank, call] : wrong_.instance.calls) {
    const auto wrong = wrong_chunks(rank);
    if (!wrong || wrong->size() != 1) return std::nullopt;
    const std::size_t partial = wrong->front();
    const auto found = makeup(rank, result_of(rank), all[partial]);
    if (!found || found->shares.most() > 1 || found->shares.times(rank) != 1 ||
        ranges::any_of(found->shares, [&](const account::Share& share) {
          return share.element != all[partial].offset;
        }))
      return std::nullopt;
    const int shift = wrap(static_cast<int>(partial) - place_of(rank), parts());
    if (behind && *behind != shift) return std::nullopt;
    behind = shift;
    if (rank == rank_) ours = partial;
  }
  const Handed::Loop* const loop = loop_of_messages();
  Cause cause = says(
      fmt::format("one step too few: each rank has all chunks of the {} but one, rank {} chunk {}",
                  operator_noun(wrong_.meaning.op), rank_, ours),
      "That chunk is as the first half left it: the second half, in which the ranks hand the "
      "finished chunks on, ends before it comes.",
      "Let the second half make one step more: with N ranks it has N - 1.", line_of_last_send());
  cause.certain = true;
  cause.in_loop = loop == nullptr;
  cause.element = static_cast<std::ptrdiff_t>(all[ours].offset);
  return cause;
}

Cause Explanation::missing(const std::vector<Rank>& ranks, const std::string& what) const {
  const Handed::Loop* const loop = loop_of_messages();
  const auto behind = distances();
  const auto count = static_cast<int>(ranks.size());
  // Without a loop, the steps are those that are written one after another.
  const auto sends = ranges::count_if(
      call_.verbs, [](const auto& verb) { return verb.second.find("end") != std::string::npos; });
  const int steps = loop != nullptr ? loop->passes : static_cast<int>(sends);
  const bool fits =
      loop != nullptr ? count + 1 < parts() : sends > 0 && steps + count + 1 == parts();
  if (fits && behind && std::ssize(*behind) == count &&
      *behind->rbegin() - *behind->begin() == count - 1) {
    Cause cause = says(
        fmt::format("too few steps: {}; on every rank the same distance away", what),
        fmt::format("{} {}; with {} more each rank's data would come all the way round.",
                    loop != nullptr ? "The loop over the steps makes" : "The data are passed on in",
                    steps == 1 ? "1 step" : fmt::format("{} steps", steps), count),
        fmt::format("{} {} steps: with N ranks a ring needs N - 1.",
                    loop != nullptr ? "Let the loop make" : "Make", steps + count),
        loop != nullptr ? loop->first : line_of_last_send());
    cause.in_loop = loop == nullptr;
    return cause;
  }
  if (!sends_data())
    return says(what,
                "No rank sends its data to another: whatever is in the result comes from the rank "
                "that has it.",
                "Send the data, or call a collective (an allreduce, an all-gather) instead of "
                "filling in one rank's part.",
                line_before_end());
  const bool only_own = ranks == std::vector<Rank>{rank_};
  return says(what,
              only_own ? "Its own data are not in its sum."
                       : "Their data are not in this rank's sum at the end.",
              only_own
                  ? "Begin the sum with the rank's own data, and look which line writes over it."
                  : "Look which message should bring them: whether it is sent and added, and "
                    "whether a later line writes over the sum.");
}

Explanation::Guess Explanation::other_sum() const {
  if (!reduces(wrong_.meaning.collective)) return std::nullopt;
  if (wrong_.meaning.op != ReduceOp::sum && wrong_.meaning.op != ReduceOp::avg) return std::nullopt;
  const auto all = chunks();
  for (std::size_t c = 0; c < all.size(); ++c) {
    const auto begin = outcome_.values.begin() + all[c].offset,
               end = outcome_.values.begin() + all[c].end();
    const auto right = expected_.begin() + all[c].offset;
    if (same({begin, end}, {right, right + all[c].count}, dtype_)) continue;
    const auto found = makeup(rank_, outcome_.values, all[c]);
    if (!found) continue;
    const account::Shares whose = account::without_elements(found->shares);
    const auto is_of_same = [&](const Range& other) {
      const auto others = makeup(rank_, outcome_.values, other);
      return others && account::without_elements(others->shares) == whose;
    };
    // A short chunk may have several explanations, of which one is that of all elements.
    const bool whole = all.size() == 1 || ranges::all_of(all, is_of_same) ||
                       (wrong_.meaning.collective != Collective::reduce_scatter &&
                        is_of_same({0, static_cast<Count>(outcome_.values.size())}));
    for (const account::Share& share : found->shares)
      if (share.element != static_cast<Count>(first_of(rank_, all[c])))
        return wrong_chunk(share, wrong_.meaning.collective == Collective::reduce_scatter
                                      ? place_of(rank_)
                                      : static_cast<int>(c));
    const std::string faults = account::fault_words(whose, all_data());
    if (faults.empty()) continue;
    const std::string what = whole
                                 ? fmt::format("rank {}'s result {}", rank_, faults)
                                 : fmt::format("chunk {} of rank {}'s result {}", c, rank_, faults);
    Cause cause = whose.most() > 1 ? counted_twice(whose, what) : missing(lacking_in(whose), what);
    if (whose.most() < 2 && !whole && sends_data() && loop_of_messages() != nullptr)
      cause.line = line_of_last_send();
    if (whose.most() < 2) cause.lacking = lacking_in(whose);
    cause.repeated = repeated_in(whose);
    cause.certain = found->certain;
    cause.element = static_cast<std::ptrdiff_t>(all[c].offset);
    return cause;
  }
  return std::nullopt;
}

}  // namespace rankscope::meant
