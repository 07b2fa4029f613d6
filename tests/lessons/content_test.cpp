// The shipped lessons as a whole: the manual's example and keys, and all exercises.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "lessons/handout/student_copy.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using namespace test;
using nlohmann::json;
namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string manual() { return read(source_root() / "lessons/README.md"); }

TEST_CASE("The manual's example is a lesson that checks clean", "[lessons][check]") {
  const std::string text = manual();
  const auto begin = text.find("```toml\n", text.find("## lesson.toml"));
  REQUIRE(begin != std::string::npos);
  const LessonFolder folder;
  const std::string file = "content/05-example/";
  folder.write(file + "lesson.toml",
               text.substr(begin + 8, text.find("\n```\n", begin) - begin - 7));
  folder.write(
      file + "1-running-sums.md",
      "@question sums\n\nFollow rank 0 in the run below.\n\n@run four\n\n@figure picture\n\n"
      "@coding my-allreduce\n");
  folder.write(file + "starter.py", "def my_allreduce(tensor):\n");
  folder.lesson("01-reduce", "", "hello\n");
  CHECK(folder.complaints() == "");
}

// Words between backquotes, and those of code blocks.
std::set<std::string> code_words(const std::string& text) {
  std::set<std::string> out;
  bool code = false;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    if (code && !word.empty()) out.insert(word);
    word.clear();
    if (c == '`') code = !code;  // three of them change it as one does
  }
  return out;
}

TEST_CASE("The manual names every key that is read", "[lessons][check]") {
  const std::set<std::string> named = code_words(manual());
  std::set<std::string> accepted(LessonRuns::job_fields().begin(), LessonRuns::job_fields().end());
  std::vector<fs::path> files{source_root() / "lessons/course/read_lesson.cpp",
                              source_root() / "lessons/course/course.cpp",
                              source_root() / "lessons/lesson/coding.cpp"};
  const auto take = [&](auto& self, std::span<const KindKey> keys) -> void {
    for (const KindKey& key : keys) {
      accepted.emplace(key.name);
      self(self, key.parts);
    }
  };
  for (const auto kind : kQuestionKinds) take(take, kind().row().keys);
  const std::regex asked(
      R"re([.\s(](?:text|required_text|number|points|whole|flag|texts|value|list|at)\((?:root, |node, )?"([a-z_]+)")re");
  for (const fs::path& file : files) {
    const std::string source = read(file);
    for (std::sregex_iterator at(source.begin(), source.end(), asked), end; at != end; ++at)
      accepted.insert((*at)[1]);
  }
  for (const char* known :
       {"prerequisites", "covers", "tolerance", "before", "later", "iterations"})
    CHECK(accepted.contains(known));
  for (const std::string& key : accepted) {
    INFO("'" << key << "' is read from lesson files, and lessons/README.md does not name it");
    CHECK(named.contains(key));
  }
}

TEST_CASE("The manual's table of kinds names each with all its keys", "[lessons][check]") {
  const std::string all = manual();
  for (const auto kind : kQuestionKinds) {
    const KindRow& row = kind().row();
    const auto begin = all.find(fmt::format("\n| `{}` | ", row.name));
    INFO(row.name);
    REQUIRE(begin != std::string::npos);
    const std::set<std::string> named =
        code_words(all.substr(begin, all.find('\n', begin + 1) - begin));
    for (const KindKey& key : row.keys) {
      INFO(key.name);
      CHECK(named.contains(std::string(key.name)));
    }
  }
}

TEST_CASE("Every exercise of the assignments is shown in some lesson", "[lessons][content]") {
  std::set<std::string> shown;
  const LessonLibrary library(lessons_folder());
  for (const Lesson& lesson : library.lessons())
    for (const Step& step : lesson.steps)
      for (const Block& block : step.blocks) {
        if (block.kind == Block::Kind::question)
          for (const std::string& row : lesson.find_question(block.id)->covers) shown.insert(row);
        if (block.kind == Block::Kind::coding)
          for (const std::string& row : lesson.find_coding(block.id)->covers) shown.insert(row);
      }
  for (const char* row :
       {"A1",  "A2",  "A3",  "A4",  "A5", "A6",  "B0",  "B1",  "B2",  "B3",  "B4",  "B5",
        "B6",  "B7",  "B8",  "B9",  "C1", "C2",  "C3",  "C4",  "C5",  "C6",  "C6t", "C7",
        "C8a", "C8b", "C8c", "C8d", "D1", "D1a", "D1b", "D1c", "D1d", "D1e", "D2",  "D3",
        "D4",  "D5",  "E1",  "E2",  "C9", "C10", "D6",  "D7",  "D8"}) {
    INFO(row);
    CHECK(shown.contains(row));
  }
}

// ---- Students' copies ----

