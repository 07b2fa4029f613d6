// Every way into the window begins with the stage, at the start of the run or after the step that it plays by itself.
#include "tests/gui/screen.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

using namespace rankscope::test;

namespace {

struct Way {
  std::vector<std::string> arguments;
  std::string moment;
};

std::string stored(const std::string& trace) {
  return (source_root() / "tests/compat/files/traces" / (trace + ".rankscope")).string();
}

/// The commands, each as an argument; the run that they start is awaited.
std::vector<std::string> commands(const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (const auto& line : lines) {
    all.insert(all.end(), {"-c", line, "-c", "wait still"});
  }
  return all;
}

}  // namespace

TEST_CASE("every way in opens the stage", "[gui]") {
  if (!can_see()) return;
  const Screen screen;
  const std::vector<Way> ways = {
      {commands({"say ring 4"}), "1.000"},
      {commands({"run allreduce.bde ranks=4"}), "1.000"},
      {commands({"sample tree"}), "1.000"},
      {commands({"sample deadlock"}), "1.000"},
      {commands({"live allreduce.ring ranks=4"}), "0.000"},
      {{stored("allreduce-ring"), "-c", "wait still"}, "1.000"},
      {{stored("exec-ring"), "-c", "wait still"}, "1.000"},
      {{stored("exercise-deadlock"), "-c", "wait still"}, "0.000"},  // it has no step
      {{stored("killed"), "-c", "wait still"}, "1.000"},
      // A wrong value is shown where it is.
      {{stored("exec-as-wrong"), "-c", "wait still"}, ""},
      // Somebody predicts first.
      {commands({"present on", "say ring 4"}), "0.000"},
      {commands({"curtain on", "sample tree"}), "0.000"},
      {commands({"present on", "open " + stored("exec-as-wrong")}), "0.000"},
  };
  for (const Way& way : ways) {
    std::vector<std::string> arguments = way.arguments;
    INFO(arguments[0] << ' ' << arguments[1]);
    for (const char* key : {"view.main", "moment"})
      arguments.insert(arguments.end(), {"-c", std::string("print ") + key});
    arguments.insert(arguments.end(), {"-c", "quit"});
    const Finished done = screen.gui(arguments);
    INFO(done.out << done.err);
    CHECK(done.exit_code == 0);
    CHECK(done.out.find("view.main=stage") != std::string::npos);
    CHECK(done.out.find("moment=" + way.moment) != std::string::npos);
  }
}
