// Loads all lessons and reads courses, reporting what is wrong with them.
#include "lessons/course/course.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/toml/toml_source.h"
#include "lessons/kinds/kind.h"
#include "lessons/text/date_time.h"
#include "lessons/text/list_text.h"

namespace rankscope {

namespace fs = std::filesystem;

std::string written_date(TomlNode& node, const char* key) {
  std::string out = node.text(key);
  if (out.empty() || time_of(out)) return out;
  node.at(key).complain(
      fmt::format("'{}' is a date and time such as 2026-11-20T23:59:00+01:00, not '{}'", key, out));
  return "";
}

namespace {

int least_whole(TomlNode& node, const char* key, int otherwise, const char* means) {
  const int out = node.whole(key, otherwise);
  if (out >= 0 || !node.has(key)) return out;
  node.at(key).complain(fmt::format("'{}' is {}", key, means));
  return otherwise;
}

double percent(TomlNode& node, const char* key, double otherwise) {
  const double out = node.number(key, otherwise);
  if (out >= 0 && out <= 100) return out;
  node.at(key).complain(fmt::format("'{}' is a percentage: 0 to 100", key));
  return otherwise;
}

/// Reads one of these words; the first is the default.
std::string one_word(TomlNode& node, const char* key, const std::vector<std::string>& words) {
  const std::string out = node.text(key, words.front());
  if (ranges::find(words, out) != words.end()) return out;
  node.at(key).complain(fmt::format("'{}' is \"{}\"", key, fmt::join(words, "\" or \"")));
  return words.front();
}

CourseItem read_item(TomlNode& item, const LessonLibrary& library) {
  CourseItem out;
  out.title = item.text("title");
  out.points = item.points("points", 0);
  out.later = item.text("later");
  out.hidden_until = written_date(item, "hidden_until");
  const std::string exercise = item.text("exercise");
  if (out.later.empty() == exercise.empty())
    item.complain("an item has either an 'exercise' (\"lesson/id\") or 'later'");
  if (!out.later.empty() && item.has("points"))
    item.at("points").complain(
        "what is 'later' has no points: they are what the others leave of the part");
  if (!exercise.empty()) {
    const auto slash = exercise.find('/');
    out.lesson = exercise.substr(0, slash);
    out.id = slash == std::string::npos ? "" : exercise.substr(slash + 1);
    const Lesson* lesson = library.find(out.lesson);
    const Question* question = lesson != nullptr ? lesson->find_question(out.id) : nullptr;
    const CodingExercise* coding = lesson != nullptr ? lesson->find_coding(out.id) : nullptr;
    if (lesson != nullptr) out.lesson = lesson->slug;  // the name in answer files
    if (question == nullptr && coding == nullptr)
      item.complain(fmt::format("there is no exercise '{}'", exercise));
    else if (out.title.empty()) out.title = question != nullptr ? question->title : coding->title;
  }
  item.finish();
  return out;
}

/// Returns whether it is a path below the submission's folder, of a program that can be graded.
bool is_program_path(const std::string& path) {
  const fs::path as_path(path);
  const std::string ending = as_path.extension().string();
  return as_path.is_relative() && as_path.lexically_normal() == as_path &&
         !path.starts_with("..") && (ending == ".py" || ending == ".cpp" || ending == ".ipynb") &&
         (path.find('*') == std::string::npos || path == "*.ipynb");
}

CourseFile read_file(TomlNode node, const Course& course, const LessonLibrary& library) {
  CourseFile out{node.required_text("path"), {}};
  if (!out.path.empty() && !is_program_path(out.path))
    node.at("path").complain(
        "'path' is a .py, .cpp or .ipynb file below the submission, such as \"src/ring.py\", or "
        "\"*.ipynb\"");
  for (TomlNode held : node.at("holds").elements()) {
    const std::string key = held.json().is_string() ? held.json().get<std::string>() : "";
    bool known = false;
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items) {
        const Lesson* const lesson = library.find(item.lesson);
        known |= item.key() == key && lesson != nullptr && lesson->find_coding(item.id) != nullptr;
      }
    if (known) out.holds.push_back(key);
    else held.complain(fmt::format("the course has no code exercise '{}'", key));
  }
  if (out.holds.empty()) node.complain("'holds' is a list of the course's code exercises");
  node.finish();
  return out;
}

}  // namespace

