// Adds the Python to a script or notebook, and makes the environment of its processes.
#include "cli/program/program_command.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "cli/program/foreign_start.h"
#include "cli/program/interpreter.h"
#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text_parts.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

bool is_python(const std::string& word) {
  return fs::path(word).filename().string().starts_with("python");
}

bool runs_pytest(const std::vector<std::string>& command) {
  return ranges::any_of(command, [](const std::string& word) {
    const auto name = fs::path(word).filename().string();
    return name == "pytest" || name == "py.test" || name == "pytest-3";
  });
}

}  // namespace

std::string extension(const std::string& word) { return fs::path(word).extension().string(); }

ProgramCommand command_of(const Console& console, const ExecOptions& options) {
  auto command = options.command;
  if (const auto& explore = options.orders.explore; !explore.empty() && !as_number<int>(explore))
    throw UserError(fmt::format(
        "--explore takes the number of orders, as in --explore 20; '{}' is none", explore));
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

std::vector<std::string> exec_environment(const ExecProgram& program, int copy) {
  const fs::path python = python_files();
  std::vector<std::string> out{program.host, "RANKSCOPE_LIBRARY=" + library_path(),
                               "PYTHONUNBUFFERED=1"};
  std::string path = (python / "site").string() + ":" + python.string();
  if (const char* before = std::getenv("PYTHONPATH"); before != nullptr && *before != '\0')
    path += std::string(":") + before;
  out.push_back("PYTHONPATH=" + path);
  // Large messages reuse memory instead of mapping and clearing pages, which is three times as fast (as tune_allocator() does in
  // our workers).
  for (const char* setting :
       {"MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=1073741824", "MALLOC_TOP_PAD_=16777216"})
    if (std::getenv(std::string(setting, std::string_view(setting).find('=')).c_str()) == nullptr)
      out.emplace_back(setting);
  if (std::getenv("OMP_NUM_THREADS") == nullptr) out.emplace_back("OMP_NUM_THREADS=1");
  if (runs_pytest(program.command)) out.emplace_back("PYTEST_PLUGINS=rankscope.pytest_plugin");
  std::error_code error;
  const fs::path where(program.output);
  const bool folder = program.output.ends_with('/') || fs::is_directory(where, error);
  out.push_back("RANKSCOPE_TRACES=" +
                fs::absolute(folder ? where : where.parent_path(), error).string());
  if (!program.source.empty()) out.push_back("RANKSCOPE_PROGRAM=" + program.source);
  if (program.copies == 0) return out;
  for (const auto& [name, value] : {std::pair{"RANK", copy},
                                    {"LOCAL_RANK", copy},
                                    {"WORLD_SIZE", program.copies},
                                    {"LOCAL_WORLD_SIZE", program.copies},
                                    {"GROUP_RANK", 0},
                                    {"RANKSCOPE_COPIES", program.copies},
                                    {"RANKSCOPE_COPY", copy}})
    out.push_back(fmt::format("{}={}", name, value));
  out.emplace_back("MASTER_ADDR=127.0.0.1");
  out.emplace_back("MASTER_PORT=29500");  // nobody listens there; only the text has to be the same
  return out;
}

}  // namespace rankscope::cli
