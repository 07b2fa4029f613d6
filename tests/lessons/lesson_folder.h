// Lessons written in a test, as folders.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "lessons/course/check_lesson.h"
#include "lessons/course/course.h"
#include "lessons/grading/grade.h"
#include "lessons/lesson/lesson_runs.h"
#include "tests/support/process.h"

namespace rankscope::test {

/// A root with content/ and courses/, as RANKSCOPE_LESSONS names one.
class LessonFolder {
 public:
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// A lesson of one page that shows `shows` ("@question a"), with what `toml` adds.
  void lesson(const std::string& folder, std::string_view toml, std::string_view shows) const {
    write("content/" + folder + "/lesson.toml",
          "title = \"T\"\n" + std::string(toml) + "\n[[step]]\ntitle = \"S\"\ntext = \"1.md\"\n");
    write("content/" + folder + "/1.md", shows);
  }
  /// Everything that `rankscope lesson check` complains about.
  std::string complaints() const {
    const LessonLibrary library(folder_ / "");
    Complaints out = library.complaints();
    LessonRuns runs;
    for (const Lesson& lesson : library.lessons()) check_lesson(lesson, runs, out);
    for (const std::string& name : library.course_names())
      library.read_course(library.root() / "courses" / (name + ".toml"), out);
    return out.to_string();
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace rankscope::test
