// Questions and keys of drills as text.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/utf8.h"
#include "lessons/coding/drills.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using nlohmann::json;

std::string title_of_drill(const Drill& drill, const LessonLibrary& library) {
  for (const Lesson& lesson : library.lessons())
    if (const CodingExercise* found = lesson.find_coding(drill.exercise)) return found->title;
  return drill.exercise;
}

std::string contract_of_drill(const Drill& drill, const LessonLibrary& library) {
  for (const Lesson& lesson : library.lessons())
    if (lesson.find_coding(drill.exercise) != nullptr)
      return fmt::format("lesson {}", lesson.title);
  return drill.exercise;
}

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
      "what the run would "
      "show there, and write the line as it should be.\n";
  for (std::size_t i = 0; i < drills.size(); ++i) {
    const Drill& one = drills[i];
    out += fmt::format(
        "\n## {}. {} ({})\n\nThe contract is that of the exercise {} ({}). With {}: "
        "{}\n\n```text\n{}```\n\n"
        "Line: ______  What is wrong: ________________________________________\n\n"
        "Right: ______________________________________________________________\n",
        i + 1, title_of_drill(one, library), drill_file_name(one, i + 1, drills.size()),
        one.exercise, contract_of_drill(one, library), one.in_case, symptom_of(one.shows),
        numbered_program(one.text));
  }
  return out;
}

std::string drill_key(const std::vector<Drill>& drills, std::uint64_t seed) {
  std::string out = fmt::format(
      "# Key, seed {}\n\nFor the lecturer. Each program was run, and its fault was seen; the right "
      "form was run, too, and "
      "has all points.\n",
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
