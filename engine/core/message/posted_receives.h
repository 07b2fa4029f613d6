// Receives that wait for their message, in the order of posting: a list through the operations themselves.
#pragma once

#include <utility>

namespace rankscope {

/// `Pointer`: a shared_ptr to what has a Pointer `next_posted`. It allocates nothing, and is no memory beside
/// that of the operations, for which a simulation of many ranks would have to wait.
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
  /// Removes the first one that fits; null: none does.
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
  // One after the other: a chain that ends itself would need as deep a stack as it is long.
  void clear() noexcept {
    while (first_) first_ = std::exchange(first_->next_posted, nullptr);
    last_ = nullptr;
  }

 private:
  Pointer first_;
  typename Pointer::element_type* last_ = nullptr;
};

}  // namespace rankscope
