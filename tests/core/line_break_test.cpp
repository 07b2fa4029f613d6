// Lines of measured words, of plain text and of code; the lists of ranks that messages name.
#include "engine/core/base/line_break.h"

#include "engine/core/base/quantity.h"
#include "tests/support/catch.h"

using namespace rankscope;

namespace {
double columns(std::string_view text) { return static_cast<double>(text.size()); }
using Lines = std::vector<std::string>;
using Ends = std::vector<std::size_t>;
}  // namespace

TEST_CASE("core: text is broken at its blanks and line ends", "[core]") {
  CHECK(text_lines("", 8, columns).empty());
  CHECK(text_lines("one two three", 8, columns) == Lines{"one two", "three"});
  CHECK(text_lines("one  two\n\nthree\n", 80, columns) == Lines{"one two", "", "three", ""});
  CHECK(text_lines("incomprehensible as is", 5, columns) == Lines{"incomprehensible", "as is"});
}

TEST_CASE("core: tied words share a line that has room for them", "[core]") {
  // "in 30 ms," as words of 2, 2, 2 and 1 columns.
  std::vector<LineWord> words{
      {.width = 2}, {.width = 2, .gap = 1}, {.width = 2, .gap = 1, .tied = true}};
  words.push_back({.width = 1, .tied = true});
  CHECK(line_ends(words, 9) == Ends{4});
  CHECK(line_ends(words, 8) == Ends{1, 4});
  CHECK(line_ends(words, 4) == Ends{1, 2, 4});
  words[0].ends_line = true;
  CHECK(line_ends(words, 9) == Ends{1, 4});
  CHECK(line_ends({}, 9).empty());
}

TEST_CASE("core: a long word is cut behind a sign that ends a part of it", "[core]") {
  CHECK(fitting_bytes("data/part_of_it", 11, columns) == 10);
  CHECK(fitting_bytes("abcdefghij", 4, columns) == 4);
  CHECK(fitting_bytes("éé", 3, columns) == 2);
  CHECK(fitting_bytes("é", 1, columns) == 2);
}

TEST_CASE("core: long lines of code go on below, broken where a reader would break them",
          "[core]") {
  const std::string line =
      "  comm.sendrecv(ring.next(), data[part[ring.chunk(steps + step)]], ring.prev(),";
  std::vector<std::string> rows;
  for (const CodePart& part : code_parts(line, 26)) {
    CHECK(part.indent + part.end - part.begin <= 26);
    rows.push_back(line.substr(part.begin, part.end - part.begin));
  }
  CHECK(rows == std::vector<std::string>{"  comm.sendrecv(", "ring.next(), ", "data[part[",
                                         "ring.chunk(steps + ", "step)]], ", "ring.prev(),"});
  CHECK(code_parts(line, 100) == std::vector<CodePart>{{0, line.size(), 0}});
  // A line that begins far to the right would have no room there.
  const std::string far(30, ' ');
  const auto parts = code_parts(far + "chunk[step] += buffer", 30);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] == CodePart{20, 45, 0});
  CHECK(parts[1] == CodePart{45, 51, 14});
  // A word without a place to break is cut, not within a character.
  for (const CodePart& part : code_parts("ééééééééééééééééééééééééé", 24))
    CHECK(part.begin % 2 == 0);
}

TEST_CASE("core: ranks are listed", "[core]") {
  CHECK(rank_list(std::vector<Rank>{}) == "no rank");
  CHECK(rank_list(std::vector{2}) == "rank 2");
  CHECK(rank_list(std::vector{0, 1, 3}) == "ranks 0, 1 and 3");
  CHECK(rank_list(std::vector{0, 1, 2, 3}, 3) == "ranks 0, 1 and 2 more");
}
