// Files of code exercises: starters, folders, watching; the root cause of a grading; folds, and the user's editor.
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/core/base/error.h"
#include "gui/state/code/code_files.h"
#include "gui/state/code/code_rows.h"
#include "gui/state/code/code_state.h"
#include "gui/state/code/file_watch.h"
#include "gui/state/model/live_marks.h"
#include "lessons/course/progress.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

CodeState::Rule broken_rule(std::string kind, std::string says, int run = 0, int event = -1,
                            std::string failure = "") {
  CodeState::Rule rule;
  rule.title = "what is asked of " + kind;
  rule.state = RuleVerdict::State::broken;
  rule.kind = std::move(kind);
  rule.says = std::move(says);
  rule.run_number = run;
  rule.event = event;
  rule.failure = std::move(failure);
  return rule;
}

void write_file(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::string text_of_file(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("exercise: a program to repair is copied under the name of its language", "[gui_state]") {
  Driven driven;
  CHECK(driven.script({"lesson find-the-bug", "wait lesson find-the-bug"}).empty());
  const std::string folder = driven.home / "work";
  fs::create_directories(folder);
  REQUIRE(driven.does("starter any-root " + quoted(folder)));
  CHECK(driven.value("program.any-root") == folder + "/any_root.cpp");
  REQUIRE(driven.does("starter relay " + quoted(folder)));
  CHECK_THAT(text_of_file(folder + "/relay.py"), ContainsSubstring("def pass_it_on"));
}

TEST_CASE("exercise: the starter is copied, and never over a file", "[gui_state]") {
  Driven driven;
  CHECK(driven.script({"lesson broadcast", "wait lesson broadcast"}).empty());
  const std::string folder = driven.home / "work";
  fs::create_directories(folder);
  const std::string file = folder + "/my_broadcast.py";
  REQUIRE(driven.does("starter my-broadcast " + quoted(folder)));
  CHECK(driven.value("program.my-broadcast") == file);
  CHECK_THAT(text_of_file(file), ContainsSubstring("def my_broadcast"));
  write_file(file, "mine\n");
  CHECK_FALSE(driven.does("starter my-broadcast " + quoted(file)));
  CHECK(text_of_file(file) == "mine\n");
  CHECK(driven.app.state().lesson.program("my-broadcast")->occupied == file);
  CHECK_FALSE(driven.does("starter my-broadcast " + quoted(file) + " over"));
  REQUIRE(driven.does("starter my-broadcast " + quoted(file) + " replace"));
  // The file's ending says the language.
  REQUIRE(driven.does("starter my-broadcast " + quoted(folder + "/mine.cpp")));
  CHECK_THAT(text_of_file(folder + "/mine.cpp"),
             ContainsSubstring("void my_broadcast(rankscope::Communicator& comm"));
  REQUIRE(driven.does("starter my-broadcast " + quoted(folder + "/mine.ipynb")));
  CHECK_THAT(text_of_file(folder + "/mine.ipynb"), ContainsSubstring("def my_broadcast("));
  CHECK_FALSE(driven.does("starter my-broadcast " + quoted(folder + "/mine.txt")));
  CHECK_THAT(driven.message(), ContainsSubstring(".py or .cpp or .ipynb"));
  CHECK_FALSE(fs::exists(folder + "/mine.txt"));
  CHECK_THAT(text_of_file(file), ContainsSubstring("def my_broadcast"));
  CHECK(driven.app.state().lesson.program("my-broadcast")->occupied.empty());
}

TEST_CASE("exercise: a folder lists folders and programs", "[gui_state]") {
  Driven driven;
  CHECK(driven.script({"lesson broadcast", "wait lesson broadcast"}).empty());
  const std::string folder = driven.home / "work";
  fs::create_directories(folder + "/inner");
  for (const char* name : {"b.py", "a.cpp", "notes.txt", ".hidden.py"})
    write_file(folder + "/" + name, "");
  REQUIRE(driven.does("browse my-broadcast " + quoted(folder)));
  const CodeBrowser& shown = driven.app.state().lesson.program("my-broadcast")->browser;
  std::vector<std::string> names;
  for (const auto& entry : shown.entries) names.push_back(entry.name);
  CHECK(names == std::vector<std::string>{"inner", "a.cpp", "b.py"});
  REQUIRE(driven.does("program my-broadcast " + quoted(folder + "/b.py")));
  CHECK(shown.folder.empty());
  CHECK_FALSE(driven.does("browse my-broadcast " + quoted(folder + "/none")));
}

TEST_CASE("exercise: a watched file is graded when it is saved", "[gui_state]") {
  Driven driven;
  CHECK(driven.script({"lesson broadcast", "wait lesson broadcast"}).empty());
  CHECK_FALSE(driven.does("watch my-broadcast on"));
  const std::string file = driven.home / "my_broadcast.py";
  write_file(file, "x = 1\n");
  REQUIRE(driven.does("program my-broadcast " + quoted(file)));
  REQUIRE(driven.does("watch my-broadcast on"));
  CHECK(driven.value("grading.my-broadcast") == "none");
  write_file(file, "x = 22\n");
  REQUIRE(driven.until([&] { return driven.value("grading.my-broadcast") == "running"; }));
  CHECK(driven.app.state().lesson.program("my-broadcast")->saves == 1);
  CHECK(driven.does("watch my-broadcast off"));
  (void)driven.does("stop-grading");
  CHECK(driven.until([&] { return driven.value("grading.my-broadcast") != "running"; }));
}

TEST_CASE("exercise: a grading that ends beside another lesson is kept in its own", "[gui_state]") {
  Driven driven(true);
  CHECK(driven.script({"student Ada", "lesson hello-ranks", "wait lesson hello-ranks"}).empty());
  const std::string file = driven.home / "hello.py";
  write_file(file, "x =\n");  // which nothing runs
  REQUIRE(driven.does("program hello " + quoted(file)));
  REQUIRE(driven.does("grade hello"));
  CHECK(driven.script({"lesson broadcast", "wait lesson broadcast"}).empty());
  REQUIRE(driven.until([&] { return driven.value("grading.hello") == "graded"; }));
  const LessonProgress kept = ProgressStore().load("Ada", "hello-ranks").progress;
  REQUIRE(kept.programs.contains("hello"));
  CHECK(kept.programs.at("hello").file == file);
  // Nor does it move a run onto the stage beside that lesson.
  CHECK_FALSE(driven.app.state().lesson.looks_at("hello"));
}

TEST_CASE("exercise: a file is saved once it stays as it is", "[gui_state]") {
  const OwnHome home;
  const std::string file = home / "a.py", folder = home / "inner";
  fs::create_directories(folder);
  write_file(file, "1");
  std::atomic<int> news{0};
  FileWatch watch([&] { ++news; }, std::chrono::milliseconds(20));
  watch.set("a", file);
  watch.set("b", folder);
  std::set<std::string> saved;
  const auto takes = [&](const std::string& key) {
    return eventually([&] {
      for (const auto& one : watch.take()) saved.insert(one);
      return saved.contains(key);
    });
  };
  write_file(file, "12");
  CHECK(takes("a"));
  CHECK(saved == std::set<std::string>{"a"});
  fs::remove(file);  // as editors do that write another file in its place
  write_file(file, "123");
  saved.clear();
  CHECK(takes("a"));
  write_file(folder + "/helper.py", "1");
  CHECK(takes("b"));
  CHECK(news > 0);
  watch.set("a", "");
  saved.clear();
  write_file(file, "1234");
  write_file(folder + "/helper.py", "12");
  CHECK(takes("b"));
  CHECK_FALSE(saved.contains("a"));
}

TEST_CASE("exercise: the root cause comes first, and what follows is not judged", "[gui_state]") {
  CHECK(find_root_cause({}).rule == nullptr);
  // What takes too long does not wait for another rank.
  CHECK_THAT(
      find_root_cause({broken_rule("ends", "it took longer than 10 s", 0, -1, "timeout")}).advice,
      ContainsSubstring("computes on, or sleeps"));
  // A run that broke off breaks every rule by the same failure, whatever its words.
  std::vector<CodeState::Rule> rules = {
      broken_rule("values", "deadlock: 0 -> 1 -> 0 (right with 2 ranks only)", 0, -1, "deadlock"),
      broken_rule("ends", "deadlock: 0 -> 1 -> 0", 0, -1, "deadlock"),
      broken_rule("bytes", "deadlock: 0 -> 1 -> 0", 0, -1, "deadlock")};
  RootCause cause = find_root_cause(rules);
  REQUIRE(cause.rule != nullptr);
  CHECK(cause.rule->kind == "ends");
  CHECK(cause.follows.size() == 2);
  CHECK(cause.others.empty());
  // A message that goes the wrong way comes before the values that it makes wrong.
  rules = {broken_rule("values", "chunk 1 lacks rank 0", 2),
           broken_rule("ring", "rank 1 sent to rank 2", 1, 17),
           broken_rule("bytes", "too many", 0)};
  cause = find_root_cause(rules);
  CHECK(cause.rule->kind == "ring");
  REQUIRE(cause.follows.size() == 1);
  CHECK(cause.follows[0]->kind == "values");
  REQUIRE(cause.others.size() == 1);
  CHECK(cause.others[0]->kind == "bytes");
  // What the text has is wrong in every run.
  rules.push_back(broken_rule("imports", "numpy is imported", 3));
  CHECK(find_root_cause(rules).rule->kind == "imports");
  // An error before any message leaves no run to go through.
  rules = {broken_rule("values", "no module of this name", 0, -1, "failed: ImportError")};
  CHECK_THAT(find_root_cause(rules, false).advice, ContainsSubstring("Mend the line"));
  CHECK_THAT(find_root_cause(rules).advice, ContainsSubstring("Show where it goes wrong: "));
}

TEST_CASE("code: what nobody reads is folded", "[gui_state]") {
  const std::vector<std::string> python = {"# Ring allreduce.",
                                           "# Terms: none.",
                                           "# Year: 2026",
                                           "",
                                           "import argparse",
                                           "import os",
                                           "",
                                           "from torch import distributed",
                                           "",
                                           "def ring():",
                                           "    # step",
                                           "    # by",
                                           "    # step",
                                           "    pass",
                                           "",
                                           "if __name__ == \"__main__\":",
                                           "    p = argparse.ArgumentParser()",
                                           "    p.add_argument(\"--n\")",
                                           "    p.add_argument(\"--m\")",
                                           "    a = p.parse_args()",
                                           "    ring()"};
  const auto folds = code_folds(python, CodeLanguage::python);
  REQUIRE(folds.size() == 3);
  CHECK(folds[0] == CodeFold{0, 2, "3 lines: comment"});
  CHECK(folds[1] == CodeFold{4, 7, "4 lines: imports"});
  CHECK(folds[2] == CodeFold{16, 19, "4 lines: arguments"});
  const std::vector<std::string> cpp = {"// One.", "#include <a>",  "#include <b>",
                                        "",        "namespace x {", "int f();"};
  const auto of_cpp = code_folds(cpp, CodeLanguage::cpp);
  REQUIRE(of_cpp.size() == 1);
  CHECK(of_cpp[0] == CodeFold{1, 4, "4 lines: imports"});
  CHECK(code_folds(python, CodeLanguage::plain).empty());
}

TEST_CASE("code: the phase of the step at the cursor is known", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("seek 0"));
  CHECK(code_step(driven.app.state()).phases.empty());
  REQUIRE(driven.does("seek 2"));
  CodeStep step = code_step(driven.app.state());
  CHECK(step.step == 2);
  CHECK(step.steps == 6);
  CHECK(step.phases == std::vector<std::string>{"reduce-scatter"});
  REQUIRE(driven.does("seek 3.5"));
  step = code_step(driven.app.state());
  CHECK(step.step == 4);
  CHECK(step.phases == std::vector<std::string>{"allgather"});
}

TEST_CASE("editor: a template becomes a call, and a missing editor is said", "[gui_state]") {
  CHECK(editor_call("code -g {file}:{line}", "/a b/c.py", 12) ==
        std::vector<std::string>{"code", "-g", "/a b/c.py:12"});
  CHECK(editor_call("\"/opt/my editor\" {file}", "x.py", 3) ==
        std::vector<std::string>{"/opt/my editor", "x.py"});
  CHECK_THROWS_AS(editor_call("code", "x.py", 1), UserError);
  CHECK(usual_editor([](const std::string& name) { return name == "kate"; }) ==
        "kate -l {line} {file}");
  CHECK(usual_editor([](const std::string&) { return false; }).empty());
  CHECK_THROWS_AS(start_editor({"/no/such/editor", "x"}), UserError);
  Driven driven;
  const std::string file = driven.home / "ring.py", told = driven.home / "told";
  write_file(file, "1\n2\n");
  write_file(driven.home / "editor", "#!/bin/sh\necho \"$1 $2\" > \"$3\"\n");
  fs::permissions(driven.home / "editor", fs::perms::owner_all);
  REQUIRE(
      driven.does("editor-command " + quoted(driven.home / "editor") + " {file} {line} " + told));
  REQUIRE(driven.does("editor " + quoted(file + ":2")));
  CHECK(eventually([&] { return text_of_file(told) == file + " 2\n"; }));
  CHECK_FALSE(driven.does("editor-command code"));
  CHECK_FALSE(driven.does("editor /no/such/file.py:3"));
  CHECK_THAT(driven.message(), ContainsSubstring("/no/such/file.py"));
}
