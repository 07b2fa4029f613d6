// Runs a file of Python in a box, and takes the table that it prints.
#include "cli/schedule/python_schedule.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "cli/program/program_files.h"
#include "engine/box/box_group.h"
#include "engine/box/support.h"
#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/utf8.h"

namespace rankscope::cli {
namespace {

constexpr std::uint64_t kMostTable = std::uint64_t{64} << 20;
constexpr std::uintmax_t kMostProgram = std::uintmax_t{1} << 20;

BoxLimits limits_of_table() {
  BoxLimits out;
  out.wall = std::chrono::seconds(30);
  out.cpu_seconds = 30;
  out.memory = std::uint64_t{1} << 30;
  out.processes = 16;
  out.output = out.output_kept = kMostTable;
  return out;
}

std::string program_text(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in)
    throw UserError(fmt::format("{} cannot be read: check the name, and whether you may read it",
                                escaped(path)));
  if (size > kMostProgram)
    throw UserError(fmt::format("{}: a program of more than 1 MiB is not run", escaped(path)));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

std::string table_from_python(const std::string& path, int ranks, bool no_sandbox) {
  const std::string text = program_text(path);
  const CodeBoxesOptions boxes = code_boxes_options(no_sandbox);
  require_boxes(boxes.support);
  // A copy, which nobody changes while it is looked at.
  const ScratchFolder folder("schedule", ScratchFolder::For::everybody);
  const std::string name = std::filesystem::path(path).filename().string();
  const auto copy = folder.path() / "program.py";
  std::ofstream(copy, std::ios::binary) << text;
  std::filesystem::permissions(copy, std::filesystem::perms(0644));
  BoxSpec spec;
  spec.name = name;
  spec.directory = "/tmp";
  spec.binds = {{boxes.python_files, "/rankscope/python"}, {copy, "/rankscope/program.py"}};
  const bool boxed = boxes.support.sandbox;
  const std::string module = boxed ? "/rankscope/python" : boxes.python_files.string();
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1",
                      "PYTHONPATH=" + module};
  spec.argv = {boxes.python,
               "-m",
               "rankscope.schedule",
               boxed ? "/rankscope/program.py" : copy.string(),
               fmt::format("{}", ranks),
               name};
  BoxGroup group(boxes.support, limits_of_table());
  group.start({spec});
  while (!group.wait(std::chrono::seconds(1))) {
  }
  const BoxOutcome& box = group.outcome().boxes.front();
  if (box.end == BoxEnd::ended && box.exit_code == 0 && box.out.size() == box.out_bytes)
    return box.out;
  constexpr std::size_t kMostShown = 2000;
  const std::string_view error = trimmed(box.err);
  const std::string_view shown =
      error.size() > kMostShown ? error.substr(error.size() - kMostShown) : error;
  if (box.end == BoxEnd::ended)
    throw UserError(fmt::format("{} makes no schedule:\n{}", escaped(path), shown));
  throw UserError(fmt::format("{} makes no schedule: it {}; a program has 30 seconds and 1 GiB",
                              escaped(path), box.words));
}

}  // namespace rankscope::cli
