// The words of options: what may be typed, and what it means. All parsers throw UserError and name
// the nearest right words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope::cli {

/// Words that may stand for an option's placeholder; empty when anything may.
std::vector<std::string> choices_of(std::string_view placeholder);
bool is_file_placeholder(std::string_view placeholder);

DType dtype_named(std::string_view text);

}  // namespace rankscope::cli
