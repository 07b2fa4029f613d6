// Recycles the memory of finished operations, for ranks that all run on one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace rankscope {

/// Blocks of one size. Not thread-safe; must outlive the blocks that it hands out.
class BlockPool {
 public:
  BlockPool() = default;
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;
  ~BlockPool() {
    for (void* const block : free_) ::operator delete(block);
  }
  void* take(std::size_t bytes) {
    if (free_.empty()) return ::operator new(bytes);
    void* const block = free_.back();
    free_.pop_back();
    return block;
  }
  void give_back(void* block) { free_.push_back(block); }

 private:
  std::vector<void*> free_;
};

/// For std::allocate_shared, which asks for one size only.
template <class T>
class PoolAllocator {
 public:
  using value_type = T;
  explicit PoolAllocator(BlockPool& pool) noexcept : pool_(&pool) {}
  template <class U>
  PoolAllocator(const PoolAllocator<U>& other) noexcept
      : pool_(&other.pool()) {}  // NOLINT: rebinds
  T* allocate(std::size_t count) { return static_cast<T*>(pool_->take(count * sizeof(T))); }
  void deallocate(T* block, std::size_t) { pool_->give_back(block); }
  BlockPool& pool() const noexcept { return *pool_; }
  bool operator==(const PoolAllocator&) const = default;

 private:
  BlockPool* pool_;
};

}  // namespace rankscope
