// Applies events to buffer contents, with checkpoints for seeking backwards.
#include "engine/core/trace/buffer_replay.h"

#include <algorithm>
#include <cstring>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

std::size_t memory_of(const BufferState& state) noexcept {
  return sizeof(BufferState) + state.samples.size() + state.known.size() / 8;
}

}  // namespace

bool changes_buffer(const StepEvent& event) noexcept {
  if (event.out_buffer == 0) return false;
  switch (event.kind) {
    case EventKind::completed: return is_recv(event.verb) && event.verb != Verb::recv_reduce;
    case EventKind::local:
      return event.verb == Verb::reduce || event.verb == Verb::copy || event.verb == Verb::scale;
    case EventKind::watch: return true;
    default: return false;
  }
}

BufferState BufferReplay::unknown(const Definition& buffer) {
  BufferState state;
  state.buffer = buffer.id;
  const auto samples = static_cast<std::size_t>(Sampling(count_of(buffer)).size());
  state.samples.resize(samples * dtype_size(buffer.dtype));
  state.known.resize(samples);
  return state;
}

BufferState& BufferReplay::writable(std::uint32_t buffer, std::span<const Definition> buffers) {
  if (buffer > states_.size()) {
    states_.resize(buffer);
    shared_.resize(buffer);
  }
  auto& state = states_[buffer - 1];
  if (!state) {
    state = std::make_shared<BufferState>(unknown(buffers[buffer - 1]));
    memory_new_ += memory_of(*state);
  } else if (shared_[buffer - 1]) {
    state = std::make_shared<BufferState>(*state);
    memory_new_ += memory_of(*state);
  }
  shared_[buffer - 1] = false;
  return *state;
}

void BufferReplay::apply(const StepEvent& event, Cursor position,
                         std::span<const std::byte> contents, std::span<const Definition> buffers) {
  if (!changes_buffer(event) || event.out_buffer > buffers.size()) return;
  const Definition& buffer = buffers[event.out_buffer - 1];
  if (buffer.id == 0) return;  // lost with a damaged block
  BufferState& state = writable(event.out_buffer, buffers);
  state.changed = position + 1;
  const auto size = dtype_size(buffer.dtype);
  const Range range =
      Sampling(count_of(buffer)).within(elements_at(buffer, event.out_offset, event.bytes));
  if (range.count <= 0) return;
  const auto first = static_cast<std::size_t>(range.offset);
  const auto samples = static_cast<std::size_t>(range.count);
  // A change whose result nobody recorded makes the old value wrong.
  const bool seen = contents.size() == samples * size;
  if (seen) std::memcpy(state.samples.data() + first * size, contents.data(), contents.size());
  std::fill_n(state.known.begin() + static_cast<std::ptrdiff_t>(first), samples, seen);
}

void BufferReplay::checkpoint(Cursor cursor) {
  auto made = std::make_shared<Checkpoint>();
  made->cursor = cursor;
  made->states.assign(states_.begin(), states_.end());
  memory_ += memory_new_ + made->states.size() * sizeof(made->states[0]);
  memory_new_ = 0;
  shared_.assign(states_.size(), true);
  checkpoints_.push_back(std::move(made));
  const auto budget =
      std::max<std::size_t>(kLeastBudget, static_cast<std::size_t>(cursor) * kBudgetPerEvent);
  while (memory_ > budget && checkpoints_.size() > 1) thin_out();
  next_checkpoint_ = cursor + spacing_;
}

void BufferReplay::thin_out() {
  Checkpoints kept;
  for (std::size_t i = 1; i < checkpoints_.size(); i += 2) kept.push_back(checkpoints_[i]);
  checkpoints_ = std::move(kept);
  spacing_ *= 2;
  memory_ = checkpoint_memory();
}

std::size_t BufferReplay::checkpoint_memory() const noexcept {
  std::size_t total = 0;
  const Checkpoint* before = nullptr;
  for (const auto& checkpoint : checkpoints_) {
    total += checkpoint->states.size() * sizeof(checkpoint->states[0]);
    for (std::size_t i = 0; i < checkpoint->states.size(); ++i) {
      const auto* state = checkpoint->states[i].get();
      const bool same =
          before != nullptr && i < before->states.size() && before->states[i].get() == state;
      if (state != nullptr && !same) total += memory_of(*state);
    }
    before = checkpoint.get();
  }
  return total;
}

const BufferReplay::Checkpoint* BufferReplay::last_before(const Checkpoints& checkpoints,
                                                          Cursor cursor) noexcept {
  const auto after = ranges::upper_bound(checkpoints, cursor, {},
                                         [](const auto& checkpoint) { return checkpoint->cursor; });
  return after == checkpoints.begin() ? nullptr : std::prev(after)->get();
}

void BufferReplay::start_from(const Checkpoint& checkpoint) {
  states_.clear();
  for (const auto& state : checkpoint.states)
    // Shared from here on: writable() copies before it writes.
    states_.push_back(std::const_pointer_cast<BufferState>(state));
  shared_.assign(states_.size(), true);
}

Cursor BufferReplay::rewind(Cursor cursor) {
  while (!checkpoints_.empty() && checkpoints_.back()->cursor > cursor) checkpoints_.pop_back();
  memory_ = checkpoint_memory();
  memory_new_ = 0;
  if (checkpoints_.empty()) {
    states_.clear();
    shared_.clear();
    next_checkpoint_ = spacing_;
    return 0;
  }
  start_from(*checkpoints_.back());
  next_checkpoint_ = checkpoints_.back()->cursor + spacing_;
  return checkpoints_.back()->cursor;
}

std::vector<BufferState> BufferReplay::states(std::span<const Definition> buffers) const {
  std::vector<BufferState> result;
  result.reserve(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].id == 0) continue;
    if (i < states_.size() && states_[i]) result.push_back(*states_[i]);
    else result.push_back(unknown(buffers[i]));
  }
  return result;
}

}  // namespace rankscope
