// A function on a stack of its own, which runs until it gives way, and goes on when it is resumed.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
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

class Fiber {
 public:
  /// `body` does not throw. `stacks` outlives the fiber. One that has not ended when it is destroyed is dropped as it is:
  /// nothing on its stack is destroyed.
  Fiber(FiberStacks& stacks, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it gives way or ends; true: it has ended. Ends the program when its stack overflowed.
  bool resume();
  /// Called by the running fiber: goes back to the code that resumed it.
  void give_way();
  /// The memory that a switch to it touches, to be fetched in time.
  const void* context() const noexcept { return context_.get(); }

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace rankscope
