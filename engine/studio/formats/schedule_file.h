// Reads and writes schedules in all known formats, by the endings of file names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/studio/formats/operations.h"
#include "engine/studio/tasks/schedule_tasks.h"

namespace rankscope {

enum class ScheduleFormat : std::uint8_t { table, msccl, goal, chakra };
/// A format, with the ending of its files.
struct ScheduleFormatRow {
  ScheduleFormat format;
  std::string_view name, ending, summary;
};
/// Finds the format by the ending of a file's name. Throws UserError that lists the endings.
const ScheduleFormatRow& schedule_format_of(std::string_view path);

/// Facts that a file may lack: a table has none of them, and files of others often do not name their collective.
struct ScheduleAsked {
  std::optional<Collective> collective;
  std::optional<int> ranks;
  std::optional<Rank> root;
};

struct ScheduleFile {
  const ScheduleFormatRow* format = nullptr;
  std::optional<Schedule> table;  ///< In the format `table`.
  /// The file's tasks; for a table, those of dataflow_tasks().
  TaskGraph tasks;

  ScheduleUse use() const;
};

/// For Chakra, `path` is PREFIX.et for PREFIX.0.et, PREFIX.1.et and so on, or the first of them. Throws UserError for a
/// file that cannot be read or lacks a fact that `asked` lacks, too, FormatError with file and line for a mistake in it.
ScheduleFile read_schedule(const std::string& path, const ScheduleAsked& asked);
/// The same from a text, in all formats except Chakra.
ScheduleFile schedule_from_text(std::string_view text, const ScheduleFormatRow& format,
                                const std::string& file, const ScheduleAsked& asked);
/// The file's table, or the one that its tasks make. Throws what schedule_of() throws.
Schedule table_of(const ScheduleFile& file);

/// A schedule's text, in all formats except Chakra. Tables need tasks that make one; MSCCL's XML needs thread blocks, or a
/// table.
/// Throws UserError.
std::string schedule_text(const TaskGraph& tasks, ScheduleFormat format, const MessageSizes& sizes);
/// Writes one file, or for Chakra one for each rank, each whole or not at all. Returns their names.
std::vector<std::string> write_schedule(const TaskGraph& tasks, const std::string& path,
                                        const MessageSizes& sizes);

}  // namespace rankscope
