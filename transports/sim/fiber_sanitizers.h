// Informs the sanitizers that a thread continues on another stack; empty in builds without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace rankscope {

/// True if a sanitizer reports objects on a dropped stack as leaks.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kLostMemoryIsReported = true;
#else
inline constexpr bool kLostMemoryIsReported = false;
#endif

/// The data that sanitizers need about one fiber. Each leave...() comes right before a switch, and its enter...() right
/// after it, on the other side.
class FiberSanitizers {
 public:
  FiberSanitizers(const std::byte* stack, std::size_t bytes) noexcept
      : stack_(stack), bytes_(bytes) {
#if defined(__SANITIZE_THREAD__)
    fiber_ = __tsan_create_fiber(0);
#endif
  }
  FiberSanitizers(const FiberSanitizers&) = delete;
  FiberSanitizers& operator=(const FiberSanitizers&) = delete;
  ~FiberSanitizers() {
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(fiber_);
#endif
  }

  void leave_for_fiber() noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&outside_frames_, stack_, bytes_);
#elif defined(__SANITIZE_THREAD__)
    outside_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber_, 0);
#endif
  }
  void enter_fiber() noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fiber_frames_, &outside_stack_, &outside_bytes_);
#endif
  }
  void leave_fiber([[maybe_unused]] bool for_good) noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &fiber_frames_, outside_stack_,
                                   outside_bytes_);
#elif defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_, 0);
#endif
  }
  void enter_outside() noexcept {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(outside_frames_, nullptr, nullptr);
#endif
  }

 private:
  [[maybe_unused]] const std::byte* stack_;
  [[maybe_unused]] std::size_t bytes_;
#if defined(__SANITIZE_ADDRESS__)
  void *outside_frames_ = nullptr, *fiber_frames_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_bytes_ = 0;
#elif defined(__SANITIZE_THREAD__)
  void *fiber_ = nullptr, *outside_ = nullptr;
#endif
};

}  // namespace rankscope
