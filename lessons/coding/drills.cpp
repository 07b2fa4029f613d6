// Makes faulty programs of right ones, and keeps those whose fault a run shows.
#include "lessons/coding/drills.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/box/box_group.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/coding/grader.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMostProgram = 1 << 20;
constexpr int kMostRanks = 5;    // of quick_cases()
constexpr double kRunLimit = 2;  // seconds; a loop without end costs this and a part of it
constexpr BoxLimits kMutateLimits{.wall = std::chrono::seconds(60),
                                  .cpu_seconds = 30,
                                  .memory = std::uint64_t{512} << 20,
                                  .processes = 16,
                                  .output = std::uint64_t{64} << 20,
                                  .output_kept = std::uint64_t{64} << 20,
                                  .disk = std::uint64_t{1} << 20};

/// A right program, and what it is handed in for.
struct Solution {
  const CodingExercise* exercise;
  std::string name;  ///< "binomial"
  std::string text;
};

/// The lesson with a graded code exercise; null if none has it.
const Lesson* lesson_with(const LessonLibrary& library, const std::string& id) {
  for (const Lesson& lesson : library.lessons())
    if (const CodingExercise* found = lesson.find_coding(id); found != nullptr && found->graded())
      return &lesson;
  return nullptr;
}

std::vector<Solution> solutions_of(const LessonLibrary& library, const DrillOptions& options) {
  const auto known = drill_exercises(options.solutions);
  for (const std::string& id : options.exercises)
    if (ranges::find(known, id) == known.end())
      throw UserError(fmt::format("there are no drills of an exercise \"{}\"{}; there are: {}", id,
                                  nearest_hint(id, known), fmt::join(known, ", ")));
  std::vector<Solution> out;
  for (const std::string& id : options.exercises.empty() ? known : options.exercises) {
    const Lesson* const lesson = lesson_with(library, id);
    if (lesson == nullptr)
      throw UserError(fmt::format("{} is for no code exercise of these lessons",
                                  (options.solutions / id).string()));
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(options.solutions / id))
      if (entry.path().extension() == ".py") files.push_back(entry.path());
    ranges::sort(files);
    for (const fs::path& file : files) {
      std::string fault;
      std::string text = read_whole(file, kMostProgram, fault);
      if (!fault.empty()) throw UserError(fmt::format("{} {}", file.string(), fault));
      out.push_back({lesson->find_coding(id), file.stem().string(), std::move(text)});
    }
  }
  return out;
}

/// The mutants that rankscope.mutate makes of each solution.
json mutants_of(const std::vector<Solution>& solutions, const DrillOptions& options) {
  BoxSpec spec;
  spec.name = "rankscope.mutate";
  spec.argv = {options.boxes.python, "-B", "-m", "rankscope.mutate"};
  spec.directory = "/";
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "PYTHONPATH=/rankscope/python"};
  spec.binds = {{options.boxes.python_files, "/rankscope/python"}, {options.solutions, "/drills"}};
  for (const Solution& one : solutions)
    spec.argv.push_back(fmt::format("/drills/{}/{}.py", one.exercise->id, one.name));
  BoxGroup group(options.boxes.support, kMutateLimits);
  group.start({spec});
  while (!group.wait(std::chrono::seconds(1))) {
  }
  const BoxOutcome& box = group.outcome().boxes.front();
  json said = parse_json_or_none(box.out);
  if (box.end != BoxEnd::ended || box.exit_code != 0 || !said.is_array() ||
      said.size() != solutions.size())
    throw UserError(fmt::format("the programs could not be changed: Python {} {}", box.words,
                                printable(box.err.substr(0, 400))));
  return said;
}

/// A mutant that was not run yet.
struct DrillCandidate {
  std::size_t solution;
  const json* mutant;
  std::string file;  ///< In the submission.
};

