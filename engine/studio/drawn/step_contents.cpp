// Follows contributions from step to step.
#include "engine/studio/drawn/step_contents.h"

namespace rankscope {
StepContents::StepContents(const DrawnSchedule& drawn)
    : ranks_(drawn.ranks), chunks_(drawn.chunks), steps_(drawn.steps()) {
  const TaskGraph graph = posted_tasks(drawn.table(), drawn.use(), Posting::nonblocking);
  const ChunkLayout layout(graph);
  const auto cells = static_cast<std::size_t>(ranks_ * chunks_);
  std::vector<account::Shares> now(cells);
  promised_.resize(cells);
  const auto cell = [&](Rank rank, int chunk) {
    return static_cast<std::size_t>(rank * chunks_ + chunk);
  };
  for (Rank rank = 0; rank < ranks_; ++rank) {
    for (const auto& [number, shares] : layout.inputs(rank))
      now[cell(rank, layout.place(rank, number).chunk)] = shares;
    for (const auto& [number, shares] : layout.outputs(rank))
      promised_[cell(rank, layout.place(rank, number).chunk)] = shares;
  }
  held_ = now;
  auto move = drawn.moves.begin();
  for (int step = 1; step <= steps_; ++step) {
    const std::vector<account::Shares> sent = now;
    // Moves are in the order of their senders, as a rank receives them.
    for (; move != drawn.moves.end() && move->step == step; ++move) {
      account::Shares& into = now[cell(move->to, move->chunk)];
      const account::Shares& came = sent[cell(move->from, move->chunk)];
      into = move->add ? account::sum(into, came) : came;
    }
    held_.insert(held_.end(), now.begin(), now.end());
  }
}

}  // namespace rankscope
