// Files of all kinds, whole disks and folders that are gone: nothing of it ends or holds the application.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/core/trace/trace_file.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/settings.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

namespace fs = std::filesystem;

/// As a disk that is full after so many bytes of a file.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& folder) : before_(fs::current_path()) {
    fs::create_directory(folder);
    fs::current_path(folder);
  }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  const fs::path before_;
};

}  // namespace

TEST_CASE("files: a trace that does not fit on the disk is not saved", "[gui_state]") {
  Driven driven;
  driven.ring("count=4096");
  const std::string file = driven.home / "ring.rankscope";
  std::ofstream(file) << "older";
  {
    const FullDisk full(1024);
    CHECK_FALSE(driven.does("save " + quoted(file)));
  }
  CHECK(driven.text("ring.rankscope") == "older");
  REQUIRE(driven.does("save " + quoted(file)));
  CHECK(TraceReader::open(file).size() == driven.app.state().document->trace().size());
}

TEST_CASE("files: a recording that cannot be written ends, and says so", "[gui_state]") {
  Driven driven;
  CHECK_FALSE(driven.does("record /nowhere/x.lecture.toml"));
  CHECK_FALSE(driven.does("record " + quoted(driven.home / "x.rankscript")));
  CHECK_THAT(driven.message(), ContainsSubstring("x.lecture.toml"));
  CHECK_FALSE(driven.app.state().recording);
  const std::string file = driven.home / "lecture";  // the ending may be left out
  std::ofstream(file + ".lecture.toml") << "lecture = 1\n";
  REQUIRE(driven.does("record " + quoted(file)));
  REQUIRE(driven.does("record off"));
  CHECK(driven.text("lecture.lecture.toml") == "lecture = 1\n");  // nothing was recorded
  double now = 0;
  driven.app.group<LectureCommands>().clock = [&] { return now; };
  const auto record = [&] {
    REQUIRE(driven.does("record " + quoted(file)));
    driven.ring();
    driven.app.update(0);
    now += 1;
  };
  record();
  {
    const FullDisk full(20);
    CHECK(driven.does("values on"));  // it was done all the same
  }
  CHECK_FALSE(driven.app.state().recording);
  CHECK_THAT(driven.app.state().error, ContainsSubstring("recording ends here"));
  CHECK(driven.text("lecture.lecture.toml") == "lecture = 1\n");
  // In a script, it is a failure.
  record();
  const FullDisk full(20);
  CHECK(driven.script({"values off"}).size() == 1);
  CHECK(driven.app.script_failed());
}

TEST_CASE("files: the working folder may be deleted", "[gui_state]") {
  Driven driven;
  driven.ring();
  REQUIRE(driven.does("save " + quoted(driven.home / "ring.rankscope")));
  const WorkingFolder here(driven.home / "lecture");
  fs::copy_file(driven.home / "ring.rankscope", "ring.rankscope");
  CHECK(driven.script({"open ring.rankscope", "wait run"}).empty());
  fs::remove_all(driven.home / "lecture");
  REQUIRE(driven.does("workspace " + quoted(driven.home / "all.rankscript")));
  CHECK_THAT(driven.text("all.rankscript"),
             ContainsSubstring("/lecture/ring.rankscope"));  // as it was when it was opened
}

TEST_CASE("files: pipes and folders are no files, and nobody waits for them", "[gui_state]") {
  Driven driven;
  driven.ring();
  const std::string pipe = quoted(driven.home / "pipe");
  REQUIRE(::mkfifo((driven.home / "pipe").c_str(), 0600) == 0);
  for (const auto* command : {"save", "script", "export", "record", "workspace", "screenshot"}) {
    INFO(command);
    driven.does("save " + quoted(driven.home / "ring.rankscope"));
    CHECK_FALSE(driven.does(std::string(command) + " " + pipe));
    CHECK_THAT(driven.message(), ContainsSubstring("pipe"));
  }
  CHECK(driven.script({"open " + pipe, "wait run"}).size() == 1);
  CHECK(driven.script({"compare " + pipe, "wait run"}).size() == 1);
  fs::create_directory(driven.home / "folder");
  CHECK_FALSE(driven.does("script " + quoted(driven.home / "folder")));
  std::ofstream(driven.home / "long").seekp(64 << 20).put('x');
  CHECK_FALSE(driven.does("script " + quoted(driven.home / "long")));
}

