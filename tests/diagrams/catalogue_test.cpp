// Every diagram of the catalogue: that it can be drawn, found and written.
#include "engine/diagrams/catalogue.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "engine/core/base/error.h"
#include "engine/diagrams/export/export_trace.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/network_traces.h"
#include "tests/support/process.h"

using namespace rankscope;
namespace fs = std::filesystem;

namespace {

// An all-to-all with a network: what every diagram can show.
const TraceAnalysis& small_trace() {
  static const TraceAnalysis kTrace(test::trace_on(test::square_network()));
  return kTrace;
}

DiagramRequest request() {
  DiagramRequest request;
  request.other = &small_trace();
  return request;
}

std::size_t files_in(const test::TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

std::string beginning(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(8, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

TEST_CASE("catalogue: every diagram is drawn, as a picture, for rounds and in a lesson",
          "[diagrams]") {
  for (const DiagramKind& kind : diagrams()) {
    INFO(kind.name);
    CHECK_FALSE(kind.summary.empty());
    const Scene scene = kind.draw(small_trace(), request());
    CHECK_FALSE(scene.marks.empty());
    CHECK(scene.width > 0);
    if (kind.motion == DiagramKind::Motion::clock) CHECK(scene.clock_end > 0);
    REQUIRE((kind.motion == DiagramKind::Motion::rounds) == (kind.draw_rounds != nullptr));
    if (kind.draw_rounds != nullptr)
      CHECK(kind.draw_rounds(small_trace(), request(), 0, 2).size() == 3);
    REQUIRE((kind.motion == DiagramKind::Motion::between) == (kind.draw_between != nullptr));
    if (kind.draw_between != nullptr)
      CHECK(kind.draw_between(small_trace(), request(), 0, 2, 4).size() == 9);
    if (kind.figure == nullptr) continue;
    CHECK_FALSE(kind.figure(small_trace(), {}).marks.empty());
    DiagramRequest column;
    column.heading = false;
    column.width = 560;
    CHECK_FALSE(kind.figure(small_trace(), column).marks.empty());
  }
}

TEST_CASE("catalogue: a name means one diagram", "[diagrams]") {
  std::set<std::string_view> names;
  for (const DiagramKind& kind : diagrams()) {
    std::vector<std::string_view> own = words_in(kind.aliases);
    own.push_back(kind.name);
    if (!kind.view.empty() && kind.view != kind.name) own.push_back(kind.view);
    for (const std::string_view name : own) {
      INFO(name);
      CHECK(names.insert(name).second);
      CHECK(find_diagram(name) == &kind);
    }
  }
  CHECK(find_diagram("player") == find_diagram("spacetime"));
  CHECK(find_diagram("buffers") == find_diagram("grid"));
  for (const auto* wrong : {"", "nothing", "play", "spacetime player", "lesson"})
    CHECK(find_diagram(wrong) == nullptr);
}

TEST_CASE("catalogue: the options of diagrams are known", "[diagrams]") {
  const std::set<std::string_view> known{"title",  "ranks",         "steps", "labels",
                                         "time",   "portrait",      "round", "critical-path",
                                         "values", "contributions", "size",  "with"};
  for (const DiagramKind& kind : diagrams()) {
    INFO(kind.name);
    for (const auto option : words_in(kind.options)) CHECK(known.contains(option));
    for (const auto option : words_in(kind.follows)) CHECK(kind.takes(option));
    CHECK(kind.takes("title"));
    CHECK_FALSE(kind.takes("tit"));
    CHECK_FALSE(kind.takes(""));
  }
}

TEST_CASE("export: every diagram in every format", "[diagrams]") {
  const test::TemporaryFolder folder;
  for (const FileFormat& format : file_formats())
    for (const DiagramKind& kind : diagrams()) {
      INFO(kind.name << " as " << format.name);
      TraceExport what;
      what.format = &format;
      what.kind = &kind;
      what.request = request();
      what.output = folder / (std::string(kind.name) + std::string(format.ending));
      CHECK(format_of_file(what.output) == &format);
#ifndef RANKSCOPE_TEST_CAIRO
      if (format.binary) continue;
#endif
      if (format.video) continue;  // video_test.cpp
      if (format.name == "gif" && kind.motion == DiagramKind::Motion::none) {
        CHECK_THROWS_AS(export_trace(small_trace(), what), UserError);
        CHECK_FALSE(fs::exists(what.output));
        continue;
      }
      const ExportResult result = export_trace(small_trace(), what);
      REQUIRE(result.files.size() == 1);
      CHECK(result.files[0].bytes == fs::file_size(what.output));
      CHECK(result.files[0].bytes > 100);
      if (format.name == "svg") CHECK(beginning(what.output).starts_with("<?xml"));
      if (format.name == "pdf") CHECK(beginning(what.output).starts_with("%PDF"));
      if (format.name == "png") CHECK(beginning(what.output).starts_with("\x89PNG"));
      if (format.name == "gif") CHECK(beginning(what.output).starts_with("GIF89a"));
      if (format.name == "html") CHECK(beginning(what.output).starts_with("<!DOCT"));
    }
}

TEST_CASE("export: one that is stopped leaves nothing, and replaces nothing", "[diagrams]") {
  const test::TemporaryFolder folder;
  const std::string kept = folder / "kept.csv";
  std::ofstream(kept) << "mine\n";
  TraceExport what;
  what.kind = find_diagram("spacetime");
  const ExportWatch at_once{{}, [] { return true; }};
  for (const FileFormat& format : file_formats()) {
    INFO(format.name);
    what.format = &format;
    what.output = format.name == "csv" ? kept : folder / ("a" + std::string(format.ending));
    CHECK(export_trace(small_trace(), what, at_once).stopped);
    CHECK(files_in(folder) == 1);
  }
  CHECK(beginning(kept).starts_with("mine"));

  // While the data is written: a look each 64 KiB.
  const TraceAnalysis large(test::trace_of_algorithm("alltoall.pairwise", 16));
  what.format = find_format("jsonl");
  what.output = kept;
  int looks = 0;
  CHECK(export_trace(large, what, {{}, [&] { return ++looks > 2; }}).stopped);
  CHECK(beginning(kept).starts_with("mine"));
  CHECK(files_in(folder) == 1);

#ifdef RANKSCOPE_TEST_CAIRO
  for (const bool sequence : {false, true}) {  // in the middle of the frames
    what.format = find_format(sequence ? "png" : "gif");
    what.sequence = sequence;
    what.output = folder / (sequence ? "a.png" : "a.gif");
    std::size_t frames = 0;
    const ExportWatch watch{[&](std::size_t done, std::size_t) { frames = done; },
                            [&] { return frames == 2; }};
    CHECK(export_trace(small_trace(), what, watch).stopped);
    CHECK(frames == 2);
    CHECK(files_in(folder) == 1);
  }
#endif
}

TEST_CASE("export: a trace is not replaced by its picture", "[diagrams]") {
  const test::TemporaryFolder folder;
  const std::string trace = folder / "trace.svg";
  std::ofstream(trace) << "a trace\n";
  TraceExport what;
  what.kind = find_diagram("matrix");
  what.format = find_format("svg");
  what.output = trace;
  what.sources = {"", trace};
  CHECK_THROWS_AS(export_trace(small_trace(), what), UserError);
  CHECK(beginning(trace).starts_with("a trace"));
  what.output = folder / "no/such/folder.svg";
  what.how = " by a click";
  CHECK_THROWS_WITH(export_trace(small_trace(), what),
                    Catch::Matchers::EndsWith("Choose another place by a click."));
}

TEST_CASE("export: the ending of a file says its format", "[diagrams]") {
  CHECK(format_of_file("a.SVG") == find_format("svg"));
  CHECK(format_of_file("a.b.htm") == find_format("html"));
  CHECK(format_of_file("a.json") == find_format("chrome"));
  for (const auto* none : {"", "svg", "a", "a.", ".svg", "a.tiff"})
    CHECK(format_of_file(none) == nullptr);
  CHECK(endings(true) == ".svg, .pdf, .png, .gif, .mp4, .webm or .html");
  CHECK(endings(false) == ".json, .jsonl or .csv");
}
