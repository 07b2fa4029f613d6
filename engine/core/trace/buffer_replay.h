// Contents of the watched buffers while events are replayed in order, with checkpoints.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope {

/// Returns true for events that may change the contents of a watched buffer.
bool changes_buffer(const StepEvent& event) noexcept;

class BufferReplay {
 public:
  using States = std::vector<std::shared_ptr<BufferState>>;  ///< By definition number - 1.
  /// Checkpoints share buffers that did not change between them.
  struct Checkpoint {
    Cursor cursor = 0;
    std::vector<std::shared_ptr<const BufferState>> states;
  };
  using Checkpoints = std::vector<std::shared_ptr<const Checkpoint>>;

  /// Applies event number `position`, whose preview is `contents`.
  void apply(const StepEvent& event, Cursor position, std::span<const std::byte> contents,
             std::span<const Definition> buffers);
  /// Makes a checkpoint if one is due; removes every second one if they use too much memory. Must be called with
  /// growing cursors, after the previous event has been applied.
  void checkpoint_if_due(Cursor cursor) {
    if (cursor >= next_checkpoint_) checkpoint(cursor);
  }
  /// Goes back to the last checkpoint at or before `cursor`; returns its position (0 if there is none).
  Cursor rewind(Cursor cursor);

  const Checkpoints& checkpoints() const noexcept { return checkpoints_; }
  /// Returns the contents after the last applied event; buffers without an event are unknown throughout.
  std::vector<BufferState> states(std::span<const Definition> buffers) const;
  void start_from(const Checkpoint& checkpoint);

  static BufferState unknown(const Definition& buffer);
  static const Checkpoint* last_before(const Checkpoints& checkpoints, Cursor cursor) noexcept;

 private:
  BufferState& writable(std::uint32_t buffer, std::span<const Definition> buffers);
  void checkpoint(Cursor cursor);
  std::size_t checkpoint_memory() const noexcept;
  void thin_out();

  static constexpr Cursor kFirstSpacing = 2048;
  static constexpr std::size_t kLeastBudget = std::size_t{32} << 20;
  static constexpr std::size_t kBudgetPerEvent = 24;

  States states_;
  std::vector<bool> shared_;  // the state is also part of the last checkpoint
  Checkpoints checkpoints_;
  Cursor next_checkpoint_ = kFirstSpacing;
  Cursor spacing_ = kFirstSpacing;
  std::size_t memory_ = 0;      // of the checkpoints
  std::size_t memory_new_ = 0;  // of the states copied since the last checkpoint
};

}  // namespace rankscope