std::optional<CourseFeedback> read_feedback(TomlNode node) {
  if (!node) return std::nullopt;
  CourseFeedback out;
  if (!node.json().is_object()) {
    node.complain("the feedback is a table: [feedback]");
    return std::nullopt;
  }
  out.attempts = least_whole(node, "attempts", 0,
                             "how often a question says whether an answer is right; 0: always");
  out.from = written_date(node, "from");
  out.hints = least_whole(node, "hints", -1, "how many hints of each question students have");
  out.programs = node.flag("programs", true);
  node.finish();
  return out;
}

HandInRules read_hand_in(TomlNode node) {
  HandInRules out;
  if (!node) return out;
  const auto date = [](TomlNode& table, const char* key) {
    const std::string text = written_date(table, key);
    return text.empty() ? std::nullopt : time_of(text);
  };
  out.deadline = date(node, "deadline");
  out.closes = date(node, "closes");
  out.grace = std::chrono::minutes(least_whole(node, "grace", 0, "a number of minutes"));
  out.penalty = percent(node, "penalty", 0);
  out.most = percent(node, "most", 100);
  out.per = one_word(node, "per", {"day", "hour", "once"});
  out.counts = node.has("counts") ? one_word(node, "counts", {"last", "best"}) : "";
  out.names = one_word(node, "names", {"shown", "hidden"});
  out.without_boxes = one_word(node, "without_boxes", {"refuse", "other-user"});
  out.columns = node.texts("columns");
  for (const std::string& column : out.columns)
    if (column != "id" && column != "email")
      node.at("columns").complain(
          fmt::format("'columns' are \"id\" and \"email\", not '{}'", column));
  for (TomlNode one : node.at("extension").elements()) {
    const std::string student = one.required_text("student");
    const auto until = date(one, "until");
    if (!until) one.complain("an extension says 'until' when");
    else out.extensions.push_back({student, *until});
    one.finish();
  }
  if (!out.deadline && (out.penalty > 0 || out.closes || !out.extensions.empty()))
    node.complain("without a 'deadline' nothing is late");
  if (out.deadline && out.closes && *out.closes < *out.deadline)
    node.at("closes").complain("'closes' is before the deadline");
  node.finish();
  return out;
}

bool is_hidden(const CourseItem& item) {
  const auto until = time_of(item.hidden_until);
  // In seconds: nanoseconds would end in 2262.
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return until && now < *until;
}

double Course::points() const noexcept {
  double out = 0;
  for (const CoursePart& part : parts) out += part.points;
  return out;
}

LessonLibrary::LessonLibrary(fs::path root) : root_(std::move(root)) {
  for (const fs::path& folder : lesson_folders(root_ / "content"))
    lessons_.push_back(read_lesson(folder, complaints_));
  for (std::size_t i = 0; i < lessons_.size(); ++i) {
    const Lesson& lesson = lessons_[i];
    const std::string file = (lesson.folder.filename() / "lesson.toml").string();
    const auto end = lessons_.begin() + static_cast<std::ptrdiff_t>(i);
    if (const auto other = std::find_if(lessons_.begin(), end,
                                        [&](const Lesson& one) { return one.slug == lesson.slug; });
        other != end)
      complaints_.add(
          file, 0,
          fmt::format("'{}' is also the name of {}: give one of the folders another name",
                      lesson.slug, other->folder.filename().string()));
    // A student's copy need not have all lessons.
    if (!lesson.student_copy) unknown_prerequisites(lesson, complaints_);
  }
  keep_answers_back();
}

