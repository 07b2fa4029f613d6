// Compares a run's outputs with what its collective promises, and explains the difference in words.
#include "engine/analysis/results/result_words.h"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/account/fault.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

using account::Contents;
using Numbers = std::vector<double>;

std::string shape_words(Rank rank, const RankResult& got, const RankResult& expected) {
  if (got.values.empty() && !expected.values.empty())
    return fmt::format("rank {} has no result", rank);
  if (got.shape == expected.shape) return {};
  return fmt::format("rank {}'s result has shape {} instead of {}", rank, got.shape.to_string(),
                     expected.shape.to_string());
}

// ---- Data that moves ----

std::vector<Numbers> inputs_of(const ExerciseCase& run) {
  std::vector<Numbers> inputs;
  for (Rank rank = 0; rank < run.ranks; ++rank)
    inputs.push_back(account::traceable_input(run, rank));
  return inputs;
}

/// The part of another rank's input that a rank should have, in order.
Numbers part_of(const Contents& owed, Rank source, const Numbers& input) {
  Numbers part;
  for (const account::Stretch& one : owed)
    if (const auto* origin = one.shares.origin(); origin->rank == source)
      part.insert(part.end(), input.begin() + origin->element,
                  input.begin() + origin->element + one.elements.count);
  return part;
}
/// The numbers of a result where that part should lie.
Numbers block_of(const Contents& owed, Rank source, const Numbers& result) {
  Numbers block;
  for (const account::Stretch& one : owed)
    if (one.shares.origin()->rank == source)
      block.insert(block.end(), result.begin() + one.elements.offset,
                   result.begin() + one.elements.end());
  return block;
}

/// "rank 2's element 5"
std::string decoded(const ExerciseCase& run, double value) {
  if (value == 0) return "0, as if it was never written";
  const account::Shares shares = account::shares_in(run, value);
  if (!shares.known()) return fmt::format("{}, which no rank had", value);
  return fmt::format("rank {}'s element {}", shares.origin()->rank, shares.origin()->element);
}

/// Explains results of data that only moves.
class Moves {
 public:
  explicit Moves(const ExerciseCase& run) : run_(run), inputs_(inputs_of(run)) {}

  std::string words(Rank rank, const RankResult& got) const {
    const RankResult expected = expected_result(run_, rank);
    if (got.shape == expected.shape && got.values == expected.values) return {};
    const bool joins = run_.collective != Collective::broadcast;
    if (joins)
      if (const auto words = joined_otherwise(rank, got, expected); !words.empty()) return words;
    if (const auto words = shape_words(rank, got, expected); !words.empty()) return words;
    const auto words = joins ? wrong_block(rank, got) : other_source(rank, got);
    return words.empty() ? first_element(rank, got, expected) : words;
  }

 private:
  const Numbers& input(Rank rank) const { return inputs_[static_cast<std::size_t>(rank)]; }
  Numbers values(const Contents& contents) const {
    return account::promised_values(contents, inputs_, ReduceOp::sum);
  }
  bool regroups() const { return run_.collective == Collective::alltoall; }
  int from_start(int dim) const { return dim < 0 ? dim + run_.shape.dims() : dim; }

  /// Words for the right parts put together in another way, whatever their shape.
  std::string joined_otherwise(Rank rank, const RankResult& got, const RankResult& expected) const {
    const int right = regroups() ? from_start(run_.gather_dim) : 0,
              cut = from_start(run_.scatter_dim);
    const bool right_values = expected.values == got.values;
    for (int dim = 0; dim < run_.shape.dims(); ++dim) {
      if (dim == right || values(account::joined_along(run_, rank, dim)) != got.values) continue;
      const Shape part =
          regroups() ? run_.shape.with(cut, run_.shape[cut] / run_.ranks) : run_.shape;
      if (!right_values || part.with(dim, part[dim] * run_.ranks) == got.shape)
        return fmt::format("the chunks are joined along dimension {}, not {}", dim, right);
    }
    if (right_values) return {};  // the shape alone is wrong
    if (regroups() && right != cut && run_.shape[right] % run_.ranks == 0) {
      ExerciseCase swapped = run_;
      std::swap(swapped.scatter_dim, swapped.gather_dim);
      if (values(account::promised(swapped, rank)) == got.values)
        return fmt::format(
            "the tensor is cut along dimension {} and joined along dimension {}: the two "
            "are swapped",
            right, cut);
    }
    const Contents owed = account::promised(run_, rank);
    std::vector<Numbers> parts;
    for (Rank source = 0; source < run_.ranks; ++source)
      parts.push_back(part_of(owed, source, input(source)));
    Numbers interleaved;
    for (std::size_t i = 0; i < parts.front().size(); ++i)
      for (const Numbers& part : parts) interleaved.push_back(part[i]);
    if (run_.ranks > 1 && parts.front().size() > 1 && interleaved == got.values)
      return "the ranks' elements are interleaved, where one rank's block was to follow the "
             "other's";
    return {};
  }

