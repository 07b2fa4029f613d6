// What a command or a test can ask of one question or exercise of the open lesson.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::gui {

struct LessonState;

/// "verdict", "points", "grade" ... of a question, whether it was answered or not; nothing for a key that there is not.
std::optional<std::string> question_value(const LessonState& lesson, std::string_view key,
                                          const std::string& question);

}  // namespace rankscope::gui
