// Each thread takes the next piece that is left.
#include "engine/core/trace/two_threads.h"

#include <array>
#include <atomic>
#include <exception>
#include <thread>

#include "engine/core/base/error.h"

namespace rankscope {

void on_two_threads(std::size_t count, bool worth_a_thread,
                    const std::function<void(int thread, std::size_t i)>& work,
                    const std::function<bool(double share)>& progress) {
  std::atomic<std::size_t> next{0};
  std::array<std::exception_ptr, 2> failures;
  const auto say = [&](std::size_t done) {
    if (progress && !progress(static_cast<double>(done) / static_cast<double>(count)))
      throw UserError("stopped");
  };
  const auto take_pieces = [&](int thread) {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        work(thread, i);
        if (thread == 0 && i + 1 < count) say(i + 1);
      }
    } catch (...) {
      failures[static_cast<std::size_t>(thread)] = std::current_exception();
      next = count;
    }
  };
  if (count > 0) say(0);
  if (worth_a_thread) {
    std::thread other(take_pieces, 1);
    take_pieces(0);
    other.join();
  } else {
    take_pieces(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (count > 0) say(count);
}

}  // namespace rankscope
