// A text in TOML without what means nothing, so that a comment in a lesson changes no result.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// Without comments, empty lines and blanks at the ends of lines, except in strings. Two texts with the same result mean
/// the same; a text that is no TOML may come out as anything.
std::string without_toml_comments(std::string_view text);

}  // namespace rankscope
