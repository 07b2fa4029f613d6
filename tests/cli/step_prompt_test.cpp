// The prompt of `rankscope run --step`, without processes.
#include "cli/run/step_prompt.h"

#include <string>
#include <vector>

#include "engine/run/step/breakpoint_check.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::cli;

namespace {

class Script : public StepTarget {
 public:
  std::vector<std::string> where() override { return {"rank 0 held"}; }
  std::string message(Rank sender, int strand) override {
    return note("message " + std::to_string(sender) + of(strand));
  }
  std::string step(Rank rank, int strand) override {
    return note("step " + std::to_string(rank) + of(strand));
  }
  std::string round() override { return note("round"); }
  std::string resume() override {
    done = true;
    return note("resume");
  }
  std::string add_breakpoint(const Breakpoint& at) override {
    return note("break " + at.file + ":" + std::to_string(at.line) + " " + at.phase + " " +
                std::to_string(at.rank));
  }
  std::string clear_breakpoints() override { return note("clear"); }
  void quit() override { note("quit"); }
  bool finished() override { return done; }

  std::vector<std::string> calls;
  bool done = false;

 private:
  static std::string of(int strand) {
    return strand == kAnyStrand ? "" : " strand " + std::to_string(strand);
  }
  std::string note(const std::string& call) {
    calls.push_back(call);
    return "did " + call;
  }
};

struct Session {
  std::vector<std::string> calls, said;
};

Session play(std::vector<std::string> lines) {
  Script script;
  Session session;
  std::size_t at = 0;
  run_step_prompt(
      script,
      [&]() -> std::optional<std::string> {
        if (at == lines.size()) return std::nullopt;
        return lines[at++];
      },
      [&](const std::string& line) { session.said.push_back(line); });
  session.calls = script.calls;
  return session;
}

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("cli: the step prompt knows short and long words") {
  CHECK(
      play({"m", "m 2", "message 1", "s 0", "step 3", "r", "round", "q"}).calls ==
      Calls{"message -1", "message 2", "message 1", "step 0", "step 3", "round", "round", "quit"});
}

TEST_CASE("cli: the step prompt takes a strand of a rank") {
  CHECK(play({"s 2.3", "", "m 1.0", "q"}).calls ==
        Calls{"step 2 strand 3", "step 2 strand 3", "message 1 strand 0", "quit"});
}

TEST_CASE("cli: an empty line repeats the last order of the step prompt, never a breakpoint") {
  CHECK(play({"s 1", "", "  ", "b 7", "", "q"}).calls ==
        Calls{"step 1", "step 1", "step 1", "break :7  -1", "quit"});
}

TEST_CASE("cli: breakpoints of the step prompt combine") {
  CHECK(play({"b ring.cpp:27", "b phase allgather", "b rank 2", "b ring.cpp:27 rank 1 phase x", "d",
              "q"})
            .calls == Calls{"break ring.cpp:27  -1", "break :0 allgather -1", "break :0  2",
                            "break ring.cpp:27 x 1", "clear", "quit"});
}

TEST_CASE("cli: the step prompt explains what it does not understand") {
  for (const char* line : {"x", "s", "s two", "s -1", "s 1.", "s 1.x", "s .1", "m x", "b",
                           "b nowhere", "b :7", "b rank x", "b a:b", "b phase"}) {
    const auto session = play({line, "q"});
    CAPTURE(line, session.said);
    CHECK(session.calls == Calls{"quit"});
    CHECK(session.said.size() == 3);
  }
}

TEST_CASE("cli: breakpoints that can never be hit are refused with a reason") {
  const auto problem = [](std::string file, unsigned line, Rank rank = -1) {
    Breakpoint at;
    at.file = std::move(file);
    at.line = line;
    at.rank = rank;
    return breakpoint_problem(at, 4);
  };
  CHECK(problem("allreduce_ring.cpp", 5).empty());
  CHECK(problem("collectives/allreduce_ring.cpp", 5).empty());
  CHECK(problem("ring.h", 5).empty());
  CHECK(problem("", 5).empty());
  CHECK(problem("", 0, 3).empty());
  CHECK(problem("allreduce_rign.cpp", 5).find("'allreduce_ring.cpp'") != std::string::npos);
  CHECK(problem("allreduce_ring.cpp", 5000).find("there is no line 5000") != std::string::npos);
  CHECK(problem("", 5000).find("there is no line 5000") != std::string::npos);
  CHECK(problem("", 0, 4).find("there is no rank 4") != std::string::npos);
}

TEST_CASE("cli: the end of the input lets a stepped run go on") {
  CHECK(play({"r"}).calls == Calls{"round", "clear", "resume"});
  CHECK(play({"c", "r"}).calls == Calls{"resume"});  // the run is over: nothing more is read
}
