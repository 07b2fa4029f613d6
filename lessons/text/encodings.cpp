// Encodes bytes with libsodium, and hashes them.
#include "lessons/text/encodings.h"

#include <fmt/format.h>
#include <sodium.h>
#include <xxhash.h>

namespace rankscope {
namespace {

const unsigned char* bytes_in(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* writable(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
  std::string out(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
  sodium_bin2base64(out.data(), out.size(), bytes_in(bytes), bytes.size(), kVariant);
  out.pop_back();
  return out;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
  std::string out(text.size() / 4 * 3 + 3, '\0');
  std::size_t length = 0;
  if (sodium_base642bin(writable(out), out.size(), text.data(), text.size(), nullptr, &length,
                        nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
    return std::nullopt;
  out.resize(length);
  return out;
}

std::string hex_of(std::string_view bytes) {
  std::string out(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), bytes_in(bytes), bytes.size());
  out.pop_back();
  return out;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  std::string out(text.size() / 2, '\0');
  std::size_t length = 0;
  const char* end = nullptr;
  if (sodium_hex2bin(writable(out), out.size(), text.data(), text.size(), nullptr, &length, &end) !=
          0 ||
      end != text.data() + text.size())
    return std::nullopt;
  out.resize(length);
  return out;
}

std::string hash_text(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace rankscope
