// What is seen from the back row: every text of a projector is large enough, and what has to be there is.
#include <fstream>
#include <sstream>

#include "tests/gui/screen.h"
#include "tests/support/catch.h"

using namespace rankscope::test;

namespace {

/// A view of a run, with the texts that must be read there.
struct Seen {
  std::vector<std::string> commands;
  std::string view;
  std::vector<std::string> texts;
  bool whole = true;  ///< It is one picture, of which nothing may be cut.
};

std::vector<std::string> numbers(int count, const std::string& before = "") {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(before + std::to_string(i));
  return all;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Seen> everything() {
  const std::vector<std::string> chunks = {"c0", "c1", "c2", "c3"},
                                 ring = {"run allreduce.ring ranks=4 count=16", "wait run",
                                         "seek 1.5"},
                                 sixteen = {"run allreduce.ring ranks=16", "wait run", "seek 1.5"};
  const std::string passes = "Every rank passes on the chunk that it has just added";
  return {
      {ring, "stage",
       numbers(4, "rank ") + chunks +
           std::vector<std::string>{passes, "reduce-scatter", "step 2 of 3"}},
      {{},
       "spacetime",
       numbers(4, "rank ") + chunks + std::vector<std::string>{passes, "reduce-scatter", "step 2"}},
      {{}, "buffers", numbers(4, "rank ") + chunks + std::vector<std::string>{passes}},
      {{}, "matrix", numbers(4) + std::vector<std::string>{"to rank", "from rank", "16"}},
      {{}, "table", {"rank", "mean"}, false},
      {{}, "code", {"send chunk r"}, false},
      {{}, "events", {"with whom, where"}, false},
      {{}, "statistics", {"rounds: 6", "bytes sent, busiest rank: 1.5 D", "at least 2", "all"}},
      {{"run allreduce.bde ranks=8", "wait run", "seek 1.5"},
       "stage",
       numbers(8) + std::vector<std::string>{"exchange · step 2 of 3"}},
      {{}, "statistics", {"rounds: 3", "bytes sent, busiest rank: 3 D", "all"}},
      {sixteen, "stage", numbers(16) + std::vector<std::string>{"reduce-scatter", "step 2 of 15"}},
      {{}, "spacetime", numbers(16, "rank ")},
      {{}, "buffers", numbers(16, "rank ")},
      {{}, "matrix", numbers(16) + std::vector<std::string>{"sent", "64"}},
      {{"run allreduce.ring ranks=64 transport=sim topology=fat-tree@64", "wait run", "seek 1.5"},
       "stage",
       {"0", "8", "16", "24", "32", "40", "48", "56", "rank 1 ± 1", "step 2 of 63"}},
      {{}, "statistics", {"rounds: 126", "all"}},
      {{"run allreduce.ring ranks=16 transport=sim topology=torus-2d", "wait run", "seek 3.5"},
       "network",
       numbers(16) + std::vector<std::string>{"step 4 of 30"}},
      {{"run alltoall.pairwise ranks=4 transport=ipc count=16", "wait run", "seek 1.5"},
       "schematic",
       {"12 messages", "split", "output"}},
      {{"sample deadlock", "wait run", "last"},
       "stage",
       numbers(4, "rank ") + std::vector<std::string>{"Deadlock: 0", "send"}},
      {{}, "problems", {"Where they stand", "Deadlock: 0"}, false},
      {{"run allreduce.ring ranks=8", "wait run", "compare keep", "run allreduce.bde", "wait run",
        "last"},
       "compare",
       numbers(8, "rank ") +
           std::vector<std::string>{"allreduce.bde · 8 ranks", "3 steps instead of 14"}},
      {{"race ring bde", "wait run", "seek 2.5"}, "race", {"ring", "bde", "rounds"}},
      {{}, "overlap", {"exposed communication"}, false},
      {{}, "training", {"workers N"}, false},
      {{}, "schedule", {"No schedule is drawn"}},
  };
}

/// Checks the texts of one picture.
void check(const std::string& file, const Seen& seen, double least) {
  std::ifstream in(file);
  REQUIRE(in);
  std::string all, line;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string size, place, cut, text;
    std::getline(fields, size, '\t');
    std::getline(fields, place, '\t');
    std::getline(fields, cut, '\t');
    std::getline(fields, text);
    INFO(seen.view << ": \"" << text << "\" at " << place);
    CHECK(std::stod(size) >= least);
    if (seen.whole) CHECK(cut == "whole");
    CHECK(text.find("Click a link") == std::string::npos);  // no hints to edit
    all += "\n" + text + "\n";
  }
  for (const std::string& text : seen.texts) {
    INFO(seen.view << " lacks \"" << text << "\" in" << all);
    // A number is a text of its own.
    const bool number =
        text.size() < 3 && text.find_first_not_of("0123456789") == std::string::npos;
    CHECK(all.find(number ? "\n" + text + "\n" : text) != std::string::npos);
  }
}

void check_all(const std::string& size, double least) {
  const Screen screen(size);
  const auto views = everything();
  std::vector<std::string> lines = {"present on"};
  for (std::size_t i = 0; i < views.size(); ++i) {
    lines = lines + views[i].commands;
    lines.push_back("view main " + views[i].view);
    lines.push_back("wait 0.1");
    lines.push_back("screenshot " + std::to_string(i) + ".txt");
  }
  const auto done = screen.script(lines, {"--size", size});
  INFO(done.out << '\n' << done.err);
  REQUIRE(done.exit_code == 0);
  for (std::size_t i = 0; i < views.size(); ++i)
    check(screen / (std::to_string(i) + ".txt"), views[i], least);
}

}  // namespace

TEST_CASE("on a projector of 720 lines every text has 18 pixels, and what is needed is there",
          "[gui]") {
  if (can_see()) check_all("1280x720", 17.99);
}

TEST_CASE("a larger projector shows the same, larger", "[gui]") {
  if (can_see()) check_all("1920x1080", 26.99);
}
