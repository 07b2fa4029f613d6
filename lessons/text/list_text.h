// Texts that are lists: put together and taken apart.
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

#include "engine/core/base/suggest.h"

namespace rankscope {

/// The elements of a list one after the other, each as `text` says it.
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

/// What stands before, between and behind the separators, each of them one character. Views of `text`.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separators);
/// Without their ends; the last one need not have any. Views of `text`.
std::vector<std::string_view> lines_of(std::string_view text);

}  // namespace rankscope
