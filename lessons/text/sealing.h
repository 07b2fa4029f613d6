// Seals texts that only the right guess opens, where each guess costs time and memory: libsodium's scrypt and secretbox.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// The cost of a guess (scrypt, RFC 7914): 128 r 2^log2_n bytes of memory, and time in proportion to 2^log2_n r p. The
/// default takes 128 MiB and about 1.5 seconds of one core.
struct SealCost {
  unsigned log2_n = 17, r = 8, p = 6;
  static constexpr unsigned kMostLog2N = 20, kMostR = 16, kMostP = 32;
  /// Returns whether a cost from a file is one that a machine can pay.
  bool fits() const noexcept {
    return log2_n >= 1 && log2_n <= kMostLog2N && r >= 1 && r <= kMostR && p >= 1 && p <= kMostP;
  }
};

/// The key of a guess, 32 bytes. Throws UserError when memory is short.
std::string slow_key(std::string_view guess, std::string_view salt, const SealCost& cost);
/// HMAC-SHA-256 of a text with a key of 32 bytes, or with the hash of a key of another length.
std::string keyed_hash(std::string_view key, std::string_view text);
/// Encrypts the text as base64, different each time and padded to hide its length. `key` has 32 bytes.
std::string sealed(std::string_view text, std::string_view key);
/// The text of a box; nothing for another key or a damaged box.
std::optional<std::string> unsealed(std::string_view box, std::string_view key);

/// Returns the text in a box that rankscope opens by itself, the same each time: it is closed to readers, not to somebody who
/// takes rankscope apart. The box opens only for its `place` ("lesson/question/where"), where no error quotes it.
std::string closed_text(std::string_view text, std::string_view place);
std::optional<std::string> opened_text(std::string_view box, std::string_view place);

std::string random_bytes(std::size_t count);

}  // namespace rankscope
