// `rankscope grade` with a course's rules for handing in: times, extensions, resubmissions, one student, hidden names.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

using test::has;

namespace fs = std::filesystem;
using nlohmann::json;

class HandedIn {
 public:
  explicit HandedIn(const std::string& rules) {
    write(
        "lib/content/01-x/lesson.toml",
        "title = \"T\"\n[[question]]\nid = \"p\"\nkind = \"number\"\nprompt = \"Six?\"\n"
        "points = 10\nanswer = 6\n[[question]]\nid = \"w\"\nkind = \"written\"\nprompt = \"Why?\"\n"
        "points = 2\nrubric = [{ text = \"r\", points = 2 }]\n"
        "[[step]]\ntitle = \"S\"\ntext = \"1.md\"\n");
    write("lib/content/01-x/1.md", "@question p\n@question w\n");
    write(
        "lib/courses/hw.toml",
        "title = \"H\"\n[hand_in]\ndeadline = 2026-11-20T12:00:00Z\n" + rules +
            "[[part]]\ntitle = \"P\"\npoints = 12\n[[part.item]]\nexercise = \"x/p\"\npoints = 10\n"
            "[[part.item]]\nexercise = \"x/w\"\npoints = 2\n");
    write("roster.csv", "Name,SID,Email\nAnna A,s1,a@x\nBen B,s2,b@x\nCem C,s3,c@x\n");
  }
  void hand_in(const std::string& who, const std::string& student, int answer) const {
    write("subs/" + who + "/answers.toml",
          fmt::format("course = \"hw\"\nstudent = \"{}\"\n\"x/p\" = {}\n\"x/w\" = \"so\"\n",
                      student, answer));
  }
  json grade(std::vector<std::string> more, const std::string& out = "r") const {
    std::vector<std::string> words = {
        "grade",  "hw",       at("subs"),      "-o", at(out), "--format", "results,csv,html",
        "--json", "--roster", at("roster.csv")};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = test::run_rankscope(
        words, {.environment = {{"RANKSCOPE_LESSONS", at("lib")}, {"TZ", "UTC"}}});
    INFO(done.err);
    last_error_ = done.err;
    CHECK(done.exit_code == cli::kOk);
    return json::parse(done.out);
  }
  static std::map<std::string, double> points(const json& graded) {
    std::map<std::string, double> out;
    for (const json& one : graded.at("students")) out[one.at("student")] = one.at("points");
    return out;
  }
  std::string at(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name)) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string all_in(const std::string& folder) const {
    std::string out;
    for (const auto& entry : fs::recursive_directory_iterator(at(folder))) {
      out += entry.path().string().substr(at(folder).size()) + "\n";
      if (entry.is_regular_file()) out += read(fs::relative(entry.path(), at("")).string());
    }
    return out;
  }

 private:
  test::TemporaryFolder folder_;
  mutable std::string last_error_;
};

TEST_CASE("hand in: late work loses points, in results, gradebook and report", "[cli]") {
  const HandedIn work(
      "penalty = 10\ncolumns = [\"id\", \"email\"]\n[[hand_in.extension]]\nstudent = \"s3\"\n"
      "until = 2026-11-24T12:00:00Z\n");
  work.hand_in("a", "Anna A", 6);
  work.hand_in("b", "s2", 6);
  work.hand_in("c", "c@x", 6);
  work.write("times.csv",
             "SID,Submission Time\ns1,2026-11-20 11:59:00 +0000\ns2,2026-11-21 13:00:00 +0000\n"
             "s3,2026-11-24 11:00:00 +0000\n");
  const auto points = HandedIn::points(work.grade({"--times", work.at("times.csv")}));
  CHECK(points.at("Anna A") == 10);
  CHECK(points.at("s2") == 8);
  CHECK(points.at("c@x") == 10);
  const std::string csv = work.read("r/gradebook.csv");
  INFO(csv);
  CHECK(has(csv, "student id,e-mail,handed in,late,penalty,extension,total"));
  CHECK(has(csv, "s2,b@x,2026-11-21 13:00,1 day 1 hour,2,,8"));
  CHECK(has(csv, "s3,c@x,2026-11-24 11:00,,,2026-11-24 12:00,10"));
  const json results = json::parse(work.read("r/s2/results.json"));
  CHECK(results.at("score") == 8);
  CHECK(has(results.at("output").get<std::string>(),
            "1 day 1 hour late: 20 % less (2 of 10 points)"));
  CHECK(has(work.read("r/s2/report.html"), "20 % less"));
  // What was kept of an earlier grading follows the rules of today.
  work.write("times.csv", "SID,Time\ns1,2026-11-20 11:59Z\ns2,2026-11-20 11:00Z\ns3,2026-11-20\n");
  CHECK(HandedIn::points(work.grade({"--times", work.at("times.csv")})).at("s2") == 10);
  CHECK(has(work.grade({}).at("remarks").dump(), "--times FILE or --times mtime"));
}