TEST_CASE("files: what a script opens and exports later, it fails for", "[gui_state]") {
  Driven driven;
  auto errors = driven.script({"open /nowhere.rankscope", "wait run"});
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], ContainsSubstring("test:1"));
  driven.ring();
  errors = driven.script({"export /nowhere/at/all.svg spacetime", "wait run"});
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], ContainsSubstring("/nowhere/at/all.svg"));
  CHECK(errors[0].find("--") == std::string::npos);  // advice for those who type commands
  errors = driven.script({"lesson no-such-lesson", "wait run"});
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], ContainsSubstring("no-such-lesson"));
}

TEST_CASE("files: what was saved has a name from then on", "[gui_state]") {
  Driven driven;
  driven.ring();
  CHECK_FALSE(driven.does("workspace " + quoted(driven.home / "all.rankscript")));
  REQUIRE(driven.does("save " + quoted(driven.home / "ring.rankscope")));
  CHECK(driven.app.state().settings.recent.front() == driven.home / "ring.rankscope");
  REQUIRE(driven.does("workspace " + quoted(driven.home / "all.rankscript")));
  CHECK_THAT(driven.text("all.rankscript"), ContainsSubstring(driven.home / "ring.rankscope"));
  driven.ring("ranks=3");  // another run has no name
  CHECK_FALSE(driven.does("workspace " + quoted(driven.home / "all.rankscript")));
}

TEST_CASE("files: a workspace brings all of it back, however often", "[gui_state]") {
  Driven driven;
  driven.ring();
  const std::string file = quoted(driven.home / "ring.rankscope");
  REQUIRE(driven.does("save " + file));
  CHECK(driven
            .script({"open " + file, "wait run", "compare " + file, "wait run", "filter rank:2",
                     "view main spacetime", "view lower matrix", "theme light", "motion off",
                     "panel left off", "maximize lower", "seek 2", "bookmark half", "loop 1 4",
                     "seek 3", "workspace " + quoted(driven.home / "all.rankscript")})
            .empty());
  const auto text = driven.text("all.rankscript");
  Driven other;
  for (int times = 0; times < 2; ++times)
    CHECK(other.script({"script " + quoted(driven.home / "all.rankscript"), "wait run"}).empty());
  const auto& state = other.app.state();
  CHECK(other.value("bookmarks") == "1");
  CHECK(other.value("other") == "allreduce.ring");
  CHECK(other.value("filter") == "rank:2");
  CHECK(other.value("view.main") == "spacetime");
  CHECK(other.value("view.lower") == "matrix");
  CHECK(other.value("theme") == "light");
  CHECK_FALSE(state.settings.motion);
  CHECK_FALSE(state.settings.layout.left_open);
  CHECK(other.value("maximized") == "lower");
  CHECK(state.playback.loop == std::pair(1.0, 4.0));
  CHECK(other.value("moment") == "3.000");
}

TEST_CASE("files: of a session without a cache folder, the folder is named", "[gui_state]") {
  const OwnHome home;
  ::setenv("XDG_CACHE_HOME", "/proc", 1);
  App app(Driven::options());
  app.execute(parse_command("run allreduce.ring ranks=2"));
  REQUIRE(eventually([&] {
    app.update(0.005);
    return app.value_of("status") == "ok";
  }));
  CHECK_FALSE(app.execute(parse_command("save " + quoted(home / "ring.rankscope"))));
  CHECK_THAT(app.state().message, ContainsSubstring("/proc/rankscope/gui"));
}
