// What a submission costs beside its own work: boxes, ranks, the first run. Prints; asserts no time.
#include <chrono>
#include <filesystem>

#include <fmt/format.h>

#include "lessons/coding/cases.h"
#include "lessons/coding/cpp_program.h"
#include "lessons/course/read_lesson.h"
#include "tests/coding/box_options.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

CodingExercise broadcast() {
  Complaints complaints;
  for (const auto& folder : lesson_folders(test::source_root() / "lessons/content"))
    for (const CodingExercise& one : read_lesson(folder, complaints).coding)
      if (one.id == "my-broadcast") return one;
  throw UserError("there is no exercise my-broadcast");
}

}  // namespace

TEST_CASE("coding: what starting and ending the ranks of a program without torch takes",
          "[.bench]") {
  const CodingExercise exercise = broadcast();
  const test::TemporaryFolder folder;
  fs::copy(test::source_root() / "tests/students/cpp/my-broadcast/right_binomial.cpp",
           fs::path(folder.path()) / "my_broadcast.cpp");
  CodeBoxesOptions options = test::box_options(folder.path());
  std::optional<CppProgram> compiled;
  const double compiling = seconds([&] { compiled.emplace(exercise, options); });
  INFO(compiled->diagnostics());
  REQUIRE(compiled->diagnostics().empty());
  options.program = compiled->binary();
  fmt::print("compiling, in a box: {:.2f} s\n", compiling);
  for (const int ranks : {1, 2, 4, 8}) {
    const auto cases = cases_of(exercise, 1, true);
    const auto one = std::ranges::find(cases, ranks, &CodeCase::ranks);
    if (one == cases.end()) continue;
    std::vector<double> starts, runs, ends;
    for (int i = 0; i < 10; ++i) {
      std::optional<CodeBoxes> boxes;
      const auto run = [&] {
        const CodeRun done = boxes->run(job_of(exercise, *one, 20), tasks_of(exercise, *one));
        INFO(done.trouble << done.result.message);
        REQUIRE(done.result.ok());
      };
      const double first = seconds([&] {
        boxes.emplace(options, ranks);
        run();
      });
      const double next = seconds(run);
      const double end = seconds([&] { boxes.reset(); });
      starts.push_back(first - next);
      runs.push_back(next);
      ends.push_back(end);
    }
    for (auto* times : {&starts, &runs, &ends}) std::ranges::sort(*times);
    fmt::print(
        "{} ranks: start {:.0f} ms (median of ten; least {:.0f}), end {:.0f} ms (least {:.0f}); a "
        "run {:.1f} ms\n",
        ranks, starts[5] * 1e3, starts[0] * 1e3, ends[5] * 1e3, ends[0] * 1e3, runs[5] * 1e3);
  }
}

}  // namespace rankscope
