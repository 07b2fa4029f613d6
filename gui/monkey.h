// Random commands, clicks and keys, with which a test drives the window.
#pragma once

#include <cstdint>

namespace rankscope::gui {

class MainLoop;

/// Drives the loop at random for `seconds`, and prints each command. Returns the exit code.
int let_monkey_play(MainLoop& loop, std::uint64_t seed, double seconds);

}  // namespace rankscope::gui
