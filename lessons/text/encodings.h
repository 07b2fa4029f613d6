// Bytes as text: base64, hexadecimal digits, and hashes that are the same on every machine and for ever.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// RFC 4648, section 4.
std::string base64(std::string_view bytes);
/// Nothing when `text` is not base64.
std::optional<std::string> bytes_of_base64(std::string_view text);

std::string hex_of(std::string_view bytes);
/// Nothing when `text` is not pairs of hexadecimal digits.
std::optional<std::string> bytes_of_hex(std::string_view text);

/// XXH3 with 128 bits, in hexadecimal digits: tells changed bytes from unchanged ones.
std::string hash_text(std::string_view bytes);

/// FNV-1a with 64 bits. It must never change, because the numbers on printed answer sheets are drawn with it.
inline std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return out;
}

}  // namespace rankscope