  /// Words for the first wrong block, where it holds one rank's data as a whole.
  std::string wrong_block(Rank rank, const RankResult& got) const {
    const Contents owed = account::promised(run_, rank);
    for (Rank s = 0; s < run_.ranks; ++s) {
      const Numbers block = block_of(owed, s, got.values);
      if (block == part_of(owed, s, input(s))) continue;
      const std::string name = fmt::format("block {} of rank {}'s result", s, rank);
      if (ranges::all_of(block, [](double v) { return v == 0; }))
        return name + " was never written";
      for (Rank other = 0; other < run_.ranks; ++other)
        if (block == part_of(owed, other, input(other)))
          return fmt::format("{} holds rank {}'s data, it should hold rank {}'s", name, other, s);
      for (int chunk = 0; regroups() && chunk < run_.ranks; ++chunk) {
        const Contents theirs = account::promised(run_, chunk);
        for (Rank other = 0; other < run_.ranks; ++other)
          if (block == part_of(theirs, other, input(other)))
            return fmt::format("{} holds rank {}'s chunk {}, it should hold rank {}'s chunk {}",
                               name, other, chunk, s, rank);
      }
      break;
    }
    return {};
  }

  std::string other_source(Rank rank, const RankResult& got) const {
    for (Rank other = 0; other < run_.ranks; ++other)
      if (got.values == input(other))
        return fmt::format(
            "rank {} {}, it should hold rank {}'s", rank,
            other == rank ? "still holds its own data" : fmt::format("holds rank {}'s data", other),
            run_.root);
    return {};
  }

  std::string first_element(Rank rank, const RankResult& got, const RankResult& expected) const {
    for (std::size_t i = 0; i < got.values.size(); ++i)
      if (got.values[i] != expected.values[i])
        return fmt::format("element {} of rank {}'s result is {}, it should be {}", i, rank,
                           decoded(run_, got.values[i]), decoded(run_, expected.values[i]));
    return {};
  }

  const ExerciseCase& run_;
  const std::vector<Numbers> inputs_;
};

// ---- Sums ----

/// By rank, how often its data is in some elements; without ranks that none of the elements can show.
using Times = std::map<Rank, int>;

/// "has rank 2 twice and lacks rank 0"; empty for each rank once.
std::string times_words(const Times& times) {
  std::vector<account::Share> held, wanted;
  for (const auto& [rank, count] : times) {
    if (count > 0) held.emplace_back(rank, -1, count);
    wanted.emplace_back(rank);
  }
  return account::fault_words(account::Shares(held), account::Shares(wanted));
}

class Sums {
 public:
  Sums(const ExerciseCase& run, const std::vector<RankResult>& results)
      : run_(run), results_(results), chunks_(run.shape.count(), run.ranks) {}

  std::string words() const {
    if (const auto words = divided(); !words.empty()) return words;
    if (const auto words = everywhere(); !words.empty()) return words;
    for (Rank rank = 0; rank < run_.ranks; ++rank)
      if (const auto words = of_rank(rank); !words.empty()) return words;
    return {};
  }

 private:
  const Numbers& values(Rank rank) const { return results_[static_cast<std::size_t>(rank)].values; }
  /// The first element of a rank's result, in the data as a whole.
  Count offset(Rank rank) const {
    return run_.collective == Collective::allreduce ? 0 : chunks_[rank].offset;
  }
  double weight(Count element) const {
    return account::chunk_weight(run_, chunks_.chunk_of(element));
  }

  /// Returns false where an element contradicts one of the same rank before it, or is no number of times at all.
  bool times_of(Rank rank, Range elements, Times& times) const {
    for (Count e = elements.offset; e < elements.end(); ++e) {
      const auto count =
          account::traced_times(run_, e, values(rank)[static_cast<std::size_t>(e - offset(rank))]);
      if (!count) return false;
      const auto [at, first] = times.try_emplace(static_cast<Rank>(e % run_.ranks), *count);
      if (!first && at->second != *count) return false;
    }
    return true;
  }
  Range all(Rank rank) const { return {offset(rank), static_cast<Count>(values(rank).size())}; }

  std::string divided() const {
    for (Rank rank = 0; rank < run_.ranks; ++rank)
      for (Count e = all(rank).offset; e < all(rank).end(); ++e)
        if (const double value = values(rank)[static_cast<std::size_t>(e - offset(rank))];
            run_.ranks == 1 || std::abs(value * run_.ranks - weight(e)) > 1e-3)
          return {};
    return run_.shape.count() == 0
               ? ""
               : fmt::format("every element is the average of {} ranks, it should be their sum",
                             run_.ranks);
  }

  std::string everywhere() const {
    std::string words;
    for (Rank rank = 0; rank < run_.ranks; ++rank) {
      Times times;
      if (!times_of(rank, all(rank), times)) return {};
      const auto own = times_words(times);
      if (own.empty() || (!words.empty() && words != own)) return {};
      words = own;
    }
    return run_.ranks == 1 || words.empty() ? words : "every element " + words;
  }

