// A story for the terminal: `rankscope demo` and `rankscope replay`.
#pragma once

#include <string>

#include "cli/console.h"
#include "cli/story.h"

namespace rankscope::cli {

/// The start, a round, or the end: title, messages, and the buffers of all ranks with what changed
/// marked (by reverse colours, or by an asterisk).
std::string chapter_text(const Story& story, std::size_t chapter, const Style& style, int width);

/// Values of a buffer that fit on a line of this width.
int most_values_for(int width);

/// All chapters; on a terminal, when `interactive`, one at a time: Enter or n goes on, b back,
/// q quits.
void show_story(const Console& console, const Story& story, bool interactive);

}  // namespace rankscope::cli
