// Collects the programs of a class and compares them.
#include "cli/grade/grade_alike.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/core/base/text.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostCompared = std::uintmax_t{1} << 18;
constexpr std::size_t kMostCompareLines = 4000;

std::optional<AlikeProgram> program_of(const fs::path& folder, const std::string& file) {
  std::string fault;
  const std::string text = program_text(folder / file, fault);
  if (!fault.empty() || text.size() > kMostCompared) return std::nullopt;
  AlikeProgram out;
  out.file = file;
  out.language = language_of(file);
  for (const auto line : split_at(text, "\n")) {
    std::string shown(line);
    replace_all(shown, "\t", "    ");
    if (shown.ends_with('\r')) shown.pop_back();
    out.lines.push_back(printable(shown));
    if (out.lines.size() > kMostCompareLines) return std::nullopt;
  }
  return out;
}

/// Returns programs whose text anyone may use: the starter, and the stored solutions that drills alter in one place.
std::vector<AlikeProgram> given_of(const CourseEntry& entry) {
  std::vector<AlikeProgram> out;
  const auto add = [&](const fs::path& folder, const std::string& file) {
    if (auto one = program_of(folder, file)) out.push_back(std::move(*one));
  };
  if (!entry.coding->starter.empty()) add(entry.lesson->folder, entry.coding->starter);
  const fs::path lessons = entry.lesson->folder.parent_path().parent_path();
  std::error_code none;
  for (const auto& solution : fs::directory_iterator(lessons / "drills" / entry.coding->id, none))
    add(solution.path().parent_path(), solution.path().filename().string());
  return out;
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

std::vector<AlikeExercise> alike_exercises(const CourseGrader& grader,
                                           const std::vector<SubmissionHead>& heads,
                                           const AlikeOptions& options) {
  std::vector<const CourseEntry*> entries;
  std::vector<AlikeExercise> out;
  for (const CourseEntry& entry : grader.entries()) {
    if (entry.coding == nullptr || !entry.coding->graded()) continue;
    entries.push_back(&entry);
    out.push_back({entry.item->key(),
                   entry.item->title.empty() ? entry.coding->title : entry.item->title,
                   {},
                   {}});
  }
  for (const SubmissionHead& head : heads) {
    const auto zipped = head.folder.empty() && head.programs.there()
                            ? std::optional(unpack_programs(head.programs))
                            : std::nullopt;
    const fs::path folder = zipped ? zipped->folder.path() : head.folder;
    if (folder.empty()) continue;
    const auto files = exercise_files(grader.library(), grader.course(), folder);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const ExerciseFile& one = files.at(i);
      const std::string& file = one.file.empty() ? one.nearest : one.file;
      auto program = file.empty() ? std::nullopt : program_of(folder, file);
      if (!program) continue;
      program->student = head.student;
      program->folder = head.id;
      out[i].programs.push_back(std::move(*program));
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    out[i].pairs = alike_pairs(out[i].programs, given_of(*entries[i]), options);
  return out;
}

std::string alike_text(const Console& console, const std::vector<AlikeExercise>& exercises,
                       const fs::path& page) {
  constexpr std::size_t kMostListed = 20;
  std::size_t programs = 0, pairs = 0;
  Table table(
      {{"exercise", kLeft}, {"program", kLeft}, {"in common"}, {"program", kLeft}, {"in common"}});
  for (const AlikeExercise& exercise : exercises) {
    programs += exercise.programs.size();
    for (const AlikePair& pair : exercise.pairs)
      if (pairs++ < kMostListed)
        table.add_row({exercise.key, exercise.programs[pair.a].folder, percent(pair.share_a),
                       exercise.programs[pair.b].folder, percent(pair.share_b)});
  }
  if (pairs == 0)
    return fmt::format("{} compared: no two are that much alike.\n", plural(programs, "program"));
  return fmt::format(
      "{}{}{} compared: {} to look at, side by side in {}. This is no verdict.\n",
      table.to_string(console.out()),
      pairs > kMostListed ? fmt::format("... and {} more\n", pairs - kMostListed) : "",
      plural(programs, "program"), plural(pairs, "pair"), escaped(page.string()));
}

nlohmann::json alike_json(const std::vector<AlikeExercise>& exercises) {
  nlohmann::json out = nlohmann::json::array();
  for (const AlikeExercise& exercise : exercises)
    for (const AlikePair& pair : exercise.pairs) {
      const auto program = [&](std::size_t index, double share) {
        const AlikeProgram& one = exercise.programs[index];
        return nlohmann::json{
            {"student", one.student}, {"folder", one.folder}, {"file", one.file}, {"share", share}};
      };
      nlohmann::json passages = nlohmann::json::array();
      for (const AlikePassage& one : pair.passages)
        passages.push_back(
            {{"lines", {{one.first_a + 1, one.last_a + 1}, {one.first_b + 1, one.last_b + 1}}},
             {"tokens", one.tokens}});
      out.push_back({{"exercise", exercise.key},
                     {"programs", {program(pair.a, pair.share_a), program(pair.b, pair.share_b)}},
                     {"tokens", pair.tokens},
                     {"passages", std::move(passages)}});
    }
  return out;
}

}  // namespace rankscope::cli
