// A student's copy that says right or not yet: what is in its files, and in the memory of the process that uses it.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lessons/handout/student_copy.h"
#include "lessons/text/encodings.h"
#include "tests/cli/classroom.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using test::has;

namespace fs = std::filesystem;

/// What must not be in a copy: the keys, and what is said about right and wrong answers.
constexpr const char* kSecrets[] = {
    "31*N + 17*k - 5",   "31*N+17*k-5",        "31*N - 17*k + 5",     "becausesealedexplanation",
    "mistakesealedtext", "optionsealedreason", "4711.0815",           "modelsealedanswer",
    "hiddenhintsecond",  "sealedstoredanswer", "sealedmistake-by-id", "lecturersealednote",
    "revealsealedtext"};

constexpr const char* kLesson = R"(
[[question]]
id = "f"
kind = "formula"
prompt = "A formula."
points = 4
hints = ["hintthefirst", "hiddenhintsecond"]
explanation = "It is so becausesealedexplanation."
answer = "31*N + 17*k - 5"
domain = [["N", "2..16"], ["k", "0..N-1"]]
[[question.misconception]]
id = "sealedmistake-by-id"
answer = "31*N - 17*k + 5"
says = "mistakesealedtext"
[[question.stored]]
name = "sealedstoredanswer"
answer = "key"
[[question]]
id = "n"
kind = "number"
prompt = "A number."
answer = 4711.0815
[[question]]
id = "c"
kind = "choice"
prompt = "A choice."
options = [{ text = "one", right = true }, { text = "two", says = "optionsealedreason" }]
[[question]]
id = "w"
kind = "written"
prompt = "Why?"
rubric = [{ text = "a reason", points = 1 }]
model = "modelsealedanswer"
)";

class PackedCourse {
 public:
  explicit PackedCourse(const std::string& feedback) {
    write("content/01-x/lesson.toml",
          std::string("title = \"T\"\n") + kLesson + "[[step]]\ntitle = \"S\"\ntext = \"1.md\"\n");
    write("content/01-x/1.md",
          "@question f\n@question n\n@question c\n@question w\n\n::: "
          "note\nlecturersealednote\n:::\n\n::: reveal More after w\nrevealsealedtext\n:::\n");
    write("courses/hw.toml", "title = \"H\"\n[feedback]\n" + feedback +
                                 "[[part]]\ntitle = \"P\"\npoints = 4\n[[part.item]]\n"
                                 "exercise = \"x/f\"\npoints = 4\n");
    const LessonLibrary library(at("from"));
    INFO(library.complaints().to_string());
    REQUIRE(library.complaints().empty());
    const Course course = library.course("hw");
    LessonRuns runs;
    const std::vector<const Lesson*> lessons = {&library.need("x")};
    const CopySettings settings{course.feedback, {4, 1, 1}};
    pack_for_students(lessons, {at("from/courses/hw.toml")}, folder(), runs, settings,
                      seal_keys(lessons, settings.cost));
  }
  std::string folder() const { return folder_ / "copy"; }
  test::EnvironmentChanges environment() const {
    return {{"RANKSCOPE_LESSONS", folder()}, {"XDG_DATA_HOME", folder_ / "data"}, {"USER", "ada"}};
  }
  std::string run(const std::string& input) const {
    const auto done =
        test::run_rankscope({"lesson", "run", "x"}, {.input = input, .environment = environment()});
    INFO(done.err);
    CHECK(done.exit_code == 0);
    return done.out;
  }
  std::string at(const std::string& name) const { return folder_ / name; }

 private:
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = at("from/" + name);
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  test::TemporaryFolder folder_;
};

std::string files_in(const std::string& folder) {
  std::string out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) {
      std::ifstream in(entry.path(), std::ios::binary);
      out += entry.path().string() + "\n" + std::string{std::istreambuf_iterator<char>(in), {}};
    }
  return out;
}

/// The memory of a process that can be written: what it has read and computed.
std::string memory_of(pid_t process) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  const int memory = ::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY);
  REQUIRE(memory >= 0);
  std::string out;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, rights) != 3 || rights[1] != 'w')
      continue;
    constexpr unsigned long kMostOfMap = 256UL << 20;  // a sanitizer's shadow is larger
    if (to - from > kMostOfMap) continue;
    std::string part(to - from, '\0');
    const auto got = ::pread(memory, part.data(), part.size(), static_cast<off_t>(from));
    if (got > 0) out.append(part, 0, static_cast<std::size_t>(got));
  }
  ::close(memory);
  return out;
}

