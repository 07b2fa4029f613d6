// What a thread does before it sleeps in this engine: who calls in with somebody else's lock (Python's) keeps it as long as
// nothing has to be waited for.
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

/// This thread's; null: nothing to do.
inline thread_local constinit BeforeSleep* before_sleep = nullptr;

/// To be called where the thread is about to sleep, or may. Does what there is to do once.
inline void about_to_sleep() noexcept {
  if (before_sleep != nullptr) std::exchange(before_sleep, nullptr)->sleeps();
}

}  // namespace rankscope
