// Personal copies of a course: numbers that nobody chooses, and a secret that no copy has.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lessons/grading/answer_file.h"
#include "lessons/handout/personal_copies.h"
#include "lessons/text/encodings.h"
#include "tests/cli/classroom.h"

namespace rankscope {
namespace {

using test::has;

namespace fs = std::filesystem;

constexpr const char* kNumbers = R"(title = "T"
[[question]]
id = "p"
kind = "number"
prompt = "Twice {N} and {D}?"
points = 4
variables = { N = [4, 3, 6, 8, 11, 17], D = [100, 200, 300, 400, 500, 600, 700] }
answer = "=2*N + D"
[[step]]
title = "S"
text = "1.md"
)";

class PersonalCourse {
 public:
  PersonalCourse() {
    write("lib/content/01-x/lesson.toml", kNumbers);
    write("lib/content/01-x/1.md", "@question p\n");
    write("lib/courses/hw.toml",
          "title = \"H\"\n[[part]]\ntitle = \"P\"\npoints = 4\n[[part.item]]\n"
          "exercise = \"x/p\"\npoints = 4\n");
    write("roster.csv",
          "Name,SID,Email\nAnna A,s1,a@x\nBen B,s2,b@x\nCem C,s3,c@x\nDora D,s4,d@x\n");
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
  test::Finished run(const std::vector<std::string>& words, const std::string& lib = "lib") const {
    return test::run_rankscope(words, {.environment = {{"RANKSCOPE_LESSONS", at(lib)},
                                                       {"XDG_DATA_HOME", at("data")},
                                                       {"USER", "ada"}}});
  }
  test::Finished pack(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"lesson",         "pack", "--student", "--roster",
                                      at("roster.csv"), "hw",   "-o",        at("out")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// What the copy's own numbers make right.
  double right(const std::string& student) const {
    Complaints complaints;
    const Lesson lesson = read_lesson(at("out/" + student + "/content/01-x"), complaints);
    CHECK(complaints.to_string() == "");
    const Question& question = lesson.questions.at(0);
    CHECK(lesson.copy_of == student);
    const Values values = variant_of(question, lesson.copy_seed.value()).values;
    // Whatever seed one takes, the numbers are the same.
    CHECK(variant_of(question, 5).values == values);
    return 2 * values.at("N") + values.at("D");
  }

 private:
  test::TemporaryFolder folder_;
};

TEST_CASE("personal: a seed follows from the secret and the student's number", "[cli]") {
  // Python: int.from_bytes(hmac.new(bytes(32), b"numbers of s1", "sha256").digest()[:8], "big") >> 1
  CHECK(seed_of_student(std::string(32, '\0'), "s1") == 2314023196555453957U);
  CHECK(seed_of_student(std::string(32, '\0'), "s2") != 2314023196555453957U);
  CHECK(seed_of_student(std::string(32, 'x'), "s1") != 2314023196555453957U);
}

TEST_CASE("personal: copies differ, and none has the secret", "[cli]") {
  const PersonalCourse course;
  const auto packed = course.pack();
  INFO(packed.err);
  REQUIRE(packed.exit_code == cli::kOk);
  const std::string digits = course.read("lib/courses/hw.secret").substr(0, 64);
  const std::string secret = bytes_of_hex(digits).value();
  CHECK((fs::status(course.at("lib/courses/hw.secret")).permissions() & fs::perms(0077)) ==
        fs::perms::none);
  std::set<double> all;
  for (const std::string student : {"s1", "s2", "s3", "s4"}) {
    all.insert(course.right(student));
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(course.at("out/" + student)))
      if (entry.is_regular_file()) text += course.read(fs::relative(entry.path(), course.at("")));
    for (const std::string& form : {digits, digits.substr(0, 32), secret, base64(secret)})
      CHECK_FALSE(has(text, form));
    CHECK_FALSE(has(text, "2*N"));
    CHECK_FALSE(has(text, "a@x"));
    const AnswerFile sheet =
        read_answers(course.read("out/" + student + "/answers.toml"), "answers.toml");
    CHECK(sheet.student == student);
    CHECK(sheet.seed == seed_of_student(secret, student));
  }
  CHECK(all.size() > 1);
  CHECK(course.pack().exit_code == cli::kBadInput);  // they are there already
  const double before = course.right("s1");
  CHECK(course.pack({"--force"}).exit_code == cli::kOk);
  CHECK(course.right("s1") == before);
  course.write("out/s2/mine.txt", "my notes");
  CHECK(has(course.pack({"--force"}).err, "is in the way"));
  CHECK(course.read("out/s2/mine.txt") == "my notes");
  CHECK(course.run({"lesson", "run", "x", "--seed", "3"}, "out/s1").exit_code == cli::kBadInput);
}

TEST_CASE("personal: the grade draws the numbers again, whatever the answers say", "[cli]") {
  const PersonalCourse course;
  course.write("lib/courses/hw.secret", std::string(64, 'a') + "\n");
  REQUIRE(course.pack().exit_code == cli::kOk);
  const auto hand_in = [&](const std::string& who, const std::string& student, double answer,
                           const std::string& more) {
    course.write("subs/" + who + "/answers.toml",
                 fmt::format("course = \"hw\"\nstudent = \"{}\"\n{}[answers]\n\"x/p\" = {}\n",
                             student, more, answer));
  };
  hand_in("a", "s1", course.right("s1"), "");
  hand_in("b", "Ben B", course.right("s2"), "seed = 12345\n");
  hand_in("c", "c@x", course.right("s3") + 1, "");
  hand_in("d", "Eve", 108, "seed = 0\n");  // as printed: 2*4 + 100
  const std::vector<std::string> words = {"grade",        "hw",       course.at("subs"), "-o",
                                          course.at("r"), "--format", "results",         "--json"};
  CHECK(has(course.run(words).err, "--roster"));
  auto with = words;
  with.insert(with.end(), {"--roster", course.at("roster.csv")});
  const auto graded = course.run(with);
  INFO(graded.err << graded.out);
  REQUIRE(graded.exit_code == cli::kOk);
  std::map<std::string, double> points;
  const auto all = nlohmann::json::parse(graded.out);
  for (const auto& one : all.at("students")) points[one.at("student")] = one.at("points");
  CHECK(points.at("s1") == 4);
  CHECK(points.at("Ben B") == 4);
  CHECK(points.at("c@x") == 0);
  CHECK(points.at("Eve") == 4);
  CHECK(has(graded.out, "not in the roster"));
  // With the numbers as printed, the others are wrong: they had others.
  auto printed = words;
  printed.insert(printed.end(), {"--seed", "0"});
  const auto plain = nlohmann::json::parse(course.run(printed).out);
  double sum = 0;
  for (const auto& one : plain.at("students")) sum += one.at("points").get<double>();
  CHECK(sum < 12);
}

}  // namespace
}  // namespace rankscope
