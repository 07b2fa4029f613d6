// Moves bytes through a ring in shared memory, and cuts them into records.
#include "engine/core/trace/event_ring.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace rankscope {
namespace {

constexpr std::uint64_t kLongestRecord = std::uint64_t{1} << 31;

std::size_t place(std::uint64_t position) noexcept {
  return static_cast<std::size_t>(position % EventRing::kBytes);
}

}  // namespace

std::size_t EventRingWriter::write(std::span<const std::byte> data) noexcept {
  const std::uint64_t used = written_ - ring_.taken.load(std::memory_order_acquire);
  const std::size_t room = used > EventRing::kBytes ? 0 : EventRing::kBytes - used;
  const std::size_t bytes = std::min(room, data.size());
  if (bytes == 0) return 0;
  const std::size_t first = std::min(bytes, EventRing::kBytes - place(written_));
  std::memcpy(ring_.data.data() + place(written_), data.data(), first);
  if (bytes > first) std::memcpy(ring_.data.data(), data.data() + first, bytes - first);
  written_ += bytes;
  ring_.written.store(written_, std::memory_order_release);
  return bytes;
}

void EventRingReader::give_up(const char* why) {
  damaged_ = true;
  throw FormatError(why);
}

std::uint64_t EventRingReader::available() {
  const std::uint64_t bytes = ring_->written.load(std::memory_order_acquire) - taken_;
  if (bytes > EventRing::kBytes) give_up("a ring of events with more than it can hold");
  return bytes;
}

void EventRingReader::take(std::size_t bytes) noexcept {
  taken_ += bytes;
  ring_->taken.store(taken_, std::memory_order_release);
}

void EventRingReader::copy_out(std::span<std::byte> to) noexcept {
  const std::size_t first = std::min(to.size(), EventRing::kBytes - place(taken_));
  std::memcpy(to.data(), ring_->data.data() + place(taken_), first);
  if (to.size() > first) std::memcpy(to.data() + first, ring_->data.data(), to.size() - first);
  take(to.size());
}

std::span<const std::byte> EventRingReader::next() {
  if (damaged_) return {};
  take(std::exchange(shown_, 0));
  if (missing_ == 0) {
    if (available() < sizeof(missing_)) return {};
    copy_out(std::as_writable_bytes(std::span(&missing_, 1)));
    if (missing_ == 0 || missing_ > kLongestRecord) give_up("a record of events of no length");
    record_.clear();
    const std::uint64_t there = available();
    if (missing_ <= there && place(taken_) + missing_ <= EventRing::kBytes) {
      shown_ = static_cast<std::size_t>(std::exchange(missing_, 0));
      return {ring_->data.data() + place(taken_), shown_};
    }
  }
  const auto more = static_cast<std::size_t>(std::min(available(), missing_));
  if (more == 0) return {};
  record_.resize(record_.size() + more);
  copy_out(std::span(record_).last(more));
  missing_ -= more;
  return missing_ == 0 ? std::span<const std::byte>(record_) : std::span<const std::byte>();
}

}  // namespace rankscope
