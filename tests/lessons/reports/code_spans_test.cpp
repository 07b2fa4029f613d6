// Splitting lines of programs into spans: comments, strings, words.
#include "lessons/text/code_spans.h"

#include "tests/support/catch.h"

namespace rankscope {
namespace {

// A letter for each byte: what it is.
std::string inks_of(const std::vector<std::string>& lines, CodeLanguage language) {
  std::string all;
  const auto spans = code_spans(lines, language);
  REQUIRE(spans.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t at = 0;
    for (const auto& span : spans[i]) {
      CHECK(span.begin == at);  // in order, without gaps
      all += std::string(span.end - span.begin, ".kt0c"[static_cast<int>(span.ink)]);
      at = span.end;
    }
    CHECK(at == lines[i].size());
    all += '|';
  }
  return all;
}

}  // namespace

TEST_CASE("code: Python in colours", "[lessons]") {
  const auto ink = [](const std::string& line) { return inks_of({line}, CodeLanguage::python); };
  CHECK(ink("for i in range(16):") == "kkk...kk.......00..|");
  CHECK(ink("x = f'a\\'b' # send") == "....ttttttt.cccccc|");
  CHECK(inks_of({"\"\"\"Ring", "all # of it\"\"\"", "if x:"}, CodeLanguage::python) ==
        "ttttttt|tttttttttttttt|kk...|");
}

TEST_CASE("code: C++ in colours", "[lessons]") {
  const auto ink = [](const std::string& line) { return inks_of({line}, CodeLanguage::cpp); };
  CHECK(ink("return 1'000; // all") == "kkkkkk.00000..cccccc|");
  CHECK(ink("#include <mpi.h>") == "kkkkkkkk.ttttttt|");
  CHECK(inks_of({"/* to", "here */ int x;"}, CodeLanguage::cpp) == "ccccc|ccccccc.kkk...|");
}

TEST_CASE("code: other files stay as they are", "[lessons]") {
  CHECK(language_of("ring.py") == CodeLanguage::python);
  CHECK(language_of("a.ipynb#3") == CodeLanguage::python);
  CHECK(language_of("allreduce_ring.cpp") == CodeLanguage::cpp);
  CHECK(inks_of({"for # it", ""}, CodeLanguage::plain) == "........||");
}

}  // namespace rankscope