bool names(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

// Formulas: "{N}", "{=2*N}" and "=2*N", anywhere in a table.
std::string formulas(const json& value) {
  std::string out;
  if (value.is_structured())
    for (const json& one : value) out += formulas(one) + " ";
  if (!value.is_string()) return out;
  const std::string text = value.get<std::string>();
  if (text.starts_with("=")) return text;
  const std::regex braces(R"(\{(=[^}]*|\w+)\})");
  for (std::sregex_iterator at(text.begin(), text.end(), braces), end; at != end; ++at)
    out += (*at)[1].str() + " ";
  return out;
}

// The formulas of a copied question that may use its variable `name`.
std::string formulas_beside(const Lesson& copy, const Question& question, const std::string& name) {
  json rest = question.data;
  std::string used = question.rules.where + " ";
  for (const auto& [other, of] : question.rules.let.items())
    if (other != name) used += dump_json(of) + " ";
  rest.erase("let");
  used += formulas(rest);
  if (rest.contains("run")) used += formulas(copy.find_run(rest["run"].get<std::string>())->job);
  return used;
}

// Checks that what only the answer needs stands nowhere in the copy's `text`; how many formulas that are.
std::size_t check_secrets(const Question& question, const json& original, const std::string& text) {
  std::size_t keys = 0;
  // Formulas that are nobody's business are nowhere in the folder.
  for (const char* key : {"answer", "columns", "right", "also"}) {
    if (!original.contains(key)) continue;
    const json flat = original[key].flatten();
    for (const json& one : original[key].is_structured() ? flat : json::array({original[key]})) {
      if (!one.is_string()) continue;
      const auto& secret = one.get_ref<const std::string&>();
      // Short ones ("=N-1") may be in a prompt, a hint or a run for their own reasons.
      if (!secret.starts_with("=") || secret.size() < 10) continue;
      if ((formulas(question.data) + question.rules.where).find(secret.substr(1)) !=
          std::string::npos)
        continue;
      INFO("key " << secret);
      ++keys;
      CHECK(text.find(secret.substr(1)) == std::string::npos);
    }
  }
  return keys;
}

TEST_CASE("Students' copies keep no computed variable that only the answer needs",
          "[lessons][content]") {
  const LessonLibrary library(lessons_folder());
  const LessonFolder folder;
  std::vector<const Lesson*> all;
  for (const Lesson& lesson : library.lessons()) all.push_back(&lesson);
  LessonRuns runs;
  pack_for_students(all, {}, folder.path("copy"), runs);
  std::size_t lets = 0, keys = 0;
  for (const Lesson* lesson : all) {
    const fs::path packed = folder.path("copy") / "content" / lesson->folder.filename();
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(packed)) text += read(entry.path());
    Complaints complaints;
    const Lesson copy = read_lesson(packed, complaints);
    CHECK(complaints.empty());
    for (const Question& question : copy.questions) {
      INFO(lesson->slug << "/" << question.id);
      const json& original = lesson->find_question(question.id)->data;
      for (const auto& [name, rule] : question.rules.let.items()) {
        INFO("let " << name << " = " << rule);
        ++lets;
        CHECK(names(formulas_beside(copy, question, name), name));
      }
      keys += check_secrets(question, original, text);
    }
  }
  CHECK(lets > 0);
  CHECK(keys > 10);
  const Question* best = library.need("bucketing-and-pipelining").find_question("best-m");
  REQUIRE(best != nullptr);
  const Lesson copy = [&] {
    Complaints complaints;
    return read_lesson(folder.path("copy") / "content/16-bucketing-and-pipelining", complaints);
  }();
  CHECK_FALSE(copy.find_question("best-m")->rules.let.contains("m"));
}

TEST_CASE("A pack that fails leaves nothing, and never writes elsewhere", "[lessons]") {
  const LessonFolder folder;
  folder.lesson("01-good", "", "hello\n");
  folder.lesson("02-bad", "", "hello\n");
  const LessonLibrary before(folder.path(""));
  LessonRuns runs;
  // It was good when it was read.
  folder.write("content/02-bad/lesson.toml",
               "title = \"T\"\n[[step]]\ntitle = \"S\"\ntext = \"../../outside.md\"\n");
  folder.write("outside.md", "old\n");
  const auto pack = [&](const LessonLibrary& library) {
    std::vector<const Lesson*> all;
    for (const Lesson& lesson : library.lessons()) all.push_back(&lesson);
    pack_for_students(all, {}, folder.path("out/copy"), runs);
  };
  const LessonLibrary after(folder.path(""));
  for (const LessonLibrary* library : {&before, &after}) {
    std::string why;
    try {
      pack(*library);
    } catch (const UserError& error) {
      why = error.what();
    }
    CHECK(has(why, "02-bad/lesson.toml:2: '../../outside.md' must lie in the lesson's folder"));
  }
  CHECK((!fs::exists(folder.path("out")) || fs::is_empty(folder.path("out"))));
  CHECK(read(folder.path("outside.md")) == "old\n");
  fs::remove_all(folder.path("content/02-bad"));
  const LessonLibrary good(folder.path(""));
  CHECK_NOTHROW(pack(good));
  CHECK(fs::exists(folder.path("out/copy/content/01-good/1.md")));
  CHECK(std::distance(fs::directory_iterator(folder.path("out")), {}) == 1);
  CHECK_THROWS_AS(pack(good), UserError);
}

}  // namespace
}  // namespace rankscope
