// Looks algorithms up by name, checks their arguments, and runs them on a communicator.
#include "engine/collectives/algorithm.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/message/communicator.h"

namespace rankscope {
namespace {

std::vector<std::string_view> names_of(std::string_view collective) {
  std::vector<std::string_view> names;
  for (const auto& algorithm : algorithms())
    if (to_string(algorithm.collective) == collective) names.push_back(algorithm.name);
  return names;
}

// Names that differ by a few letters, nearest first; otherwise those that contain the text.
std::vector<std::string_view> nearest_names(
    std::string_view name, std::initializer_list<std::span<const Algorithm>> tables) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string_view> candidates;
  for (const auto table : tables)
    for (const auto& algorithm : table) candidates.push_back(algorithm.name);
  std::vector<std::pair<int, std::string_view>> near;
  for (const auto candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    if (distance <= std::max(2, static_cast<int>(candidate.size()) / 4))
      near.emplace_back(distance, candidate);
  }
  ranges::stable_sort(near, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, text] : near)
    if (names.size() < kShown && distance <= near.front().first + 1) names.push_back(text);
  if (!names.empty() || name.empty()) return names;
  for (const auto candidate : candidates)
    if (candidate.find(name) != std::string_view::npos) names.push_back(candidate);
  return names;
}

}  // namespace

const Algorithm* find_algorithm(std::string_view name) noexcept {
  for (const auto table : {algorithms(), schedule_algorithms(), exercises()})
    for (const auto& algorithm : table)
      if (algorithm.name == name) return &algorithm;
  return nullptr;
}

const Algorithm& require_algorithm(std::string_view name) {
  if (const auto* algorithm = find_algorithm(name)) return *algorithm;
  if (const auto names = names_of(name); !names.empty())
    throw UserError(fmt::format("{} is a collective; say by which algorithm: {}", name,
                                fmt::join(names, ", ")));
  auto names = nearest_names(name, {algorithms(), schedule_algorithms()});
  if (names.empty()) names = nearest_names(name, {exercises()});  // only where nothing else fits
  if (!names.empty())
    throw UserError(fmt::format("there is no algorithm \"{}\"; did you mean {}?", name,
                                fmt::join(names, " or ")));
  throw UserError(fmt::format(
      "there is no algorithm \"{}\"; names are like allreduce.ring (rankscope list shows all)",
      name));
}

const Algorithm& require_algorithm(std::string_view name, Collective collective) {
  const Algorithm& algorithm = require_algorithm(name);
  if (algorithm.collective != collective)
    throw UserError(
        fmt::format("{0} is no {1}: `rankscope list {1}` has them", name, to_string(collective)));
  return algorithm;
}

void run_algorithm(Communicator& comm, const Algorithm& algorithm, const Args& args) {
  if (has_root(algorithm.collective) && (args.root < 0 || args.root >= comm.size()))
    throw UserError(
        fmt::format("root {} does not exist among {} ranks (0 to {}). Check how it is computed: "
                    "where parts are rounded down, index / part is too large for the last "
                    "indices",
                    args.root, comm.size(), comm.size() - 1));
  if (reduces(algorithm.collective)) check_reduce(args.in.dtype(), args.op);
  algorithm.run(comm, args);
  const bool holds_result =
      !traits(algorithm.collective).result_at_root || comm.rank() == args.root;
  if (reduces(algorithm.collective) && args.op == ReduceOp::avg && holds_result &&
      !algorithm.features.divides_for_avg)
    comm.scale(args.out, comm.size());
}

Shape alltoall_shape(const Shape& in, int scatter_dim, int gather_dim, int n, Rank rank) {
  if (scatter_dim < 0 || scatter_dim >= in.dims() || gather_dim < 0 || gather_dim >= in.dims())
    throw UserError(
        fmt::format("an array of shape {} has no dimension {}", in.to_string(),
                    scatter_dim < 0 || scatter_dim >= in.dims() ? scatter_dim : gather_dim));
  const Shape block = in.with(scatter_dim, Partition(in[scatter_dim], n)[rank].count);
  return block.with(gather_dim, block[gather_dim] * n);
}

Extents extents_of(Collective collective, const Shape& shape, int n, Rank rank, Rank root,
                   int scatter_dim, int gather_dim) {
  const auto of = [&](Extent extent) {
    switch (extent) {
      case Extent::whole: return shape;
      case Extent::whole_at_root: return rank == root ? shape : Shape::flat(0);
      case Extent::chunk: return Shape::flat(Partition(shape.count(), n)[rank].count);
      case Extent::all_at_root:
        if (rank != root) return Shape::flat(0);
        [[fallthrough]];
      case Extent::all:
        return shape.dims() > 0 ? shape.with(0, shape[0] * n) : Shape::flat(shape.count() * n);
      case Extent::regrouped: return alltoall_shape(shape, scatter_dim, gather_dim, n, rank);
      case Extent::nothing: break;
    }
    return Shape::flat(0);
  };
  return {of(traits(collective).in), of(traits(collective).out)};
}

}  // namespace rankscope
