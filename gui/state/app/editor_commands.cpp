// The commands editor, editor-command, pseudocode and fold-code.
#include "gui/state/app/editor_commands.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/state/app/groups.h"
#include "gui/state/code/editor_call.h"
#include "gui/state/code/root_cause.h"
#include "gui/state/files/files.h"
#include "gui/state/run/code_places.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

/// "ring.py:12"; without a number the line is 1.
std::pair<std::string, unsigned> split_place(const std::string& text) {
  const auto colon = text.rfind(':');
  unsigned line = 1;
  if (colon == std::string::npos) return {text, line};
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data() + colon + 1, end, line);
  if (error != std::errc() || behind != end) return {text, 1};
  return {text.substr(0, colon), line};
}

}  // namespace

// ---- The commands ----

constexpr Row<Text> cmd::editor(
    "editor [FILE:LINE|EXERCISE]",
    "Opens a source in your editor, at the line: of the selected event, or where an "
    "exercise's program goes wrong first",
    "", 0, 1, Curtain::keeps, does<&EditorCommands::editor>,
    menu(item(Menu::file, 4, "Open the line in your editor", "", has_trace)));
constexpr Row<Text> cmd::editor_command("editor-command COMMAND|default",
                                        "How your editor opens a line: code -g {file}:{line}", "",
                                        1, kAnyNumber, Curtain::keeps,
                                        does<&EditorCommands::editor_command>);
constexpr Row<Turn> cmd::pseudocode(
    "pseudocode [on|off|toggle]",
    "Shows an algorithm of ours in the notation of a textbook, with the step at the cursor", "", 0,
    1, Curtain::keeps, turns<&Settings::pseudocode>,
    menu(item(Menu::view, 1, "Pseudocode", "toggle", nullptr, is_on<&Settings::pseudocode>)));
constexpr Row<Turn> cmd::fold_code(
    "fold-code [on|off|toggle]",
    "Folds what a source begins with: comments, imports, reading of arguments", "U", 0, 1,
    Curtain::keeps, turns<&Settings::fold_code>,
    menu(item(Menu::view, 1, "Fold imports and comments", "toggle", nullptr,
              is_on<&Settings::fold_code>)));

EditorCommands::Place EditorCommands::place_at_cursor() const {
  require_trace("there is no source: start a run, or open a trace");
  const Document& document = *state_.document;
  const auto& sources = document.trace().meta().sources;
  if (sources.empty()) throw UserError("the trace does not hold the program's source");
  if (state_.selection.event >= 0)
    if (const auto at = document.source_line(static_cast<std::uint64_t>(state_.selection.event)))
      return {sources[at->source].first, at->line};
  const auto cursors = document.cursors(state_.playback.clock, state_.playback.moment);
  const Rank rank = std::max(state_.selection.rank, 0);
  const auto at = static_cast<std::size_t>(rank);
  const unsigned line = at < cursors.size() ? document.code().line(rank, cursors[at]) : 0;
  return {sources[document.main_source()].first, std::max(line, 1U)};
}

EditorCommands::Place EditorCommands::place_of_exercise(const std::string& id) const {
  const CodeState* const code = state_.lesson.program(id);
  if (code == nullptr || code->file.empty())
    throw UserError(fmt::format("no program is chosen for {}: `program {} FILE`", id, id));
  const RootCause cause = find_root_cause(code->rules);
  if (cause.rule == nullptr || cause.rule->site.empty()) return {code->file, 1};
  const auto [name, line] = split_place(cause.rule->site);
  std::error_code error;
  const fs::path file(code->file);
  return {fs::is_directory(file, error) ? (file / name).string() : code->file, line};
}

// A trace names its sources as the program did: where they lie is looked for beside what is known.
std::string EditorCommands::file_on_disk(const std::string& name) const {
  std::error_code error;
  std::vector<fs::path> places{fs::path(name)};
  if (state_.document) places.push_back(fs::path(state_.document->path()).parent_path() / name);
  for (const auto& [id, code] : state_.lesson.code) {
    const fs::path file(code.file);
    if (file.filename() == fs::path(name).filename()) places.push_back(file);
    places.push_back((fs::is_directory(file, error) ? file : file.parent_path()) /
                     fs::path(name).filename());
  }
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return absolute_path(place.string());
  if (fs::is_directory(name, error))
    throw UserError(
        fmt::format("{} is a folder: name a file in it, as in `editor {}/ring.py:12`", name, name));
  const bool known = state_.document && ranges::any_of(state_.document->trace().meta().sources,
                                                       [&](const auto& source) {
                                                         return same_file(source.first, name);
                                                       });
  if (!known)
    throw UserError(fmt::format(
        "there is no file {}: check its path. `editor` alone opens the line at the cursor", name));
  throw UserError(
      fmt::format("{} is not here: its text is in the trace, but the file lies elsewhere. Name it: "
                  "`editor PATH/{}:1`",
                  name, fs::path(name).filename().string()));
}

void EditorCommands::editor(const Arguments& words) {
  const auto& lesson = state_.lesson.lesson;
  const bool exercise =
      lesson && ranges::any_of(lesson->coding, [&](const auto& one) { return one.id == words[0]; });
  Place place;
  if (words.empty()) place = place_at_cursor();
  else if (exercise) place = place_of_exercise(words[0]);
  else std::tie(place.file, place.line) = split_place(words[0]);
  const std::string file = file_on_disk(place.file);
  std::string how = state_.settings.editor;
  if (how.empty()) how = usual_editor(is_on_path);
  if (how.empty())
    throw UserError(
        "no editor was found: say how yours opens a line, as in `editor-command \"code -g "
        "{file}:{line}\"`");
  start_editor(editor_call(how, file, place.line));
  show_message(fmt::format("{}:{} is opened in the editor", file, place.line));
}

void EditorCommands::editor_command(const Arguments& words) {
  const std::string how = words.rest(0);
  if (how == "default") {
    state_.settings.editor.clear();
    const std::string usual = usual_editor(is_on_path);
    show_message(usual.empty() ? "no editor was found" : "the editor is " + usual);
    return;
  }
  if (app_.group<ScriptCommands>().line_now())
    throw UserError("a script does not choose which program opens your files: do it yourself");
  (void)editor_call(how, "file", 1);
  state_.settings.editor = how;
  show_message("the editor is " + how);
}

}  // namespace rankscope::gui
