// A short name for a text, by which a change is noticed.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// XXH3 with 128 bits, in hexadecimal digits.
std::string hash_text(std::string_view bytes);

}  // namespace rankscope
