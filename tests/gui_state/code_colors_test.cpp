// What the parts of a program's lines are.
#include "gui/state/code/code_colors.h"

#include "tests/support/catch.h"

using namespace rankscope::gui;

namespace {

// A letter for each byte: what it is.
std::string inks(const std::vector<std::string>& lines, CodeLanguage language) {
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

TEST_CASE("code: Python in colours", "[gui_state]") {
  const auto ink = [](const std::string& line) { return inks({line}, CodeLanguage::python); };
  CHECK(ink("for i in range(16):") == "kkk...kk.......00..|");
  CHECK(ink("x = f'a\\'b' # send") == "....ttttttt.cccccc|");
  CHECK(inks({"\"\"\"Ring", "all # of it\"\"\"", "if x:"}, CodeLanguage::python) ==
        "ttttttt|tttttttttttttt|kk...|");
}

TEST_CASE("code: C++ in colours", "[gui_state]") {
  const auto ink = [](const std::string& line) { return inks({line}, CodeLanguage::cpp); };
  CHECK(ink("return 1'000; // all") == "kkkkkk.00000..cccccc|");
  CHECK(ink("#include <mpi.h>") == "kkkkkkkk.ttttttt|");
  CHECK(inks({"/* to", "here */ int x;"}, CodeLanguage::cpp) == "ccccc|ccccccc.kkk...|");
}

TEST_CASE("code: other files stay as they are", "[gui_state]") {
  CHECK(language_of("ring.py") == CodeLanguage::python);
  CHECK(language_of("a.ipynb#3") == CodeLanguage::python);
  CHECK(language_of("allreduce_ring.cpp") == CodeLanguage::cpp);
  CHECK(inks({"for # it", ""}, CodeLanguage::plain) == "........||");
}
