// Bounds-checked reading and plain appending of little-endian binary data: wire frames, event
// batches, trace blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/base/error.h"

namespace rankscope {

static_assert(std::endian::native == std::endian::little,
              "wire and trace formats are little-endian; a big-endian port needs byte swaps here");

using Bytes = std::vector<std::byte>;

/// Appends to `out`. A text follows its size as 32 bits, an array its count as 64 bits.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_raw(std::as_bytes(std::span(&value, 1)));
  }
  void put_raw(std::span<const std::byte> data) {
    if (data.empty()) return;
    const auto at = out_.size();
    out_.resize(at + data.size());
    std::memcpy(out_.data() + at, data.data(), data.size());
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_raw(std::as_bytes(std::span(text.data(), text.size())));
  }
  template <class T>
  void put_array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(static_cast<std::uint64_t>(values.size()));
    put_raw(std::as_bytes(values));
  }

 private:
  Bytes& out_;
};

/// Reads what ByteWriter wrote. Every read throws FormatError when the data end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> data) : data_(data) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > data_.size()) throw FormatError("the data ends in the middle of a record");
    const auto taken = data_.first(bytes);
    data_ = data_.subspan(bytes);
    return taken;
  }
  std::string get_text() {
    const auto raw = take(get<std::uint32_t>());
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  template <class T>
  std::vector<T> get_array() {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = get<std::uint64_t>();
    if (count > data_.size() / sizeof(T)) throw FormatError("an array is longer than its record");
    const auto raw = take(static_cast<std::size_t>(count) * sizeof(T));
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  std::size_t left() const noexcept { return data_.size(); }
  bool done() const noexcept { return data_.empty(); }

 private:
  std::span<const std::byte> data_;
};

}  // namespace rankscope
