// A hook that a thread runs before it sleeps in this engine: a caller that holds another lock (Python's) can keep it
// until it really has to wait.
#pragma once

#include <utility>

namespace rankscope {

class BeforeSleep {
 public:
  BeforeSleep() = default;
  BeforeSleep(const BeforeSleep&) = delete;
  virtual void sleeps() noexcept = 0;

 protected:
  ~BeforeSleep() = default;
};

/// The calling thread's hook; null if there is none.
inline thread_local constinit BeforeSleep* before_sleep = nullptr;

/// Runs the hook once. To be called where the thread is about to sleep, or may sleep.
inline void about_to_sleep() noexcept {
  if (before_sleep != nullptr) std::exchange(before_sleep, nullptr)->sleeps();
}

}  // namespace rankscope
