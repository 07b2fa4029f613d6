// Reads marks.toml and checks its students and exercises.
#include "lessons/course/marks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/toml/toml_source.h"
#include "lessons/course/course.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

class MarksReader {
 public:
  MarksReader(const Course& course, const LessonLibrary& library) : library_(library) {
    for (const CoursePart& part : course.parts)
      for (const CourseItem& item : part.items)
        if (item.later.empty()) {
          items_[item.key()] = &item;
          keys_.push_back(item.key());
        }
  }

  StudentMarks student(TomlNode node) const {
    StudentMarks out;
    out.line = node.line();
    out.comment = node.text("comment");
    out.student = node.text("student");
    if (node.json().is_object()) out.digest_text = dump_json(node.json());
    else node.complain("a student's marks are a table: [name.\"lesson/id\"]");
    for (const std::string& key : node.keys()) {
      if (key == "comment" || key == "student") continue;
      TomlNode entry = node.at(key);
      const auto found = items_.find(key);
      if (found == items_.end()) {
        entry.complain(
            fmt::format("the course has no exercise '{}'{}", key, nearest_hint(key, keys_)));
        continue;
      }
      if (entry.json().is_object()) out.items[key] = item(entry, *found->second);
      else entry.complain("marks are a table: rubric = [...], override = 4, comment = \"...\"");
    }
    return out;
  }

  std::vector<BulkComment> bulk(TomlNode node) const {
    std::vector<BulkComment> out;
    if (!node.json().is_object()) {
      node.complain("comments for many are tables: [[\"*\".\"lesson/id\"]]");
      return out;
    }
    if (node.has("comment")) out.push_back({"", "", false, node.text("comment"), node.line()});
    for (const std::string& key : node.keys()) {
      if (key == "comment") continue;
      TomlNode entries = node.at(key);
      const auto found = items_.find(key);
      if (found == items_.end()) {
        entries.complain(
            fmt::format("the course has no exercise '{}'{}", key, nearest_hint(key, keys_)));
        continue;
      }
      for (TomlNode one : entries.elements())
        if (auto comment = bulk_of(one, *found->second)) out.push_back(std::move(*comment));
    }
    ranges::stable_sort(out, {}, &BulkComment::line);
    return out;
  }

 private:
  std::optional<BulkComment> bulk_of(TomlNode node, const CourseItem& item) const {
    if (!node.json().is_object()) {
      node.complain("comments for many are tables: mistake = \"...\", comment = \"...\"");
      return std::nullopt;
    }
    BulkComment out{item.key(), node.text("mistake"), node.flag("not_right", false),
                    node.required_text("comment"), node.line()};
    node.finish();
    if (out.comment.empty()) return std::nullopt;
    const Lesson* lesson = library_.find(item.lesson);
    const Question* question = lesson != nullptr ? lesson->find_question(item.id) : nullptr;
    if (out.mistake.empty() || question == nullptr) return out;
    std::vector<std::string> known;
    for (const auto& one : question->misconceptions) known.push_back(one.id);
    if (ranges::find(known, out.mistake) != known.end()) return out;
    node.at("mistake").complain(
        known.empty()
            ? fmt::format("{} knows no mistakes; write not_right = true", item.key())
            : fmt::format("{} knows no mistake '{}'{}; these are known: {}", item.key(),
                          out.mistake, nearest_hint(out.mistake, known), fmt::join(known, ", ")));
    return std::nullopt;
  }

  ItemMarks item(TomlNode node, const CourseItem& item) const {
    ItemMarks out;
    out.line = node.line();
    out.comment = node.text("comment");
    out.file = node.text("file");
    if (out.file.starts_with('/') || out.file.find("..") != std::string::npos) {
      node.at("file").complain("'file' is a file of the submission, such as \"src/ring.py\"");
      out.file.clear();
    }
    if (node.has("override")) {
      const double points = node.number("override", -1);
      if (!node.value("override").is_number()) {  // number() has complained
      } else if (!(points >= 0 && points <= item.points + 1e-9))
        node.at("override")
            .complain(fmt::format("{} has {} points; {} is not from 0 to that", item.key(),
                                  number_text(item.points), number_text(points)));
      else out.override_points = points;
    }
    if (node.has("rubric")) out.rubric = rubric(node, item);
    node.finish();
    return out;
  }

