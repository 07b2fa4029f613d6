// Videos: what the encoder is handed, what becomes of an encoder that fails or is stopped, and what ffmpeg makes.
#include "engine/diagrams/paint/video.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/diagrams/export/export_trace.h"
#include "tests/support/catch.h"
#include "tests/support/job_traces.h"
#include "tests/support/process.h"

#ifdef RANKSCOPE_TEST_CAIRO
namespace rankscope::test {
namespace {

/// PATH has one program, `ffmpeg`: this script.
class OnlyEncoder {
 public:
  explicit OnlyEncoder(const std::string& script) {
    if (!script.empty()) {
      std::ofstream(folder_ / "ffmpeg") << "#!/bin/sh\n" << script << '\n';
      std::filesystem::permissions(folder_ / "ffmpeg", std::filesystem::perms::owner_all);
    }
    ::setenv("PATH", folder_.path().c_str(), 1);
  }
  ~OnlyEncoder() { ::setenv("PATH", path_.c_str(), 1); }
  OnlyEncoder(const OnlyEncoder&) = delete;
  OnlyEncoder& operator=(const OnlyEncoder&) = delete;
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  const std::string path_ = std::getenv("PATH");
  TemporaryFolder folder_;
};

/// Its last word is the file.
constexpr auto kCopies = "for last; do :; done\nexec /bin/cat > \"${last#file:}\"";

TraceExport stage_video(const std::string& output) {
  TraceExport what;
  what.kind = find_diagram("stage");
  what.output = output;
  what.format = format_of_file(output);
  what.dpi = 48;
  what.fps = 5;
  return what;
}

const TraceAnalysis& ring_of_three() {
  static const TraceAnalysis kTrace(trace_of_algorithm("allreduce.ring", 3));
  return kTrace;
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_empty(const TemporaryFolder& folder) { return std::filesystem::is_empty(folder.path()); }

}  // namespace

TEST_CASE("video: the encoder gets every frame as often as it lasts, in even sizes", "[diagrams]") {
  const TemporaryFolder folder;
  const OnlyEncoder encoder(kCopies);
  const std::string file = folder / "a.mp4";
  VideoWriter writer({"mp4", file, file, 30});
  const std::uint32_t a = 0xFF000001, b = 0xFF000002, c = 0xFF000003;
  writer.add({3, 1, {a, b, c}}, 2);
  writer.add({3, 1, {c, b, a}}, 1);
  CHECK_THROWS_AS(writer.add({2, 1, {a, b}}, 1), std::invalid_argument);
  writer.finish();
  const std::string bytes = contents(file);
  const std::vector<std::uint32_t> first = {a, b, c, c, a, b, c, c},
                                   last = {c, b, a, a, c, b, a, a};
  std::vector<std::uint32_t> all = first;
  all.insert(all.end(), first.begin(), first.end());
  all.insert(all.end(), last.begin(), last.end());
  REQUIRE(bytes.size() == all.size() * 4);
  CHECK(std::equal(all.begin(), all.end(), reinterpret_cast<const std::uint32_t*>(bytes.data())));
  CHECK_THROWS_AS(VideoWriter({"mp4", file, file, 30}).finish(), UserError);
}

TEST_CASE("video: an export lasts as long as its steps", "[diagrams]") {
  const TemporaryFolder folder;
  const OnlyEncoder encoder(kCopies);
  TraceExport what = stage_video(folder / "a.webm");
  const auto result = export_trace(ring_of_three(), what);
  REQUIRE(result.files.size() == 1);
  CHECK(result.files[0].bytes == std::filesystem::file_size(what.output));
  const auto even = [](double units) { return 2 * std::ceil(std::ceil(units / 2) / 2); };
  const double frame = even(result.width) * even(result.height) * 4;
  // 4 steps of 7 frames (0.9 s, and 1.6 times as long on the stage), the first of which rests for 4; the end for 10.
  CHECK(static_cast<double>(result.files[0].bytes) / frame == 4 * (4 + 6) + 10);
  what.fps = 0;  // the steps alone, at ten a second: 0.7 s each, the last one 2 s
  const auto steps = export_trace(ring_of_three(), what);
  CHECK(static_cast<double>(steps.files[0].bytes) / frame == 4 * 7 + 20);
}

TEST_CASE("video: an encoder that fails, is missing or is stopped leaves nothing", "[diagrams]") {
  const TemporaryFolder folder;
  const TraceExport what = stage_video(folder / "a.mp4");
  {
    const OnlyEncoder none("");
    CHECK_THROWS_WITH(export_trace(ring_of_three(), what),
                      ContainsSubstring("package ffmpeg") && ContainsSubstring("choose .gif"));
  }
  {
    const OnlyEncoder fails("echo loud >&2; echo \"Unknown encoder 'libx264'\" >&2; exit 1");
    CHECK_THROWS_WITH(export_trace(ring_of_three(), what),
                      ContainsSubstring(": Unknown encoder 'libx264'. Choose .gif"));
    CHECK(is_empty(folder));
  }
  {
    const OnlyEncoder dies_at_the_end("/bin/cat > /dev/null; exit 3");
    CHECK_THROWS_WITH(export_trace(ring_of_three(), what), ContainsSubstring("it ended with 3"));
    CHECK(is_empty(folder));
  }
  // It takes nothing: whoever stops the export is heard all the same.
  const OnlyEncoder stands_still(
      "at=${0%ffmpeg}; echo $$ > \"$at.pid\"; /bin/mv \"$at.pid\" \"${at}pid\"; exec /bin/sleep "
      "1000");
  bool begun = false;
  const ExportWatch watch{{}, [&] {
                            begun = begun || std::filesystem::exists(stands_still / "pid");
                            return begun;
                          }};
  CHECK(export_trace(ring_of_three(), what, watch).stopped);
  CHECK(begun);
  CHECK(is_empty(folder));
  std::ifstream in(stands_still / "pid");
  pid_t pid = 0;
  REQUIRE(in >> pid);
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("video: ffmpeg makes files that are what their ending says", "[diagrams]") {
  if (run_process({"sh", "-c", "command -v ffmpeg"}).exit_code != 0) {
    std::printf("test skipped: no ffmpeg (apt install ffmpeg)\n");  // CTest looks for this
    return;
  }
  const TemporaryFolder folder;
  for (const char* name : {"a.mp4", "a b:c.webm"}) {
    INFO(name);
    const TraceExport what = stage_video(folder / name);
    const auto result = export_trace(ring_of_three(), what);
    CHECK(result.frames > 10);
    const std::string bytes = contents(what.output);
    CHECK(bytes.size() == result.files[0].bytes);
    const bool mp4 = bytes.substr(4, 4) == "ftyp", webm = bytes.starts_with("\x1A\x45\xDF\xA3");
    CHECK((what.format->name == "mp4" ? mp4 : webm));
    // Decoded again: as many frames as went in.
    const auto decoded = run_process(
        {"ffmpeg", "-loglevel", "error", "-i", "file:" + what.output, "-f", "framecrc", "-"});
    CHECK(decoded.err.empty());
    CHECK(std::count(decoded.out.begin(), decoded.out.end(), '\n') >= 4 * (4 + 6) + 10);
  }
}
}  // namespace rankscope::test
#endif