Drill described(const Solution& solution, const json& mutant) {
  Drill out;
  out.exercise = solution.exercise->id;
  out.solution = solution.name;
  out.file = solution.exercise->file;
  out.right = solution.text;
  out.text = mutant.at("text").get<std::string>();
  out.kind = mutant.at("kind").get<std::string>();
  out.says = mutant.at("says").get<std::string>();
  out.line = mutant.at("line").get<int>();
  out.before = mutant.at("before").get<std::string>();
  out.after = mutant.at("after").get<std::string>();
  return out;
}

/// The drills that were made already, so that the next one is of another kind, exercise and line.
class Variety {
 public:
  explicit Variety(bool sheet, std::size_t exercises, int count)
      : sheet_(sheet), all_exercises_(static_cast<std::size_t>(count) <= exercises) {}

  bool allows(const Drill& one) const {
    if (!sheet_) return true;
    return of(kinds_, one.kind) == 0 && lines_.count(line_of(one)) == 0 &&
           !(all_exercises_ && of(exercises_, one.exercise) > 0);
  }
  /// The less, the more it differs from those that are had.
  int likeness(const Drill& one) const {
    constexpr int kOfLine = 4, kOfKind = 2;
    const auto line = lines_.find(line_of(one));
    return (line == lines_.end() ? 0 : kOfLine * line->second) + of(exercises_, one.exercise) +
           kOfKind * of(kinds_, one.kind);
  }
  void add(const Drill& one) {
    ++kinds_[one.kind];
    ++exercises_[one.exercise];
    ++lines_[line_of(one)];
  }

 private:
  using Line = std::tuple<std::string, std::string, int>;
  static Line line_of(const Drill& one) { return {one.exercise, one.solution, one.line}; }
  static int of(const std::map<std::string, int>& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  }
  const bool sheet_, all_exercises_;
  std::map<std::string, int> kinds_, exercises_;
  std::map<Line, int> lines_;
};

/// The way in which a broken program first shows its fault.
Drill::Shows shown(const RuleVerdict& rule, const CaseRun& run) {
  const auto end = run.overlooked.empty() ? run.status : run.broke_off;
  if (end == CaseRun::Status::deadlock || !run.blocked.empty()) return Drill::Shows::blocked;
  if (end == CaseRun::Status::failed) return Drill::Shows::error;
  if (end == CaseRun::Status::timeout) return Drill::Shows::timeout;
  return run.values.empty() || rule.says.empty() ? Drill::Shows::rule : Drill::Shows::values;
}

class DrillMaker {
 public:
  DrillMaker(const LessonLibrary& library, const DrillOptions& options)
      : options_(options), solutions_(solutions_of(library, options)) {}

  DrillsMade make() {
    mutants_ = mutants_of(solutions_, options_);
    write_submission();
    CodeBoxesOptions boxes = options_.boxes;
    boxes.submission = folder_.path();
    boxes.limits.wall = std::chrono::hours(4);
    boxes.limits.cpu_seconds = 4 * 3600;
    boxes_.emplace(boxes, kMostRanks);
    check_solutions();
    choose();
    return std::move(out_);
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream file(folder_.path() / name, std::ios::binary);
    if (!(file << text)) throw UserError("the programs cannot be written: is the disk full?");
  }

  void write_submission() {
    for (std::size_t s = 0; s < solutions_.size(); ++s) {
      write(fmt::format("s{:02}.py", s), solutions_[s].text);
      for (const json& mutant : mutants_[s]) {
        candidates_.push_back({s, &mutant, fmt::format("d{:04}.py", candidates_.size())});
        write(candidates_.back().file, mutant.at("text").get<std::string>());
      }
    }
    RandomNumbers random(options_.seed);
    for (std::size_t i = candidates_.size(); i > 1; --i)
      std::swap(candidates_[i - 1], candidates_[random.below(i)]);
  }

