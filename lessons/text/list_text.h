// Joins texts to lists, and splits them.
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

/// The parts of `text` between any of these characters, empty ones too. Views of `text`.
inline std::vector<std::string_view> split_at(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> out;
  for (auto end = text.find_first_of(separators); end != std::string_view::npos;
       end = text.find_first_of(separators)) {
    out.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  out.push_back(text);
  return out;
}

/// The lines without their ends; the last one need not have any. Views of `text`.
inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out = split_at(text, "\n");
  if (out.back().empty()) out.pop_back();
  return out;
}

}  // namespace rankscope
