// `rankscope lesson drills`: faulty programs for practice and exams.
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/program/program_files.h"
#include "cli/sizes.h"
#include "cli/terminal/progress_line.h"
#include "cli/terminal/text.h"
#include "cli/terminal/write_file.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "lessons/coding/drills.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMostDrills = 1000;

/// A new or empty folder, or one with drills.
void check_drill_folder(const fs::path& folder, bool force) {
  std::error_code error;
  if (!fs::exists(folder, error) ||
      (fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    return;
  if (!fs::is_directory(folder, error))
    throw UserError(
        fmt::format("{} is no folder: name another one with --output", folder.string()));
  const bool drills = fs::exists(folder / "key.json", error);
  if (force && drills) return;
  throw UserError(fmt::format("{} is not empty: name another folder with --output{}",
                              folder.string(),
                              drills ? ", or say --force to write over the drills in it" : ""));
}

void write_drills(const fs::path& folder, const std::vector<Drill>& drills,
                  const LessonLibrary& library, std::uint64_t seed) {
  std::error_code error;
  fs::remove_all(folder / "questions", error);
  fs::create_directories(folder / "questions", error);
  if (error)
    throw UserError(fmt::format("{} cannot be made: {}", folder.string(), error.message()));
  for (std::size_t i = 0; i < drills.size(); ++i)
    write_whole((folder / "questions" / drill_file_name(drills[i], i + 1, drills.size())).string(),
                drills[i].text);
  write_whole((folder / "questions" / "questions.md").string(), drill_questions(drills, library));
  write_whole((folder / "key.md").string(), drill_key(drills, seed));
  write_whole((folder / "key.json").string(), dump_json(drill_key_json(drills, seed), 1) + "\n");
}

std::string drills_text(const DrillsMade& made, int wanted) {
  std::string out;
  for (const std::string& one : made.refused)
    out += fmt::format("not used, since it is not judged right: {}\n", one);
  if (static_cast<int>(made.drills.size()) < wanted)
    out += fmt::format("There are no more than {} of them.\n", made.drills.size());
  out += fmt::format("{} run, {} kept", plural(static_cast<std::size_t>(made.tried), "mutant"),
                     made.drills.size());
  if (made.unnoticed > 0)
    out += fmt::format("; {} left out, since the run shows no fault", made.unnoticed);
  if (made.senseless > 0)
    out += fmt::format("; {} left out, since they only name what is not there", made.senseless);
  return out + ".\n";
}

}  // namespace

int make_lesson_drills(const Console& console, const LessonOptions& options) {
  constexpr int kSheet = 10;
  const LessonLibrary library(lessons_folder());
  DrillOptions drills;
  drills.sheet = options.sheet;
  drills.count = options.sheet ? kSheet : options.count;
  if (options.sheet && !options.sheet_size.empty())
    drills.count = static_cast<int>(parse_integer(options.sheet_size, "--sheet", 1, kMostDrills));
  if (drills.count < 1 || drills.count > kMostDrills)
    throw UserError(fmt::format("--count: from 1 to {}, not {}", kMostDrills, drills.count));
  if (options.seed_given) drills.seed = options.seed;
  drills.exercises = options.exercises;
  drills.solutions = library.root() / "drills";
  const fs::path folder = options.output.empty() ? "drills" : options.output;
  check_drill_folder(folder, options.force);
  const Interrupt interrupt;
  drills.boxes = code_boxes_options(options.no_sandbox);
  drills.boxes.interrupt_fd = interrupt.fd();
  ProgressLine progress(console);
  drills.on_progress = [&](int done, int all) {
    progress.show(fmt::format("{} of {} drills", done, all));
  };
  const DrillsMade made = make_drills(library, drills);
  progress.clear();
  if (made.interrupted) return kInterrupted;
  write_drills(folder, made.drills, library, drills.seed);
  if (console.json()) console.print_raw(json_text(drill_key_json(made.drills, drills.seed)));
  else
    console.print(
        fmt::format("{}{} written to {}: questions/ for students, key.md and key.json for you. "
                    "The same again: --seed {}.\n",
                    drills_text(made, drills.count), plural(made.drills.size(), "drill"),
                    folder.string(), drills.seed));
  return made.drills.empty() ? kFailed : kOk;
}

}  // namespace rankscope::cli
