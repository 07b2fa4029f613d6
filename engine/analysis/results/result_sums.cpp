// Describes in words which ranks' inputs a sum contains, and how often.
#include "engine/analysis/results/result_sums.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/core/base/partition.h"

namespace rankscope {
namespace {

/// By rank, how often its data is in some elements; a rank that none of them tells of is not in it.
using Times = std::map<Rank, double>;

std::string times_text(double times) {
  return times == 2 ? "twice" : fmt::format("{} times", times);
}

/// "has rank 2 twice and lacks rank 0"; empty: each rank once.
std::string times_words(const Times& times) {
  std::map<double, std::vector<Rank>> more;
  std::vector<Rank> lacks, has;
  for (const auto& [rank, count] : times) {
    if (count == 0) lacks.push_back(rank);
    else has.push_back(rank);
    if (count != 0 && count != 1) more[count].push_back(rank);
  }
  if (!lacks.empty() && has.empty() && lacks.size() > 1) return "has no rank's data";
  std::string words;
  for (const auto& [count, ranks] : more)
    words += fmt::format("{}{} {}", words.empty() ? "has " : " and ", finder::rank_list(ranks),
                         times_text(count));
  if (!lacks.empty())
    words += (words.empty() ? "lacks " : " and lacks ") + finder::rank_list(lacks);
  return words;
}

bool is_times(double count) {
  constexpr double kMost = 1000;  // what is more has not been added so often
  return count == std::floor(count) && count >= 0 && count <= kMost;
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
  const std::vector<double>& values(Rank rank) const {
    return results_[static_cast<std::size_t>(rank)].values;
  }
  /// The first of a rank's elements, in the data as a whole.
  Count offset(Rank rank) const {
    return run_.collective == Collective::allreduce ? 0 : chunks_[rank].offset;
  }
  double weight(Count element) const { return chunk_weight(run_, chunks_.chunk_of(element)); }

  /// Nothing where an element says another thing than one of the same rank before it, or no number of
  /// times at all.
  bool times_of(Rank rank, Range elements, Times& times) const {
    for (Count e = elements.offset; e < elements.end(); ++e) {
      const double count = values(rank)[static_cast<std::size_t>(e - offset(rank))] / weight(e);
      if (!is_times(count)) return false;
      const auto [at, first] = times.try_emplace(static_cast<Rank>(e % run_.ranks), count);
      if (!first && at->second != count) return false;
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
        same = value(e) == chunk_weight(run_, other);
      if (same) return fmt::format("holds the sum of chunk {}", other);
    }
    if (const auto words = other_elements(rank); !words.empty()) return words;
    for (Count e = part.offset; e < part.end(); ++e)
      if (value(e) != weight(e)) {
        const double count = value(e) / weight(e);
        const Rank whose = static_cast<Rank>(e % run_.ranks);
        if (is_times(count))
          return fmt::format("{} in element {}", times_words({{whose, count}}), e - offset(rank));
        return fmt::format("has {} in element {}, which no sum of the ranks' data gives", value(e),
                           e - offset(rank));
      }
    return {};
  }

  /// Of a reduce-scatter: a sum of others of the ranks' elements than chunk `rank` of each.
  std::string other_elements(Rank rank) const {
    const Count count = static_cast<Count>(values(rank).size());
    if (run_.collective != Collective::reduce_scatter || run_.shape.dims() == 0 || count == 0)
      return {};
    const Count row = run_.shape.inner(0);
    std::vector<std::vector<double>> inputs;
    for (Rank source = 0; source < run_.ranks; ++source)
      inputs.push_back(traceable_input(run_, source));
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

std::string sum_words(const ExerciseCase& run, const std::vector<RankResult>& results) {
  return Sums(run, results).words();
}

}  // namespace rankscope
