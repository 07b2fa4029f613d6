// Moves frames between ranks through queues in memory.
#include "transports/inproc/inproc_link.h"

#include <limits>

#include <fmt/format.h>

#include "engine/core/base/error.h"

namespace rankscope {

InprocHub::InprocHub(int world_size) {
  if (world_size < 1)
    throw UserError(fmt::format("a world needs at least one rank, not {}", world_size));
  for (int r = 0; r < world_size; ++r) boxes_.push_back(std::make_unique<Mailbox>());
}

// Copies, as a socket would: a lent payload would tie the sender to the receiver's pace, and code
// that relies on buffering would behave otherwise here than on processes.
void InprocLink::send(const FrameHeader& header, std::span<const std::byte> payload, Loan* loan) {
  if (header.dst < 0 || header.dst >= hub_.world_size())
    throw CommError(CommError::Reason::peer_lost, rank_, header.dst, {},
                    fmt::format("there is no rank {}", header.dst));
  Frame frame{header, Message::copy_of(payload)};
  auto& box = *hub_.boxes_[static_cast<std::size_t>(header.dst)];
  {
    const std::lock_guard lock(box.mutex);
    box.frames.push_back(std::move(frame));
    ++counters_.frames_sent;
    counters_.bytes_sent += payload.size();
  }
  box.arrived.notify_one();
  if (loan != nullptr) loan->release();
}

std::optional<Frame> InprocLink::poll(Deadline deadline) {
  auto& box = *hub_.boxes_[static_cast<std::size_t>(rank_)];
  std::unique_lock lock(box.mutex);
  const auto ready = [&] { return box.woken || !box.frames.empty(); };
  if (deadline.is_never()) box.arrived.wait(lock, ready);
  else if (!deadline.is_now()) box.arrived.wait_until(lock, deadline.at(), ready);
  box.woken = false;
  if (box.frames.empty()) return std::nullopt;
  Frame frame = std::move(box.frames.front());
  box.frames.pop_front();
  ++counters_.frames_received;
  counters_.bytes_received += frame.payload.size();
  return frame;
}

void InprocLink::wake() noexcept {
  auto& box = *hub_.boxes_[static_cast<std::size_t>(rank_)];
  {
    const std::lock_guard lock(box.mutex);
    box.woken = true;
  }
  box.arrived.notify_all();
}

std::size_t InprocLink::lend_from() const noexcept {
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace rankscope
