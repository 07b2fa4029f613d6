// Includes Catch2, of release 2 or 3, under one set of names.
#pragma once

#include <string_view>

// Catch2 moved its headers and renamed this matcher between its releases 2 and 3; tests include
// this file.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>
inline auto ContainsSubstring(const std::string& text) { return Catch::Matchers::Contains(text); }
#endif

namespace rankscope::test {

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace rankscope::test
