// Follows contributions from step to step.
#include "engine/studio/drawn/step_contents.h"

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

ChunkShares sum_of(const ChunkShares& a, const ChunkShares& b) {
  ChunkShares out = a;
  for (const ChunkShare& one : b) {
    const auto at = ranges::lower_bound(
        out, std::pair(one.source, one.chunk), {},
        [](const ChunkShare& share) { return std::pair(share.source, share.chunk); });
    if (at != out.end() && at->source == one.source && at->chunk == one.chunk)
      at->times += one.times;
    else out.insert(at, one);
  }
  return out;
}

}  // namespace

StepContents::StepContents(const DrawnSchedule& drawn)
    : ranks_(drawn.ranks), chunks_(drawn.chunks), steps_(drawn.steps()) {
  const TaskGraph graph = posted_tasks(drawn.table(), drawn.use(), Posting::nonblocking);
  const Promise promise(graph);
  const auto cells = static_cast<std::size_t>(ranks_ * chunks_);
  std::vector<ChunkShares> now(cells);
  promised_.resize(cells);
  const auto cell = [&](Rank rank, int chunk) {
    return static_cast<std::size_t>(rank * chunks_ + chunk);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (const auto& input : promise.inputs(rank))
      now[cell(rank, promise.place(rank, input.cell).chunk)] = input.shares;
    for (const auto& output : promise.outputs(rank))
      promised_[cell(rank, promise.place(rank, output.cell).chunk)] = output.shares;
  }
  held_ = now;
  auto move = drawn.moves.begin();
  for (int step = 1; step <= steps_; ++step) {
    const std::vector<ChunkShares> sent = now;
    // In the order of the senders, as a rank takes them in.
    for (; move != drawn.moves.end() && move->step == step; ++move) {
      ChunkShares& into = now[cell(move->to, move->chunk)];
      const ChunkShares& came = sent[cell(move->from, move->chunk)];
      into = move->add ? sum_of(into, came) : came;
    }
    held_.insert(held_.end(), now.begin(), now.end());
  }
}

}  // namespace rankscope