TEST_CASE("hand in: files' own times, and the submission that counts", "[cli]") {
  const HandedIn work("penalty = 50\ncounts = \"best\"\n");
  work.hand_in("a", "s1", 6);
  work.hand_in("again", "Anna A", 5);
  work.hand_in("b", "s2", 6);
  const auto changed = [&](const std::string& who, const char* date) {
    const auto done =
        test::run_process({"touch", "-d", date, work.at("subs/" + who + "/answers.toml")});
    REQUIRE(done.exit_code == 0);
  };
  changed("a", "2026-11-20T11:00:00Z");
  changed("again", "2026-11-20T11:30:00Z");
  changed("b", "2026-11-20T12:30:00Z");
  const json graded = work.grade({"--times", "mtime"});
  INFO(graded.dump(1));
  CHECK(HandedIn::points(graded).at("s2") == 5);
  CHECK(has(graded.at("remarks").dump(), "s1: 2 submissions, the best counts"));
  const std::string csv = work.read("r/gradebook.csv");
  CHECK(has(csv, "s1,"));
  CHECK_FALSE(has(csv, "Anna A,"));
}

TEST_CASE("hand in: one student is graded again, and the others stay", "[cli]") {
  const HandedIn work("");
  work.hand_in("a", "s1", 5);
  work.hand_in("b", "s2", 6);
  CHECK(HandedIn::points(work.grade({})).at("s1") == 0);
  work.hand_in("a", "s1", 6);
  work.hand_in("b", "s2", 1);
  const json graded = work.grade({"--only", "Anna A"});
  CHECK(graded.at("students").size() == 1);
  CHECK(HandedIn::points(graded).at("s1") == 10);
  CHECK(has(work.read("r/gradebook.csv"), "\ns2,s2,"));
  CHECK(json::parse(work.read("r/s2/results.json")).at("score") == 10);
}

TEST_CASE("hand in: with hidden names nothing in the results tells who it is", "[cli]") {
  const HandedIn work("names = \"hidden\"\n");
  work.hand_in("annafolder", "Anna A", 6);
  work.hand_in("benfolder", "Ben B", 5);
  const json graded = work.grade({});
  const std::string all = work.all_in("r");
  for (const char* told : {"Anna", "annafolder", "benfolder", "Ben", "b@x", "a@x"}) {
    INFO(told);
    CHECK_FALSE(has(all, told));
  }
  std::string anna;
  for (const json& one : graded.at("students"))
    if (one.at("points") == 10) anna = one.at("student");
  REQUIRE(anna.starts_with("student-"));
  CHECK(HandedIn::points(work.grade({})) == HandedIn::points(graded));  // the same names again
  // Marks that were given without a name count for the student.
  work.write("r/marks.toml", "[" + anna + ".\"x/w\"]\nrubric = [2]\n");
  const auto shown = HandedIn::points(
      work.grade({"--names", "shown", "--marks", work.at("r/marks.toml")}, "final"));
  CHECK(shown.at("Anna A") == 12);
  CHECK(shown.at("Ben B") == 0);
}

}  // namespace
}  // namespace rankscope
