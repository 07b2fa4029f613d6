// Compiles a user's C++ program into a temporary file with the system's compiler.
#include "cli/program/compiled_program.h"

#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "engine/run/conductor/child_process.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

std::string compiler() {
  if (const char* named = std::getenv("CXX"); named != nullptr && *named != '\0') return named;
  return "g++";
}

}  // namespace

CompiledProgram::CompiledProgram(const std::string& source) {
  std::error_code error;
  if (!fs::is_regular_file(source, error))
    throw UserError(fmt::format("there is no file {}", source));
  const fs::path library = library_path();
  Children compile;
  const std::string cxx = compiler();
  compile.start({{cxx, "-std=c++20", "-g", "-O1", "-Wall", "-Wextra", "-I",
                  include_folder().string(), source, "-o", binary(), library.string(),
                  "-Wl,-rpath," + library.parent_path().string(), "-pthread"},
                 {},
                 true});
  while (compile.running()) {
    compile.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (compile.end(0).code == 0) return;
  throw UserError(fmt::format("{} cannot be compiled: {} says above what is wrong", source, cxx));
}

}  // namespace rankscope::cli
