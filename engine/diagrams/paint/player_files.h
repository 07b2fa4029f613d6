// The HTML player's files, embedded in the binary (engine/diagrams/paint/player/).
#pragma once

#include <string_view>

namespace rankscope {

std::string_view player_script() noexcept;
std::string_view player_style() noexcept;
/// HTML: buttons, scrubber, caption.
std::string_view player_controls() noexcept;
/// In hexadecimal digits.
std::string_view player_script_sha256() noexcept;

}  // namespace rankscope
