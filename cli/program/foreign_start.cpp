// Recognises launchers in front of a program and around `rankscope exec`, and sources in C and Fortran.
#include "cli/program/foreign_start.h"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLaunchers[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
/// Programs that start ranks which find each other.
constexpr std::string_view kStarters[] = {"torchrun", "accelerate", "deepspeed", "horovodrun"};
constexpr std::string_view kCounts[] = {"-n", "-np", "--np", "-c", "--ntasks"};
/// Variables that hold the number of processes which a launcher started.
constexpr std::string_view kStarted[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                         "SLURM_STEP_NUM_TASKS"};
constexpr const char* kOfTorchrun = "TORCHELASTIC_RUN_ID";

template <class Words>
bool names(const Words& words, std::string_view word) {
  return ranges::find(words, word) != std::end(words);
}

bool starts_program(const std::string& word) {
  const fs::path path(word);
  return path.filename().string().starts_with("python") || path.extension() == ".py" ||
         path.extension() == ".ipynb";
}

void refuse_launcher(const std::vector<std::string>& command) {
  const auto name = fs::path(command.front()).filename().string();
  if (!names(kLaunchers, name)) return;
  std::string count = "4";
  auto at = command.begin() + 1;
  for (; at != command.end() && !starts_program(*at); ++at)
    if (names(kCounts, *at) && !(name == "srun" && *at == "-c") && at + 1 != command.end())
      count = *(at + 1);
  throw UserError(
      fmt::format("{} would start processes that are no ranks of one run. Leave it out: rankscope "
                  "exec -n {} -- "
                  "{}",
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

void refuse_process_of_launcher(const std::vector<std::string>& command) {
  std::vector<std::string_view> started(std::begin(kStarted), std::end(kStarted));
  if (std::getenv(kOfTorchrun) != nullptr) started.emplace_back("WORLD_SIZE");
  for (const std::string_view variable : started) {
    const char* const count = std::getenv(std::string(variable).c_str());
    if (count == nullptr || std::atoi(count) < 2) continue;
    throw UserError(
        fmt::format("a launcher has started {0} processes ({1}={0}), each of which would be a run "
                    "of its own. Start the ranks "
                    "with rankscope alone: rankscope exec -n {0} -- {2}",
                    count, variable, fmt::join(command, " ")));
  }
}

void refuse_source(const std::string& program) {
  const auto ending = fs::path(program).extension().string();
  const bool fortran = ending == ".f90" || ending == ".f" || ending == ".F90" || ending == ".for";
  if (ending != ".c" && !fortran) return;
  throw UserError(
      fmt::format("{}: programs in {} are not supported yet. Write it in Python with mpi4py, or in "
                  "C++ with rankscope.hpp.",
                  program, fortran ? "Fortran" : "C"));
}

}  // namespace

void refuse_foreign_start(const std::vector<std::string>& command, bool copied) {
  refuse_launcher(command);
  if (copied) refuse_copies_of_starter(command);
  refuse_process_of_launcher(command);
  refuse_source(command.front());
}

}  // namespace rankscope::cli