  std::vector<double> rubric(TomlNode& node, const CourseItem& item) const {
    const Lesson* lesson = library_.find(item.lesson);
    const Question* question = lesson != nullptr ? lesson->find_question(item.id) : nullptr;
    const std::vector<RubricRow> rows =
        question != nullptr ? rubric_of(*question) : std::vector<RubricRow>();
    std::vector<double> out;
    TomlNode list = node.at("rubric");
    if (rows.empty()) {
      list.complain(fmt::format("{} has no rubric; give points with 'override'", item.key()));
      return {};
    }
    for (TomlNode one : list.elements()) {
      const std::size_t row = out.size();
      const double most = row < rows.size() ? rows[row].points : 0;
      const double points = one.json().is_number() ? one.json().get<double>() : -1;
      if (row < rows.size() && !(points >= 0 && points <= most + 1e-9)) {
        one.complain(
            fmt::format("row {} of the rubric (\"{}\") has {} points; {} is not from 0 to that",
                        row + 1, rows[row].text, number_text(most),
                        one.json().is_number() ? number_text(points) : dump_json(one.json())));
        return {};
      }
      out.push_back(points);
    }
    if (out.size() == rows.size()) return out;
    list.complain(
        fmt::format("the rubric of {} has {} rows, not {}", item.key(), rows.size(), out.size()));
    return {};
  }

  const LessonLibrary& library_;
  std::map<std::string, const CourseItem*> items_;
  std::vector<std::string> keys_;
};

}  // namespace

Marks::Marks(const std::filesystem::path& file, const Course& course, const LessonLibrary& library,
             Complaints& complaints)
    : name_(escaped(file.string())) {
  const auto source = read_toml(file, name_, complaints);
  if (!source)
    throw UserError(
        fmt::format("{}Nothing was graded, or the marks given by hand would be lost: mend "
                    "the file, then grade again.",
                    complaints.to_string()));
  TomlNode root(source, complaints);
  const MarksReader reader(course, library);
  if (root.has("*")) {
    bulk_ = reader.bulk(root.at("*"));
    bulk_digest_ = dump_json(root.at("*").json());
  }
  for (const std::string& student : root.keys())
    if (student != "*") students_[student] = reader.student(root.at(student));
}

const ItemMarks* StudentMarks::find(const std::string& key) const {
  const auto found = items.find(key);
  return found == items.end() ? nullptr : &found->second;
}

const StudentMarks* Marks::find(const std::string& student) const {
  const auto found = students_.find(student);
  return found == students_.end() ? nullptr : &found->second;
}

void Marks::check_students(const std::vector<std::string>& students,
                           const std::map<std::string, std::vector<std::string>>& shared,
                           Complaints& complaints) const {
  constexpr std::size_t kMostNamed = 5;
  for (const auto& [name, marks] : students_) {
    if (const auto found = shared.find(name); found != shared.end()) {
      std::vector<std::string> ids;
      for (const std::string& id : found->second)
        if (ids.size() < kMostNamed) ids.push_back(fmt::format("[\"{}\"]", id));
      complaints.add(name_, marks.line,
                     fmt::format("{} submissions are from '{}', so these marks count for none of "
                                 "them; write {}",
                                 found->second.size(), name, fmt::join(ids, " or ")));
      continue;
    }
    if (ranges::find(students, name) != students.end() || !marks.student.empty()) continue;
    complaints.add(name_, marks.line,
                   fmt::format("there is no student '{}' among the submissions{}", name,
                               nearest_hint(name, students)));
  }
}

}  // namespace rankscope
