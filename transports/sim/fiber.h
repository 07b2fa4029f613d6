// A function on a stack of its own, which runs until it gives way, and goes on when it is resumed.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "transports/sim/fiber_stacks.h"

namespace rankscope {

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
  /// Of the fiber that runs: back to who resumed it.
  void give_way();
  /// What a switch to it touches, to be fetched in time.
  const void* context() const noexcept { return context_.get(); }

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace rankscope
