// Code exercises without the window: a program is chosen and graded in a process, and its failing run opens at
// the place.
#include <filesystem>
#include <fstream>

#include "engine/core/trace/trace_file.h"
#include "gui/state/code/code_check.h"
#include "gui/state/search/buffer_values.h"
#include "lessons/grading/run_worth.h"
#include "tests/gui_state/driven.h"
#include "tests/support/scripted_run.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

/// A run of three messages, whose second one a grader has found to go the wrong way.
struct GradedRun {
  explicit GradedRun(const std::string& file) {
    ScriptedRun run(3);
    for (std::uint32_t i = 0; i < 3; ++i) {
      run.line(10 + i);
      run.recv((static_cast<Rank>(i) + 1) % 3,
               run.send(static_cast<Rank>(i), (static_cast<Rank>(i) + 1) % 3));
    }
    run.end_all();
    const Trace trace = run.trace();
    for (std::uint64_t k = 0; k < trace.size(); ++k)
      if (trace[k].rank == 1 && trace[k].verb == Verb::send && trace[k].kind == EventKind::posted)
        event = k;
    RunFault fault = fault_at(trace, event);
    fault.rule = "Each rank sends to its left neighbour.";
    fault.says = "step 2: rank 1 sent to rank 2, where rank 0 was expected";
    TraceMeta meta = run.meta;
    std::string text;
    for (int line = 1; line <= 20; ++line) text += "line " + std::to_string(line) + "\n";
    meta.sources = {{"helper.py", "# nothing\n"}, {"worker.py", text}};
    meta.faults = {"Ring", "3 ranks", {fault}};
    TraceWriter writer(file, meta);
    for (EventBatch batch : run.batches()) writer.deliver(std::move(batch));
    writer.close(meta);
  }
  std::uint64_t event = kNoEvent;
};

constexpr const char* kVerdict = R"({"points": 1.5, "most": 6, "capped": "", "trouble": "",
  "trace": "/x/y.rankscope", "remarks": ["Well done."], "rules": [
  {"title": "Right.", "state": "broken", "points": 0, "most": 3,
   "first": {"case": "2 ranks", "says": "chunk 1 lacks rank 0", "site": "a.py:3"}},
  {"title": "It ends.", "state": "kept", "points": 1.5, "most": 1.5}]})";

/// Stands for the command: grades for ever, or says what it was asked to.
std::string stand_in(const std::string& file, const std::string& body) {
  std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

bool ends(CodeCheck& check, CodeState& code_state) {
  return eventually([&] {
    check.update(code_state);
    return !check.running();
  });
}

}  // namespace

TEST_CASE("code: a graded run opens at the place", "[gui_state]") {
  Driven driven;
  const std::string file = driven.home / "graded.rankscope";
  const GradedRun run(file);
  REQUIRE(run.event != kNoEvent);
  CHECK(driven.script({"layout standard", "open \"" + file + "\"", "wait run"}).empty());
  CHECK(driven.value("selected-event") == std::to_string(run.event));
  CHECK(driven.value("selected-rank") == "1");
  CHECK(driven.value("selected-line") == "worker.py:11");
  CHECK(driven.value("moment") == "2.000");
  CHECK(driven.value("problem") == "step 2: rank 1 sent to rank 2, where rank 0 was expected");
  CHECK(driven.value("view.side") == "code");
  CHECK(driven.value("view.side_lower") == "problems");
  CHECK_THAT(driven.message(), ContainsSubstring("Ring: step 2"));
  const Problem& first = driven.app.state().problems.front();
  REQUIRE(first.places.size() == 1);
  CHECK(first.places[0].second == run.event);
  CHECK_THAT(first.why, ContainsSubstring("left neighbour"));
  // What can be seen already stays where it is.
  CHECK(driven.script({"view main problems", "open \"" + file + "\"", "wait run"}).empty());
  CHECK(driven.value("view.main") == "problems");
  CHECK(driven.value("view.side_lower") != "problems");
}

TEST_CASE("code: what the grader says is taken over", "[gui_state]") {
  CodeState code_state;
  take_grading(code_state, 1, kVerdict, "");
  REQUIRE(code_state.state == CodeState::State::graded);
  CHECK(code_state.points == 1.5);
  CHECK(code_state.trace == "/x/y.rankscope");
  REQUIRE(code_state.rules.size() == 2);
  CHECK(code_state.rules[0].says == "chunk 1 lacks rank 0");
  CHECK(code_state.rules[0].run == "2 ranks");
  CHECK(code_state.rules[1].state == RuleVerdict::State::kept);
  CHECK(code_state.remarks.size() == 1);
  for (const bool no_boxes : {true, false}) {  // the key says so, not the words
    const std::string key = no_boxes ? R"(, "no_boxes": true)" : "";
    take_grading(
        code_state, 2, "",
        R"x({"error": {"message": "no boxes here (--no-sandbox)", "hint": "Ask")x" + key + "}}");
    CHECK(code_state.state == CodeState::State::failed);
    CHECK(code_state.problem == "no boxes here (--no-sandbox). Ask");
    CHECK(code_state.no_boxes == no_boxes);
  }
  take_grading(code_state, 139, "{\"rules\": 7}", "");
  CHECK(code_state.state == CodeState::State::failed);
  CHECK_THAT(code_state.problem, ContainsSubstring("139"));
  CHECK_FALSE(code_state.no_boxes);
  take_grading(code_state, 1, R"({"rules": [{"title": 7}]})", "");
  CHECK(code_state.state == CodeState::State::failed);
  take_grading(code_state, 130, "", "");
  CHECK(code_state.state == CodeState::State::stopped);
}

