#include "engine/collectives/algorithm.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/pipeline.h"
#include "engine/collectives/schedule.h"
#include "engine/core/base/error.h"
#include "engine/core/message/communicator.h"

namespace rankscope {
namespace {

// Levenshtein's distance.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::vector<std::string_view> names_of(std::string_view collective) {
  std::vector<std::string_view> names;
  for (const auto& algorithm : algorithms())
    if (to_string(algorithm.collective) == collective) names.push_back(algorithm.name);
  return names;
}

// What a name may have meant: exercises only for somebody who looks for one.
std::vector<std::string_view> candidates_for(std::string_view name) {
  std::vector<std::string_view> names;
  const auto add = [&](std::span<const Algorithm> table) {
    for (const auto& algorithm : table) names.push_back(algorithm.name);
  };
  add(algorithms());
  add(schedule_algorithms());
  if (name.starts_with("exercise")) add(exercises());
  return names;
}

// Names that differ by a few letters, nearest first; otherwise those that contain the text.
std::vector<std::string_view> nearest_names(std::string_view name) {
  constexpr std::size_t kShown = 3;
  const auto candidates = candidates_for(name);
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto candidate : candidates) {
    const auto distance = edit_distance(name, candidate);
    if (distance <= std::max<std::size_t>(2, candidate.size() / 4))
      near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::string_view> names;
  for (const auto& [distance, text] : near)
    if (names.size() < kShown && distance <= near.front().first + 1) names.push_back(text);
  if (!names.empty() || name.empty()) return names;
  for (const auto candidate : candidates)
    if (candidate.find(name) != std::string_view::npos) names.push_back(candidate);
  return names;
}

}  // namespace

std::string_view to_string(Collective collective) noexcept {
  switch (collective) {
    case Collective::p2p:
    case Collective::p2p_shift: return "p2p";
    case Collective::barrier: return "barrier";
    case Collective::broadcast: return "broadcast";
    case Collective::reduce: return "reduce";
    case Collective::gather: return "gather";
    case Collective::scatter: return "scatter";
    case Collective::allgather: return "allgather";
    case Collective::reduce_scatter: return "reduce_scatter";
    case Collective::allreduce: return "allreduce";
    case Collective::alltoall: return "alltoall";
  }
  return "?";
}

bool reduces(Collective collective) noexcept {
  return collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::reduce_scatter;
}

bool has_root(Collective collective) noexcept {
  return collective == Collective::broadcast || collective == Collective::reduce ||
         collective == Collective::gather || collective == Collective::scatter;
}

bool same_everywhere(Collective collective) noexcept {
  return collective == Collective::broadcast || collective == Collective::allreduce ||
         collective == Collective::allgather;
}

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
  if (const auto names = nearest_names(name); !names.empty())
    throw UserError(fmt::format("there is no algorithm \"{}\"; did you mean {}?", name,
                                fmt::join(names, " or ")));
  throw UserError(fmt::format(
      "there is no algorithm \"{}\"; names are like allreduce.ring (rankscope list shows all)",
      name));
}

int segments_of(const Algorithm& algorithm, int n, std::uint64_t d, std::uint64_t segment_bytes,
                DType dtype) {
  const auto count = static_cast<Count>(d / dtype_size(dtype));
  if (algorithm.name == "broadcast.chain")
    return segments(count, dtype, or_default(segment_bytes, kChainSegmentBytes)).parts();
  if (algorithm.name == "allreduce.ring_pipelined")
    return segments(Partition(count, n).longest(), dtype,
                    or_default(segment_bytes, kRingSegmentBytes))
        .parts();
  return 1;
}

void run_algorithm(Communicator& comm, const Algorithm& algorithm, const Args& args) {
  if (has_root(algorithm.collective) && (args.root < 0 || args.root >= comm.size()))
    throw UserError(fmt::format("root {} does not exist among {} ranks (0 to {})", args.root,
                                comm.size(), comm.size() - 1));
  if (reduces(algorithm.collective)) check_reduce(args.in.dtype(), args.op);
  algorithm.run(comm, args);
  const bool holds_result = algorithm.collective != Collective::reduce || comm.rank() == args.root;
  if (reduces(algorithm.collective) && args.op == ReduceOp::avg && holds_result &&
      !algorithm.divides_for_avg)
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
  const Shape nothing = Shape::flat(0);
  const auto chunk = [&] { return Shape::flat(Partition(shape.count(), n)[rank].count); };
  const auto all = [&] {
    return shape.dims() > 0 ? shape.with(0, shape[0] * n) : Shape::flat(shape.count() * n);
  };
  switch (collective) {
    case Collective::barrier: return {nothing, nothing};
    case Collective::gather: return {shape, rank == root ? all() : nothing};
    case Collective::allgather: return {shape, all()};
    case Collective::scatter: return {rank == root ? shape : nothing, chunk()};
    case Collective::reduce_scatter: return {shape, chunk()};
    case Collective::alltoall:
      return {shape, alltoall_shape(shape, scatter_dim, gather_dim, n, rank)};
    default: return {shape, shape};
  }
}

}  // namespace rankscope
