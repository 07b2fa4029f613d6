// Numbers the cells of a rank, and lays out over them the contents with which a collective begins and ends.
#include "engine/studio/tasks/chunk_layout.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

const CollectiveTraits& traits_in(const TaskGraph& graph) {
  if (!graph.collective)
    throw UserError(graph.name +
                    ": which collective it should compute is not said: give --collective");
  const CollectiveTraits& out = traits(*graph.collective);
  if (!account::shares_data(out))
    throw UserError(
        fmt::format("nothing can be proved of a schedule for {}: choose a collective "
                    "such as allreduce, allgather or broadcast",
                    out.name));
  return out;
}

}  // namespace

ChunkLayout::ChunkLayout(const TaskGraph& graph) : graph_(graph) {
  const CollectiveTraits& row = traits_in(graph);
  small_in_ = row.counts_all_ranks();
  small_out_ = row.out == Extent::chunk;
  own_ = graph.own_chunks();
  const bool shared = small_in_ || small_out_ || row.out == Extent::regrouped;
  if (graph.chunks < 1 || (shared && own_ == 0))
    throw UserError(
        fmt::format("{}: {} on {} ranks cannot be proved with {} chunks: take a multiple of {}",
                    graph.name, row.name, graph.ranks(), graph.chunks, graph.ranks()));
  if (graph.root < 0 || graph.root >= graph.ranks())
    throw UserError(fmt::format("{}: there is no rank {} that could be the root (0 to {})",
                                graph.name, graph.root, graph.ranks() - 1));
  call_ = {row.collective, graph.ranks(), Shape::flat(small_in_ ? own_ : graph.chunks), graph.root};
}

int ChunkLayout::cells(Rank rank) const noexcept {
  const int whole = graph_.in_place ? graph_.chunks : 2 * graph_.chunks;
  return whole + graph_.rooms[static_cast<std::size_t>(rank)].scratch;
}

int ChunkLayout::offset(Rank rank, ChunkMemory memory) const noexcept {
  const bool small = memory == ChunkMemory::input ? small_in_ : small_out_;
  if (graph_.in_place) return small ? rank * own_ : 0;
  return memory == ChunkMemory::output ? graph_.chunks : 0;
}

int ChunkLayout::cell(Rank rank, const ChunkPlace& at) const noexcept {
  if (at.memory == ChunkMemory::none) return -1;
  if (at.memory == ChunkMemory::scratch)
    return (graph_.in_place ? graph_.chunks : 2 * graph_.chunks) + at.chunk;
  if (at.chunk + offset(rank, at.memory) % graph_.chunks >= graph_.chunks) return -1;
  return offset(rank, at.memory) + at.chunk;
}

ChunkPlace ChunkLayout::place(Rank rank, int cell) const noexcept {
  const int whole = graph_.in_place ? graph_.chunks : 2 * graph_.chunks;
  if (cell >= whole) return {ChunkMemory::scratch, cell - whole};
  const ChunkMemory memory = cell >= graph_.chunks ? ChunkMemory::output : ChunkMemory::input;
  const bool small = !graph_.in_place && (memory == ChunkMemory::input ? small_in_ : small_out_);
  return {memory, cell % graph_.chunks + (small ? rank * own_ : 0)};
}

ChunkLayout::Cells ChunkLayout::inputs(Rank rank) const {
  Cells out;
  if (traits(call_.collective).in == Extent::whole_at_root && rank != graph_.root) return out;
  const int first = small_in_ ? rank * own_ : 0;
  for (int c = 0; c < call_.shape.count(); ++c)
    out.emplace_back(cell(rank, {ChunkMemory::input, c}), account::Share(rank, first + c));
  return out;
}

ChunkLayout::Cells ChunkLayout::outputs(Rank rank) const {
  Cells out;
  for (const account::Stretch& owed : account::promised(call_, rank))
    for (Count c = 0; c < owed.elements.count; ++c) {
      const int chunk = static_cast<int>(owed.elements.offset + c);
      account::Shares shares = owed.shares.further(c);
      // The chunks of a small input have the numbers of the whole.
      if (small_in_) shares = account::Share(shares.origin()->rank, chunk);
      out.emplace_back(cell(rank, {ChunkMemory::output, chunk}), std::move(shares));
    }
  return out;
}

}  // namespace rankscope
