// Compares a run's outputs with the expected result and explains the difference in words.
#include "engine/analysis/results/result_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/analysis/results/result_sums.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

int from_start(int dim, const Shape& shape) { return dim < 0 ? dim + shape.dims() : dim; }

/// Part `index` of `parts` along a dimension that they divide.
RankResult cut(const RankResult& whole, int dim, int parts, int index) {
  const Shape& shape = whole.shape;
  const Count each = shape[dim] / parts, inner = shape.inner(dim);
  RankResult part{shape.with(dim, each), {}};
  for (Count o = 0; o < shape.outer(dim); ++o) {
    const auto begin = whole.values.begin() + (o * shape[dim] + index * each) * inner;
    part.values.insert(part.values.end(), begin, begin + each * inner);
  }
  return part;
}

/// Parts of one shape, along one of its dimensions.
RankResult join(const std::vector<RankResult>& parts, int dim) {
  const Shape& shape = parts.front().shape;
  const Count run = shape[dim] * shape.inner(dim);
  RankResult whole{shape.with(dim, shape[dim] * static_cast<Count>(parts.size())), {}};
  for (Count o = 0; o < shape.outer(dim); ++o)
    for (const RankResult& part : parts)
      whole.values.insert(whole.values.end(), part.values.begin() + o * run,
                          part.values.begin() + (o + 1) * run);
  return whole;
}

RankResult input_of(const ExerciseCase& run, Rank rank) {
  return {run.shape, traceable_input(run, rank)};
}

/// What a rank is to join: of each rank one part.
std::vector<RankResult> parts_for(const ExerciseCase& run, Rank rank) {
  std::vector<RankResult> parts;
  for (Rank source = 0; source < run.ranks; ++source) {
    RankResult input = input_of(run, source);
    parts.push_back(run.collective == Collective::alltoall
                        ? cut(input, from_start(run.scatter_dim, run.shape), run.ranks, rank)
                        : std::move(input));
  }
  return parts;
}

int joined_along(const ExerciseCase& run) {
  return run.collective == Collective::alltoall ? from_start(run.gather_dim, run.shape) : 0;
}

bool same_values(const RankResult& a, const RankResult& b) { return a.values == b.values; }

/// "rank 2's element 5"
std::string decoded(const ExerciseCase& run, double value) {
  const Count count = run.shape.count(), code = static_cast<Count>(value) - 1;
  if (value == 0) return "0, as if it was never written";
  if (value != static_cast<double>(code + 1) || code < 0 || code >= count * run.ranks)
    return fmt::format("{}, which no rank had", value);
  return fmt::format("rank {}'s element {}", code / count, code % count);
}

std::string first_element(const ExerciseCase& run, Rank rank, const RankResult& got,
                          const RankResult& expected) {
  for (std::size_t i = 0; i < got.values.size(); ++i)
    if (got.values[i] != expected.values[i])
      return fmt::format("element {} of rank {}'s result is {}, it should be {}", i, rank,
                         decoded(run, got.values[i]), decoded(run, expected.values[i]));
  return {};
}

std::string shape_words(Rank rank, const RankResult& got, const RankResult& expected) {
  if (got.values.empty() && !expected.values.empty())
    return fmt::format("rank {} has no result", rank);
  if (got.shape == expected.shape) return {};
  return fmt::format("rank {}'s result has shape {} instead of {}", rank, got.shape.to_string(),
                     expected.shape.to_string());
}

/// The right parts, put together in another way; whatever the shape that came of it.
std::string joined_otherwise(const ExerciseCase& run, Rank rank, const RankResult& got) {
  const auto parts = parts_for(run, rank);
  const int right = joined_along(run);
  const bool right_values = same_values(expected_result(run, rank), got);
  for (int dim = 0; dim < run.shape.dims(); ++dim) {
    if (dim == right) continue;
    const RankResult joined = join(parts, dim);
    if (same_values(joined, got) && (!right_values || joined.shape == got.shape))
      return fmt::format("the chunks are joined along dimension {}, not {}", dim, right);
  }
  if (right_values) return {};  // the shape alone is wrong
  if (run.collective == Collective::alltoall) {
    ExerciseCase swapped = run;
    std::swap(swapped.scatter_dim, swapped.gather_dim);
    const int cuts = from_start(swapped.scatter_dim, run.shape);
    if (right != from_start(run.scatter_dim, run.shape) && run.shape[cuts] % run.ranks == 0 &&
        same_values(expected_result(swapped, rank), got))
      return fmt::format(
          "the tensor is cut along dimension {} and joined along dimension {}: the two "
          "are swapped",
          right, from_start(run.scatter_dim, run.shape));
  }
  std::vector<double> interleaved;
  for (std::size_t i = 0; i < parts.front().values.size(); ++i)
    for (const RankResult& part : parts) interleaved.push_back(part.values[i]);
  if (run.ranks > 1 && parts.front().values.size() > 1 && interleaved == got.values)
    return "the ranks' elements are interleaved, where one rank's block was to follow the other's";
  return {};
}

