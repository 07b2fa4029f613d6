// Lays contributions out over chunks, for each way in which a collective shares its data.
#include "engine/studio/proof/promise.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

const CollectiveTraits& traits_in(const TaskGraph& graph) {
  if (!graph.collective)
    throw UserError(graph.name +
                    ": which collective it should compute is not said: give --collective");
  const CollectiveTraits& out = traits(*graph.collective);
  const bool known = out.reduces || out.counts_all_ranks() || out.rooted ||
                     (out.in == Extent::whole && out.out == Extent::regrouped);
  if (!known)
    throw UserError(
        fmt::format("nothing can be proved of a schedule for {}: choose a collective "
                    "such as allreduce, allgather or broadcast",
                    out.name));
  return out;
}

}  // namespace

Promise::Promise(const TaskGraph& graph) : graph_(graph), traits_(traits_in(graph)) {
  small_in_ = traits_.counts_all_ranks();
  small_out_ = traits_.out == Extent::chunk;
  own_ = graph.own_chunks();
  const bool shared = small_in_ || small_out_ || traits_.out == Extent::regrouped;
  if (graph.chunks < 1 || (shared && own_ == 0))
    throw UserError(
        fmt::format("{}: {} on {} ranks cannot be proved with {} chunks: take a multiple of {}",
                    graph.name, traits_.name, graph.ranks(), graph.chunks, graph.ranks()));
  if (graph.root < 0 || graph.root >= graph.ranks())
    throw UserError(fmt::format("{}: there is no rank {} that could be the root (0 to {})",
                                graph.name, graph.root, graph.ranks() - 1));
}

int Promise::cells(Rank rank) const noexcept {
  const int whole = graph_.in_place ? graph_.chunks : 2 * graph_.chunks;
  return whole + graph_.rooms[static_cast<std::size_t>(rank)].scratch;
}

int Promise::offset(Rank rank, ChunkMemory memory) const noexcept {
  const bool small = memory == ChunkMemory::input ? small_in_ : small_out_;
  if (graph_.in_place) return small ? rank * own_ : 0;
  return memory == ChunkMemory::output ? graph_.chunks : 0;
}

int Promise::cell(Rank rank, const ChunkPlace& at) const noexcept {
  if (at.memory == ChunkMemory::none) return -1;
  if (at.memory == ChunkMemory::scratch)
    return (graph_.in_place ? graph_.chunks : 2 * graph_.chunks) + at.chunk;
  if (at.chunk + offset(rank, at.memory) % graph_.chunks >= graph_.chunks) return -1;
  return offset(rank, at.memory) + at.chunk;
}

ChunkPlace Promise::place(Rank rank, int cell) const noexcept {
  const int whole = graph_.in_place ? graph_.chunks : 2 * graph_.chunks;
  if (cell >= whole) return {ChunkMemory::scratch, cell - whole};
  const ChunkMemory memory = cell >= graph_.chunks ? ChunkMemory::output : ChunkMemory::input;
  const bool small = !graph_.in_place && (memory == ChunkMemory::input ? small_in_ : small_out_);
  return {memory, cell % graph_.chunks + (small ? rank * own_ : 0)};
}

std::vector<Promise::Cell> Promise::inputs(Rank rank) const {
  std::vector<Cell> out;
  if (traits_.in == Extent::whole_at_root && rank != graph_.root) return out;
  const int count = small_in_ ? own_ : graph_.chunks, first = small_in_ ? rank * own_ : 0;
  for (int c = 0; c < count; ++c)
    out.push_back({cell(rank, {ChunkMemory::input, c}), {{rank, first + c, 1}}});
  return out;
}

std::vector<Promise::Cell> Promise::outputs(Rank rank) const {
  std::vector<Cell> out;
  const bool nothing =
      (traits_.result_at_root || traits_.out == Extent::all_at_root) && rank != graph_.root;
  if (nothing) return out;
  const int count = small_out_ ? own_ : graph_.chunks, first = small_out_ ? rank * own_ : 0;
  for (int c = 0; c < count; ++c) {
    Cell cell{this->cell(rank, {ChunkMemory::output, c}), {}};
    const int chunk = first + c;
    if (traits_.reduces)
      for (Rank source = 0; source < graph_.ranks(); ++source)
        cell.shares.push_back({source, chunk, 1});
    else if (traits_.out == Extent::regrouped)
      cell.shares = {{chunk / own_, rank * own_ + chunk % own_, 1}};
    else cell.shares = {{traits_.counts_all_ranks() ? chunk / own_ : graph_.root, chunk, 1}};
    out.push_back(std::move(cell));
  }
  return out;
}

}  // namespace rankscope