  std::string of_rank(Rank rank) const {
    Times times;
    if (times_of(rank, all(rank), times)) {
      const auto words = times_words(times);
      return words.empty() ? words : fmt::format("rank {}'s result {}", rank, words);
    }
    for (int chunk = 0; chunk < run_.ranks; ++chunk) {
      const Range part = part_of(rank, chunk);
      if (part.count == 0) continue;
      const auto words = chunk_words(rank, chunk);
      if (words.empty()) continue;
      bool all_ranks = run_.collective == Collective::allreduce;
      for (Rank other = 0; other < run_.ranks; ++other)
        all_ranks = all_ranks && chunk_words(other, chunk) == words;
      return all_ranks || run_.collective == Collective::reduce_scatter
                 ? fmt::format("{} {}", chunk_name(rank, chunk), words)
                 : fmt::format("chunk {} of rank {}'s result {}", chunk, rank, words);
    }
    return {};
  }
  std::string chunk_name(Rank rank, int chunk) const {
    return run_.collective == Collective::allreduce ? fmt::format("chunk {}", chunk)
                                                    : fmt::format("rank {}'s result", rank);
  }
  Range part_of(Rank rank, int chunk) const {
    if (run_.collective == Collective::allreduce) return chunks_[chunk];
    return chunk == rank ? chunks_[chunk] : Range{};
  }

  std::string chunk_words(Rank rank, int chunk) const {
    const Range part = part_of(rank, chunk);
    Times times;
    if (times_of(rank, part, times)) return times_words(times);
    const auto value = [&](Count e) {
      return values(rank)[static_cast<std::size_t>(e - offset(rank))];
    };
    for (int other = 0; other < run_.ranks; ++other) {
      bool same = other != chunk;
      for (Count e = part.offset; same && e < part.end(); ++e)
        same = value(e) == account::chunk_weight(run_, other);
      if (same) return fmt::format("holds the sum of chunk {}", other);
    }
    if (const auto words = other_elements(rank); !words.empty()) return words;
    for (Count e = part.offset; e < part.end(); ++e)
      if (value(e) != weight(e)) {
        const Rank whose = static_cast<Rank>(e % run_.ranks);
        if (const auto count = account::traced_times(run_, e, value(e)))
          return fmt::format("{} in element {}", times_words({{whose, *count}}), e - offset(rank));
        return fmt::format("has {} in element {}, which no sum of the ranks' data gives", value(e),
                           e - offset(rank));
      }
    return {};
  }

  /// Words for a reduce-scatter's result that is the sum of other elements than chunk `rank` of each rank.
  std::string other_elements(Rank rank) const {
    const Count count = static_cast<Count>(values(rank).size());
    if (run_.collective != Collective::reduce_scatter || run_.shape.dims() == 0 || count == 0)
      return {};
    const Count row = run_.shape.inner(0);
    const std::vector<Numbers> inputs = inputs_of(run_);
    const auto is_sum_of = [&](const auto& element) {
      for (Count i = 0; i < count; ++i) {
        double sum = 0;
        for (Rank source = 0; source < run_.ranks; ++source)
          sum += inputs[static_cast<std::size_t>(source)]
                       [static_cast<std::size_t>(element(source, i))];
        if (sum != values(rank)[static_cast<std::size_t>(i)]) return false;
      }
      return true;
    };
    if (is_sum_of([&](Rank source, Count i) { return source * count + i; }))
      return fmt::format(
          "adds chunk s of each rank s, their own one; it should add chunk {} of every rank", rank);
    if (is_sum_of([&](Rank, Count i) { return (i / row * run_.ranks + rank) * row + i % row; }))
      return fmt::format("adds rows {}, {} and so on; the rows of a chunk are neighbours", rank,
                         rank + run_.ranks);
    return {};
  }

  const ExerciseCase& run_;
  const std::vector<RankResult>& results_;
  const Partition chunks_;
};

}  // namespace

RankResult expected_result(const ExerciseCase& run, Rank rank) {
  return {account::promised_shape(run, rank),
          account::promised_values(account::promised(run, rank), inputs_of(run), ReduceOp::sum)};
}

std::string explain_result(const ExerciseCase& run, const std::vector<RankResult>& results) {
  const Moves moves(run);
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    if (static_cast<std::size_t>(rank) >= results.size())
      return fmt::format("rank {} has no result", rank);
    const RankResult& got = results[static_cast<std::size_t>(rank)];
    const std::string words = reduces(run.collective)
                                  ? shape_words(rank, got, expected_result(run, rank))
                                  : moves.words(rank, got);
    if (!words.empty()) return words;
  }
  return reduces(run.collective) ? Sums(run, results).words() : "";
}

}  // namespace rankscope
