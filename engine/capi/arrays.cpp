// Registers a program's arrays as trace buffers and records the contents that the program changed.
#include "engine/capi/arrays.h"

#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/core/base/error.h"

namespace rankscope::capi {
namespace {

constexpr std::size_t kWhole = 64 * 1024, kPiece = 1024, kPieces = 32;
constexpr std::size_t kMostRanges = 16;  // that are reported one by one
constexpr std::size_t kMostKnown =
    4096;  // of one program; then they are forgotten and recorded again

DType dtype_of_code(std::int32_t code) {
  if (code < 0 || code > static_cast<std::int32_t>(DType::float64))
    throw UserError(fmt::format("there is no element type {} (0 to 4)", code));
  return static_cast<DType>(code);
}

Shape shape_of(const rs_memory& memory) {
  if (memory.dims > RS_DIMS)
    throw UserError(fmt::format("an array of {} dimensions: at most {}", memory.dims, RS_DIMS));
  return Shape(std::vector<Count>(memory.shape, memory.shape + memory.dims));
}

// Returns the part of an array that the trace shows: all of a small one, otherwise samples.
void read_shown(const Buffer& buffer, std::vector<std::byte>& out) {
  const Sampling sampling(buffer.count());
  const std::size_t size = dtype_size(buffer.dtype());
  out.resize(static_cast<std::size_t>(sampling.size()) * size);
  if (sampling.size() == buffer.count()) {
    if (!out.empty()) std::memcpy(out.data(), buffer.data(), out.size());
    return;
  }
  for (Count s = 0; s < sampling.size(); ++s)
    std::memcpy(out.data() + static_cast<std::size_t>(s) * size,
                buffer.data() + static_cast<std::size_t>(sampling.position(s)) * size, size);
}

// Returns whether the contents are unchanged. Avoids memory for a message that changed nothing.
bool shows(const Buffer& buffer, std::span<const std::byte> shown) {
  const Sampling sampling(buffer.count());
  const std::size_t size = dtype_size(buffer.dtype());
  if (sampling.size() == buffer.count())
    return shown.empty() || std::memcmp(shown.data(), buffer.data(), shown.size()) == 0;
  for (Count s = 0; s < sampling.size(); ++s)
    if (std::memcmp(shown.data() + static_cast<std::size_t>(s) * size,
                    buffer.data() + static_cast<std::size_t>(sampling.position(s)) * size,
                    size) != 0)
      return false;
  return true;
}

// The elements from one changed sample to the last one of those beside it: a write to one row is not one to others.
std::vector<Range> changed_ranges(const Buffer& buffer, std::span<const std::byte> before,
                                  std::span<const std::byte> now) {
  const Sampling sampling(buffer.count());
  const std::size_t size = dtype_size(buffer.dtype());
  std::vector<Range> ranges;
  bool goes_on = false;
  for (Count s = 0; s < sampling.size(); ++s) {
    const std::size_t at = static_cast<std::size_t>(s) * size;
    const bool changed = std::memcmp(before.data() + at, now.data() + at, size) != 0;
    const Count element = sampling.position(s);
    if (changed && !goes_on) ranges.push_back({element, 1});
    else if (changed) ranges.back().count = element + 1 - ranges.back().offset;
    goes_on = changed;
  }
  if (ranges.size() > kMostRanges)
    ranges = {{ranges.front().offset, ranges.back().end() - ranges.front().offset}};
  return ranges;
}

}  // namespace

Slice plain_slice(const rs_memory& memory) {
  const DType dtype = dtype_of_code(memory.dtype);
  if (memory.count > std::uint64_t{1} << 48)
    throw UserError(fmt::format("a message of {} elements", memory.count));
  if (memory.count > 0 && memory.data == nullptr)
    throw UserError("a message without memory: the data pointer is null");
  return {static_cast<std::byte*>(memory.data), dtype, static_cast<Count>(memory.count), 0, 0};
}

std::uint64_t fingerprint(const Slice& data) noexcept {
  if (data.bytes() <= kWhole) return XXH3_64bits(data.data(), data.bytes());
  std::uint64_t sum = 0;
  const std::size_t step = (data.bytes() - kPiece) / (kPieces - 1);
  for (std::size_t i = 0; i < kPieces; ++i)
    sum = XXH3_64bits_withSeed(data.data() + i * step, kPiece, sum);
  return sum;
}

Slice Arrays::slice(Communicator& comm, const rs_memory& memory, const Site& where) {
  const Slice plain = plain_slice(memory);
  if (!comm.context().recorder().full() || plain.empty()) return plain;
  const std::lock_guard lock(mutex_);
  auto* const first = static_cast<std::byte*>(memory.dims == 0 ? memory.data : memory.array);
  const Shape shape = memory.dims == 0 ? Shape::flat(plain.count()) : shape_of(memory);
  const auto offset = plain.data() - first;
  const auto size = static_cast<std::ptrdiff_t>(dtype_size(plain.dtype()));
  if (first == nullptr || offset < 0 || offset % size != 0 ||
      offset / size + plain.count() > shape.count())
    throw UserError("the memory of a message does not lie in the array that it is said to lie in");
  if (known_.size() > kMostKnown) known_.clear();
  const auto [at, is_new] =
      known_.try_emplace(Key{first, static_cast<std::uint64_t>(shape.count()), memory.dtype});
  Known& known = at->second;
  if (!is_new && known.buffer.shape() != shape) known.buffer.set_id(0);
  if (is_new || known.buffer.id() == 0) {
    known.buffer = Buffer::borrow(first, plain.dtype(), shape);
    read_shown(known.buffer, known.contents);
    comm.watch(memory.name == nullptr ? "array" : memory.name, known.buffer, where);
  } else if (!shows(known.buffer, known.contents)) {
    std::vector<std::byte> now;
    read_shown(known.buffer, now);
    for (const Range range : changed_ranges(known.buffer, known.contents, now))
      comm.touch(known.buffer.all()[range], where);
    known.contents = std::move(now);
  }
  return known.buffer.all()[{offset / size, plain.count()}];
}

void Arrays::settle(const Slice& changed) {
  if (changed.buffer() == 0) return;
  const std::lock_guard lock(mutex_);
  // Not all are searched, because a program that sends objects has thousands.
  const void* const first = changed.data() - changed.offset_bytes();
  for (auto at = known_.lower_bound({first, 0, 0}); at != known_.end() && at->first.array == first;
       ++at)
    if (at->second.buffer.id() == changed.buffer())
      return read_shown(at->second.buffer, at->second.contents);
}

}  // namespace rankscope::capi
