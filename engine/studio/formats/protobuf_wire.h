// The wire form of Protocol Buffers, as far as Chakra's traces need it: varints, lengths, and what is skipped.
//
// By hand, because the library would be a dependency of every package, and its generated code takes longer to compile
// than all of engine/studio; the form is small and does not change. tests/studio compares it with bytes that protoc made.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

class WireWriter {
 public:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  /// Zero is left out, as proto3 does; `always`: of a oneof, where it says which member there is.
  void number(int field, std::uint64_t value, bool always = false) {
    if (value == 0 && !always) return;
    key(field, 0);
    varint(value);
  }
  void text(int field, std::string_view value) {
    key(field, 2);
    delimited(value);
  }
  /// Length, then the bytes.
  void delimited(std::string_view value) {
    varint(value.size());
    bytes_ += value;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  void key(int field, int type) {
    varint(static_cast<std::uint64_t>(field) << 3 | static_cast<unsigned>(type));
  }
  std::string bytes_;
};

/// One field of a message. Of type 2, `text` has its bytes; of the others, `number` its bits.
struct WireField {
  int field = 0, type = 0;
  std::uint64_t number = 0;
  std::string_view text = {};
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const noexcept { return at_ == bytes_.size(); }
  std::size_t place() const noexcept { return at_; }
  /// Nothing where the bytes end too early, or are none of this form.
  std::optional<std::uint64_t> varint() {
    std::uint64_t out = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift == 63 && byte > 1) return std::nullopt;
      out |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return out;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> delimited() {
    const auto length = varint();
    if (!length || *length > bytes_.size() - at_) return std::nullopt;
    const auto out = bytes_.substr(at_, static_cast<std::size_t>(*length));
    at_ += out.size();
    return out;
  }
  std::optional<WireField> next() {
    const auto key = varint();
    if (!key || *key >> 3 == 0 || *key >> 3 > 0x1FFFFFFF) return std::nullopt;
    WireField out{static_cast<int>(*key >> 3), static_cast<int>(*key & 7)};
    switch (out.type) {
      case 0: return with_number(out, varint());
      case 1: return with_number(out, fixed(8));
      case 5: return with_number(out, fixed(4));
      case 2:
        if (const auto text = delimited()) {
          out.text = *text;
          return out;
        }
        return std::nullopt;
      default: return std::nullopt;  // groups are no more
    }
  }

 private:
  static std::optional<WireField> with_number(WireField field,
                                              std::optional<std::uint64_t> number) {
    if (!number) return std::nullopt;
    field.number = *number;
    return field;
  }
  std::optional<std::uint64_t> fixed(std::size_t size) {
    if (bytes_.size() - at_ < size) return std::nullopt;
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;)
      out = out << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return out;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

}  // namespace rankscope
