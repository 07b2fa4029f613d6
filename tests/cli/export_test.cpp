// `rankscope export` to pictures, end to end.
#include <filesystem>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/trace/diagrams.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/export/animation.h"
#include "tests/cli/files.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/network_traces.h"
#include "tests/support/process.h"
#include "tests/support/runs.h"

using namespace rankscope;
using nlohmann::json;
using test::check_refused;
using test::files_in;
using test::has;
using test::read;
using test::run_rankscope;
using test::write_ring;

TEST_CASE("cli: export draws, in the format of the file's ending") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file, 3);
  struct {
    const char* name;
    const char* begin;
  } const kinds[] = {{"a.svg", "<?xml"},  {"a.pdf", "%PDF"},       {"a.png", "\x89PNG"},
                     {"a.gif", "GIF89a"}, {"a.html", "<!DOCTYPE"}, {"a.HTML", "<!DOCTYPE"}};
  for (const auto& kind : kinds) {
    const auto run = run_rankscope({"export", file, "-o", folder / kind.name, "--json"});
    INFO(kind.name << ": " << run.err);
    REQUIRE(run.exit_code == cli::kOk);
    CHECK(read(folder / kind.name).starts_with(kind.begin));
    const auto facts = parse_json(run.out);
    CHECK(facts["bytes"] == std::filesystem::file_size(folder / kind.name));
    CHECK(facts["diagram"] == "spacetime");
  }
  CHECK(run_rankscope({"export", file, "--format", "svg"}).exit_code == cli::kOk);
  CHECK(has(read(folder / "ring.svg"), "allreduce.ring, 3 ranks"));
  const auto out =
      run_rankscope({"export", file, "--format", "svg", "-o", "-", "--title", "Mine & yours"});
  CHECK(out.out.starts_with("<?xml"));
  CHECK(has(out.out, "Mine &amp; yours"));
}

struct Mistake {
  std::vector<std::string> arguments;
  const char* says;
};

// Of a run with four steps on three ranks, and of an empty one.
std::vector<Mistake> export_mistakes(const test::TemporaryFolder& folder, const std::string& file,
                                     const std::string& empty) {
  return {
      {{file, "-o", folder / "x.tiff", "--diagram", "spacetime"}, "--format"},
      {{file, "--format", "sgv"}, "did you mean 'svg'"},
      {{file, "-o", folder / "x.svg", "--format", "chrome"}, "ends as svg does"},
      {{file, "-o", folder / "x.svg", "--diagram", "spacetim"}, "did you mean 'spacetime'"},
      {{file, "-o", folder / "no/x.svg"}, "cannot write"},
      {{file, "-o", folder / "x.svg", "--steps", "3:9"}, "from 1 to 4"},
      {{file, "-o", folder / "x.svg", "--steps", ":"}, "1:4"},
      {{file, "-o", folder / "x.svg", "--steps", "-1:2"}, "from 1 to 4"},
      {{file, "-o", folder / "x.svg", "--diagram", "strip", "--steps", "5:"}, "from 1 to 4"},
      {{file, "-o", folder / "x.svg", "--diagram", "grid", "--round", "5"}, "from 0 to 4"},
      {{file, "-o", folder / "x.svg", "--diagram", "graph", "--round", "-1"}, "from 0 to 4"},
      {{file, "-o", folder / "x.gif", "--diagram", "graph", "--round", "1"}, "--steps A:B"},
      {{file, "-o", folder / "x.svg", "--steps", "3:2"}, "ends before it starts"},
      {{file, "-o", folder / "x.svg", "--ranks", "0,7"}, "from 0 to 2"},
      {{file, "-o", folder / "x.svg", "--ranks", "1,0-2"}, "twice"},
      {{file, "-o", folder / "x.png", "--dpi", "99999"}, "24 to 2400"},
      {{file, "-o", folder / "x.png", "--dpi", "2400", "--size", "4000x4000"}, "lower --dpi"},
      {{file, "-o", folder / "x.svg", "--dpi", "96"}, "--dpi is for"},
      {{file, "-o", folder / "x.png", "--fps", "5"}, "--fps is for"},
      {{file, "-o", folder / "x.svg", "--theme", "drak"}, "did you mean 'dark'"},
      {{file, "-o", folder / "x.svg", "--labels", "some"}, "none of all"},
      {{file, "-o", folder / "x.svg", "--size", "big"}, "slide"},
      {{file, "-o", folder / "x.csv", "--title", "x"}, "for diagrams"},
      {{file, "-o", folder / "x.svg", "--round", "2"}, "it is for stage, grid, graph"},
      {{file, "-o", folder / "x.svg", "--diagram", "matrix", "--ranks", "0"},
       "it is for spacetime, grid, strip"},
      {{file, "-o", folder / "x.svg", "--diagram", "grid", "--labels", "all"},
       "it is for spacetime, compare"},
      {{file, "-o", folder / "x.svg", "--diagram", "grid", "--portrait"},
       "it is for spacetime, compare"},
      {{file, "-o", folder / "x.svg", "--diagram", "strip", "--critical-path"},
       "it is for spacetime"},
      {{file, "-o", folder / "x.svg", "--diagram", "matrix", "--steps", "1"},
       "it is for spacetime, stage, grid, strip, graph"},
      {{file, "-o", folder / "x.jpg"}, ".json, .jsonl or .csv"},
      {{file, "-o", folder / "x"}, ".json, .jsonl or .csv"},
      {{file, "-o", folder / "x.csv", "--dpi", "96"}, "for diagrams"},
      {{file, "-o", "-", "--format", "png"}, "standard output"},
      {{empty, "-o", folder / "x.svg"}, "empty"},
      {{empty, "-o", folder / "x.svg", "--steps", "1"}, "no steps"},
      {{empty, "-o", folder / "x.html"}, "empty"},
  };
}

