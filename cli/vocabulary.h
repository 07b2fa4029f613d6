// The words that may be typed for an option or an argument, by its placeholder in the help.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::cli {

/// Words that may stand for an option's placeholder; empty when anything may.
std::vector<std::string> words_for(std::string_view placeholder);
bool is_file_placeholder(std::string_view placeholder);

}  // namespace rankscope::cli
