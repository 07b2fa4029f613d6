// Maps slabs of stacks.
#include "transports/sim/fiber_stacks.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kPattern = 0x5EED0FF1BE25AFE5ULL;

std::size_t rounded_up(std::size_t bytes, std::size_t page) {
  return (bytes + page - 1) / page * page;
}

}  // namespace

FiberStacks::FiberStacks(std::size_t bytes)
    : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), bytes_(rounded_up(bytes, page_)) {}

FiberStacks::~FiberStacks() {
  for (std::byte* const slab : slabs_) ::munmap(slab, page_ + kPerSlab * bytes_);
}

void FiberStacks::add_slab() {
  void* const slab = ::mmap(nullptr, page_ + kPerSlab * bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (slab == MAP_FAILED)
    throw UserError(fmt::format("no memory for the stacks of more than {} ranks: simulate fewer",
                                slabs_.size() * kPerSlab));
  slabs_.push_back(static_cast<std::byte*>(slab));
  ::mprotect(slab, page_, PROT_NONE);
  free_.reserve(slabs_.size() * kPerSlab);  // give_back() allocates nothing
  for (std::size_t i = kPerSlab; i-- > 0;) free_.push_back(slabs_.back() + page_ + i * bytes_);
}

std::byte* FiberStacks::take() {
  if (free_.empty()) add_slab();
  std::byte* const stack = free_.back();
  free_.pop_back();
  std::memcpy(stack, &kPattern, sizeof(kPattern));
  return stack;
}

std::size_t FiberStacks::offset_of(const std::byte* stack) const noexcept {
  const std::size_t lines = bytes_ / 4 / 64;
  const auto number = reinterpret_cast<std::uintptr_t>(stack) / page_;
  return number * 0x9E3779B97F4A7C15ULL % 0xFFFFFFFBULL % lines * 64;
}

bool FiberStacks::overflowed(const std::byte* stack) noexcept {
  return std::memcmp(stack, &kPattern, sizeof(kPattern)) != 0;
}

}  // namespace rankscope
