// Tells scripts, lessons and programs from traces.
#include "gui/state/app/opened_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "gui/state/files/file_choice.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& file) { return program_kind().takes(file); }

// A program that is dropped while a lesson asks for one on the open page; empty: it is something else.
std::string exercise_for(const LessonState& lesson, const std::string& file) {
  std::error_code error;
  if (!lesson.lesson || lesson.lesson->steps.empty() ||
      (!is_program(file) && !fs::is_directory(file, error)))
    return {};
  const Step& page = lesson.lesson->steps[static_cast<std::size_t>(lesson.page())];
  for (const Block& block : page.blocks) {
    const CodingExercise* asked =
        block.kind == Block::Kind::coding ? lesson.lesson->find_coding(block.id) : nullptr;
    if (asked != nullptr && asked->graded()) return asked->id;
  }
  return {};
}

}  // namespace

std::optional<Command> opened_otherwise(const LessonState& lesson, const std::string& file) {
  std::error_code error;
  const fs::path path = file;
  if (path.filename() == "lesson.toml") return cmd::lesson(path.parent_path().string());
  if (fs::is_directory(path, error) && fs::exists(path / "lesson.toml", error))
    return cmd::lesson(file);
  if (const std::string exercise = exercise_for(lesson, file); !exercise.empty())
    return cmd::program(exercise, file);
  if (file.ends_with(".rankscript")) return cmd::script(file);
  if (is_program(file))
    throw UserError(fmt::format(
        "{} is a program: open the lesson with its exercise first, or record it with `rankscope "
        "exec` and open the trace",
        path.filename().string()));
  return std::nullopt;
}

}  // namespace rankscope::gui
