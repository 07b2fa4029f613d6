// Finds librankscope, its headers and the Python package, in the build tree or as installed.
#include "cli/program/program_files.h"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/run/conductor/launcher.h"
#include "lessons/coding/loaded_libraries.h"
#include "lessons/course/read_lesson.h"
#include "lessons/lesson/coding.h"
#include "lessons/submissions/exercise_files.h"
#include "lessons/submissions/program_parts.h"

namespace rankscope::cli {

namespace fs = std::filesystem;

std::string library_path() {
  std::error_code error;
  const fs::path program = fs::path(own_program()).parent_path();
  for (const char* folder : {"../lib", "../" RANKSCOPE_LIBDIR, "."})
    if (const auto file = program / folder / "librankscope.so"; fs::exists(file, error))
      return fs::weakly_canonical(file).string();
  throw UserError(
      "librankscope.so is not there: build the target rankscope_capi, or install rankscope whole");
}

namespace {

/// Returns the installation's lessons, whatever $RANKSCOPE_LESSONS names.
fs::path shipped_lessons() {
  std::error_code error;
  const fs::path program = fs::path(own_program()).parent_path();
  const fs::path installed = program / "../share/rankscope/lessons";
  return fs::is_directory(installed, error) ? installed : program / "../lesson-files";
}

/// Returns a folder that programs need: the lessons', or the installation's where $RANKSCOPE_LESSONS has none.
fs::path support_files(const char* name) {
  std::error_code error;
  const fs::path own = lessons_folder() / name;
  return fs::weakly_canonical(fs::is_directory(own, error) ? own : shipped_lessons() / name);
}

// Returns what programs must not reach: the lessons, which hold answers, and rankscope, which gives them; of this installation and
// of others.
std::vector<fs::path> hidden_files() {
  std::vector<fs::path> out = {lessons_folder(), shipped_lessons()};
  for (const fs::path& prefix : {fs::path(own_program()).parent_path().parent_path(),
                                 fs::path("/usr"), fs::path("/usr/local")}) {
    out.push_back(prefix / "share/rankscope");
    for (const char* program : {"rankscope", "rankscope-gui", "rankscope-bench"})
      out.push_back(prefix / "bin" / program);
  }
  std::error_code error;
  std::erase_if(out, [&](const fs::path& path) { return !fs::exists(path, error); });
  return out;
}

// For root, boxes have a user of their own, who may not reach our files in root's home: copies them.
void bring_into_reach(CodeBoxesOptions& options) {
  if (::geteuid() != 0 || (!options.support.sandbox && !options.support.other_user)) return;
  const auto folder = std::make_shared<const ScratchFolder>("files", ScratchFolder::For::everybody);
  for (fs::path* const file : {&options.python_files, &options.library, &options.first_process,
                               &options.cpp_files, &options.include}) {
    if (is_world_accessible(*file)) continue;
    const fs::path copy = folder->path() / file->filename();
    fs::copy(*file, copy, fs::copy_options::recursive);
    *file = copy;
    options.kept = folder;
    // Programs in C++ look for the library under this name.
    if (file == &options.library)
      fs::create_symlink(copy.filename(), folder->path() / "librankscope.so.1");
  }
}

/// Returns support for running as another user, unless everybody can read the answers.
BoxSupport other_user_support(const BoxSupport& failed) {
  BoxSupport out = as_other_user(failed);
  const fs::path keys = fs::weakly_canonical(lessons_folder() / "content");
  if (!out.other_user || !is_world_accessible(keys)) return out;
  out = failed;
  out.problem += fmt::format(
      "; and as another user they could read the answers in {}, which everybody may read: `chmod "
      "700` a folder above it, which is rankscope's alone",
      keys.string());
  return out;
}

}  // namespace

fs::path include_folder() {
  std::error_code error;
  const fs::path program = fs::path(own_program()).parent_path();
  if (const auto folder = program / "../include"; fs::exists(folder / "rankscope.hpp", error))
    return fs::weakly_canonical(folder);
  throw UserError("rankscope.hpp is not there: install rankscope whole");
}

fs::path python_files() { return support_files("python"); }

fs::path first_process() {
  std::error_code error;
  fs::path file = fs::path(library_path()).parent_path() / "rankscope/first-process";
  if (fs::exists(file, error)) return file;
  throw UserError(file.string() +
                  " is not there: build the target rankscope_capi, or install rankscope whole");
}

CodeBoxesOptions code_boxes_options(bool no_sandbox, bool or_other_user) {
  CodeBoxesOptions out;
  out.support = box_support({.no_sandbox = no_sandbox, .bwrap = {}, .hidden = hidden_files()});
  if (or_other_user && !out.support.works()) out.support = other_user_support(out.support);
  out.python_files = python_files();
  out.library = library_path();
  out.first_process = first_process();
  out.cpp_files = support_files("cpp");
  out.include = include_folder();
  if (const char* named = std::getenv("CXX"); named != nullptr && *named != '\0')
    out.compiler = named;
  bring_into_reach(out);
  return out;
}

void share_for_class(CodeBoxesOptions& options) {
  options.headers = std::make_shared<CppHeaders>();
  options.libraries = std::make_shared<LoadedLibraries>();
}

namespace fs = std::filesystem;

const CodingExercise& exercise_named(const LessonLibrary& library, const std::string& id) {
  std::vector<std::string> ids;
  for (const Lesson& lesson : library.lessons()) {
    const CodingExercise* const found = lesson.find_coding(id);
    if (found != nullptr && found->graded()) return *found;
    for (const CodingExercise& one : lesson.coding)
      if (one.graded()) ids.push_back(one.id);
  }
  throw UserError(fmt::format("there is no code exercise \"{}\"{}; there are: {}", id,
                              nearest_hint(id, ids), fmt::join(ids, ", ")));
}

Submission::Submission(const std::string& given, const CodingExercise& exercise)
    : folder_(given), exercise_(exercise) {
  std::error_code error;
  if (fs::is_directory(given, error)) {
    const ExerciseFile found = exercise_file(exercise, folder_);
    if (found.file.empty())
      throw UserError(fmt::format("{} has no {}: that is the file that the exercise {} asks for{}",
                                  given, found.wanted, exercise.id,
                                  found.nearest.empty() ? "" : "; is it " + found.nearest + "?"));
    exercise_ = found.to_grade();
    return;
  }
  if (!fs::is_regular_file(given, error))
    throw UserError(fmt::format("{} is neither a file nor a folder", given));
  const std::string ending = fs::path(given).extension().string();
  const auto cpp = cpp_contract(exercise);
  if (is_cpp(given) && !cpp)
    throw UserError(
        fmt::format("the exercise {} is for Python: hand in {}", exercise.id, exercise.file));
  const std::string name = fs::path(given).filename().string();
  if (is_cpp(given)) {
    exercise_.file = cpp->file;
  } else if (ending == ".ipynb" || ending == ".py") {
    // Messages name the student's file; its module keeps the exercise's name, since "ray" would hide the package.
    if (ending == ".py" && name != exercise_.file)
      exercise_.module = fs::path(exercise_.file).stem().string();
    exercise_.file = name;
  } else {
    throw UserError(fmt::format("{} is no program for the exercise {}: hand in {}{} or a notebook",
                                given, exercise.id, exercise.file,
                                cpp ? ", " + cpp->file : std::string()));
  }
  folder_ = made_.emplace("exercise").path();
  copy_program(given, folder_ / exercise_.file);
}

}  // namespace rankscope::cli
