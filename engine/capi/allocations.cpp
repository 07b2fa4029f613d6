// Stands before the C++ runtime's operator new and delete, and keeps the allocations of a rank in order of address.
#include "engine/capi/allocations.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include <dlfcn.h>

#include "engine/capi/program_threads.h"

namespace rankscope::capi {
namespace {

constexpr std::size_t kLeast = 4, kMost = 200'000;  // bytes of one, and their number
/// New memory is filled with this byte, so that engine/analysis/meant/doubtful_numbers.cpp knows what nobody has written.
constexpr int kFill = 0xFE;
constexpr std::size_t kMostFilled = 64 * 1024;

/// Memory for the table itself, which is not to appear in it.
template <class T>
struct Malloc {
  using value_type = T;
  Malloc() = default;
  template <class U>
  Malloc(const Malloc<U>&) noexcept {}  // NOLINT(google-explicit-constructor)
  T* allocate(std::size_t count) {
    void* const memory = std::malloc(count * sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { std::free(memory); }
  bool operator==(const Malloc&) const = default;
};

struct Table {
  std::mutex mutex;
  std::map<std::byte*, std::size_t, std::less<>, Malloc<std::pair<std::byte* const, std::size_t>>>
      sizes;
  std::atomic<void (*)(const Allocation&)> freeing = nullptr;
};

Table* table() noexcept {
  // A program that is linked against this library sees its functions; one that loads it for itself does not.
  static Table* const one = [] {
    const bool in_run =
        std::getenv("RANKSCOPE_EXEC") != nullptr || std::getenv("RANKSCOPE_AGENT") != nullptr;
    void* const memory = in_run && ::dlsym(RTLD_DEFAULT, "rs_join") != nullptr
                             ? std::malloc(sizeof(Table))
                             : nullptr;
    return memory == nullptr ? nullptr : new (memory) Table;
  }();
  return one;
}

void* allocated(std::size_t size) {
  void* memory = nullptr;
  while ((memory = std::malloc(size == 0 ? 1 : size)) == nullptr) {
    const auto handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  if (size < kLeast || in_own_code()) return memory;
  if (Table* const known = table()) {
    std::memset(memory, kFill, std::min(size, kMostFilled));
    const std::lock_guard lock(known->mutex);
    if (known->sizes.size() < kMost)
      known->sizes.insert_or_assign(static_cast<std::byte*>(memory), size);
  }
  return memory;
}

void freed(void* memory) noexcept {
  Table* const known = memory == nullptr || in_own_code() ? nullptr : table();
  if (known != nullptr) {
    Allocation gone;
    {
      const std::lock_guard lock(known->mutex);
      const auto at = known->sizes.find(static_cast<std::byte*>(memory));
      if (at != known->sizes.end()) {
        gone = {at->first, at->second};
        known->sizes.erase(at);
      }
    }
    auto* const freeing = known->freeing.load();
    if (gone.data != nullptr && freeing != nullptr) freeing(gone);
  }
  std::free(memory);
}

}  // namespace

std::optional<Allocation> allocation_of(const void* data, std::size_t bytes) noexcept {
  Table* const known = table();
  if (known == nullptr || data == nullptr) return std::nullopt;
  auto* const first = static_cast<std::byte*>(const_cast<void*>(data));
  const std::lock_guard lock(known->mutex);
  auto at = known->sizes.upper_bound(first);
  if (at == known->sizes.begin()) return std::nullopt;
  --at;
  if (first + bytes > at->first + at->second) return std::nullopt;
  return Allocation{at->first, at->second};
}

void on_free(void (*freeing)(const Allocation&)) noexcept {
  if (Table* const known = table()) known->freeing = freeing;
}

}  // namespace rankscope::capi

// As the runtime's: malloc() and free(). One that another library brings along fits, too.
#pragma GCC visibility push(default)
void* operator new(std::size_t size) { return rankscope::capi::allocated(size); }
void* operator new[](std::size_t size) { return rankscope::capi::allocated(size); }
void operator delete(void* memory) noexcept { rankscope::capi::freed(memory); }
void operator delete[](void* memory) noexcept { rankscope::capi::freed(memory); }
void operator delete(void* memory, std::size_t) noexcept { rankscope::capi::freed(memory); }
void operator delete[](void* memory, std::size_t) noexcept { rankscope::capi::freed(memory); }
#pragma GCC visibility pop