void LessonLibrary::keep_answers_back() {
  for (const std::string& name : course_names()) {
    Complaints ignored;  // course() reports them
    const Course course = read_course(course_file(name), ignored);
    const auto until = course.hand_in.closes ? course.hand_in.closes : course.hand_in.deadline;
    if (!until) continue;
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items)
        for (Lesson& lesson : lessons_) {
          if (lesson.slug != item.lesson) continue;
          const Question* const asked = lesson.find_question(item.id);
          const bool formula = asked != nullptr && asked->kind == &formula_kind();
          for (Question& question : lesson.questions) {
            // The explanations of such practice questions come to the formula that is asked for.
            const bool near =
                formula && question.kind != nullptr &&
                (question.kind == &formula_kind() || question.kind->name() == "number");
            if (near || question.id == item.id)
              question.answer_from = std::max(question.answer_from.value_or(*until), *until);
          }
        }
  }
}

void LessonLibrary::unknown_prerequisites(const Lesson& lesson, Complaints& complaints) const {
  std::vector<std::string> slugs;
  for (const Lesson& one : lessons_) slugs.push_back(one.slug);
  for (const std::string& wanted : lesson.prerequisites) {
    if (ranges::find(slugs, wanted) != slugs.end()) continue;
    complaints.add((lesson.folder.filename() / "lesson.toml").string(), lesson.prerequisites_line,
                   fmt::format("prerequisites: there is no lesson '{}'{}", wanted,
                               nearest_hint(wanted, slugs)));
  }
}

Complaints LessonLibrary::complaints_about(const Lesson& lesson) const {
  Complaints out;
  const std::string folder = lesson.folder.filename().string() + "/";
  for (const Complaint& one : complaints_.all())
    if (one.file.starts_with(folder)) out.add(one.file, one.line, one.text);
  return out;
}

const Lesson* LessonLibrary::find(std::string_view name) const noexcept {
  // "5" is the lesson in 05-flat-allreduce.
  const auto without_zeros = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size()));
  };
  const bool number =
      !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  const auto found = ranges::find_if(lessons_, [&](const Lesson& lesson) {
    const std::string folder = lesson.folder.filename().string();
    return lesson.slug == name || folder == name ||
           (number && without_zeros(name) ==
                          without_zeros(std::string_view(folder).substr(0, folder.find('-'))));
  });
  return found == lessons_.end() ? nullptr : &*found;
}

const Lesson& LessonLibrary::need(std::string_view name) const {
  if (const Lesson* found = find(name)) return *found;
  std::vector<std::string> names;
  for (const Lesson& lesson : lessons_) names.push_back(lesson.slug);
  throw UserError(fmt::format("there is no lesson '{}'{}", name,
                              nearest_hint(name, names, "see `rankscope lesson list`")));
}

std::vector<std::string> LessonLibrary::course_names() const {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_ / "courses", error))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem().string());
  ranges::sort(out);
  return out;
}

fs::path LessonLibrary::course_file(std::string_view name) const {
  fs::path file = root_ / "courses" / (std::string(name) + ".toml");
  std::error_code error;
  if (!fs::exists(file, error)) file = name;
  return file;
}

Course LessonLibrary::course(std::string_view name) const {
  const fs::path file = course_file(name);
  std::error_code error;
  if (!fs::exists(file, error)) {
    const auto names = course_names();
    throw UserError(fmt::format(
        "there is no course '{}'{}", name,
        nearest_hint(name, names, fmt::format("there are {}", fmt::join(names, ", ")))));
  }
  Complaints complaints;
  Course out = read_course(file, complaints);
  if (!complaints.empty()) throw UserError("the course has mistakes:\n" + complaints.to_string());
  return out;
}

