// Makes the shared memory, lays it out, and maps it.
#include "transports/shm/shm_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/base/error.h"

namespace rankscope::shm {
namespace {

constexpr int kMostRanks = 256;
/// Only what is touched takes memory, so arenas are as large as addresses allow.
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
      "the transport shm cannot be had: {} ({}). Choose --transport ipc, which every system has",
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
  // A rank that shrank it would end the others by SIGBUS.
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
        "run "
        "--transport shm` on one host, or choose another transport");
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

}  // namespace rankscope::shm
