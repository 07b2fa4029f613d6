// Copies payloads into memory that a message owns.
#include "engine/core/message/link.h"

#include <cstring>

namespace rankscope {

Message Message::copy_of(std::span<const std::byte> payload) {
  if (payload.empty()) return {};
  auto* block = new std::byte[payload.size()];
  std::memcpy(block, payload.data(), payload.size());
  return {{block, payload.size()}, block, [](void* owner) noexcept {
            delete[] static_cast<std::byte*>(owner);
          }};
}

}  // namespace rankscope
