// Answer files that were made to break the program that reads them: each is a fault of its own, and none
// costs more memory or stack than a file of its size should.
#include <string>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/toml/toml_source.h"
#include "lessons/grading/answer_file.h"
#include "lessons/kinds/kind.h"
#include "lessons/lesson/lesson.h"
#include "lessons/lesson/lesson_runs.h"
#include "lessons/text/foreign_text.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using test::has;

std::string repeated(std::string_view part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

TEST_CASE("A TOML text that is too deep is told before it is parsed", "[grading]") {
  const auto fault = [](const std::string& text) { return read_answers(text, "x.toml").fault; };
  CHECK(has(fault(repeated("a.", 60'000) + "a = 1\n"), "x.toml:1: a key with more than 32 dots"));
  CHECK(has(fault("\n[" + repeated("a.", 200'000) + "a]\n"), "x.toml:2: a key with more than"));
  CHECK(has(fault("x = {" + repeated("'a' . ", 60'000) + "a = 1}\n"), "a key with more than"));
  CHECK(has(fault("x = " + repeated("{a=", 60'000)), "more than 40 lists within each other"));
  CHECK(has(fault("x = " + repeated("[", 500'000)), "more than 40 lists within each other"));
  // Tables in lists in tables, each of which is allowed.
  const std::string deep = repeated("a.", 30) + "a";
  CHECK(has(fault("[" + deep + "]\n" + deep + "=" + repeated("[{" + deep + "=", 10) + "1" +
                  repeated("}]", 10)),
            "too deep"));

  // Dots, brackets and quotes of values are no depth.
  CHECK_FALSE(too_deep(fmt::format("x = [{}]", repeated("1.5, ", 5000))));
  CHECK_FALSE(too_deep(
      repeated("x = [\"[[[...\\\"\", '''[[''[..\n''''', \"\"\"a\"\"[.\"\"\"\"] # [[[\n", 50)));
  CHECK_FALSE(too_deep("x = '" + repeated(".", 100) + "'\n"));
  CHECK(too_deep("x = \"\"\"\n\\\n\"\"\"\n" + repeated("a.", 40)).line == 4);
}

TEST_CASE("Long keys are neither repeated for each value nor in messages", "[grading]") {
  const std::string key(30'000, 'k');
  const std::string list = "= [" + repeated("1,", 30'000) + "]\n";
  const auto source = [](const std::string& text) {
    Complaints complaints;
    return parse_toml(text, "x.toml", complaints, {.line_levels = 2});
  };
  // Each line that is remembered costs a pointer and a number, whatever the keys are called, and of the
  // elements of an answer there is none.
  CHECK(source("[answers]\n" + key + list)->lines.size() == 3);
  const AnswerFile file = read_answers(key + list, "x.toml");
  CHECK(file.complaints.to_string().size() < 1000);

  std::string keys;
  for (int i = 0; i < 40'000; ++i) keys += fmt::format("wrong-key-{}=1\n", i);
  const AnswerFile many = read_answers(keys + "[answers]\n", "x.toml");
  CHECK(many.complaints.all().size() == 21);
  CHECK(has(many.complaints.all().back().text, "and 39980 more lines"));
  CHECK(has(read_answers("a = [" + repeated("1,", 200'000) + "]", "x.toml").fault,
            "has 200002 numbers and texts; at most 50000"));
  CHECK(
      has(read_answers("{\"answers\":{\"a\":[" + repeated("{},", 200'000) + "1]}}", "x.json").fault,
          "at most 50000"));
}

TEST_CASE("Lines of values are those of the file, of absent ones those around", "[grading]") {
  Complaints complaints;
  const auto source =
      parse_toml("a = 1\n[b]\nc = [\n 1,\n 2]\n[[d.e]]\nf = 1\n", "x.toml", complaints);
  REQUIRE(source);
  TomlNode root(source, complaints);
  TomlNode b = root.at("b");
  CHECK(root.at("a").line() == 1);
  CHECK(b.line() == 2);
  CHECK(b.at("c").line() == 3);
  CHECK(b.at("c").elements()[1].line() == 5);
  CHECK(b.at("gone").at("more").line() == 2);
  CHECK(root.at("d").at("e").elements()[0].at("f").line() == 7);
}

TEST_CASE("An answer in brackets is read to a depth", "[grading]") {
  const std::string deep = repeated("[", 400'000) + repeated("]", 400'000);
  CHECK_THROWS_AS(parse_shallow_json(deep), UserError);
  Question question;
  question.data = nlohmann::json::object();
  CHECK_THROWS_AS(fill_kind().parse(question, {}, deep), UserError);
  CHECK_THROWS_AS(fill_kind().parse(question, {}, repeated("[", 400'000)), UserError);
  CHECK(fill_kind().parse(question, {}, "[[1, 2], [3]]").size() == 2);
}

TEST_CASE("What is no character is not printed", "[grading]") {
  const std::string_view replaced =
      "a\xEF\xBF\xBD"
      "b";
  for (const char* odd : {"a\xEF\xBF\xBE"
                          "b",
                          "a\xEF\xBF\xBF"
                          "b",
                          "a\xEF\xB7\x90"
                          "b",
                          "a\xF0\x9F\xBF\xBE"
                          "b",
                          "a\xED\xA0\x80"
                          "b",
                          "a\xE0\x80\x80"
                          "b",
                          "a\xF4\x90\x80\x80"
                          "b"}) {
    INFO(odd);
    CHECK(printable(odd) == replaced);
    CHECK(has(escaped(odd), "a\\x"));
  }
  for (const char* kept : {"\xEF\xBF\xBD", "\xEF\xB7\x8F", "\xEF\xB7\xB0", "\xED\x9F\xBF",
                           "\xEE\x80\x80", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBD"})
    CHECK(printable(kept) == kept);
}

}  // namespace
}  // namespace rankscope
