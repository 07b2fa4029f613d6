// What commands call a key.
#pragma once

#include <string>

namespace rankscope::gui {

/// "Ctrl+Shift+Z", "Space", "PageUp", "T", of the numbers that GLFW gives; letters as the keyboard's layout has them.
/// Empty: it has no name.
std::string key_text(int key, int scancode, int mods);

}  // namespace rankscope::gui
