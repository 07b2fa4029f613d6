// Pages of handouts: nothing is cut, and what belongs together stands together.
#include <algorithm>
#include <map>
#include <set>

#include "lessons/course/course.h"
#include "lessons/handout/handout.h"
#include "lessons/text/page_flow.h"
#include "tests/lessons/kind_bench.h"
#include "tests/support/catch.h"

namespace rankscope {
namespace {

TEST_CASE("handout: wide tables, long words and long lines of programs are broken, not cut",
          "[lessons]") {
  const std::string cell =
      "some words that would be far wider than the page if they stood in one line";
  const std::string code(300, 'c');
  Handout handout;
  handout.title = "T";
  HandoutItem item;
  item.text = "| a | b | c |\n|---|---|---|\n| 1 | " + cell + " | " + cell + " |\n\n`" + code +
              "`\n\n```\nx = " + code + "\n```\n";
  handout.items = {item};
  std::string said;
  for (const Scene& page : handout_pages(handout)) {
    CHECK(overlapping_texts(page).empty());
    for (const Mark& mark : page.marks) {
      if (mark.kind != Mark::Kind::text) continue;
      CHECK(mark.box.inside({PageFlow::kMargin - 1, 0, PageFlow::room() + 2, PageFlow::kHeight}));
      said += mark.text;
    }
  }
  CHECK(std::ranges::count(said, 'c') >= 600);
  CHECK(said.find("…") == std::string::npos);
  CHECK(fair_widths({10, 300, 200}, 210) == std::vector<double>{10, 100, 100});
  CHECK(fair_widths({10, 20}, 210) == std::vector<double>{10, 20});
}

/// The words of pages that begin like this, with their page and line.
struct Placed {
  std::string text;
  std::size_t page = 0;
  double y = 0;
};
std::vector<Placed> placed(const std::vector<HandoutItem>& items, const std::string& begin) {
  Handout handout;
  handout.items = items;
  const std::vector<Scene> pages = handout_pages(handout);
  std::vector<Placed> out;
  for (std::size_t i = 0; i < pages.size(); ++i)
    for (const Mark& mark : pages[i].marks)
      if (mark.kind == Mark::Kind::text && mark.text.starts_with(begin))
        out.push_back({mark.text, i, mark.origin.y});
  return out;
}

HandoutItem text_item(const std::string& text) {
  HandoutItem item;
  item.text = text;
  return item;
}

TEST_CASE("handout: no line of a paragraph is alone on its page, no bullet away from its text",
          "[lessons]") {
  std::string long_paragraph, filler;
  for (int i = 0; i < 60; ++i) long_paragraph += "wordsofit ";
  for (int lines = 20; lines < 45; ++lines) {
    INFO(lines);
    filler.clear();
    for (int i = 0; i < lines; ++i) filler += "x\n\n";
    std::map<std::size_t, std::set<double>> rows;
    for (const Placed& word : placed({text_item(filler + long_paragraph)}, "wordsofit"))
      rows[word.page].insert(word.y);
    for (const auto& [page, lines_of_page] : rows) CHECK(lines_of_page.size() > 1);

    const HandoutItem bullets = text_item(filler + "- " + long_paragraph);
    const std::vector<Placed> signs = placed({bullets}, "\xE2\x80\xA2");
    REQUIRE(signs.size() == 1);
    CHECK(signs[0].page == placed({bullets}, "wordsofit").at(0).page);
    CHECK(signs[0].y == placed({bullets}, "wordsofit").at(0).y);
  }
}

TEST_CASE("handout: the words that lead to a program stand on its page", "[lessons]") {
  HandoutItem listing;
  listing.kind = HandoutItem::Kind::listing;
  for (int i = 0; i < 20; ++i) listing.text += "call();\n";
  listing.caption = "Captioned";
  for (int lines = 5; lines < 45; ++lines) {
    INFO(lines);
    std::string filler;
    for (int i = 0; i < lines; ++i) filler += "x\n\n";
    const std::vector<HandoutItem> items = {text_item(filler + "Leading"), listing};
    const std::size_t page = placed(items, "Leading").at(0).page;
    CHECK(placed(items, "Captioned").at(0).page == page);
    CHECK(placed(items, "  1  call").at(0).page == page);
  }
}

TEST_CASE("handout: a line that introduces a program of the text stands on its page", "[lessons]") {
  for (int lines = 20; lines < 45; ++lines) {
    INFO(lines);
    std::string filler;
    for (int i = 0; i < lines; ++i) filler += "x\n\n";
    const std::vector<HandoutItem> items = {text_item(filler + "Run\n\n    command --option\n")};
    CHECK(placed(items, "Run").at(0).page == placed(items, "command").at(0).page);
  }
}

TEST_CASE("handout: a program that is to be repaired is printed", "[lessons]") {
  const LessonLibrary library(lessons_folder());
  const Lesson whole = *library.find("find-the-bug");
  Lesson lesson;
  lesson.folder = whole.folder;
  lesson.coding = {*whole.find_coding("relay")};
  Block block;
  block.kind = Block::Kind::coding;
  block.id = "relay";
  lesson.steps.emplace_back().blocks = {block};
  test::KindBench bench;
  const Handout handout = handout_of(lesson, bench.runs, {});
  CHECK(to_markdown(handout, "figures").text.find("number += rank") != std::string::npos);
}

}  // namespace
}  // namespace rankscope
