// Texts that only a right guess opens, at a price for each guess: scrypt and secretbox of libsodium.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// What a guess costs (scrypt, RFC 7914): 128 r 2^log2_n bytes of memory, and time by 2^log2_n r p. The default takes
/// 128 MiB and, where it was measured, 1.5 seconds of one core.
struct SealCost {
  unsigned log2_n = 17, r = 8, p = 6;
  static constexpr unsigned kMostLog2N = 20, kMostR = 16, kMostP = 32;
  /// Of a file: none that nobody could pay.
  bool fits() const noexcept {
    return log2_n >= 1 && log2_n <= kMostLog2N && r >= 1 && r <= kMostR && p >= 1 && p <= kMostP;
  }
};

/// 32 bytes: what a guess comes to. Throws UserError where the memory is missing.
std::string slow_key(std::string_view guess, std::string_view salt, const SealCost& cost);
/// 32 bytes, at once: HMAC-SHA-256 of a text with a key of 32 bytes (of another length: with its hash).
std::string keyed_hash(std::string_view key, std::string_view text);
/// The text in a box of base64, whose length says little of it; different each time. `key` has 32 bytes.
std::string sealed(std::string_view text, std::string_view key);
/// Nothing: another key, or no such box.
std::optional<std::string> unsealed(std::string_view box, std::string_view key);

std::string random_bytes(std::size_t count);
/// Standard base64 back to bytes. Nothing: it is none.
std::optional<std::string> bytes_of_base64(std::string_view text);
std::string hex_of(std::string_view bytes);
/// Nothing: other than pairs of hexadecimal digits.
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace rankscope
