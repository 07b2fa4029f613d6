// Makes the command and the environment of a program: refuses launchers in front of it and around `rankscope exec`, and
// chooses the Python of a script or notebook, by the modules that it imports (lessons/python/rankscope/_imports.py).
#include "cli/program/program_command.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "cli/program/program_files.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/subprocess.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLaunchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
/// Programs that start ranks which find each other.
constexpr std::string_view kStarters[] = {"torchrun", "accelerate", "deepspeed", "horovodrun"};
constexpr std::string_view kCounts[] = {"-n", "-np", "--np", "-c", "--ntasks"};
/// Variables that hold the number of processes which a launcher started.
constexpr const char* kStarted[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
constexpr const char* kOfTorchrun = "TORCHELASTIC_RUN_ID";

template <class Words>
bool names(const Words& words, std::string_view word) {
  return ranges::find(words, word) != std::end(words);
}

bool is_python(const std::string& word) {
  return fs::path(word).filename().string().starts_with("python");
}

void refuse_launcher(const std::vector<std::string>& command) {
  const auto name = fs::path(command.front()).filename().string();
  if (!names(kLaunchers, name)) return;
  std::string count = "4";
  auto at = command.begin() + 1;
  for (; at != command.end() && !is_python(*at) && extension(*at) != ".py" &&
         extension(*at) != ".ipynb";
       ++at)
    if (names(kCounts, *at) && !(name == "srun" && *at == "-c") && at + 1 != command.end())
      count = *(at + 1);
  throw UserError(
      fmt::format("{} would start processes that are no ranks of one run. Leave it out: rankscope "
                  "exec -n {} -- {}",
                  name, count,
                  at == command.end() ? "python3 program.py"
                                      : fmt::format("{}", fmt::join(at, command.end(), " "))));
}

/// Each copy of such a program would start a world of its own.
void refuse_copies_of_starter(const std::vector<std::string>& command) {
  const auto module = ranges::find(command, std::string("-m"));
  const bool torch = module != command.end() && module + 1 != command.end() &&
                     (module + 1)->starts_with("torch.distributed.");
  const auto name = fs::path(command.front()).filename().string();
  if (!torch && !names(kStarters, name)) return;
  throw UserError(fmt::format("{} starts the ranks itself. Leave out -n: rankscope exec -- {}",
                              torch ? *(module + 1) : name, fmt::join(command, " ")));
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void refuse_process_of_launcher(const std::vector<std::string>& command) {
  std::vector<const char*> started(std::begin(kStarted), std::end(kStarted));
  if (std::getenv(kOfTorchrun) != nullptr) started.emplace_back("WORLD_SIZE");
  for (const char* const name : started) {
    const std::string count = variable(name);
    if (std::atoi(count.c_str()) < 2) continue;
    throw UserError(fmt::format(
        "a launcher has started {0} processes ({1}={0}), each of which would be a run of its own. "
        "Start the ranks with rankscope alone: rankscope exec -n {0} -- {2}",
        count, name, fmt::join(command, " ")));
  }
}

void refuse_source(const std::string& program) {
  const auto ending = extension(program);
  const bool fortran = ending == ".f90" || ending == ".f" || ending == ".F90" || ending == ".for";
  if (ending != ".c" && !fortran) return;
  throw UserError(
      fmt::format("{}: programs in {} are not supported yet. Write it in Python with mpi4py, or in "
                  "C++ with rankscope.hpp.",
                  program, fortran ? "Fortran" : "C"));
}

/// Throws UserError for a command that begins with a launcher such as mpirun, for several copies (`copied`: -n) of one that
/// starts all ranks, if a launcher has started this process, and for source in C or Fortran: such ranks would not be one world.
void refuse_foreign_start(const std::vector<std::string>& command, bool copied) {
  refuse_launcher(command);
  if (copied) refuse_copies_of_starter(command);
  refuse_process_of_launcher(command);
  refuse_source(command.front());
}

/// One Python's version, the script's modules that it lacks, and those that a stem can load.
struct Imports {
  std::string version;
  std::vector<std::string> missing, loads;
};

// Returns the Pythons of this machine, the active environment's first, whose folder may not be on the PATH (in some editors).
std::vector<std::string> pythons() {
  std::vector<std::string> out;
  const auto add = [&](const fs::path& folder) {
    const std::string file = (folder / "python3").string();
    if (::access(file.c_str(), X_OK) == 0 && ranges::find(out, file) == out.end())
      out.push_back(file);
  };
  for (const char* const name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = variable(name); !folder.empty()) add(fs::path(folder) / "bin");
  const std::string path = variable("PATH");
  for (const auto folder : split_at(path, ":"))
    if (!folder.empty()) add(folder);
  add("/usr/bin");
  return out;
}

std::optional<Imports> imports_of(const std::string& script, const std::string& python) {
  const std::string text = output_of(
      {.words = {python, (python_files() / "rankscope" / "_imports.py").string(), script}},
      Deadline::in(std::chrono::seconds(20)));
  const auto said = nlohmann::json::parse(text, nullptr, false);
  if (!said.is_object()) return std::nullopt;
  Imports out{"Python " + said.value("python", ""),
              said.value("missing", std::vector<std::string>{}),
              said.value("loads", std::vector<std::string>{})};
  for (const auto& [name, version] : said["versions"].items())
    out.version += fmt::format(", {} {}", name, version.get<std::string>());
  return out;
}

struct Interpreter {
  std::string program;
  std::string version;  ///< "Python 3.11.2, torch 2.15.0"; empty if it cannot be asked.
  std::vector<std::string> loads =
      {};  ///< Modules that a stem can load for all copies of the script (ProgramStem).
};

/// Chooses the Python of a script or notebook: the named one (`--python`, else $RANKSCOPE_PYTHON), else that of the active
/// environment, else the first python3 on the PATH that has all modules that the script imports at its top, or just the
/// first. Throws UserError if a named or active one lacks a module, and another Python here has all.
Interpreter interpreter_for(const std::string& script, const std::string& named) {
  const std::string asked = named.empty() ? variable("RANKSCOPE_PYTHON") : named;
  const auto there = pythons();
  Interpreter out{!asked.empty() ? asked : there.empty() ? "python3" : there.front(), ""};
  const auto imports = imports_of(script, out.program);
  if (!imports) return out;  // running it will show what is wrong with it, or with the script
  out.version = imports->version;
  out.loads = imports->loads;
  if (imports->missing.empty()) return out;
  for (const std::string& other : there) {
    if (other == out.program) continue;
    const auto its = imports_of(script, other);
    if (!its || !its->missing.empty()) continue;
    const std::string missing = fmt::format("{}", fmt::join(imports->missing, ", "));
    if (asked.empty() && variable("VIRTUAL_ENV").empty() && variable("CONDA_PREFIX").empty())
      return {other, fmt::format("{}; {} lacks {}", its->version, out.program, missing),
              its->loads};
    throw UserError(
        fmt::format("{0} imports {1}, which {2} does not have; {3} has it: rankscope exec "
                    "--python {3} … (or set RANKSCOPE_PYTHON={3})",
                    script, missing, out.program, other));
  }
  return out;
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
  if (is_python(command.front()) && command.size() > 1 && extension(command[1]) == ".py") {
    const auto imports = imports_of(command[1], command.front());
    return {command, command[1], imports ? imports->loads : std::vector<std::string>{}};
  }
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
  if (const std::string before = variable("PYTHONPATH"); !before.empty()) path += ":" + before;
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
