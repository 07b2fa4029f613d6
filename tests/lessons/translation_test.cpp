// Lessons in other languages: what is shown, what stays English, and which texts are out of date.
#include "lessons/course/translation.h"

#include <cstdlib>

#include "engine/core/base/error.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace rankscope {
namespace {

using namespace test;

constexpr const char* kAsk = R"toml(
[[question]]
id = "a"
kind = "number"
title = "A number"
variables = { N = [4, 5] }
prompt = "How many of {N}?"
answer = "=N"
)toml";

/// A lesson with a page and a question, and what German texts say of it.
struct Translated {
  explicit Translated(const std::string& texts, const std::string& page = "Seite\n@question a\n") {
    folder.lesson("01-x", kAsk, "Page\n@question a\n");
    folder.write("content/01-x/de/texts.toml", "language = \"Deutsch\"\n" + texts);
    if (!page.empty()) folder.write("content/01-x/de/1.md", page);
  }
  Lesson read() const {
    Complaints complaints;
    return read_lesson(folder.path("content/01-x"), complaints);
  }
  std::string complaints() const {
    Complaints out;
    check_translations(read(), out);
    return out.to_string();
  }
  LessonFolder folder;
};

std::string marks_of(const Translated& lesson) {
  const std::string all = translation_template(lesson.read(), "de");
  return all.substr(all.find("[of]"));
}

TEST_CASE("A lesson is shown in a language, and what it lacks stays English", "[lessons]") {
  const Translated one(
      "[texts]\ntitle = \"Titel\"\n\"question.a.prompt\" = \"Wie viele von {N}?\"\n");
  Lesson lesson = one.read();
  translate(lesson, "de");
  CHECK(lesson.title == "Titel");
  CHECK(lesson.questions[0].prompt == "Wie viele von {N}?");
  CHECK(lesson.questions[0].title == "A number");
  CHECK(has(lesson.steps[0].blocks[0].text, "Seite"));
  CHECK(lesson.language == "de");
  CHECK(lesson.questions[0].digest == one.read().questions[0].digest);
  CHECK_THROWS_WITH(translate(lesson, "fr"), ContainsSubstring("it is in en, de"));
  CHECK_THROWS_AS(translate(lesson, "../../01-x/de"), UserError);
}

TEST_CASE("A translation of an English text that has changed is complained of", "[lessons]") {
  const std::string texts = "[texts]\ntitle = \"Titel\"\n\"question.a.prompt\" = \"Von {N}?\"\n";
  const Translated unmarked(texts);
  CHECK(has(unmarked.complaints(), "'title' was translated from another English text"));
  const std::string marks = marks_of(unmarked);
  const Translated marked(texts + marks.substr(0, marks.find("[texts]")));
  CHECK(marked.complaints() == "");
  marked.folder.write("content/01-x/1.md", "Another page\n@question a\n");
  CHECK(has(marked.complaints(), "'1.md' was translated from another English text"));
  CHECK_FALSE(has(marked.complaints(), "'title'"));
}

TEST_CASE("A translation has the lesson's keys, numbers to fill in, and questions", "[lessons]") {
  const Translated one(
      "[texts]\n\"question.b.prompt\" = \"x\"\n\"question.a.prompt\" = \"Von {M}?\"\n",
      "Seite ohne Frage\n");
  CHECK(has(one.complaints(), "'question.b.prompt' is no text of the lesson"));
  CHECK(has(one.complaints(),
            "'question.a.prompt' fills in [\"{M}\"], and the English text [\"{N}\"]"));
  CHECK(has(one.complaints(), "1.md: shows other runs, questions or notes than the English page"));
}

/// Variables of the environment, as they were again afterwards.
struct Variables {
  explicit Variables(const std::vector<std::pair<const char*, std::string>>& wanted) {
    for (const auto& [name, value] : wanted) {
      const char* old = std::getenv(name);
      before.emplace_back(name, old == nullptr ? "" : old);
      ::setenv(name, value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& [name, value] : before)
      if (value.empty()) ::unsetenv(name);
      else ::setenv(name, value.c_str(), 1);
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  std::vector<std::pair<const char*, std::string>> before;
};

TEST_CASE("Asked for goes before remembered, and that before the environment", "[lessons]") {
  const TemporaryFolder home;
  const Translated one("[texts]\n");
  const Variables variables(
      {{"XDG_CONFIG_HOME", home.path()}, {"LC_ALL", ""}, {"LC_MESSAGES", ""}, {"LANG", "C.UTF-8"}});
  CHECK(language_for(one.read(), "") == "en");
  CHECK(language_for(one.read(), "de") == "de");
  ::setenv("LANG", "fr_FR.UTF-8", 1);
  CHECK(language_for(one.read(), "") == "en");
  ::setenv("LANG", "de_CH.UTF-8", 1);
  CHECK(language_for(one.read(), "") == "de");
  remember_language("en");
  CHECK(language_for(one.read(), "") == "en");
  CHECK(language_for(one.read(), "de-AT") == "de");  // a tag of BCP 47, a locale, small letters
  CHECK(language_for(one.read(), "DE_de.UTF-8") == "de");
  CHECK(language_for(one.read(), "en-GB") == "en");
  CHECK(language_for(one.read(), "fr") == "fr");  // translate() refuses it
  remember_language("fr");                        // not there: the environment's is
  CHECK(language_for(one.read(), "") == "de");
  CHECK_THROWS_AS(remember_language("../x"), UserError);
}

TEST_CASE("The shipped translations are whole", "[lessons]") {
  for (const auto& [folder, language] :
       {std::pair{"03-broadcast", "de"}, {"01-hello-ranks", "zh_CN"}}) {
    Complaints complaints;
    Lesson lesson = read_lesson(source_root() / "lessons/content" / folder, complaints);
    const Translation texts = read_translation(lesson, language, complaints);
    check_translations(lesson, complaints);
    CHECK(complaints.to_string() == "");
    for_each_text(lesson, [&](const std::string& key, std::string&) {
      INFO(folder << " " << key);
      CHECK(texts.texts.contains(key));
    });
    for (const Step& step : lesson.steps) CHECK(texts.texts.contains(step.file));
  }
}

}  // namespace
}  // namespace rankscope
