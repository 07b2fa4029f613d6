// `rankscope grade`, as a TA runs it.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "tests/cli/files.h"
#include "tests/cli/grading.h"
#include "tests/support/catch.h"
#include "tests/support/json_schema.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/zip_file.h"

using namespace rankscope;
using nlohmann::json;
using test::Finished;
using test::grade;
using test::has;
using test::read;
using test::results;
using test::TemporaryFolder;
using test::tree;
using test::write;

namespace fs = std::filesystem;

namespace {

const std::string kAnna = R"(course = "small"
student = "Anna"
[answers]
"sums/root" = 10
"sums/sums" = [3, 6, 10]
"sums/why" = "The root."
"sums/least" = "a"
)";

}  // namespace

TEST_CASE("cli: grade writes every student's files and the class's") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", kAnna);
  write(folder / "subs/ben/answers.json",
        R"({"course": "small", "student": "Ben", "answers": {"sums/root": 6}})");
  const Finished done = grade({folder / "subs", "--out", folder / "out"});
  CHECK(done.err == "");
  CHECK(done.exit_code == 0);
  CHECK(has(done.out, "2 submissions graded"));
  for (const char* student : {"Anna", "Ben"})
    for (const char* file : {"results.json", "junit.xml", "report.html"})
      CHECK(fs::is_regular_file(fs::path(folder / "out") / student / file));
  CHECK(results(folder / "out/Anna/results.json")["score"] == 12);
  CHECK(results(folder / "out/Ben/results.json")["score"] == 2);
  const std::string book = read(folder / "out/gradebook.csv");
  CHECK(has(book, "\nAnna,Anna,"));
  CHECK(has(book, ",4,6,by hand,2,not graded,12,12,8,"));
  CHECK(fs::exists(folder / "out/class.html"));
}

TEST_CASE("cli: grade gives the same bytes twice, and goes on where it was") {
  const TemporaryFolder folder;
  for (int i = 0; i < 6; ++i)
    write(folder / fmt::format("subs/s{}.toml", i),
          fmt::format("course = \"small\"\nseed = {}\n[answers]\n\"sums/root\" = 6\n"
                      "\"sums/sums\" = [3, {}]\n",
                      i, i));
  REQUIRE(grade({folder / "subs", "-o", folder / "a", "--jobs", "2"}).exit_code == 0);
  REQUIRE(grade({folder / "subs", "-o", folder / "b", "--jobs", "1"}).exit_code == 0);
  CHECK(tree(folder / "a") == tree(folder / "b"));

  const auto before = fs::last_write_time(folder / "a/s1/results.json");
  fs::remove(folder / "a/s2/report.html");
  write(folder / "subs/s3.toml", "course = \"small\"\n[answers]\n\"sums/root\" = 10\n");
  const Finished again = grade({folder / "subs", "-o", folder / "a"});
  CHECK(has(again.out, "(4 as before)"));
  CHECK(fs::last_write_time(folder / "a/s1/results.json") == before);
  CHECK(fs::exists(folder / "a/s2/report.html"));
  CHECK(results(folder / "a/s3/results.json")["score"] == 4);
  // Kept and new rows make one book.
  CHECK(grade({folder / "subs", "-o", folder / "c"}).exit_code == 0);
  CHECK(read(folder / "a/gradebook.csv") == read(folder / "c/gradebook.csv"));
  CHECK(read(folder / "a/class.html") == read(folder / "c/class.html"));
}

TEST_CASE("cli: grade writes no results into a submission, and needs a thread") {
  const TemporaryFolder folder;
  for (const char* name : {"anna", "ben"})
    write(folder / fmt::format("subs/{}/answers.toml", name), kAnna);
  for (const char* out : {"subs/anna", "subs/anna/new/results"}) {
    const Finished done = grade({folder / "subs", "--out", folder / out});
    CHECK(done.exit_code == 2);
    CHECK(has(done.err, "subs/anna is one of the submissions"));
  }
  CHECK_FALSE(fs::exists(folder / "subs/anna/new"));
  CHECK(grade({folder / "subs", "--out", folder / "out", "--jobs", "-3"}).exit_code == 2);
  CHECK(grade({folder / "subs", "--out", folder / "subs/results"}).exit_code == 0);
  CHECK(grade({folder / "subs", "--out", folder / "subs/results"}).exit_code == 0);
}

