// Programs that are too alike are found, independent ones are not.
#include "lessons/reports/alike.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using test::has;

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> out;
  std::string line;
  for (std::istringstream in(text); std::getline(in, line);) out.push_back(line);
  return out;
}

std::string stored_text(const std::string& name) {
  std::ifstream in(test::source_root() / "tests/students" / name);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

AlikeProgram made(const std::string& student, const std::string& text) {
  return {student, student, "x.py", lines_in(text), CodeLanguage::python};
}

AlikeProgram stored_program(const std::string& name) { return made(name, stored_text(name)); }

/// A disguised copy: other names and numbers, comments, blank lines, another layout.
std::string disguised(std::string text) {
  const std::map<std::string, std::string> names = {{"rank", "me"},     {"world", "size"},
                                                    {"tensor", "data"}, {"chunks", "parts"},
                                                    {"left", "before"}, {"right", "after"}};
  for (const auto& [from, to] : names)
    text = std::regex_replace(text, std::regex("\\b" + from + "\\b"), to);
  text = std::regex_replace(text, std::regex("\n( +)([a-z])"), "\n\n$1# my own words\n$1$2");
  return "\"\"\"My program.\"\"\"\nimport math  # not needed\n\n" + text;
}

std::vector<std::size_t> words_of(const std::string& text) {
  std::vector<std::size_t> out;
  for (const CodeToken& token : code_tokens(lines_in(text), CodeLanguage::python))
    out.push_back(token.word);
  return out;
}

TEST_CASE("alike: names, numbers, texts, comments and layout do not count", "[lessons]") {
  CHECK(words_of("for i in range(16):\n    send(x, 'a')") ==
        words_of("# mine\nfor step  in spam(1_0): send(yy,\"b\")  # so"));
  CHECK(words_of("\"\"\"What it does.\"\"\"\nx = 1") == words_of("y = 2"));
  CHECK(words_of("x = 1") != words_of("x += 1"));
  CHECK(words_of("if x:") != words_of("while x:"));
}

TEST_CASE("alike: a disguised copy is found with its passages", "[lessons]") {
  const std::string text = stored_text("ring-allreduce/right_parity.py");
  const auto pairs = alike_pairs({stored_program("ring-allreduce/right_tensor_split.py"),
                                  made("a", text), made("b", disguised(text))},
                                 {});
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].a == 1);
  CHECK(pairs[0].b == 2);
  CHECK(pairs[0].share() > 0.9);
  REQUIRE_FALSE(pairs[0].passages.empty());
  const AlikePassage& longest = pairs[0].passages.front();
  CHECK(longest.tokens >= 60);
  CHECK(longest.last_b - longest.first_b > longest.last_a - longest.first_a);  // its comments
}

TEST_CASE("alike: programs of different hands are not listed", "[lessons]") {
  for (const char* exercise : {"my-broadcast", "my-allreduce", "ring-allreduce", "my-all-to-all",
                               "my-allgather", "my-reduce-scatter", "tree-allreduce", "pass-it-on",
                               "hello", "send-recv", "distributed-sgd"}) {
    std::vector<AlikeProgram> programs;
    for (const auto& entry :
         fs::directory_iterator(test::source_root() / "tests/students" / exercise))
      if (const std::string name = entry.path().filename().string();
          name.starts_with("right_") && name.ends_with(".py"))
        programs.push_back(stored_program(exercise + ("/" + name)));
    INFO(exercise);
    CHECK(programs.size() >= 2);
    for (const AlikePair& pair : alike_pairs(programs, {}))
      FAIL_CHECK(programs[pair.a].student << " and " << programs[pair.b].student << ": "
                                          << pair.share());
  }
}

TEST_CASE("alike: what everybody had is nobody's own", "[lessons]") {
  const std::string text = stored_text("ring-allreduce/right_parity.py");
  const AlikeProgram starter = made("starter", text);
  CHECK(alike_pairs({made("a", text), made("b", text)}, {starter}).empty());
  std::vector<AlikeProgram> all;
  for (int i = 0; i < 6; ++i) all.push_back(made("s" + std::to_string(i), text));
  CHECK(alike_pairs(all, {}).empty());  // the whole class has it from somewhere
  all.resize(5);
  CHECK(alike_pairs(all, {}).size() == 10);
}

TEST_CASE("alike: the page says that it is no verdict, and escapes what students wrote",
          "[lessons]") {
  const std::string text = "x = '<script>'\n" + stored_text("ring-allreduce/right_parity.py");
  AlikeExercise exercise{"ring/ring", "The ring", {made("<b>Anna", text), made("Ben", text)}, {}};
  exercise.pairs = alike_pairs(exercise.programs, {});
  REQUIRE(exercise.pairs.size() == 1);
  const std::string page = alike_html({exercise}, "Homework");
  CHECK(has(page, "no verdict"));
  CHECK(has(page, "&lt;b&gt;Anna"));
  CHECK(has(page, "[1]"));
  CHECK_FALSE(has(page, "<script>"));
  exercise.pairs.clear();
  CHECK(has(alike_html({exercise}, "Homework"), "No pair"));
}

}  // namespace
}  // namespace rankscope
