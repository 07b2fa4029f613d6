// The stacks of fibers: cut from large mappings, used again when a fiber ends, and checked for an overflow.
#pragma once

#include <cstddef>
#include <vector>

namespace rankscope {

/// A guard page for each stack would pass the kernel's limit of mappings at some 30,000 fibers, so only each slab of 64
/// has one. The lowest bytes of a stack hold a pattern instead, which the fiber's owner looks at.
class FiberStacks {
 public:
  /// Rounded up to whole pages.
  explicit FiberStacks(std::size_t bytes);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  std::size_t bytes() const noexcept { return bytes_; }
  /// The lowest address. Throws UserError when there is no memory.
  std::byte* take();
  void give_back(std::byte* stack) noexcept { free_.push_back(stack); }
  /// How many of its highest bytes to leave out, a multiple of 64, so that the stacks' tops, which are a power of two
  /// apart, do not all compete for the same few places of the processor's caches.
  std::size_t offset_of(const std::byte* stack) const noexcept;
  /// Something was written beyond its end.
  static bool overflowed(const std::byte* stack) noexcept;

 private:
  static constexpr std::size_t kPerSlab = 64;
  void add_slab();

  const std::size_t page_, bytes_;
  std::vector<std::byte*> slabs_, free_;
};

}  // namespace rankscope
