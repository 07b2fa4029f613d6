// Adds the Python to a script or notebook, and asks what one process can load for all its copies.
#include "cli/program/program_command.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/program/foreign_start.h"
#include "cli/program/interpreter.h"
#include "engine/core/base/error.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

bool is_python(const std::string& word) {
  return fs::path(word).filename().string().starts_with("python");
}

}  // namespace

std::string extension(const std::string& word) { return fs::path(word).extension().string(); }

/// A script alone is enough: how it is started is known.
ProgramCommand command_of(const Console& console, const ExecOptions& options) {
  auto command = options.command;
  if (command.empty())
    throw UserError("say what to run: rankscope exec -n 4 -- python3 student.py");
  refuse_foreign_start(command, !options.ranks.empty());
  const std::string ending = extension(command.front());
  if (is_python(command.front()) && command.size() > 1 && extension(command[1]) == ".py")
    return {command, command[1], loads_of(command[1], command.front())};
  if (ending != ".py" && ending != ".ipynb") return {command, "", {}};
  const std::string script = command.front();
  const Interpreter python = interpreter_for(script, options.python);
  if (!python.version.empty())
    console.note(fmt::format("rankscope: {} ({})", python.version, python.program));
  if (ending == ".ipynb") command.insert(command.begin(), {"-m", "rankscope.notebook"});
  command.insert(command.begin(), python.program);
  return {command, script, python.loads};
}

}  // namespace rankscope::cli
