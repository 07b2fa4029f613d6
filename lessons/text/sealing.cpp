// Seals texts with keys made of guesses, and opens them.
#include "lessons/text/sealing.h"

#include <cstdint>

#include <sodium.h>

#include "engine/core/base/error.h"
#include "lessons/text/encodings.h"

namespace rankscope {
namespace {

constexpr std::size_t kKeyBytes = 32;
// Texts are padded to a multiple of this length.
constexpr std::size_t kSealPadding = 256;
static_assert(kKeyBytes == crypto_secretbox_KEYBYTES && kKeyBytes == crypto_auth_hmacsha256_BYTES);

void need_sodium() {
  static const int kReady = sodium_init();
  if (kReady < 0) throw UserError("libsodium cannot be used on this machine");
}

const unsigned char* sodium_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* sodium_bytes(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

}  // namespace

std::string slow_key(std::string_view guess, std::string_view salt, const SealCost& cost) {
  need_sodium();
  if (!cost.fits()) throw UserError("the cost of a guess in this copy of the lesson is damaged");
  std::string out(kKeyBytes, '\0');
  if (crypto_pwhash_scryptsalsa208sha256_ll(sodium_bytes(guess), guess.size(), sodium_bytes(salt),
                                            salt.size(), std::uint64_t{1} << cost.log2_n, cost.r,
                                            cost.p, sodium_bytes(out), out.size()) != 0)
    throw UserError(
        "there is not enough memory to check the answer (it takes 128 MiB): close other programs");
  return out;
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  need_sodium();
  std::string out(kKeyBytes, '\0');
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, sodium_bytes(key), key.size());
  crypto_auth_hmacsha256_update(&state, sodium_bytes(text), text.size());
  crypto_auth_hmacsha256_final(&state, sodium_bytes(out));
  return out;
}

namespace {

std::string sealed_with(std::string_view text, std::string_view key, const std::string& nonce) {
  if (key.size() != kKeyBytes) throw UserError("a key has 32 bytes");
  std::string padded(text);
  padded.resize((text.size() / kSealPadding + 1) * kSealPadding);
  std::size_t length = 0;
  if (sodium_pad(&length, sodium_bytes(padded), text.size(), kSealPadding, padded.size()) != 0)
    throw UserError("the text cannot be sealed");
  std::string box(length + crypto_secretbox_MACBYTES, '\0');
  crypto_secretbox_easy(sodium_bytes(box), sodium_bytes(padded), length, sodium_bytes(nonce),
                        sodium_bytes(key));
  sodium_memzero(padded.data(), padded.size());
  return base64(nonce + box);
}

}  // namespace

std::string sealed(std::string_view text, std::string_view key) {
  return sealed_with(text, key, random_bytes(crypto_secretbox_NONCEBYTES));
}

std::optional<std::string> unsealed(std::string_view box, std::string_view key) {
  need_sodium();
  const auto bytes = bytes_of_base64(box);
  constexpr std::size_t kHead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
  if (!bytes || bytes->size() <= kHead || key.size() != kKeyBytes) return std::nullopt;
  const std::string_view nonce = std::string_view(*bytes).substr(0, crypto_secretbox_NONCEBYTES);
  const std::string_view closed = std::string_view(*bytes).substr(nonce.size());
  std::string out(closed.size() - crypto_secretbox_MACBYTES, '\0');
  if (crypto_secretbox_open_easy(sodium_bytes(out), sodium_bytes(closed), closed.size(),
                                 sodium_bytes(nonce), sodium_bytes(key)) != 0)
    return std::nullopt;
  std::size_t length = 0;
  if (sodium_unpad(&length, sodium_bytes(out), out.size(), kSealPadding) != 0) return std::nullopt;
  out.resize(length);
  return out;
}

std::string closed_text(std::string_view text, std::string_view place) {
  const std::string key = keyed_hash(keyed_hash("rankscope", "closed texts"), place);
  // Two exports of one lesson are alike: the nonce is the text's own.
  return sealed_with(text, key, keyed_hash(key, text).substr(0, crypto_secretbox_NONCEBYTES));
}

std::optional<std::string> opened_text(std::string_view box, std::string_view place) {
  const std::string any = keyed_hash("rankscope", "closed texts");
  auto text = unsealed(box, keyed_hash(any, place));
  return text ? text : unsealed(box, any);  // an older copy's box opens anywhere
}

std::string random_bytes(std::size_t count) {
  need_sodium();
  std::string out(count, '\0');
  randombytes_buf(out.data(), out.size());
  return out;
}

}  // namespace rankscope