  CodeGrade graded(const CodingExercise& exercise, const std::string& file) {
    CodingExercise named = exercise;
    named.file = file;
    CodeGraderOptions grader;
    grader.boxes = options_.boxes;
    grader.boxes.submission = folder_.path();
    grader.shared = &*boxes_;
    grader.run_timeout_s = kRunLimit;
    grader.seed = options_.seed;
    CodeGrade grade = grade_code(named, grader);
    out_.interrupted = out_.interrupted || grade.interrupted;
    return grade;
  }

  void check_solutions() {
    for (std::size_t s = 0; s < solutions_.size() && !out_.interrupted; ++s) {
      const CodeGrade grade = graded(*solutions_[s].exercise, fmt::format("s{:02}.py", s));
      const RuleVerdict* const rule = root_cause(*solutions_[s].exercise, grade.verdict);
      if (rule == nullptr) continue;
      out_.refused.push_back(
          fmt::format("{}/{}: {}", solutions_[s].exercise->id, solutions_[s].name, rule->says));
      std::erase_if(candidates_, [&](const DrillCandidate& one) { return one.solution == s; });
    }
  }

  void choose() {
    std::set<std::string> exercises;
    for (const DrillCandidate& one : candidates_)
      exercises.insert(solutions_[one.solution].exercise->id);
    Variety variety(options_.sheet, exercises.size(), options_.count);
    const auto wanted = static_cast<std::size_t>(std::max(0, options_.count));
    std::vector<Drill> drills;
    for (const DrillCandidate& one : candidates_)
      drills.push_back(described(solutions_[one.solution], *one.mutant));
    while (out_.drills.size() < wanted && !out_.interrupted) {
      std::size_t best = drills.size();
      int least = 0;
      for (std::size_t i = 0; i < drills.size(); ++i) {
        if (candidates_[i].file.empty() || !variety.allows(drills[i])) continue;
        const int likeness = variety.likeness(drills[i]);
        if (best < drills.size() && likeness >= least) continue;
        best = i;
        least = likeness;
      }
      if (best == drills.size()) return;
      if (options_.on_progress)
        options_.on_progress(static_cast<int>(out_.drills.size()), options_.count);
      if (shows_fault(candidates_[best], drills[best])) {
        variety.add(drills[best]);
        out_.drills.push_back(std::move(drills[best]));
      }
      candidates_[best].file.clear();
    }
  }

  bool shows_fault(const DrillCandidate& one, Drill& drill) {
    const CodingExercise& exercise = *solutions_[one.solution].exercise;
    const CodeGrade grade = graded(exercise, one.file);
    if (out_.interrupted) return false;
    ++out_.tried;
    const RuleVerdict* const rule = root_cause(exercise, grade.verdict);
    if (rule == nullptr || grade.verdict.points >= grade.verdict.most) {
      ++out_.unnoticed;
      return false;
    }
    drill.points = grade.verdict.points;
    drill.most = grade.verdict.most;
    drill.finding = rule->says;
    replace_all(drill.finding, one.file, drill.file);
    replace_all(drill.finding, "/submission/" + drill.file, drill.file);
    bool senseless = false;
    if (rule->first < grade.runs.size()) {
      const CaseRun& run = grade.runs[rule->first];
      senseless = run.error_class == "NameError" || run.error_class == "UnboundLocalError";
      drill.in_case = run.describe();
      drill.shows = shown(*rule, run);
    }
    out_.senseless += senseless ? 1 : 0;
    return !senseless;
  }

  const DrillOptions& options_;
  const std::vector<Solution> solutions_;
  json mutants_;
  std::vector<DrillCandidate> candidates_;  ///< In the order of the seed; those tried have no file.
  const ScratchFolder folder_{"drills"};
  std::optional<CodeBoxes> boxes_;
  DrillsMade out_;
};

}  // namespace

std::vector<std::string> drill_exercises(const fs::path& solutions) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(solutions, error))
    if (entry.is_directory()) out.push_back(entry.path().filename().string());
  ranges::sort(out);
  return out;
}

DrillsMade make_drills(const LessonLibrary& library, const DrillOptions& options) {
  return DrillMaker(library, options).make();
}

