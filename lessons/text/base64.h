// Base64 (RFC 4648, section 4), for pictures inside of texts.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

std::string base64(std::string_view bytes);

}  // namespace rankscope
