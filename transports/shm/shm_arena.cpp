// Hands out blocks of a rank's arena, and gives the memory of large idle ones back to the system.
#include "transports/shm/shm_arena.h"

#include <algorithm>
#include <bit>

#include <sys/mman.h>

namespace rankscope::shm {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;
/// Free memory of large blocks that is kept, so that the next iteration need not fault it in again.
constexpr std::size_t kMostIdle = std::size_t{512} << 20;

std::size_t class_for(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width(std::max(bytes, kLine) - 1));
}

// Arenas begin at another place in their page each: else what ranks read of each other in one loop would
// fall into the same few lines of the first cache.
std::size_t beginning(Rank rank, int ranks) {
  const auto lines = kPage / kLine;
  return kPage + kLine * (static_cast<std::size_t>(rank) * lines / static_cast<std::size_t>(ranks));
}

void release_pages(std::byte* block, std::size_t bytes) {
#if defined(MADV_REMOVE)
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  const auto first = (at + kPage - 1) / kPage * kPage, end = (at + bytes) / kPage * kPage;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_REMOVE);
#else
  (void)block, (void)bytes;
#endif
}

}  // namespace

Arena::Arena(std::shared_ptr<Memory> memory, Rank rank)
    : memory_(std::move(memory)),
      base_(memory_->arena(rank)),
      used_(beginning(rank, memory_->ranks())) {}

std::byte* Arena::take(std::size_t bytes) noexcept try {
  const std::size_t kind = class_for(bytes);
  if (kind >= kClasses) return nullptr;
  const std::size_t size = std::size_t{1} << kind;
  const std::lock_guard lock(mutex_);
  auto& idle = free_[kind];
  if (!idle.empty()) {
    std::byte* const block = idle.back();
    idle.pop_back();
    if (size >= kLarge) idle_bytes_ -= std::min(idle_bytes_, size);
    return block;
  }
  if (size > memory_->arena_bytes() - used_) return nullptr;
  std::byte* const block = base_ + used_;
  class_of_.emplace(block, kind);
  used_ += size;
  return block;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Arena::give_back(std::byte* block) noexcept try {
  const std::lock_guard lock(mutex_);
  const std::size_t kind = class_of_.at(block), size = std::size_t{1} << kind;
  if (size >= kLarge) {
    if (idle_bytes_ + size > kMostIdle) release_pages(block, size);
    else idle_bytes_ += size;
  }
  free_[kind].push_back(block);
} catch (
    const std::exception&) {  // no memory for the list: the block is lost until the process ends
}

bool Arena::holds(const std::byte* data, std::size_t bytes) const noexcept {
  return data >= base_ && bytes <= memory_->arena_bytes() &&
         static_cast<std::size_t>(data - base_) <= memory_->arena_bytes() - bytes;
}

}  // namespace rankscope::shm
