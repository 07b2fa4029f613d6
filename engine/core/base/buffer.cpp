// Allocates and borrows buffers, and computes with shapes.
#include "engine/core/base/buffer.h"

#include <algorithm>
#include <limits>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rankscope {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::shared_ptr<std::byte> allocate_aligned(std::size_t bytes) {
  const std::size_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  auto* memory = static_cast<std::byte*>(
      ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t{alignment}, std::nothrow));
  if (memory == nullptr)
    throw UserError(fmt::format(
        "cannot get {} bytes of memory for a buffer: use a smaller --count or fewer ranks", bytes));
#if defined(__linux__)
  if (bytes >= kHugePage) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; failure is harmless
#endif
  return {memory, [alignment](std::byte* p) { ::operator delete(p, std::align_val_t{alignment}); }};
}

}  // namespace

Shape::Shape(std::vector<Count> extents) : extents_(std::move(extents)), count_(1) {
  for (const Count extent : extents_) {
    if (extent < 0)
      throw UserError(fmt::format("extents must be 0 or more, not {}", fmt::join(extents_, "x")));
    if (__builtin_mul_overflow(count_, extent, &count_))
      throw UserError(
          fmt::format("a buffer of {} elements is too large", fmt::join(extents_, "x")));
  }
}

Count Shape::outer(int dim) const noexcept {
  Count product = 1;
  for (int d = 0; d < dim; ++d) product *= (*this)[d];
  return product;
}

Count Shape::inner(int dim) const noexcept {
  Count product = 1;
  for (int d = dim + 1; d < dims(); ++d) product *= (*this)[d];
  return product;
}

Shape Shape::with(int dim, Count extent) const {
  auto extents = extents_;
  extents.at(static_cast<std::size_t>(dim)) = extent;
  return Shape(std::move(extents));
}

std::string Shape::to_string() const { return fmt::format("[{}]", fmt::join(extents_, ", ")); }

Buffer Buffer::allocate(DType dtype, Shape shape, bool fill) {
  Buffer buffer;
  buffer.dtype_ = dtype;
  buffer.shape_ = std::move(shape);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(buffer.count()), dtype_size(dtype), &bytes) ||
      bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()))
    throw UserError(fmt::format("a buffer of {} {} elements is too large", buffer.count(),
                                rankscope::to_string(dtype)));
  buffer.owner_ = allocate_aligned(bytes);
  buffer.data_ = buffer.owner_.get();
  if (fill) std::memset(buffer.data_, 0, bytes);
  return buffer;
}

Buffer Buffer::in(std::shared_ptr<std::byte> memory, DType dtype, Shape shape, bool fill) {
  if (memory == nullptr) return allocate(dtype, std::move(shape), fill);
  Buffer buffer = borrow(memory.get(), dtype, std::move(shape));
  buffer.owner_ = std::move(memory);
  if (fill) std::memset(buffer.data_, 0, buffer.bytes());
  return buffer;
}

Buffer Buffer::borrow(std::byte* data, DType dtype, Shape shape) {
  Buffer buffer;
  buffer.dtype_ = dtype;
  buffer.shape_ = std::move(shape);
  buffer.data_ = data;
  return buffer;
}

}  // namespace rankscope
