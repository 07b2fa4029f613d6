#include "cli/program_files.h"

#include <cstdlib>

#include "engine/core/error.h"
#include "engine/run/launcher.h"
#include "lessons/lesson.h"

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

fs::path include_folder() {
  std::error_code error;
  const fs::path program = fs::path(own_program()).parent_path();
  if (const auto folder = program / "../include"; fs::exists(folder / "rankscope.hpp", error))
    return fs::weakly_canonical(folder);
  throw UserError("rankscope.hpp is not there: install rankscope whole");
}

fs::path python_files() { return fs::weakly_canonical(lessons_folder() / "python"); }

CodeBoxesOptions code_boxes_options(bool no_sandbox) {
  CodeBoxesOptions out;
  out.support = box_support({.no_sandbox = no_sandbox, .bwrap = {}});
  out.python_files = python_files();
  out.library = library_path();
  out.cpp_files = fs::weakly_canonical(lessons_folder() / "cpp");
  out.include = include_folder();
  if (const char* named = std::getenv("CXX"); named != nullptr && *named != '\0')
    out.compiler = named;
  return out;
}

}  // namespace rankscope::cli
