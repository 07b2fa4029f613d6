// Writes lists as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/text.h"

namespace rankscope {

/// The elements of a list, each written by `text`.
template <class List, class Text>
std::string joined(const List& list, std::string_view between, Text text) {
  std::string out;
  bool first = true;
  for (const auto& one : list) {
    if (!std::exchange(first, false)) out += between;
    out += text(one);
  }
  return out;
}

/// "1, 4, 7 and 12 more".
template <class Element>
std::string first_few(const std::vector<Element>& all, std::size_t most) {
  const std::size_t shown = std::min(all.size(), most);
  return fmt::format("{}{}", fmt::join(std::span(all).first(shown), ", "),
                     shown < all.size() ? fmt::format(" and {} more", all.size() - shown) : "");
}

}  // namespace rankscope