Course LessonLibrary::read_course(const fs::path& file, Complaints& complaints) const {
  Course out;
  out.slug = file.stem().string();
  const auto source = read_toml(file, file.filename().string(), complaints);
  if (!source) return out;
  TomlNode root(source, complaints);
  out.title = root.required_text("title");
  out.summary = root.text("summary");
  out.counts_bonus = root.flag("bonus", false);
  out.feedback = read_feedback(root.at("feedback"));
  out.hand_in = read_hand_in(root.at("hand_in"));
  std::set<std::string> seen;
  for (TomlNode part : root.at("part").elements()) {
    CoursePart& into = out.parts.emplace_back();
    into.title = part.required_text("title");
    into.points = part.points("points", 0);
    double sum = 0;
    bool later = false;
    for (TomlNode item : part.at("item").elements()) {
      into.items.push_back(read_item(item, *this));
      const CourseItem& one = into.items.back();
      if (one.later.empty() && !seen.insert(one.key()).second)
        item.complain(fmt::format("the exercise '{}' is in this course twice", one.key()));
      later |= !one.later.empty();
      sum += one.points;
    }
    constexpr double kRounding = 1e-9;
    const bool fits =
        later ? sum <= into.points + kRounding : std::abs(sum - into.points) <= kRounding;
    if (!fits)
      part.complain(fmt::format("the items' points add up to {}, the part has {}{}",
                                number_text(sum), number_text(into.points),
                                later ? " with what is later" : ""));
    part.finish();
  }
  for (TomlNode file : root.at("file").elements()) out.files.push_back(read_file(file, out, *this));
  root.finish();
  return out;
}

Lesson lesson_named(const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(fs::path(name) / "lesson.toml", ignored))
    return LessonLibrary(lessons_folder()).need(name);
  Complaints complaints;
  fs::path folder = fs::weakly_canonical(name);
  if (!folder.has_filename()) folder = folder.parent_path();  // "my-lesson/"
  Lesson lesson = read_lesson(folder, complaints);
  if (!complaints.empty())
    throw UserError(
        fmt::format("the lesson in {} has mistakes:\n{}`rankscope lesson check` goes "
                    "through all of it",
                    name, complaints.to_string()));
  return lesson;
}

std::vector<CourseEntry> entries_of(const Lesson& lesson) {
  std::vector<CourseEntry> out;
  for (const Step& step : lesson.steps)
    for (const Block& block : step.blocks) {
      const Question* question =
          block.kind == Block::Kind::question ? lesson.find_question(block.id) : nullptr;
      const CodingExercise* coding =
          block.kind == Block::Kind::coding ? lesson.find_coding(block.id) : nullptr;
      if (question != nullptr)
        out.push_back({nullptr, &lesson, question, nullptr, "", 0, step.title,
                       question->title.empty() ? question->id : question->title, question->points});
      else if (coding != nullptr)
        out.push_back(
            {nullptr, &lesson, nullptr, coding, "", 0, step.title, coding->title, coding->points});
    }
  return out;
}

std::vector<CourseEntry> entries_of(const Course& course, const LessonLibrary& library,
                                    bool later) {
  std::vector<CourseEntry> out;
  for (std::size_t part = 0; part < course.parts.size(); ++part)
    for (const CourseItem& item : course.parts[part].items) {
      const Lesson* lesson = item.later.empty() ? &library.need(item.lesson) : nullptr;
      const Question* question = lesson == nullptr ? nullptr : lesson->find_question(item.id);
      const CodingExercise* coding = lesson == nullptr ? nullptr : lesson->find_coding(item.id);
      if (later || question != nullptr || coding != nullptr)
        out.push_back({&item, lesson, question, coding,
                       fmt::format("{}.{}", part + 1, &item - course.parts[part].items.data() + 1),
                       part, course.parts[part].title, item.title.empty() ? item.id : item.title,
                       item.points});
    }
  return out;
}

}  // namespace rankscope
