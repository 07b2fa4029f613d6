#include "lessons/course.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/core/suggest.h"
#include "lessons/toml_source.h"

namespace rankscope {

namespace fs = std::filesystem;

double Course::points() const noexcept {
  double out = 0;
  for (const CoursePart& part : parts) out += part.points;
  return out;
}

LessonLibrary::LessonLibrary(fs::path root) : root_(std::move(root)) {
  for (const fs::path& folder : lesson_folders(root_ / "content"))
    lessons_.push_back(read_lesson(folder, complaints_));
}

const Lesson* LessonLibrary::find(std::string_view name) const noexcept {
  // "5" is the lesson in 05-flat-allreduce.
  const auto without_zeros = [](std::string_view text) {
    return text.substr(std::min(text.find_first_not_of('0'), text.size()));
  };
  const bool number =
      !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  const auto found = std::ranges::find_if(lessons_, [&](const Lesson& lesson) {
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
  const std::string meant = did_you_mean(name, names);
  throw UserError(fmt::format("there is no lesson '{}'; {}", name,
                              meant.empty() ? "see `rankscope lesson list`" : meant));
}

std::vector<std::string> LessonLibrary::course_names() const {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_ / "courses", error))
    if (entry.path().extension() == ".toml") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  return out;
}

Course LessonLibrary::course(std::string_view name) const {
  fs::path file = root_ / "courses" / (std::string(name) + ".toml");
  std::error_code error;
  if (!fs::exists(file, error)) file = name;
  if (!fs::exists(file, error)) {
    const auto names = course_names();
    const std::string meant = did_you_mean(name, names);
    throw UserError(
        fmt::format("there is no course '{}'; {}", name,
                    meant.empty() ? fmt::format("there are {}", fmt::join(names, ", ")) : meant));
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
  TomlNode settings = root.at("settings");
  for (const std::string& key : settings.keys()) out.settings[key] = settings.text(key);
  for (TomlNode part : root.at("part").elements()) {
    CoursePart& into = out.parts.emplace_back();
    into.title = part.required_text("title");
    into.points = part.number("points", 0);
    double sum = 0;
    bool later = false;
    for (TomlNode item : part.at("item").elements()) {
      CourseItem one;
      one.title = item.text("title");
      one.points = item.number("points", 0);
      one.later = item.text("later");
      const std::string exercise = item.text("exercise");
      later |= !one.later.empty();
      if (one.later.empty() == exercise.empty())
        item.complain("an item has either an 'exercise' (\"lesson/id\") or 'later'");
      if (!exercise.empty()) {
        const auto slash = exercise.find('/');
        one.lesson = exercise.substr(0, slash);
        one.id = slash == std::string::npos ? "" : exercise.substr(slash + 1);
        const Lesson* lesson = find(one.lesson);
        const Question* question = lesson != nullptr ? lesson->find_question(one.id) : nullptr;
        const CodingExercise* coding = lesson != nullptr ? lesson->find_coding(one.id) : nullptr;
        if (question == nullptr && coding == nullptr)
          item.complain(fmt::format("there is no exercise '{}'", exercise));
        else if (one.title.empty())
          one.title = question != nullptr ? question->title : coding->title;
      }
      sum += one.points;
      item.finish();
      into.items.push_back(std::move(one));
    }
    if (!later && std::abs(sum - into.points) > 1e-9)
      part.complain(fmt::format("the items' points add up to {}, the part has {}", number_text(sum),
                                number_text(into.points)));
    part.finish();
  }
  root.finish();
  return out;
}

Lesson lesson_named(const std::string& name) {
  std::error_code ignored;
  if (!fs::exists(fs::path(name) / "lesson.toml", ignored))
    return LessonLibrary(lessons_folder()).need(name);
  Complaints complaints;
  Lesson lesson = read_lesson(fs::weakly_canonical(name), complaints);
  if (!complaints.empty())
    throw UserError(
        fmt::format("the lesson in {} has mistakes:\n{}`rankscope lesson check` goes "
                    "through all of it",
                    name, complaints.to_string()));
  return lesson;
}

}  // namespace rankscope
