// Finds a call's line in the user's program from Python's frames. A line that was looked up once is cached by its code
// and the position in it.
#pragma once

#include <array>
#include <unordered_map>

#include "engine/capi/python/abi.h"
#include "engine/capi/rankscope.h"
#include "engine/core/base/site.h"

namespace rankscope::python {

class Places {
 public:
  /// `describe(code)` returns (code, file, function) as bytes, or None twice for code that is not the user's.
  Places(const Abi& python, Object describe) : python_(python), describe_(hold(python, describe)) {}

  /// Returns the place of the current call; empty if it is not known. Valid during the call.
  std::span<const CallSite> here();

 private:
  struct Code {
    Held entry;                  ///< Keeps the code alive, so that its address is not reused.
    const char* file = nullptr;  ///< Null for a file that is not the user's.
    const char* function = nullptr;
  };
  struct Key {
    std::array<const void*, RS_STACK> codes{};
    std::array<int, RS_STACK> positions{};
    std::size_t depth = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Stack {
    std::array<CallSite, RS_STACK> calls{};
  };

  const Code* known(Object code);
  std::span<const CallSite> learn(const Key& key, const std::array<Held, RS_STACK>& frames);

  const Abi& python_;
  const Held describe_;
  std::unordered_map<const void*, Code> codes_;
  std::unordered_map<Key, Stack, Hash> stacks_;
};

}  // namespace rankscope::python
