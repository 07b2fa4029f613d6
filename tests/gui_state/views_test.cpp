// What commands about single views do: zoom, clocks of a comparison, pictures to copy, values.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/core/base/error.h"
#include "gui/state/command/view_infos.h"
#include "gui/state/files/files.h"
#include "gui/state/search/buffer_values.h"
#include "tests/gui_state/driven.h"
#include "tests/support/job_traces.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;
namespace fs = std::filesystem;

namespace {

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { ::setenv(name_.c_str(), before_.c_str(), 1); }

 private:
  std::string name_, before_;
};

struct Shown : Driven {
  Shown() {
    app.mutable_state().document = Document::make(trace_of_job("allreduce.ring", 4, 16), "");
  }
  const ZoomOrder& zoom() const { return app.state().zoom; }
};

}  // namespace

TEST_CASE("views: what changed places with the score gives it back", "[gui_state]") {
  Shown shown;
  const auto& layout = shown.app.state().settings.layout;
  REQUIRE(shown.does("layout stage"));
  REQUIRE(layout.at(Slot::lower) == "spacetime");
  CHECK(shown.does("view main spacetime"));
  CHECK(layout.at(Slot::lower) == "stage");
  CHECK(shown.does("view main buffers"));
  CHECK(layout.at(Slot::lower) == "spacetime");
  // What somebody has put there stays.
  CHECK(shown.does("view main spacetime"));
  CHECK(shown.does("view lower matrix"));
  CHECK(shown.does("view main stage"));
  CHECK(layout.at(Slot::lower) == "matrix");
}

TEST_CASE("views: the table", "[gui_state]") {
  Shown shown;
  std::set<std::string_view> names, titles;
  for (const auto& view : kViews) {
    INFO(view.name);
    CHECK(names.insert(view.name).second);
    CHECK(titles.insert(view.title).second);
    CHECK_FALSE(view.summary.empty());
    CHECK(shown.does("view main " + std::string(view.name)));
    CHECK(shown.app.state().settings.layout.shows(view.name));
  }
  CHECK_FALSE(shown.does("view main nothing"));
  CHECK_THAT(shown.app.state().message, ContainsSubstring("spacetime, buffers, matrix"));
}

TEST_CASE("views: zoom names a part of the time", "[gui_state]") {
  using What = ZoomOrder::What;
  Shown shown;
  CHECK_FALSE(shown.does("zoom selection"));
  REQUIRE(shown.does("seek 4"));
  REQUIRE(shown.does("zoom phase"));
  CHECK(shown.zoom().what == What::span);
  CHECK(shown.zoom().begin < 3);
  CHECK(shown.zoom().begin > 2);
  CHECK(shown.zoom().end == 6);
  const auto number = shown.zoom().number;
  REQUIRE(shown.does("zoom fit"));
  CHECK(shown.zoom().what == What::fit);
  CHECK(shown.zoom().number == number + 1);
  REQUIRE(shown.does("select message 0"));
  REQUIRE(shown.does("zoom selection"));
  const auto& document = *shown.app.state().document;
  CHECK(shown.zoom().begin <= document.leaves(ClockBase::rounds, 0));
  CHECK(shown.zoom().end >= document.arrives(ClockBase::rounds, 0));
  CHECK(shown.zoom().end < 6);
  REQUIRE(shown.does("zoom 1.5 99"));
  CHECK(shown.zoom().begin == 1.5);
  CHECK(shown.zoom().end == 6);
  for (const auto* wrong : {"zoom 4 2", "zoom 7 9", "zoom sideways", "zoom a b"}) {
    INFO(wrong);
    CHECK_FALSE(shown.does(wrong));
  }
}

TEST_CASE("views: a filter is understood, or refused and left as it was", "[gui_state]") {
  Shown shown;
  REQUIRE(shown.does("filter rank:2 phase:allgather"));
  CHECK(shown.app.state().event_filter == "rank:2 phase:allgather");
  CHECK_FALSE(shown.does("filter rank:9"));
  CHECK(shown.app.state().message_is_error);
  CHECK(shown.app.state().event_filter == "rank:2 phase:allgather");
  REQUIRE(shown.does("filter off"));
  CHECK(shown.app.state().message.empty());  // the complaint is of the past
  CHECK(shown.app.state().event_filter.empty());
  const auto& views = shown.app.state().settings.layout.view;
  CHECK(std::ranges::find(views, "events") != views.end());
  REQUIRE(shown.does("layout stage"));
  REQUIRE(shown.does("filter rank:1"));  // what it finds is seen, though the lower row was closed
  const Layout& layout = shown.app.state().settings.layout;
  CHECK(layout.shows("events"));
  CHECK((layout.lower_open || layout.at(Slot::lower) != "events"));
}