TEST_CASE("code: a grading reports how far it is, and can be stopped", "[gui_state]") {
  const OwnHome home;
  const std::string program =
      stand_in(home / "grader", "echo 0 of 7 >&2\necho 3 of 7 >&2\nexec sleep 1000");
  CodeState code_state;
  {
    CodeCheck check(program, [] {});
    check.start({"ring", "ring.py", home / "traces", false});
    REQUIRE(eventually([&] {
      check.update(code_state);
      return code_state.done == 3;
    }));
    CHECK(code_state.all == 7);
    CHECK_THROWS_AS(check.start({"ring", "ring.py", home / "traces", false}), UserError);
    check.stop();
    REQUIRE(ends(check, code_state));
    CHECK(code_state.state == CodeState::State::stopped);
    check.start({"ring", "ring.py", home / "traces", false});
  }
  CHECK(children().empty());  // it went with the application, too
}

TEST_CASE("code: a grader that says nothing of use has failed", "[gui_state]") {
  const OwnHome home;
  CodeState code_state;
  CodeCheck check(stand_in(home / "grader", "echo it is broken >&2\nexit 2"), [] {});
  check.start({"ring", "ring.py", home / "traces", false});
  REQUIRE(ends(check, code_state));
  CHECK(code_state.state == CodeState::State::failed);
  CHECK_THAT(code_state.problem, ContainsSubstring("it is broken"));
  CodeCheck lost(home / "nothing-here", [] {});
  lost.start({"ring", "ring.py", home / "traces", false});
  REQUIRE(ends(lost, code_state));
  CHECK_THAT(code_state.problem, ContainsSubstring("cannot start"));
}

TEST_CASE("code: a program is chosen for an exercise of the open lesson", "[gui_state]") {
  Driven driven;
  CHECK_FALSE(driven.does("program my-broadcast x.py"));
  CHECK_THAT(driven.message(), ContainsSubstring("no lesson is open"));
  CHECK(driven.script({"lesson broadcast", "wait lesson broadcast"}).empty());
  CHECK_FALSE(driven.does("program my-broadcast \"" + driven.home / "nothing.py" + "\""));
  CHECK_THAT(driven.message(), ContainsSubstring("there is no file"));
  CHECK_FALSE(driven.does("program ring-allreduce x.py"));
  CHECK_THAT(driven.message(), ContainsSubstring("my-broadcast"));
  CHECK_FALSE(driven.does("grade my-broadcast"));
  CHECK_THAT(driven.message(), ContainsSubstring("choose your program first"));
  CHECK_FALSE(driven.does("show-fault my-broadcast"));
  CHECK_FALSE(driven.does("stop-grading"));
  const std::string file = driven.home / "mine.py";
  std::ofstream(file) << "x = 1\n";
  CHECK(driven.does("program my-broadcast \"" + file + "\""));
  CHECK(driven.value("program.my-broadcast") == file);
  CHECK(driven.value("grading.my-broadcast") == "none");
  // A file that is dropped on the page with the exercise.
  const std::string other = driven.home / "other.py";
  std::ofstream(other) << "x = 2\n";
  CHECK(driven.does("lesson page " + driven.value("lesson.pages")));
  driven.app.drop({other});
  CHECK(driven.value("program.my-broadcast") == other);
  CHECK_FALSE(driven.does("grade my-broadcast gently"));
}

TEST_CASE("code: of a program's own arrays the one that most ranks have is shown", "[gui_state]") {
  ScriptedRun run(2);
  CHECK(own_buffer(run.trace()) == "");
  run.memory("self.msg");
  const OpId sent = run.send(0, 1);
  run.memory("self.buf");
  run.recv(1, sent);
  CHECK(own_buffer(run.trace()) == "self.msg");  // of equals, the first
  run.send(0, 1);
  CHECK(own_buffer(run.trace()) == "self.buf");
  run.memory("data");
  run.send(1, 0);
  CHECK_FALSE(own_buffer(run.trace()));
}
