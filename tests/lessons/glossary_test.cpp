// The glossary: its words, their check against the lessons, and links in HTML.
#include "lessons/course/glossary.h"

#include "engine/core/base/error.h"
#include "tests/lessons/kind_bench.h"
#include "tests/lessons/lesson_folder.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

using namespace test;

constexpr const char* kRank = R"toml([[word]]
name = "rank"
also = ["ranks"]
says = "One of the <processes>."
lesson = "x"
)toml";

std::string glossary_complaints(const std::string& toml) {
  const LessonFolder folder;
  folder.lesson("01-x",
                "[[question]]\nid = \"a\"\nprompt = \"?\"\nkind = \"number\"\nanswer = 1\n"
                "hints = [\"Count each hop.\"]\n",
                "Several ranks run, with a frank word.\n@question a\n");
  folder.write("content/glossary.toml", toml);
  Complaints complaints;
  check_glossary(LessonLibrary(folder.path("")), complaints);
  return complaints.to_string();
}

TEST_CASE("A glossary word names the lesson that introduces it", "[lessons]") {
  CHECK(glossary_complaints(kRank) == "");
  std::string text = kRank;
  CHECK(has(glossary_complaints(text.substr(0, text.find("lesson ="))), ":1: 'lesson' is missing"));
  CHECK(has(glossary_complaints(text + "see = [\"peer\"]\n"), "see: there is no word 'peer'"));
  CHECK(has(glossary_complaints(text + kRank), "word 'rank': is there twice"));
  text.replace(text.find("\"x\""), 3, "\"y\"");
  CHECK(has(glossary_complaints(text), "word 'rank': there is no lesson 'y'"));
  // "frank" is another word.
  text = "[[word]]\nname = \"fran\"\nsays = \"s\"\nlesson = \"x\"\n";
  CHECK(has(glossary_complaints(text), "the lesson 'x' never uses it"));
  text = "[[word]]\nname = \"hop\"\nsays = \"s\"\nlesson = \"x\"\n";
  CHECK(glossary_complaints(text) == "");
}

TEST_CASE("Words are found by their forms, and typos are answered with the nearest", "[lessons]") {
  const std::vector<GlossaryWord> words{{.name = "rank", .also = {"ranks"}, .says = "s"},
                                        {.name = "reduce-scatter", .says = "s"}};
  CHECK(glossary_word(words, "RANKS").name == "rank");
  CHECK_THROWS_WITH(glossary_word(words, "reduce-scater"),
                    ContainsSubstring("did you mean 'reduce-scatter'?"));
}

TEST_CASE("The first use of a word in HTML is a link, outside of code and headings", "[lessons]") {
  const std::vector<GlossaryWord> words{
      {.name = "rank", .also = {"ranks"}, .says = "One \"process\"", .line = 4},
      {.name = "step", .says = "s", .link = false}};
  std::vector<const GlossaryWord*> used;
  const std::string html = link_words(
      "<h3>rank</h3><p><code>rank</code> The frank step of ranks and a rank</p>", words, used);
  CHECK(html ==
        "<h3>rank</h3><p><code>rank</code> The frank step of <a class=\"word\" href=\"#word-4\" "
        "title=\"One &quot;process&quot;\">ranks</a> and a rank</p>");
  REQUIRE(used.size() == 1);
  CHECK(link_words("<p>rank</p>", words, used) == "<p>rank</p>");
}

}  // namespace
}  // namespace rankscope
