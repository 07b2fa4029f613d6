// Copies with stores that bypass the caches, where the processor has them.
#include "engine/core/base/copy_bytes.h"

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace rankscope {

void copy_bytes(std::byte* into, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  // Below this size, ranks of one machine find each other's data in their shared cache.
  constexpr std::size_t kStreamed = std::size_t{2} << 20;
  constexpr std::size_t kLine = 64, kAhead = 8 * kLine;
  if (bytes >= kStreamed) {
    const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(into) % kLine) % kLine;
    std::memcpy(into, from, head);
    into += head, from += head, bytes -= head;
    for (; bytes >= kLine; into += kLine, from += kLine, bytes -= kLine) {
      const auto* const source = reinterpret_cast<const __m128i*>(from);
      auto* const target = reinterpret_cast<__m128i*>(into);
      // _mm_prefetch() does not compile without optimisation and with a sanitizer in GCC 12.
      __builtin_prefetch(from + kAhead, 0, 0);
      const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1),
                    c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
      _mm_stream_si128(target, a);
      _mm_stream_si128(target + 1, b);
      _mm_stream_si128(target + 2, c);
      _mm_stream_si128(target + 3, d);
    }
    _mm_sfence();  // a reader that learns that the copy is done finds it
  }
#endif
  if (bytes > 0) std::memcpy(into, from, bytes);
}

}  // namespace rankscope
