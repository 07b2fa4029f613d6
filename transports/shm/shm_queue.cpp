// Writes and reads frames in rings of shared memory. A reader copies data into its own memory before checking it,
// because the other process could still change it.
#include "transports/shm/shm_queue.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rankscope::shm {
namespace {

constexpr std::uint64_t kFirstCapacity = 64 << 10, kLargestCapacity = std::uint64_t{1} << 36;
/// Marks in place of a frame: the reader continues at the beginning of the ring (kWrap), or in the next ring (kNext).
constexpr std::uint16_t kWrap = 0x5752, kNext = 0x584e;

constexpr std::uint64_t up_to_line(std::uint64_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}
std::byte* data_of(Segment* segment) {
  return reinterpret_cast<std::byte*>(segment) + sizeof(Segment);
}

void put_mark(std::byte* at, std::uint16_t magic, std::uint64_t where) {
  FrameHeader mark;
  mark.magic = magic;
  mark.op = where;
  std::memcpy(at, &mark, sizeof mark);
}

}  // namespace

// Frees the rings that their reader has left.
void QueueWriter::collect() {
  std::erase_if(left_, [this](Segment* segment) {
    if (segment->left.load(std::memory_order_acquire) == 0) return false;
    arena_->give_back(reinterpret_cast<std::byte*>(segment));
    return true;
  });
}

bool QueueWriter::grow(std::size_t bytes) {
  const std::uint64_t wanted =
      std::max({kFirstCapacity, 2 * capacity_, std::bit_ceil(std::uint64_t{bytes} * 2)});
  if (wanted > kLargestCapacity) return false;
  std::byte* const block = arena_->take(sizeof(Segment) + wanted);
  if (block == nullptr) return false;
  auto* const fresh = new (block) Segment;
  fresh->capacity = wanted;
  const std::uint64_t offset = arena_->offset_of(block);
  if (segment_ == nullptr) {
    head_->first.store(offset, std::memory_order_release);
  } else {
    put_mark(data_of(segment_) + (written_ & (capacity_ - 1)), kNext, offset);
    segment_->written.store(written_ + kLine, std::memory_order_release);
    left_.push_back(segment_);
  }
  segment_ = fresh;
  capacity_ = wanted;
  written_ = 0;
  return true;
}

// Returns room for this many bytes in one piece; null if the ring is full. Always leaves a line for the mark that leads
// to the next ring.
std::byte* QueueWriter::room(std::size_t bytes) {
  if (segment_ == nullptr) return nullptr;
  const std::uint64_t used = written_ - segment_->read.load(std::memory_order_acquire);
  if (used > capacity_) return nullptr;
  const std::uint64_t at = written_ & (capacity_ - 1), to_end = capacity_ - at;
  const std::uint64_t skipped = bytes <= to_end ? 0 : to_end;
  if (used + skipped + bytes + kLine > capacity_) return nullptr;
  if (skipped == 0) return data_of(segment_) + at;
  put_mark(data_of(segment_) + at, kWrap, 0);
  written_ += to_end;
  return data_of(segment_);
}

bool QueueWriter::write(const FrameHeader& header, std::span<const std::byte> payload) {
  const std::uint64_t bytes = sizeof header + up_to_line(payload.size());
  if (!left_.empty()) collect();
  std::byte* at = room(bytes);
  if (at == nullptr) {
    if (!grow(bytes)) return false;
    at = room(bytes);
  }
  std::memcpy(at, &header, sizeof header);
  if (!payload.empty()) std::memcpy(at + sizeof header, payload.data(), payload.size());
  written_ += bytes;
  segment_->written.store(written_, std::memory_order_release);
  return true;
}

bool QueueReader::enter(std::uint64_t offset) {
  std::byte* const place = memory_->in_arena(from_, offset, sizeof(Segment));
  if (place == nullptr || offset % kLine != 0) return false;
  auto* const segment = reinterpret_cast<Segment*>(place);
  const std::uint64_t capacity = segment->capacity;
  if (!std::has_single_bit(capacity) || capacity < kFirstCapacity || capacity > kLargestCapacity ||
      memory_->in_arena(from_, offset, sizeof(Segment) + capacity) == nullptr)
    return false;
  segment_ = segment;
  data_ = data_of(segment);
  capacity_ = capacity;
  read_ = seen_ = 0;
  return true;
}

QueueReader::Found QueueReader::read(Frame& frame) {
  if (broken_) return Found::nothing;
  if (segment_ == nullptr) {
    const std::uint64_t first = head_->first.load(std::memory_order_acquire);
    if (first == 0) return Found::nothing;
    if (!enter(first)) return garbage();
  }
  while (true) {
    if (read_ == seen_) {
      seen_ = segment_->written.load(std::memory_order_acquire);
      if (read_ == seen_) return Found::nothing;
      if (seen_ - read_ > capacity_ || seen_ % kLine != 0) return garbage();
    }
    FrameHeader& header = frame.header;
    const std::uint64_t at = read_ & (capacity_ - 1);
    std::memcpy(&header, data_ + at, sizeof header);
    if (header.magic == kWrap) {
      if (seen_ - read_ < capacity_ - at) return garbage();
      read_ += capacity_ - at;
      segment_->read.store(read_, std::memory_order_release);
      continue;
    }
    if (header.magic == kNext) {
      Segment* const before = segment_;
      if (!enter(header.op)) return garbage();
      before->left.store(1, std::memory_order_release);
      continue;
    }
    const bool placed = (header.flags & kPlaced) != 0;
    const bool carries = header.kind == FrameKind::eager || header.kind == FrameKind::data;
    const std::uint64_t payload = carries && !placed && !header.ghost() ? header.bytes : 0;
    if (header.magic != FrameHeader::kMagic || header.version != FrameHeader::kVersion ||
        payload > capacity_ || (placed && !carries))
      return garbage();
    const std::uint64_t bytes = sizeof header + up_to_line(payload);
    if (bytes > seen_ - read_ || bytes > capacity_ - at) return garbage();
    frame.payload = Message::copy_of({data_ + at + sizeof header, payload});
    read_ += bytes;
    segment_->read.store(read_, std::memory_order_release);
    return Found::frame;
  }
}

}  // namespace rankscope::shm