TEST_CASE("cli: grade merges a TA's marks, which survive") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", kAnna);
  write(folder / "out/marks.toml", "[Anna.\"sums/why\"]\nrubric = [3, 1]\ncomment = \"Good.\"\n");
  REQUIRE(grade({folder / "anna.toml", "--out", folder / "out"}).exit_code == 0);
  CHECK(results(folder / "out/Anna/results.json")["score"] == 20);
  CHECK(has(read(folder / "out/gradebook.csv"), ",4,6,8,2,not graded,20,20,0,"));
  CHECK(has(read(folder / "out/Anna/report.html"), "Good."));

  const std::string marks = read(folder / "out/marks.toml");
  write(folder / "anna.toml", kAnna + "\"sums/rot\" = 1\n");  // handed in again
  REQUIRE(grade({folder / "anna.toml", "--out", folder / "out"}).exit_code == 0);
  CHECK(read(folder / "out/marks.toml") == marks);
  CHECK(results(folder / "out/Anna/results.json")["score"] == 20);

  write(folder / "other.toml",
        "[Anna.\"sums/why\"]\nrubric = [0, 0]\n\n[Ana.\"sums/why\"]\nrubric = [9, 0]\n");
  const Finished other =
      grade({folder / "anna.toml", "--out", folder / "out", "--marks", folder / "other.toml"});
  CHECK(other.exit_code == 2);
  CHECK(has(other.out, "other.toml:5: row 1 of the rubric"));
  CHECK(has(other.out, "other.toml:4: there is no student 'Ana'"));
  CHECK(results(folder / "out/Anna/results.json")["score"] == 12);

  const std::string before = read(folder / "out/gradebook.csv");
  write(folder / "out/marks.toml", "[Anna\n");
  const Finished broken = grade({folder / "anna.toml", "--out", folder / "out"});
  CHECK(broken.exit_code == 2);
  CHECK(has(broken.err, "marks.toml:1"));
  CHECK(read(folder / "out/gradebook.csv") == before);
}

TEST_CASE("cli: grade tells the TA of answers that could not be read") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", "student = \"Anna\"\n[answers]\n\"sums/root\" = \"ten or so\"\n");
  const Finished done = grade({folder / "anna.toml", "--out", folder / "out", "--json"});
  CHECK(done.exit_code == 0);
  CHECK(has(dump_json(parse_json(done.out)["students"].at(0)["remarks"]),
            "sums/root: not an answer"));
}

TEST_CASE("cli: grade gets over every broken submission") {
  const TemporaryFolder folder;
  const std::string subs = folder / "subs";
  write(subs + "/anna.toml", kAnna);
  write(subs + "/anna2.toml", kAnna);
  write(subs + "/latin.toml", "student = \"M\xfcller\"\n[answers]\n");
  write(subs + "/notoml.toml", "dear TA, ...");
  write(subs + "/empty/readme.txt", "");
  write(subs + "/evil.toml", "student = \"../../../evil\"\n[answers]\n\"sums/root\" = 10\n");
  write(subs + "/big.toml", "");
  fs::resize_file(subs + "/big.toml", std::uintmax_t{1} << 30);
  write(folder / "secret.toml", kAnna);
  fs::create_symlink(folder / "secret.toml", subs + "/link.toml");
  test::ZipFile(subs + "/bomb.zip").add_zeros("bomb/answers.toml", 100).add("../out.toml", "x");
  const Finished done = grade({subs, folder / "gone.toml", "--out", folder / "out", "--json"});
  CHECK(done.exit_code == 0);
  const json all = parse_json(done.out);
  std::map<std::string, std::pair<double, std::string>> by_folder;
  for (const json& one : all["students"])
    by_folder[one["folder"]] = {one["points"], dump_json(one["remarks"])};
  CHECK(by_folder.at("Anna (anna)").first == 12);
  CHECK(by_folder.at("Anna (anna2)").first == 12);
  CHECK(has(by_folder.at("Anna (anna)").second, "2 submissions are from 'Anna'"));
  CHECK(has(by_folder.at("Anna (anna2)").second, "2 submissions are from 'Anna'"));
  CHECK(has(by_folder.at("Müller").second, "not UTF-8"));
  CHECK(has(by_folder.at("notoml").second, "notoml.toml:1: is not TOML"));
  CHECK(has(by_folder.at("empty").second, "no answers.toml"));
  CHECK(has(by_folder.at("big").second, "1073741824 bytes"));
  CHECK(has(by_folder.at("link").second, "symbolic link"));
  CHECK(has(by_folder.at("bomb").second, "more than 1048576 bytes"));
  CHECK(has(by_folder.at("gone").second, "does not exist"));
  CHECK(by_folder.at("_..-..-..-evil").first == 4);
  CHECK(by_folder.size() == 10);
  CHECK(has(by_folder.at("bomb").second, "leads out of the zip file"));
  // A line in the student's own report, too; and nothing beside what there was.
  CHECK(has(read(folder / "out/Müller/report.html"), "not UTF-8"));
  CHECK(has(results(folder / "out/Müller/results.json")["output"].get<std::string>(), "not UTF-8"));
  CHECK(has(read(folder / "out/notoml/junit.xml"), "<error message="));
  CHECK(test::files_in(folder.path()) == 3);
  std::ifstream in(test::source_root() / "tests/lessons/results.schema.json");
  const test::JsonSchema schema(json::parse(in));
  for (const auto& [name, bytes] : tree(folder / "out"))
    if (name.ends_with("results.json")) CHECK(schema.errors(parse_json(bytes)).empty());
}

