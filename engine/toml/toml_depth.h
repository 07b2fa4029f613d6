// How deep a TOML text is, found without a parser: parsers call themselves for each level.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

struct TooDeep {
  int line = 0;
  std::string says;
  explicit operator bool() const noexcept { return line > 0; }
};

/// The first key with more parts, or list with more lists around it, than anybody needs.
TooDeep too_deep(std::string_view text);

}  // namespace rankscope