TEST_CASE("feedback: a copy's files have no key, in no form", "[cli]") {
  const PackedCourse course("attempts = 2\nhints = 1\n");
  const std::string all = files_in(course.folder());
  CHECK(has(all, "hintthefirst"));
  CHECK(has(all, "boxes"));
  for (const std::string secret : kSecrets) {
    INFO(secret);
    CHECK_FALSE(has(all, secret));
    CHECK_FALSE(has(all, hex_of(secret)));
    CHECK_FALSE(has(all, base64(secret)));
  }
}

TEST_CASE("feedback: a copy says right, not yet, or kept", "[cli]") {
  const PackedCourse course("attempts = 2\nhints = 1\n");
  const std::string out =
      course.run("31*N -\nhint\nhint\nN\n31*N - 17k + 5\n31N + 17k - 5\n1\nb\nIt is.\n\n");
  INFO(out);
  CHECK(has(out, "That cannot be read."));  // costs no attempt
  CHECK(has(out, "Hint 1 of 1: hintthefirst"));
  CHECK(has(out, "There are no more hints."));
  CHECK(has(out, "Not yet."));
  CHECK(has(out, "1 attempt with feedback left"));
  CHECK(has(out, "mistakesealedtext"));
  CHECK(has(out, "All 2 attempts with feedback are used."));
  CHECK(has(out, "Kept, graded by your lecturer."));
  CHECK_FALSE(has(out, "Right."));

  const PackedCourse other("hints = 0\n");
  const std::string right = other.run("hint\nanswer\n5 - 17*(-k) - 10 + 31N\nquit\n");
  INFO(right);
  CHECK(has(right, "There is no hint for this one."));
  CHECK(has(right, "The answers are not in this copy of the lesson."));
  CHECK(has(right, "Right. 4 of 4 points."));
  CHECK(has(right, "becausesealedexplanation"));
}

TEST_CASE("feedback: with a copy no table or closed form of ours is an answer", "[cli]") {
  const PackedCourse course("attempts = 2\n");
  const auto run = [&](const std::vector<std::string>& words) {
    const auto done = test::run_rankscope(words, {.environment = course.environment()});
    return done.out + done.err;
  };
  CHECK(has(run({"profile", "--assignment", "-n", "2", "--sizes", "4KiB"}), "give --worker"));
  CHECK(has(run({"predict", "allgather.ring"}), "an answer of your course"));
}

TEST_CASE("feedback: before its time a copy keeps what it is given", "[cli]") {
  const PackedCourse course("from = 2999-01-01T00:00:00Z\n");
  const std::string out = course.run("31N + 17k - 5\nquit\n");
  INFO(out);
  CHECK(has(out, "Kept, graded by your lecturer."));
  CHECK(has(out, "Whether it is right is said from 2"));
  CHECK_FALSE(has(out, "becausesealedexplanation"));
}

TEST_CASE("feedback: the memory of the process has no key after an answer", "[cli]") {
  const PackedCourse course("hints = 1\n");
  const std::string to = course.at("to"), out = course.at("out"), id = course.at("id");
  REQUIRE(::mkfifo(to.c_str(), 0600) == 0);
  std::jthread process([&] {
    test::run_process({"bash", "-c", "echo $$ > \"$1\"; exec \"$0\" lesson run x < \"$2\" > \"$3\"",
                       test::rankscope_binary().string(), id, to, out},
                      {.environment = course.environment()});
  });
  // For reading, too: opening waits for nobody. It is closed before the thread is waited for, whatever fails.
  std::fstream input(to, std::ios::in | std::ios::out);
  const auto answers = [&](const std::string& line, const std::string& says) {
    input << line << std::endl;
    return test::eventually([&] { return has(files_in(course.at("")), says); });
  };
  const auto memory = [&] {
    pid_t pid = 0;
    std::ifstream(id) >> pid;
    return memory_of(pid);
  };
  CHECK(answers("777*N", "Not yet."));
  const std::string after_wrong = memory();
  CHECK(answers("31N + 17k + (0-5)", "becausesealedexplanation"));
  CHECK(answers("12345678", "Kept, graded by your lecturer."));
  const std::string after_right = memory();
  input << "quit" << std::endl;
  input.close();
  process.join();
  CHECK(has(after_wrong, "777*N"));  // we looked at the right memory
  for (const std::string secret : kSecrets) {
    INFO(secret);
    CHECK_FALSE(has(after_wrong, secret));
    if (secret != "becausesealedexplanation") CHECK_FALSE(has(after_right, secret));
  }
}

}  // namespace
}  // namespace rankscope
