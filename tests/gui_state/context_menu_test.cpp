// What a right click offers, and what boxes for files list.
#include "gui/state/model/context_menu.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "gui/state/files/file_choice.h"
#include "tests/gui_state/driven.h"
#include "tests/support/catch.h"

using namespace rankscope;
using namespace rankscope::gui;
using namespace rankscope::test;

namespace {

using ThingKind = ContextThing::Kind;

std::set<std::string> labels_of(const Driven& driven, const ContextThing& thing) {
  std::set<std::string> all;
  for (const auto& entry : context_menu(driven.app.state(), thing)) all.insert(entry.label);
  return all;
}

const ContextEntry& entry_of(const std::vector<ContextEntry>& all, const std::string& label) {
  const auto found = std::ranges::find(all, label, &ContextEntry::label);
  INFO(label);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("context menu: every entry is a command that exists, and has what it needs",
          "[gui_state]") {
  Driven driven;
  driven.ring();
  for (const ThingKind kind : {ThingKind::rank, ThingKind::message, ThingKind::chunk,
                               ThingKind::event, ThingKind::picture}) {
    const ContextThing thing{kind, 1, Slot::main, ""};
    const auto entries = context_menu(driven.app.state(), thing);
    CHECK(entries.size() >= 3);
    for (const ContextEntry& entry : entries)
      for (const Command& command : entry.commands) {
        INFO(entry.label << ": " << command.text());
        const auto* info = find_command_info(command.name);
        REQUIRE(info != nullptr);
        if (command.words.empty() && info->box.title != nullptr) continue;  // it opens its box
        CHECK(command_problem(command).empty());
        if (command.name != "rerun" && command.name != "delay") CHECK(driven.app.execute(command));
      }
  }
}

TEST_CASE("context menu: what it offers follows from the thing", "[gui_state]") {
  Driven driven;
  CHECK(context_menu(driven.app.state(), {ThingKind::rank, 0}).empty());
  driven.ring();
  const auto& state = driven.app.state();
  CHECK(context_menu(state, {ThingKind::message, 99'999}).empty());
  CHECK(context_menu(state, {ThingKind::rank, 4}).empty());
  CHECK(context_menu(state, {ThingKind::problem, 0}).empty());
  CHECK(labels_of(driven, {ThingKind::rank, 2}).contains("Select rank 2"));
  CHECK_FALSE(
      labels_of(driven, {ThingKind::rank, 2}).contains("Kill its process"));  // it has ended
  const auto message = context_menu(state, {ThingKind::message, 0});
  const auto& record = state.document->rounds().messages[0];
  CHECK(entry_of(message, "Go to its send").commands ==
        std::vector<Command>{cmd::select(Thing::event, static_cast<std::int64_t>(record.sent))});
  CHECK(entry_of(message, "Follow its chunk").commands.front().words.front() == "chunk");
  CHECK(entry_of(message, "Show the line that sends it").commands.back() ==
        cmd::view(Slot::side, "code"));
  CHECK(entry_of(message, "Copy the picture").key == "Ctrl+Shift+C");
  const ContextThing tab{ThingKind::tab, 0, Slot::main, "buffers"};
  CHECK(labels_of(driven, tab).contains("Move to the side"));
  CHECK_FALSE(labels_of(driven, tab).contains("Move to the main pane"));

  REQUIRE(driven.does("live"));
  REQUIRE(driven.until([&] { return driven.app.state().live.stepping && state.has_trace(); }));
  CHECK(driven.until([&] {
    return labels_of(driven, {ThingKind::rank, 2}).contains("Release its next message");
  }));
  REQUIRE(driven.does("stop"));
}

TEST_CASE("copy-text: a thing as text, on the clipboard", "[gui_state]") {
  Driven driven;
  driven.ring();
  const auto copied = [&](const std::string& what) {
    REQUIRE(driven.does("copy-text " + what));
    return std::exchange(driven.app.requests().clipboard, {});
  };
  CHECK_THAT(copied("message 0"), ContainsSubstring("Message 0: rank"));
  CHECK_THAT(copied("rank 2"), ContainsSubstring("Rank 2\nsends: 6 messages"));
  CHECK_THAT(copied("chunk 1"), ContainsSubstring("Chunk 1"));
  CHECK_THAT(copied("event 3"), ContainsSubstring("rank "));
  CHECK_FALSE(driven.does("copy-text rank 9"));
  CHECK_THAT(driven.message(), ContainsSubstring("there is no rank 9"));
  CHECK_FALSE(driven.does("copy-text problem 0"));
  CHECK_FALSE(driven.does("copy-text sideways 1"));
}

TEST_CASE("file choice: a folder's rows, by kind, and what letters become", "[gui_state]") {
  namespace fs = std::filesystem;
  const OwnHome home;
  const std::string folder = home / "traces";
  fs::create_directories(folder + "/Older");
  for (const char* name : {"ring.rankscope", "Ring-2.RANKSCOPE", "notes.txt", ".hidden.rankscope"})
    std::ofstream(folder + "/" + name) << "12345";
  const auto kinds = file_kinds(NameBox::Files::open_trace);
  const FileList list = files_in(folder, kinds.front());
  REQUIRE(list.rows.size() == 3);
  CHECK(list.rows[0].name == "Older");
  CHECK(list.rows[0].is_folder);
  CHECK(list.rows[1].name == "Ring-2.RANKSCOPE");
  CHECK(list.rows[2].bytes == 5);
  CHECK(list.rows[2].changed > 0);
  CHECK(files_in(folder, kinds.back()).rows.size() == 4);  // all but the hidden one
  CHECK_FALSE(files_in(folder + "/none", kinds.front()).trouble.empty());

  CHECK(rows_that_begin(list, "ri").size() == 2);
  CHECK(shared_beginning(rows_that_begin(list, "ring.")) == "ring.rankscope");
  CHECK(shared_beginning(rows_that_begin(list, "o")) == "Older/");
  CHECK(shared_beginning({}).empty());
  CHECK(path_typed(folder, "a.rankscope") == folder + "/a.rankscope");
  CHECK(path_typed(folder, "/x/../y") == "/y");
  CHECK(typed_parts(folder, "Older/a").folder == folder + "/Older/");
  CHECK(typed_parts(folder, "Older/a").name == "a");
  CHECK(with_ending("ring", file_kinds(NameBox::Files::save_trace).front()) == "ring.rankscope");
  CHECK(with_ending("ring.svg", file_kinds(NameBox::Files::save_picture).front()) == "ring.svg");
  CHECK(changed_text(0, 1'700'000'000).empty());
  CHECK_THAT(changed_text(1'700'000'000, 1'700'000'001), ContainsSubstring("today"));
}

TEST_CASE("files: a script, a lesson or a program is opened by its kind", "[gui_state]") {
  Driven driven;
  std::ofstream(driven.home / "two.rankscript") << "set ranks 6\n";
  REQUIRE(driven.does("open " + quoted(driven.home / "two.rankscript")));
  CHECK(driven.runs_out());
  CHECK(driven.value("job.ranks") == "6");
  CHECK_FALSE(driven.does("open " + quoted(driven.home / "mine.py")));
  CHECK_THAT(driven.message(), ContainsSubstring("there is no file"));
}