/// What block `s` (which is not as expected) holds, where that can be said of it as a whole.
std::string block_words(const ExerciseCase& run, Rank rank, int s, const RankResult& block,
                        const std::vector<RankResult>& parts) {
  const std::string name = fmt::format("block {} of rank {}'s result", s, rank);
  if (ranges::all_of(block.values, [](double v) { return v == 0; }))
    return name + " was never written";
  for (Rank other = 0; other < run.ranks; ++other)
    if (same_values(block, parts[static_cast<std::size_t>(other)]))
      return fmt::format("{} holds rank {}'s data, it should hold rank {}'s", name, other, s);
  if (run.collective != Collective::alltoall) return {};
  const int dim = from_start(run.scatter_dim, run.shape);
  for (Rank other = 0; other < run.ranks; ++other)
    for (int chunk = 0; chunk < run.ranks; ++chunk)
      if (same_values(block, cut(input_of(run, other), dim, run.ranks, chunk)))
        return fmt::format("{} holds rank {}'s chunk {}, it should hold rank {}'s chunk {}", name,
                           other, chunk, s, rank);
  return {};
}

std::string broadcast_words(const ExerciseCase& run, Rank rank, const RankResult& got) {
  for (Rank other = 0; other < run.ranks; ++other)
    if (same_values(got, input_of(run, other)))
      return fmt::format(
          "rank {} {}, it should hold rank {}'s", rank,
          other == rank ? "still holds its own data" : fmt::format("holds rank {}'s data", other),
          run.root);
  return {};
}

std::string moved_words(const ExerciseCase& run, Rank rank, const RankResult& got) {
  const RankResult expected = expected_result(run, rank);
  if (got.shape == expected.shape && same_values(got, expected)) return {};
  if (run.collective != Collective::broadcast)
    if (const auto words = joined_otherwise(run, rank, got); !words.empty()) return words;
  if (const auto words = shape_words(rank, got, expected); !words.empty()) return words;
  if (run.collective == Collective::broadcast) {
    const auto words = broadcast_words(run, rank, got);
    return words.empty() ? first_element(run, rank, got, expected) : words;
  }
  const auto parts = parts_for(run, rank);
  for (int s = 0; s < run.ranks; ++s) {
    const RankResult block = cut(got, joined_along(run), run.ranks, s);
    if (same_values(block, parts[static_cast<std::size_t>(s)])) continue;
    if (const auto words = block_words(run, rank, s, block, parts); !words.empty()) return words;
    break;
  }
  return first_element(run, rank, got, expected);
}

}  // namespace

double chunk_weight(const ExerciseCase& run, int chunk) {
  constexpr int kLeast = 16;
  return std::max(kLeast, run.ranks) + chunk;
}

std::vector<double> traceable_input(const ExerciseCase& run, Rank rank) {
  const Count count = run.shape.count();
  const Partition chunks(count, std::max(run.ranks, 1));
  std::vector<double> values(static_cast<std::size_t>(count), 0);
  for (Count e = 0; e < count; ++e) {
    double& value = values[static_cast<std::size_t>(e)];
    if (!reduces(run.collective)) value = 1 + static_cast<double>(rank * count + e);
    else if (e % run.ranks == rank) value = chunk_weight(run, chunks.chunk_of(e));
  }
  return values;
}

RankResult expected_result(const ExerciseCase& run, Rank rank) {
  if (run.collective == Collective::broadcast) return input_of(run, run.root);
  if (!reduces(run.collective)) return join(parts_for(run, rank), joined_along(run));
  RankResult sum{run.shape, std::vector<double>(static_cast<std::size_t>(run.shape.count()), 0)};
  for (Rank source = 0; source < run.ranks; ++source) {
    const auto input = traceable_input(run, source);
    for (std::size_t e = 0; e < input.size(); ++e) sum.values[e] += input[e];
  }
  return run.collective == Collective::allreduce ? sum : cut(sum, 0, run.ranks, rank);
}

std::string explain_result(const ExerciseCase& run, const std::vector<RankResult>& results) {
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    if (static_cast<std::size_t>(rank) >= results.size())
      return fmt::format("rank {} has no result", rank);
    const RankResult& got = results[static_cast<std::size_t>(rank)];
    const std::string words = reduces(run.collective)
                                  ? shape_words(rank, got, expected_result(run, rank))
                                  : moved_words(run, rank, got);
    if (!words.empty()) return words;
  }
  return reduces(run.collective) ? sum_words(run, results) : "";
}

}  // namespace rankscope
