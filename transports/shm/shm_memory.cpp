// Makes the shared memory, lays it out, and maps it.
#include "transports/shm/shm_memory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/core/base/error.h"

#if defined(__linux__)
#endif

namespace rankscope::shm {
namespace {

constexpr int kMostRanks = 256;
/// Only touched pages take memory, so arenas are as large as addresses allow.
constexpr std::size_t kAllArenas = std::size_t{512} << 30, kLargestArena = std::size_t{64} << 30;

constexpr std::size_t up_to_page(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
std::size_t desk_at(Rank rank) {
  return sizeof(Head) + sizeof(Desk) * static_cast<std::size_t>(rank);
}
std::size_t queue_at(int ranks, Rank from, Rank to) {
  const auto n = static_cast<std::size_t>(ranks);
  return desk_at(ranks) +
         sizeof(QueueHead) * (static_cast<std::size_t>(from) * n + static_cast<std::size_t>(to));
}
std::size_t arenas_at(int ranks) { return up_to_page(queue_at(ranks, ranks, 0)); }
std::size_t arena_bytes_for(int ranks) {
  return std::min(kLargestArena, kAllArenas / static_cast<std::size_t>(ranks) / kPage * kPage);
}

[[noreturn]] void refuse(const char* what) {
  throw UserError(fmt::format(
      "the transport shm is not available: {} ({}). Choose --transport ipc, which every system has",
      what, std::strerror(errno)));
}

void* map(int fd, std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

#if defined(__linux__)
Fd make_memory(int ranks) {
  if (ranks > kMostRanks)
    throw UserError(
        fmt::format("the transport shm has room for {} ranks, not for {}: choose --transport ipc",
                    kMostRanks, ranks));
  Fd fd(::memfd_create("rankscope-ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) refuse("this system gives no memory without a name (memfd_create)");
  const std::size_t arenas = arenas_at(ranks), arena = arena_bytes_for(ranks);
  const std::size_t bytes = arenas + arena * static_cast<std::size_t>(ranks);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    refuse("no room for the ranks' memory");
  // A rank that shrank the memory would end the others by SIGBUS.
  ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void* const memory = map(fd.get(), arenas);
  if (memory == nullptr) refuse("the ranks' memory cannot be mapped");
  auto* const base = static_cast<std::byte*>(memory);
  auto* const head = new (base) Head;
  for (Rank r = 0; r < ranks; ++r) new (base + desk_at(r)) Desk;
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to) new (base + queue_at(ranks, from, to)) QueueHead;
  head->magic = kMagic;
  head->ranks = static_cast<std::uint32_t>(ranks);
  head->spins = ::sysconf(_SC_NPROCESSORS_ONLN) >= ranks ? 1 : 0;
  head->arena_bytes = arena;
  ::munmap(memory, arenas);
  return fd;
}
#else
Fd make_memory(int) {
  errno = ENOSYS;
  refuse("it needs Linux (memfd and futex)");
}
#endif

Memory::Memory(Fd fd, int ranks) : ranks_(ranks) {
  struct stat file {};
  if (ranks < 1 || ranks > kMostRanks || !fd || ::fstat(fd.get(), &file) != 0)
    throw UserError(
        "the transport shm needs memory that all ranks have inherited: start them by `rankscope "
        "run --transport shm` on one host, or choose another transport");
  arena_bytes_ = arena_bytes_for(ranks);
  bytes_ = arena_at(ranks);
  const bool fits = static_cast<std::size_t>(file.st_size) == bytes_;
  base_ = fits ? static_cast<std::byte*>(map(fd.get(), bytes_)) : nullptr;
  if (fits && base_ == nullptr) refuse("the ranks' memory cannot be mapped");
  if (!fits || head().magic != kMagic || head().ranks != static_cast<std::uint32_t>(ranks) ||
      head().arena_bytes != arena_bytes_) {
    if (base_ != nullptr) ::munmap(base_, bytes_);
    throw UserError(
        "the inherited memory is not that of this run: start workers by `rankscope run`");
  }
#if defined(MADV_DONTDUMP)
  ::madvise(base_, bytes_, MADV_DONTDUMP);
#endif
}

Memory::~Memory() { ::munmap(base_, bytes_); }

std::size_t Memory::arena_at(Rank rank) const noexcept {
  return arenas_at(ranks_) + arena_bytes_ * static_cast<std::size_t>(rank);
}

Desk& Memory::desk(Rank rank) const noexcept {
  return *reinterpret_cast<Desk*>(base_ + desk_at(rank));
}

QueueHead& Memory::queue(Rank from, Rank to) const noexcept {
  return *reinterpret_cast<QueueHead*>(base_ + queue_at(ranks_, from, to));
}

std::byte* Memory::in_arena(Rank rank, std::uint64_t offset, std::uint64_t bytes) const noexcept {
  if (bytes > arena_bytes_ || offset > arena_bytes_ - bytes) return nullptr;
  return arena(rank) + offset;
}

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;
/// Free memory of large blocks that is kept, so that the next iteration need not fault it in again.
constexpr std::size_t kMostIdle = std::size_t{512} << 20;

std::size_t class_for(std::size_t bytes) {
  return static_cast<std::size_t>(std::bit_width(std::max(bytes, kLine) - 1));
}

// Each arena begins at another place in its page: otherwise data that ranks read from each other in one loop would
// compete for the same few lines of the first-level cache.
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

namespace {

#if defined(__linux__)
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* until) noexcept {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, until,
                   nullptr, FUTEX_BITSET_MATCH_ANY);
}
#endif

}  // namespace

void wake(Bell& bell) noexcept {
  if (bell.asleep.exchange(0, std::memory_order_seq_cst) == 0) return;
#if defined(__linux__)
  const int before = errno;  // for a signal handler's sake
  futex(bell.asleep, FUTEX_WAKE_BITSET, 1, nullptr);
  errno = before;
#endif
}

void ring(Bell& bell) noexcept {
  bell.events.fetch_add(1, std::memory_order_seq_cst);
  if (bell.asleep.load(std::memory_order_seq_cst) != 0) wake(bell);
}

// FUTEX_WAIT_BITSET takes absolute times of CLOCK_MONOTONIC, the clock of Deadline.
void block(Bell& bell, Deadline deadline) noexcept {
#if defined(__linux__)
  timespec until{};
  if (!deadline.is_never()) {
    const auto ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.at().time_since_epoch())
            .count();
    constexpr std::int64_t kSecond = 1'000'000'000;
    until = {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
  }
  while (bell.asleep.load(std::memory_order_acquire) == 1 && !deadline.passed())
    futex(bell.asleep, FUTEX_WAIT_BITSET, 1, deadline.is_never() ? nullptr : &until);
#else
  (void)bell, (void)deadline;
#endif
}

}  // namespace rankscope::shm
