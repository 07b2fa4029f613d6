// Chooses the reader or writer of a file by its ending.
#include "engine/studio/formats/schedule_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/studio/formats/chakra.h"
#include "engine/studio/formats/goal.h"
#include "engine/studio/formats/msccl.h"

namespace rankscope {
namespace {

constexpr auto kFormats = std::to_array<ScheduleFormatRow>({
    {ScheduleFormat::table, "table", ".txt", "rankscope's table of moves"},
    {ScheduleFormat::table, "table", ".schedule", "rankscope's table of moves"},
    {ScheduleFormat::msccl, "msccl", ".xml", "MSCCL's XML, for GPUs"},
    {ScheduleFormat::goal, "goal", ".goal", "GOAL, for LogGOPSim"},
    {ScheduleFormat::chakra, "chakra", ".et",
     "Chakra's execution traces, a file for each rank, for ASTRA-sim"},
});

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

std::string file_text(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error && size > kMostBytes)
    throw UserError(fmt::format("{}: it has more than 1 GiB: a schedule of that size is not read",
                                escaped(path)));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || std::filesystem::is_directory(path, error) ||
      (in.peek() != EOF && !(text << in.rdbuf())))
    throw UserError(fmt::format("{} cannot be read: check the name, and whether you may read it",
                                escaped(path)));
  return text.str();
}

// "run.et" and "run.0.et" are the files run.0.et, run.1.et ...
std::string chakra_prefix(const std::string& path) {
  std::string prefix = path.substr(0, path.size() - std::string_view(".et").size());
  std::error_code ignored;
  if (prefix.ends_with(".0") && !std::filesystem::exists(prefix + ".0.et", ignored))
    prefix.resize(prefix.size() - 2);
  return prefix;
}
std::string chakra_name(const std::string& prefix, Rank rank) {
  return fmt::format("{}.{}.et", prefix, rank);
}

TaskGraph read_chakra_files(const std::string& path) {
  const std::string prefix = chakra_prefix(path);
  OperationFile file;
  file.name = std::filesystem::path(prefix).filename().string();
  std::error_code ignored;
  for (Rank rank = 0; rank == 0 || std::filesystem::exists(chakra_name(prefix, rank), ignored);
       ++rank)
    read_chakra(file_text(chakra_name(prefix, rank)), chakra_name(prefix, rank), file);
  return tasks_of(file, path);
}

void apply(const ScheduleAsked& asked, TaskGraph& tasks) {
  if (asked.ranks && *asked.ranks != tasks.ranks())
    throw UserError(fmt::format("{} is a schedule of {} ranks, not of {}: leave --ranks out",
                                tasks.name, tasks.ranks(), *asked.ranks));
  if (asked.collective) tasks.collective = *asked.collective;
  if (asked.root) tasks.root = *asked.root;
}

ScheduleFile table_file(std::string_view text, const std::string& name,
                        const ScheduleAsked& asked) {
  if (!asked.collective || !asked.ranks)
    throw UserError(fmt::format(
        "{} is a table of moves, which does not say for what: give --ranks and --collective",
        name));
  ScheduleFile out;
  try {
    out.table = parse_schedule(text);
    out.tasks =
        dataflow_tasks(*out.table, {std::filesystem::path(name).filename().string(),
                                    *asked.collective, *asked.ranks, asked.root.value_or(0)});
  } catch (const UserError& e) {
    throw FormatError(fmt::format("{}: {}", name, e.what()));
  }
  return out;
}

}  // namespace

const ScheduleFormatRow& schedule_format_of(std::string_view path) {
  const std::string lower = ascii_lower(path);
  for (const auto& row : kFormats)
    if (lower.ends_with(row.ending)) return row;
  std::string endings;
  for (const auto& row : kFormats) endings += fmt::format("\n  {:10}{}", row.ending, row.summary);
  throw UserError(fmt::format("{}: its ending does not say which format it has. Known are:{}",
                              escaped(path), endings));
}

ScheduleUse ScheduleFile::use() const {
  return {tasks.name, tasks.collective.value_or(Collective::allreduce), tasks.ranks(), tasks.root};
}

ScheduleFile schedule_from_text(std::string_view text, const ScheduleFormatRow& format,
                                const std::string& file, const ScheduleAsked& asked) {
  if (format.format == ScheduleFormat::table) {
    ScheduleFile out = table_file(text, file, asked);
    out.format = &format;
    return out;
  }
  ScheduleFile out;
  out.format = &format;
  out.tasks = format.format == ScheduleFormat::msccl ? read_msccl(text, file)
                                                     : tasks_of(read_goal(text, file), file);
  apply(asked, out.tasks);
  return out;
}

ScheduleFile read_schedule(const std::string& path, const ScheduleAsked& asked) {
  const ScheduleFormatRow& format = schedule_format_of(path);
  if (format.format != ScheduleFormat::chakra)
    return schedule_from_text(file_text(path), format, path, asked);
  ScheduleFile out;
  out.format = &format;
  out.tasks = read_chakra_files(path);
  apply(asked, out.tasks);
  return out;
}

Schedule table_of(const ScheduleFile& file) {
  return file.table ? normalised(*file.table, file.tasks.ranks()) : schedule_of(file.tasks);
}

std::string schedule_text(const TaskGraph& tasks, ScheduleFormat format,
                          const MessageSizes& sizes) {
  switch (format) {
    case ScheduleFormat::table: return to_text(schedule_of(tasks));
    case ScheduleFormat::goal: return write_goal(operations_of(tasks, sizes));
    case ScheduleFormat::msccl: {
      bool blocks = true;
      for (const auto& of_rank : tasks.tasks)
        blocks = blocks &&
                 ranges::all_of(of_rank, [](const ScheduleTask& task) { return task.strand >= 0; });
      if (blocks || !tasks.collective) return write_msccl(tasks);
      return write_msccl(dataflow_tasks(
          schedule_of(tasks), {tasks.name, *tasks.collective, tasks.ranks(), tasks.root}));
    }
    case ScheduleFormat::chakra: break;
  }
  throw UserError("a Chakra trace is a file for each rank: choose a name that ends in .et");
}

std::vector<std::string> write_schedule(const TaskGraph& tasks, const std::string& path,
                                        const MessageSizes& sizes) {
  const ScheduleFormat format = schedule_format_of(path).format;
  if (format != ScheduleFormat::chakra) {
    write_whole(path, schedule_text(tasks, format, sizes));
    return {path};
  }
  const std::string prefix = path.substr(0, path.size() - std::string_view(".et").size());
  const OperationFile operations = operations_of(tasks, sizes);
  std::vector<std::string> out;
  for (Rank rank = 0; rank < tasks.ranks(); ++rank) {
    out.push_back(chakra_name(prefix, rank));
    write_whole(out.back(), write_chakra(operations, rank));
  }
  return out;
}

}  // namespace rankscope