TEST_CASE("views: two runs have one clock or two", "[gui_state]") {
  Shown shown;
  REQUIRE(shown.does("compare-clock separate"));
  CHECK(shown.app.state().separate_clocks);
  REQUIRE(shown.does("compare-clock"));
  CHECK_FALSE(shown.app.state().separate_clocks);
  CHECK_FALSE(shown.does("compare-clock both"));
}

TEST_CASE("views: a picture goes to the system's tool for the clipboard", "[gui_state]") {
  const OwnHome home;
  const std::string tools = home / "tools";
  fs::create_directories(tools);
  for (const auto* tool : {"xclip", "wl-copy"}) {
    const std::string file = tools + "/" + tool;
    std::ofstream(file)
        << "#!/bin/sh\ncat >\"$TOOLS/picture\"\necho \"$(basename \"$0\") $*\" >\"$TOOLS/words\"\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  const Variable path("PATH", tools + ":/usr/bin:/bin"), where("TOOLS", tools);
  const std::string png("\x89PNG\0\r\n picture", 15);
  {
    const Variable screen("WAYLAND_DISPLAY", "");
    const auto copied = copy_picture(png);
    CHECK(copied.ok);
    CHECK(copied.text.empty());
    CHECK(contents(tools + "/picture") == png);
    CHECK(contents(tools + "/words") == "xclip -selection clipboard -t image/png\n");
  }
  const Variable screen("WAYLAND_DISPLAY", "wayland-0");
  CHECK(copy_picture(png).ok);
  CHECK(contents(tools + "/words") == "wl-copy --type image/png\n");
}

TEST_CASE("views: without a tool the picture is a file, and the package is named", "[gui_state]") {
  const OwnHome own;
  const std::string home = own / "home";
  fs::create_directories(home + "/Pictures");
  fs::create_directories(home + "/Bilder");
  const Variable path("PATH", home), place("HOME", home), screen("WAYLAND_DISPLAY", "");
  const auto copied = copy_picture("a picture");
  CHECK(copied.ok);
  CHECK_THAT(copied.message, ContainsSubstring("apt install xclip"));
  CHECK_THAT(copied.text, ContainsSubstring(home + "/Pictures/rankscope-"));
  CHECK(contents(copied.text) == "a picture");
  fs::create_directories(own / "config");
  std::ofstream(own / "config/user-dirs.dirs") << "# xdg\nXDG_PICTURES_DIR=\"$HOME/Bilder\"\n";
  CHECK(pictures_folder() == home + "/Bilder");
}

TEST_CASE("views: values are those of each rank's own moment", "[gui_state]") {
  const Trace trace = trace_of_job("allreduce.ring", 4, 16);
  const auto document = Document::make(trace, "");
  const double end = document->end(ClockBase::rounds);
  const auto values = buffer_values(*document, document->cursors(ClockBase::rounds, end));
  REQUIRE(std::ranges::find(values.names, "data") != values.names.end());
  std::vector<std::string> sums;
  for (const auto& row : values.rows) {
    if (row.buffer.name != "data") continue;
    CHECK(row.figures.known == 16);
    CHECK(row.figures.not_finite == 0);
    sums.push_back(row.text(5));
    CHECK(row.text(99) == "·");
  }
  CHECK(sums.size() == 4);
  CHECK(std::ranges::count(sums, sums.front()) == 4);  // all have the same at the end
  const auto before = buffer_values(*document, document->cursors(ClockBase::rounds, 0));
  CHECK(before.rows.front().text(5) != sums.front());
}

TEST_CASE("views: a trace without values says why", "[gui_state]") {
  JobSpec spec;
  spec.call.algorithm = "allreduce.ring";
  spec.world.size = 4;
  spec.call.shape = {16};
  spec.recording.trace = TraceLevel::light;
  CHECK_THAT(why_no_values(trace_of_job(spec)), ContainsSubstring("run trace=full"));
  CHECK(why_no_values(trace_of_job("allreduce.ring", 4, 16)).empty());
  spec.call.algorithm = "barrier.dissemination";
  spec.recording.trace = TraceLevel::full;
  CHECK_THAT(why_no_values(trace_of_job(spec)), ContainsSubstring("No rank has named a buffer"));
}
