// What kind of file is opened, by its name.
#pragma once

#include <optional>
#include <string>

#include "gui/state/command/commands.h"
#include "gui/state/lesson/lesson_state.h"

namespace rankscope::gui {

/// The command that opens a script, a lesson, or a program while the open page has an exercise for one; nothing: it is a
/// trace, or says itself that it is none. Throws UserError for a program that nothing asks for.
std::optional<Command> opened_otherwise(const LessonState& lesson, const std::string& file);

}  // namespace rankscope::gui
