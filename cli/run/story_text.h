// A story for the terminal: `rankscope demo` and `rankscope replay`.
#pragma once

#include <string>

#include "cli/run/story.h"
#include "cli/terminal/console.h"

namespace rankscope::cli {

/// The start, a round, or the end: title, messages, and the buffers of all ranks with what changed
/// marked (by reverse colours, or by an asterisk).
std::string chapter_text(const Story& story, std::size_t chapter, const Style& style, int width);

/// Larger buffers have no room on any line: only the first element of each chunk is reported.
inline constexpr int kMostValues = 128;

/// All chapters; on a terminal, when `interactive`, one at a time: Enter or n goes on, b back,
/// q quits.
void show_story(const Console& console, const Story& story, bool interactive);

}  // namespace rankscope::cli
