// Buffers (owned or borrowed N-dimensional arrays) and Slices of them, which verbs take. Algorithms compute no pointer
// offsets; Range, Partition and Slice do.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/base/partition.h"
#include "engine/core/base/types.h"

namespace rankscope {

using BufferId =
    std::uint32_t;  ///< Number of a watched buffer on its rank; 0 if it is not watched.

/// Extents of an N-dimensional array, row-major (last dimension contiguous).
class Shape {
 public:
  Shape() = default;
  /// Throws UserError for a negative extent or a product that overflows.
  explicit Shape(std::vector<Count> extents);
  static Shape flat(Count count) { return Shape({count}); }

  int dims() const noexcept { return static_cast<int>(extents_.size()); }
  Count operator[](int dim) const noexcept { return extents_[static_cast<std::size_t>(dim)]; }
  Count count() const noexcept { return count_; }
  /// Return the product of the extents before `dim`, and after it.
  Count outer(int dim) const noexcept;
  Count inner(int dim) const noexcept;
  Shape with(int dim, Count extent) const;
  const std::vector<Count>& extents() const noexcept { return extents_; }
  std::string to_string() const;  ///< "[2, 8, 4]"
  bool operator==(const Shape&) const = default;

 private:
  std::vector<Count> extents_;
  Count count_ = 0;
};

/// A contiguous run of elements of a buffer. Cheap to copy; does not own its memory.
class Slice {
 public:
  Slice() = default;
  Slice(std::byte* data, DType dtype, Count count, BufferId buffer, Count offset) noexcept
      : data_(data), count_(count), offset_(offset), buffer_(buffer), dtype_(dtype) {}

  std::byte* data() const noexcept { return data_; }
  DType dtype() const noexcept { return dtype_; }
  Count count() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(count_) * dtype_size(dtype_);
  }
  BufferId buffer() const noexcept { return buffer_; }
  /// First element's index in its buffer.
  Count offset() const noexcept { return offset_; }
  std::size_t offset_bytes() const noexcept {
    return static_cast<std::size_t>(offset_) * dtype_size(dtype_);
  }
  std::span<std::byte> raw() const noexcept { return {data_, ghost() ? 0 : bytes()}; }
  /// Returns whether the slice has a size but no memory, as in a simulation that moves no data.
  bool ghost() const noexcept { return data_ == nullptr; }

  /// Elements [range.offset, range.end()) of this slice.
  Slice operator[](Range range) const noexcept {
    assert(range.offset >= 0 && range.end() <= count_);
    std::byte* const data =
        ghost() ? nullptr : data_ + static_cast<std::size_t>(range.offset) * dtype_size(dtype_);
    return {data, dtype_, range.count, buffer_, offset_ + range.offset};
  }
  Slice first(Count count) const noexcept { return (*this)[{0, count}]; }

  template <class T>
  std::span<T> as() const noexcept {
    assert(sizeof(T) == dtype_size(dtype_));
    return {reinterpret_cast<T*>(data_), static_cast<std::size_t>(count_)};
  }

 private:
  std::byte* data_ = nullptr;
  Count count_ = 0;
  Count offset_ = 0;
  BufferId buffer_ = 0;
  DType dtype_ = DType::float32;
};

/// An array with shape and element type; owned (shared between copies) or borrowed.
class Buffer {
 public:
  Buffer() = default;
  /// Allocates a buffer, with zeros unless `fill` is false. Throws UserError if there is not enough memory.
  static Buffer allocate(DType dtype, Shape shape, bool fill = true);
  static Buffer allocate(DType dtype, Count count) { return allocate(dtype, Shape::flat(count)); }
  /// Returns a buffer in the given memory, which must be large enough and aligned to the type; allocates it if null.
  static Buffer in(std::shared_ptr<std::byte> memory, DType dtype, Shape shape, bool fill = true);
  /// Wraps memory that someone else owns and that must outlive the buffer.
  static Buffer borrow(std::byte* data, DType dtype, Shape shape);
  /// Makes a buffer with a size but no memory: verbs accept it, and nothing is moved or computed.
  static Buffer ghost(DType dtype, Shape shape) { return borrow(nullptr, dtype, std::move(shape)); }
  template <class T>
  static Buffer of(const std::vector<T>& values);

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  Count count() const noexcept { return shape_.count(); }
  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(count()) * dtype_size(dtype_);
  }
  std::byte* data() const noexcept { return data_; }
  BufferId id() const noexcept { return id_; }
  void set_id(BufferId id) noexcept { id_ = id; }

  Slice all() const noexcept { return {data_, dtype_, count(), id_, 0}; }
  Slice operator[](Range range) const noexcept { return all()[range]; }
  operator Slice() const noexcept { return all(); }  // NOLINT: a buffer is its whole slice
  template <class T>
  std::span<T> as() const noexcept {
    return all().as<T>();
  }
  template <class T>
  std::vector<T> to_vector() const {
    const auto values = as<T>();
    return {values.begin(), values.end()};
  }

 private:
  std::shared_ptr<std::byte> owner_;
  std::byte* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::float32;
  BufferId id_ = 0;
};

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::uint8;
  else if constexpr (std::is_same_v<T, std::int32_t>) return DType::int32;
  else if constexpr (std::is_same_v<T, std::int64_t>) return DType::int64;
  else if constexpr (std::is_same_v<T, float>) return DType::float32;
  else {
    static_assert(std::is_same_v<T, double>, "no dtype for this C++ type");
    return DType::float64;
  }
}

template <class T>
Buffer Buffer::of(const std::vector<T>& values) {
  Buffer buffer = allocate(dtype_of<T>(), Shape::flat(static_cast<Count>(values.size())), false);
  if (!values.empty()) std::memcpy(buffer.data(), values.data(), buffer.bytes());
  return buffer;
}

}  // namespace rankscope
