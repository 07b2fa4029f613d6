// The application without its window: commands that reach further than the state.
#include "gui/state/app/app.h"

#include <algorithm>
#include <fstream>

#include "gui/state/command/view_infos.h"
#include "gui/state/files/samples.h"
#include "gui/state/files/settings.h"
#include "tests/gui_state/driven.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

/// Where the last message verb of a trace was posted.
std::string last_site(const Document& document) {
  const auto& trace = document.trace();
  for (auto k = trace.size(); k-- > 0;) {
    const auto* site = trace.definition(Definition::Kind::site, trace[k].site);
    if (trace[k].kind == EventKind::posted && site != nullptr && site->line > 0)
      return std::string(short_file(site->file)) + ":" + std::to_string(site->line);
  }
  return {};
}

}  // namespace

TEST_CASE("app: undo takes a breakpoint from the run that is held", "[gui_state]") {
  Driven driven;
  const auto status = [&](const char* wanted) {
    return driven.until([&] { return driven.app.value_of("status") == wanted; });
  };
  REQUIRE(driven.does("run allreduce.ring ranks=3 count=12"));
  REQUIRE(status("ok"));
  const auto site = last_site(*driven.app.state().document);
  REQUIRE_FALSE(site.empty());
  INFO(site);
  const auto hit = [&] {
    return std::ranges::any_of(driven.app.state().live.places, &RankView::hit);
  };
  REQUIRE(driven.does("live"));
  REQUIRE(driven.does("break " + site));
  REQUIRE(driven.does("gate-resume"));
  REQUIRE(driven.until(hit));
  REQUIRE(driven.until([&] { return !driven.app.state().live.resumed; }));
  REQUIRE(driven.does("undo"));
  CHECK(driven.app.value_of("breakpoints") == "0");
  REQUIRE(driven.does("gate-resume"));
  CHECK(status("ok"));

  REQUIRE(driven.does("live"));
  REQUIRE(driven.does("break " + site));
  REQUIRE(driven.does("undo"));
  REQUIRE(driven.does("redo"));
  CHECK(driven.app.value_of("breakpoints") == "1");
  REQUIRE(driven.does("gate-resume"));
  CHECK(driven.until(hit));
}

TEST_CASE("app: every sample runs and is right", "[gui_state]") {
  Driven driven;
  for (const auto& sample : samples()) {
    INFO(sample.name);
    REQUIRE(driven.does("sample " + std::string(sample.name)));
    CHECK_FALSE(driven.app.state().show_welcome);
    const bool ends = sample.name != "deadlock";
    CHECK(
        driven.until([&] { return driven.app.value_of("status") == (ends ? "ok" : "deadlock"); }));
    CHECK(driven.app.value_of("algorithm") == parse_words(sample.job).front());
    CHECK(cmd::sample.summary.find(sample.name) != std::string_view::npos);
  }
  CHECK_FALSE(driven.does("sample none"));
  CHECK_THAT(driven.app.state().message, ContainsSubstring("doubling"));
}

TEST_CASE("app: the labels go round with their key", "[gui_state]") {
  Driven driven;
  std::vector<std::string> seen;
  for (int i = 0; i < 4; ++i) {
    REQUIRE(driven.does("labels"));
    seen.push_back(driven.app.state().settings.labels);
  }
  CHECK(seen == std::vector<std::string>{"bytes", "none", "all", "chunks"});
}

TEST_CASE("app: layouts have names, are saved, brought back and undone", "[gui_state]") {
  Driven driven;
  const auto value = [&](const char* key) { return driven.app.value_of(key); };
  CHECK(value("layouts") == "stage standard lecture debug code");
  REQUIRE(driven.does("layout lecture"));
  CHECK(value("panels") == "lower ");
  REQUIRE(driven.does("view main matrix"));
  REQUIRE(driven.does("layout save \"my own\""));
  REQUIRE(driven.does("layout code"));
  CHECK(value("view.main") == "code");
  CHECK(value("panels") == "left right lower ");
  REQUIRE(driven.does("undo"));
  CHECK(value("view.main") == "matrix");
  REQUIRE(driven.does("layout standard"));
  REQUIRE(driven.does("layout \"my own\""));
  CHECK(value("view.main") == "matrix");
  CHECK(value("panels") == "lower ");
  REQUIRE(driven.does("layout save code"));  // the user's hides the one that everybody has
  CHECK(value("layouts") == "my own code stage standard lecture debug");
  REQUIRE(driven.does("layout remove code"));
  REQUIRE(driven.does("layout code"));
  CHECK(value("view.main") == "code");
  for (const auto* wrong : {"layout save", "layout remove code", "layout save save", "layout a b"})
    CHECK_FALSE(driven.does(wrong));
  CHECK_FALSE(driven.does("layout lectur"));
  CHECK_THAT(driven.app.state().message, ContainsSubstring("lecture"));
  for (const auto& layout : built_in_layouts())
    for (const auto& view : layout.layout.view) CHECK(is_view(view));
}
