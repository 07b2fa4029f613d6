// `rankscope lesson hand-in` and `check-sheet`: collects what a student hands in, or checks it.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/lesson/lesson_actions.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "lessons/handout/hand_in.h"
#include "lessons/text/date_time.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string points_of(const HandInItem& item) {
  if (!item.points) return fmt::format("{}", number_text(item.most));
  return fmt::format("{} of {}", number_text(*item.points), number_text(item.most));
}

json json_of(const SheetCheck& check) {
  json items = json::array();
  for (const HandInItem& item : check.items) {
    json one{{"exercise", item.key}, {"title", item.title},
             {"most", item.most},    {"state", to_string(item.standing)},
             {"says", item.says},    {"file", item.file}};
    if (item.points) one["points"] = *item.points;
    items.push_back(std::move(one));
  }
  return {{"course", check.course},
          {"student", check.student},
          {"items", items},
          {"remarks", check.remarks}};
}

/// The table of items, then what is missing, then what is wrong with the file.
void print_check(const Console& console, const SheetCheck& check) {
  Table table({{"exercise", kLeft}, "points", {"state", kLeft}, {"file", kLeft}});
  int lacking = 0;
  for (const HandInItem& item : check.items) {
    table.add_row({item.key, points_of(item), std::string(to_string(item.standing)), item.file});
    lacking += item.lacks();
  }
  console.print(table.to_string(console.out()));
  for (const HandInItem& item : check.items)
    if (!item.says.empty()) console.note(fmt::format("{}: {}", item.key, item.says));
  for (const std::string& remark : check.remarks) console.note(remark);
  if (lacking > 0)
    console.note(fmt::format("{} of {} are not answered, or cannot be read.", lacking,
                             plural(check.items.size(), "item")));
}

void note_deadline(const Console& console, const HandInRules& rules) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (rules.closes && now > *rules.closes)
    console.note(fmt::format("The course was closed at {}: what is handed in now gets no points.",
                             time_text(*rules.closes)));
  else if (rules.deadline && now > *rules.deadline)
    console.note(fmt::format("The deadline was {}: it is late.", time_text(*rules.deadline)));
  else if (rules.deadline)
    console.note(fmt::format("Hand it in by {}; until then, again as often as you like.",
                             time_text(*rules.deadline)));
}

/// The course that an answer file names.
std::string course_of(const std::string& submission) {
  SubmissionList found = find_submissions({submission});
  const auto heads = read_heads(std::move(found.all));
  if (!heads.empty() && !heads.front().fault.empty()) throw UserError(heads.front().fault);
  if (heads.empty() || !heads.front().answers || heads.front().answers->course.empty())
    throw UserError(
        fmt::format("{} does not say its course: name it, as in `rankscope lesson "
                    "check-sheet {} homework`",
                    escaped(submission), escaped(submission)));
  return heads.front().answers->course;
}

}  // namespace

int hand_in_course(const Console& console, const LessonOptions& options) {
  const LessonLibrary library(lessons_folder());
  const Course course = library.course(options.names[0]);
  CourseGrader grader(library, course);
  LessonRuns runs;
  const std::string to =
      options.output.empty() ? fmt::format("{}-hand-in", course.slug) : options.output;
  const HandInReceipt receipt =
      hand_in(grader, ProgressStore(), runs, {student_of(options), to, options.from});
  if (console.json()) {
    json out = json_of(receipt.check);
    out["to"] = to;
    out["files"] = receipt.files;
    out["checksum"] = receipt.checksum;
    console.print_raw(json_text(out));
    return kOk;
  }
  print_check(console, receipt.check);
  console.print(fmt::format("\nTo hand in: {} ({}), as {}.\nReceipt: {} (also in receipt.txt)\n",
                            escaped(to), plural(receipt.files.size(), "file"),
                            escaped(receipt.check.student), receipt.checksum));
  note_deadline(console, course.hand_in);
  return kOk;
}

int check_answer_sheet(const Console& console, const LessonOptions& options) {
  const std::string& submission = options.names[0];
  std::error_code error;
  if (!fs::exists(submission, error))
    throw UserError(
        fmt::format("there is no {}: name an answer file, or a folder or archive with "
                    "one",
                    escaped(submission)));
  const LessonLibrary library(lessons_folder());
  const Course course =
      library.course(options.names.size() > 1 ? options.names[1] : course_of(submission));
  CourseGrader grader(library, course);
  const SheetCheck check = check_sheet(grader, submission);
  if (console.json()) console.print_raw(json_text(json_of(check)));
  else print_check(console, check);
  for (const HandInItem& item : check.items)
    if (item.standing == ItemStanding::unreadable) return kFailed;
  return kOk;
}

}  // namespace rankscope::cli
