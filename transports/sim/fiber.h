// A function on its own stack, which runs until it yields, and continues when it is resumed.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope {

/// Memory for stacks. A guard page for each stack would exceed the kernel's limit of mappings at some 30,000 fibers, so
/// only each slab of 64 has one. The lowest bytes of a stack hold a pattern instead, which the fiber's owner checks.
class FiberStacks {
 public:
  /// `bytes` is rounded up to whole pages.
  explicit FiberStacks(std::size_t bytes);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the lowest address. Throws UserError if there is no memory.
  std::byte* take();
  void give_back(std::byte* stack) noexcept { free_.push_back(stack); }
  /// Returns how many of the stack's highest bytes to leave out, a multiple of 64: stacks are a power of two apart, and
  /// otherwise their tops would compete for the same few sets of the processor's caches.
  std::size_t offset_of(const std::byte* stack) const noexcept;
  /// Returns whether the stack has overflowed.
  static bool overflowed(const std::byte* stack) noexcept;

 private:
  static constexpr std::size_t kPerSlab = 64;
  void add_slab();

  const std::size_t page_, bytes_;
  std::vector<std::byte*> slabs_, free_;
};

class Fiber {
 public:
  /// `body` must not throw. `stacks` must outlive the fiber. If the fiber has not ended when it is destroyed, the
  /// objects on its stack are not destroyed.
  Fiber(FiberStacks& stacks, std::function<void()> body);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs it until it yields or ends; returns whether it has ended. Ends the program if its stack overflowed.
  bool resume();
  /// Called by the running fiber: returns to the code that resumed it.
  void give_way();
  /// Returns the memory that a switch to the fiber touches, for prefetching.
  const void* context() const noexcept { return context_.get(); }

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace rankscope
