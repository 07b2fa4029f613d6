// Sets the environment of a program's ranks: paths, torchrun's variables, and the address of the
// run.
#include "cli/program/exec_environment.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "cli/program/program_files.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

bool runs_pytest(const std::vector<std::string>& command) {
  return ranges::any_of(command, [](const std::string& word) {
    const auto name = fs::path(word).filename().string();
    return name == "pytest" || name == "py.test" || name == "pytest-3";
  });
}

}  // namespace

// As torchrun sets them, so that a script which reads them finds its place.
std::vector<std::string> exec_environment(const ExecProgram& program, int copy) {
  const fs::path python = python_files();
  std::vector<std::string> out{program.host, "RANKSCOPE_LIBRARY=" + library_path(),
                               "PYTHONUNBUFFERED=1"};
  std::string path = (python / "site").string() + ":" + python.string();
  if (const char* before = std::getenv("PYTHONPATH"); before != nullptr && *before != '\0')
    path += std::string(":") + before;
  out.push_back("PYTHONPATH=" + path);
  // Large messages get memory that was used before, instead of pages that are mapped and cleared for each:
  // three times as fast (as tune_allocator does it for our workers; here the program is not ours).
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
  out.emplace_back("MASTER_PORT=29500");  // nobody listens there: ranks meet by the text alone
  return out;
}

}  // namespace rankscope::cli