namespace {

std::string numbered_program(const std::string& program) {
  std::string out;
  int number = 0;
  for (const std::string_view line : lines_of(program))
    out += line.empty() ? fmt::format("{:>3}\n", ++number)
                        : fmt::format("{:>3}  {}\n", ++number, line);
  return out;
}

std::string code_lines(const std::string& lines) {
  return lines.empty() ? "(nothing)\n" : fmt::format("```python\n{}\n```\n", lines);
}

}  // namespace

std::string_view symptom_of(Drill::Shows shows) noexcept {
  switch (shows) {
    case Drill::Shows::blocked: return "Its ranks wait for each other.";
    case Drill::Shows::error: return "It breaks off with an error.";
    case Drill::Shows::timeout: return "It does not end.";
    case Drill::Shows::values: return "It ends, and the result is wrong.";
    case Drill::Shows::rule: return "Its result is right, and it breaks a rule of the exercise.";
  }
  return {};
}

std::string drill_file_name(const Drill& drill, std::size_t number, std::size_t all) {
  const std::size_t digits = std::max<std::size_t>(2, std::to_string(all).size());
  return fmt::format("{:0{}}-{}.py", number, digits, drill.exercise);
}

std::string drill_exercise_of(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const auto dash = stem.find('-');
  if (file.extension() != ".py" || dash == stem.npos || dash == 0 ||
      stem.find_first_not_of("0123456789") != dash)
    return {};
  return stem.substr(dash + 1);
}

std::string drill_questions(const std::vector<Drill>& drills, const LessonLibrary& library) {
  std::string out =
      "# Find the bug\n\nIn each program one place is wrong. Find the line, say in one sentence "
      "what the run would show there, and write the line as it should be.\n";
  for (std::size_t i = 0; i < drills.size(); ++i) {
    const Drill& one = drills[i];
    const Lesson& lesson = *lesson_with(library, one.exercise);
    out += fmt::format(
        "\n## {}. {} ({})\n\nThe contract is that of the exercise {} (lesson {}). With {}: "
        "{}\n\n```text\n{}```\n\n"
        "Line: ______  What is wrong: ________________________________________\n\n"
        "Right: ______________________________________________________________\n",
        i + 1, lesson.find_coding(one.exercise)->title, drill_file_name(one, i + 1, drills.size()),
        one.exercise, lesson.title, one.in_case, symptom_of(one.shows), numbered_program(one.text));
  }
  return out;
}

std::string drill_key(const std::vector<Drill>& drills, std::uint64_t seed) {
  std::string out = fmt::format(
      "# Key, seed {}\n\nFor the lecturer. Each program was run, and its fault was seen; the right "
      "form was run, too, and has all points.\n",
      seed);
  for (std::size_t i = 0; i < drills.size(); ++i) {
    const Drill& one = drills[i];
    out += fmt::format(
        "\n## {}. {}: line {}, {}\n\n{}\n\nIt is:\n\n{}\nIt should be:\n\n{}\nThe run shows, with "
        "{}: {}\n",
        i + 1, drill_file_name(one, i + 1, drills.size()), one.line, one.kind, one.says,
        code_lines(one.after), code_lines(one.before), one.in_case, escaped(one.finding));
  }
  return out;
}

json drill_key_json(const std::vector<Drill>& drills, std::uint64_t seed) {
  json out{{"seed", seed}, {"drills", json::array()}};
  for (std::size_t i = 0; i < drills.size(); ++i) {
    const Drill& one = drills[i];
    out["drills"].push_back({{"file", drill_file_name(one, i + 1, drills.size())},
                             {"exercise", one.exercise},
                             {"solution", one.solution},
                             {"kind", one.kind},
                             {"says", one.says},
                             {"line", one.line},
                             {"before", one.before},
                             {"after", one.after},
                             {"case", one.in_case},
                             {"finding", one.finding},
                             {"points", one.points},
                             {"most", one.most},
                             {"right", one.right}});
  }
  return out;
}

}  // namespace rankscope
