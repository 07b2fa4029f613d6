// Receives that wait for their message, in the order of posting: an intrusive list of the operations.
#pragma once

#include <utility>

namespace rankscope {

/// `Pointer` is a shared_ptr to a type with a Pointer `next_posted`. The list allocates nothing and touches only the
/// memory of the operations, because more would cost a simulation of many ranks cache misses.
template <class Pointer>
class PostedReceives {
 public:
  PostedReceives() = default;
  PostedReceives(PostedReceives&& other) noexcept
      : first_(std::move(other.first_)), last_(std::exchange(other.last_, nullptr)) {}
  PostedReceives& operator=(PostedReceives&& other) noexcept {
    clear();
    first_ = std::move(other.first_);
    last_ = std::exchange(other.last_, nullptr);
    return *this;
  }
  ~PostedReceives() { clear(); }

  void push_back(const Pointer& op) {
    Pointer& end = last_ == nullptr ? first_ : last_->next_posted;
    end = op;
    last_ = op.get();
  }
  /// Removes and returns the first match; null if there is none.
  template <class Fits>
  Pointer take_first(Fits fits) {
    typename Pointer::element_type* before = nullptr;
    for (Pointer* place = &first_; *place; before = place->get(), place = &before->next_posted) {
      if (!fits(*place)) continue;
      Pointer found = std::move(*place);
      *place = std::move(found->next_posted);
      found->next_posted = nullptr;
      if (last_ == found.get()) last_ = before;
      return found;
    }
    return nullptr;
  }
  // Frees one node at a time: recursive destruction would need a stack as deep as the list is long.
  void clear() noexcept {
    while (first_) first_ = std::exchange(first_->next_posted, nullptr);
    last_ = nullptr;
  }

 private:
  Pointer first_;
  typename Pointer::element_type* last_ = nullptr;
};

}  // namespace rankscope