TEST_CASE("cli: grade writes through nobody's link") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", kAnna);
  write(folder / "precious", "mine");
  fs::create_directories(folder / "elsewhere");
  fs::create_directories(folder / "out/Anna");
  fs::create_symlink(folder / "precious", folder / "out/Anna/results.json");
  REQUIRE(grade({folder / "anna.toml", "--out", folder / "out"}).exit_code == 0);
  CHECK(read(folder / "precious") == "mine");
  CHECK_FALSE(fs::is_symlink(folder / "out/Anna/results.json"));

  fs::remove_all(folder / "out/Anna");
  fs::create_directory_symlink(folder / "elsewhere", folder / "out/Anna");
  const Finished done = grade({folder / "anna.toml", "--out", folder / "out"});
  CHECK(done.exit_code == 1);
  CHECK(has(done.out, "is a symbolic link"));
  CHECK(fs::is_empty(folder / "elsewhere"));
}

TEST_CASE("cli: grade says what is wrong with the command") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", kAnna);
  const auto fails = [&](std::vector<std::string> arguments, std::string_view says) {
    const Finished done = grade(std::move(arguments));
    CHECK(done.exit_code == 2);
    CHECK(has(done.err, says));
  };
  fails({folder / "anna.toml", "--out", folder / "out", "--format", "result"},
        "did you mean 'results'");
  fails({folder / "gone", "--out", folder / "out"}, "no submissions");
  fails({folder / "anna.toml", "--out", folder / "out", "--marks", folder / "gone"}, "--marks");
  fails({folder / "anna.toml"}, "--out");
  const Finished file = grade({folder / "anna.toml", "--out", folder / "anna.toml"});
  CHECK(file.exit_code == 1);
  CHECK_FALSE(fs::exists(folder / "out"));
  const Finished course =
      test::run_with_lessons({"grade", "smal", folder / "anna.toml", "--out", folder / "out"});
  CHECK(course.exit_code == 2);
  CHECK(has(course.err, "did you mean 'small'"));
}

TEST_CASE("cli: grade writes gradebooks to import, and statistics of the questions") {
  const TemporaryFolder folder;
  write(folder / "subs/anna.toml", kAnna);
  write(folder / "subs/ben/answers.json",
        R"({"course": "small", "student": "Ben", "answers": {"sums/root": 6}})");
  write(folder / "roster.csv", "Name,SID,Email\nAnna,A7,anna@x.edu\n");
  const Finished done = grade({folder / "subs", "--out", folder / "out", "--gradebook",
                               "canvas,gradescope", "--roster", folder / "roster.csv"});
  CHECK(done.err == "");
  CHECK(done.exit_code == 0);
  CHECK(has(done.out, "not in the roster, or twice, so without number and e-mail: Ben"));
  CHECK(has(done.out, "since programs were not run"));
  CHECK(has(read(folder / "out/gradebook-canvas.csv"), "\nAnna,,A7,anna@x.edu,,"));
  CHECK(has(read(folder / "out/gradebook-gradescope.csv"), ",Ungraded,"));
  CHECK_FALSE(fs::exists(folder / "out/gradebook-moodle.csv"));
  CHECK(has(read(folder / "out/statistics.csv"), "sums/root"));
  CHECK(has(read(folder / "out/statistics.html"), "Difficulty"));
  CHECK(has(read(folder / "out/class.html"), "statistics.html"));
  test::check_refused(grade({folder / "subs", "--out", folder / "out", "--gradebook", "canva"}),
                      "--gradebook", "canvas");
  test::check_refused(grade({folder / "subs", "--out", folder / "out", "--roster", folder / "no"}),
                      "--roster");
}

TEST_CASE("cli: grade writes only the formats that it is asked for") {
  const TemporaryFolder folder;
  write(folder / "anna.toml", kAnna);
  REQUIRE(grade({folder / "anna.toml", "--out", folder / "out"}).exit_code == 0);
  REQUIRE(
      grade({folder / "anna.toml", "--out", folder / "out", "--format", "results", "--seed", "3"})
          .exit_code == 0);
  CHECK(test::files_in(folder / "out/Anna") == 1);  // the old report was of other numbers
  CHECK(results(folder / "out/Anna/results.json")["extra_data"]["rankscope"]["seed"] == 3);
}

TEST_CASE("cli: the answer sheet that is handed out can be handed in") {
  const TemporaryFolder folder;
  const Finished sheet = test::run_with_lessons(
      {"lesson", "export", "small", "--sheet", "-o", folder / "answers.toml"});
  REQUIRE(sheet.exit_code == 0);
  std::string text = read(folder / "answers.toml");
  const auto fill = [&](const std::string& blank, const std::string& filled) {
    const auto at = text.find(blank);
    REQUIRE(at != std::string::npos);
    text.replace(at, blank.size(), filled);
  };
  fill("student = \"\"", "student = \"Anna\"");
  fill("\n\"sums/root\" = \"\"", "\n\"sums/root\" = \"10\"");
  write(folder / "answers.toml", text);
  const Finished done = grade({folder / "answers.toml", "--out", folder / "out", "--json"});
  const json student = parse_json(done.out)["students"].at(0);
  CHECK(student["folder"] == "Anna");
  CHECK(student["remarks"].empty());
  CHECK(student["points"] == 4);
}
