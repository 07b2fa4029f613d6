// Memory whose place decides nothing: where an array begins within a vector register decides which of its elements are
// computed one by one, and so how they are rounded. Arrays that all begin at a register's boundary give the same bits in
// every run.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace rankscope::training {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* at, std::size_t /*count*/) noexcept { ::operator delete(at, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace rankscope::training