TEST_CASE("cli: export says what is wrong, and writes nothing") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope", empty = folder / "empty.rankscope";
  write_ring(file, 3);
  write_ring(empty, 0);
  for (const auto& mistake : export_mistakes(folder, file, empty)) {
    auto arguments = mistake.arguments;
    arguments.insert(arguments.begin(), "export");
    const auto run = run_rankscope(arguments);
    INFO(mistake.says << " in: " << run.err);
    check_refused(run, mistake.says);
    CHECK(files_in(folder.path()) == 2);
  }
}

TEST_CASE("cli: a video without ffmpeg names the package and what needs none") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file, 3);
  for (const char* video : {"a.mp4", "a.webm"}) {
    const auto run = run_rankscope({"export", file, "--diagram", "stage", "-o", folder / video},
                                   {.environment = {{"PATH", folder.path()}}});
    check_refused(run, "package ffmpeg", "choose .gif");
    CHECK(files_in(folder.path()) == 1);
  }
}

TEST_CASE("cli: an export's option without a value is not one that was left out") {
  const test::TemporaryFolder folder;
  const auto file = folder / "ring.rankscope";
  write_ring(file);
  for (const std::string option : {"diagram", "format", "title", "ranks", "steps", "labels", "time",
                                   "round", "with", "theme", "size", "dpi", "fps", "output"}) {
    std::vector<std::string> arguments{"export", file, "--" + option, ""};
    if (option != "output") arguments.insert(arguments.end(), {"-o", folder / "x.svg"});
    const auto run = run_rankscope(arguments);
    INFO(option << ": " << run.err);
    check_refused(run, "--" + option, "empty");
    CHECK(files_in(folder.path()) == 1);
  }
}

TEST_CASE("cli: a picture and an animation of each diagram compute each part of the trace once") {
  using namespace cli;
  using Part = TraceAnalysis::Part;
  for (const DiagramKind& kind : diagrams()) {
    INFO(kind.name);
    const Trace recorded = test::trace_on(test::square_network());
    TraceMeta meta = recorded.meta();
    meta.outcome.emplace().status = JobResult::Status::ok;
    const TraceAnalysis run(TraceBuilder::with_meta(recorded, meta));
    DiagramRequest request;
    request.other = &run;
    (void)kind.draw(run, request);
    // Of a run that ended well only the stage asks why it stands still.
    CHECK(run.computed(Part::findings) <= (kind.name == "stage" ? 1 : 0));
    const Flipbook book = animation(kind, run, request, true);
    if (kind.name == "spacetime") CHECK(book.panels.size() == 2);  // with the buffers
    for (const Part part :
         {Part::rounds, Part::cuts, Part::pieces, Part::contributions, Part::statistics})
      CHECK(run.computed(part) <= 1);
    CHECK(run.computed(Part::findings) <= 1);  // an animation's last sentence says how it ended
  }
}

TEST_CASE("cli: lists of ranks and ranges of steps") {
  CHECK(cli::parse_ranks("3,0-2", 4) == std::vector<Rank>{3, 0, 1, 2});
  CHECK_THROWS_AS(cli::parse_ranks("", 4), UserError);
  CHECK_THROWS_AS(cli::parse_ranks("1,", 4), UserError);
  CHECK_THROWS_AS(cli::parse_ranks("-1", 4), UserError);
  CHECK(cli::parse_steps("2:5", 5) == std::pair(2, 5));
  CHECK(cli::parse_steps("2:", 5) == std::pair(2, 0));
  CHECK(cli::parse_steps(":5", 5) == std::pair(1, 5));
  CHECK(cli::parse_steps("4", 5) == std::pair(4, 4));
  CHECK_THROWS_AS(cli::parse_steps("0:2", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps("a", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps("", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps(":", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps("2:6", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps("4:2", 5), UserError);
  CHECK_THROWS_AS(cli::parse_steps("1", 0), UserError);
}
