// Reads and writes the files of `rankscope schedule`: convert, show, from-trace.
#include "cli/schedule/schedule_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/program/program_files.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/trace/trace_report.h"
#include "engine/box/box_group.h"
#include "engine/box/support.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/text.h"
#include "engine/run/job/job.h"
#include "engine/studio/formats/msccl.h"
#include "engine/studio/recorded/schedule_of_run.h"

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
  std::string fault, text = read_whole(path, kMostProgram, fault);
  if (!fault.empty()) throw UserError(fmt::format("{} {}", escaped(path), fault));
  return text;
}

/// Returns the table that the file's moves(ranks) makes, as text. It runs in a sandbox unless `no_sandbox`, as a
/// schedule may come from anyone. Throws UserError with Python's error.
std::string table_from_python(const std::string& path, int ranks, bool no_sandbox) {
  const std::string text = program_text(path);
  const CodeBoxesOptions boxes = code_boxes_options(no_sandbox);
  require_boxes(boxes.support);
  // A copy, which nobody changes while it is read.
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

std::string table_text(const TaskGraph& tasks) {
  return fmt::format(
      "# {} on {}{}\n{}", to_string(*tasks.collective), plural(tasks.ranks(), "rank"),
      tasks.root > 0 ? fmt::format(", root {}", tasks.root) : "", to_text(schedule_of(tasks)));
}

}  // namespace

std::optional<Collective> collective_asked(const ScheduleOptions& options) {
  if (options.collective.empty()) return std::nullopt;
  const CollectiveTraits* found = find_collective(options.collective);
  if (found == nullptr)
    throw UserError(
        fmt::format("--collective: '{}' is no collective: choose allreduce, allgather, "
                    "reduce_scatter, broadcast, reduce, gather, scatter or alltoall",
                    options.collective));
  return found->collective;
}

MessageSizes message_sizes(const ScheduleOptions& options) {
  const CostSetting setting = options.costs.setting();
  const std::uint64_t element = dtype_size(setting.in.dtype);
  return {static_cast<std::uint64_t>(setting.in.shape.count()) * element, element,
          setting.link.gamma};
}

ScheduleFile read_schedule_file(const std::string& path, const ScheduleOptions& options) {
  ScheduleAsked asked{collective_asked(options), {}, {}};
  if (options.ranks > 0) asked.ranks = options.ranks;
  if (options.root >= 0) asked.root = options.root;
  if (!ascii_lower(path).ends_with(".py")) return read_schedule(path, asked);
  if (!asked.ranks)
    throw UserError(fmt::format("{}: for how many ranks? Give --ranks", escaped(path)));
  return schedule_from_text(table_from_python(path, *asked.ranks, options.no_sandbox),
                            schedule_format_of(".txt"), path, asked);
}

int write_and_report(const Console& console, const TaskGraph& tasks, const std::string& output,
                     const ScheduleOptions& options) {
  need_file_name(output);
  std::vector<std::string> files;
  if (output == "-") {
    console.print_raw(table_text(tasks));
    return kOk;
  }
  const ScheduleFormatRow& format = schedule_format_of(output);
  if (format.format == ScheduleFormat::table) {
    rankscope::cli::write_whole(output, table_text(tasks));
    files = {output};
  } else {
    files = write_schedule(tasks, output, message_sizes(options));
  }
  std::uint64_t messages = 0;
  for (const auto& of_rank : tasks.tasks)
    messages += static_cast<std::uint64_t>(ranges::count_if(
        of_rank, [](const ScheduleTask& task) { return task.does(ScheduleTask::sends); }));
  if (console.json()) {
    console.print_raw(json_text({{"files", files},
                                 {"format", format.name},
                                 {"ranks", tasks.ranks()},
                                 {"messages", messages}}));
    return kOk;
  }
  console.print(fmt::format("{}{}: {}, {}, {}\n", escaped(files.front()),
                            files.size() > 1 ? " to " + escaped(files.back()) : "", format.summary,
                            plural(tasks.ranks(), "rank"), plural(messages, "message")));
  if (format.format == ScheduleFormat::msccl)
    if (const std::string beyond = beyond_msccl(tasks); !beyond.empty()) console.note(beyond + ".");
  return kOk;
}

int convert_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  if (std::filesystem::path(options.files.front()) == std::filesystem::path(options.files.back()))
    throw UserError("convert writes another file than it reads: choose another name");
  return write_and_report(console, file.tasks, options.files.back(), options);
}

int show_schedule(const Console& console, const ScheduleOptions& options) {
  const ScheduleFile file = read_schedule_file(options.files.front(), options);
  const TaskGraph& tasks = file.tasks;
  if (console.json()) {
    auto ranks = nlohmann::json::array();
    for (Rank rank = 0; rank < tasks.ranks(); ++rank) {
      auto list = nlohmann::json::array();
      for (const ScheduleTask& task : tasks.tasks[static_cast<std::size_t>(rank)])
        list.push_back({{"does", words_of(task)}, {"after", task.after}, {"strand", task.strand}});
      ranks.push_back(std::move(list));
    }
    console.print_raw(json_text(
        {{"name", tasks.name},
         {"format", file.format->name},
         {"collective", tasks.collective ? std::string(to_string(*tasks.collective)) : ""},
         {"ranks", tasks.ranks()},
         {"chunks", tasks.chunks},
         {"knows_data", tasks.knows_data()},
         {"tasks", std::move(ranks)}}));
    return kOk;
  }
  try {
    if (tasks.collective) {
      console.print(table_text(tasks));
      return kOk;
    }
  } catch (const UserError& e) {
    console.note(e.what());  // no table: its tasks, rank by rank
  }
  std::string text;
  for (Rank rank = 0; rank < tasks.ranks(); ++rank) {
    text += fmt::format("rank {}\n", rank);
    int number = 0;
    for (const ScheduleTask& task : tasks.tasks[static_cast<std::size_t>(rank)]) {
      text += fmt::format("  {:>4}  {}", number++, words_of(task));
      if (task.strand >= 0) text += fmt::format(", block {}", task.strand);
      for (std::size_t k = 0; k < task.after.size(); ++k)
        text += fmt::format("{}{}", k == 0 ? ", after " : ", ", task.after[k]);
      text += "\n";
    }
  }
  console.print(text);
  return kOk;
}

int schedule_from_trace(const Console& console, const ScheduleOptions& options) {
  const std::string& path = options.files.front();
  const Trace trace = open_trace(console, path, "`rankscope schedule from-trace`");
  if (lost_something(trace.issues()))
    throw UserError(
        fmt::format("{}: parts of the run are lost, so its schedule would be, too: record it again",
                    escaped(path)));
  const auto collective = collective_asked(options);
  const auto of_trace = trace.meta().collective;
  if (!collective && !of_trace)
    throw UserError(fmt::format(
        "{} is a run of a program, which does not say for which collective: give --collective",
        escaped(path)));
  const TraceAnalysis run(trace);
  const std::string name = trace.meta().algorithm.empty() ? path : trace.meta().algorithm;
  const int chunks = options.chunks > 0 ? options.chunks : chunks_of_run(run, name);
  const Schedule table = schedule_of_run(
      run, chunks, name, "choose another number of --chunks, or record another size");
  int root = std::max(options.root, 0);
  if (options.root < 0 && trace.meta().job) root = trace.meta().job->call.root;
  const TaskGraph tasks = dataflow_tasks(
      table, {printable(name), collective ? *collective : *of_trace, trace.world_size(), root});
  return write_and_report(console, tasks, options.output.empty() ? "-" : options.output, options);
}

}  // namespace rankscope::cli
