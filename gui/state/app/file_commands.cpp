// The commands that open, save and export traces, and the news of their background work.
#include "gui/state/app/file_commands.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/core/trace/streamed_trace.h"
#include "engine/core/trace/trace_builder.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/app/groups.h"
#include "gui/state/files/file_choice.h"
#include "gui/state/files/files.h"
#include "gui/state/files/settings.h"
#include "gui/state/model/workspace.h"
#include "gui/state/run/recording.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

namespace {

bool is_program(const std::string& file) { return program_kind().takes(file); }

// Returns the open page's exercise for a dropped program, or empty.
std::string exercise_for(const LessonState& lesson, const std::string& file) {
  std::error_code error;
  if (!is_program(file) && !fs::is_directory(file, error)) return {};
  for (const Block& block : lesson.blocks()) {
    const CodingExercise* asked =
        block.kind == Block::Kind::coding ? lesson.lesson->find_coding(block.id) : nullptr;
    if (asked != nullptr && asked->graded()) return asked->id;
  }
  return {};
}

/// Returns the command that opens a script, a lesson, or a program: for the open page's exercise, else to be run; nothing for a
/// trace and for files of unknown kinds.
std::optional<Command> opened_otherwise(const LessonState& lesson, const std::string& file) {
  std::error_code error;
  const fs::path path = file;
  if (path.filename() == "lesson.toml") return cmd::lesson(path.parent_path().string());
  if (fs::is_directory(path, error) && fs::exists(path / "lesson.toml", error))
    return cmd::lesson(file);
  if (const std::string exercise = exercise_for(lesson, file); !exercise.empty())
    return cmd::program(exercise, file);
  if (file.ends_with(".rankscript")) return cmd::script(file);
  if (file.ends_with(kLectureEnding)) return cmd::scenes(file);
  if (is_program(file)) return cmd::exec({file});
  return std::nullopt;
}

bool exports(const AppState& state) { return !state.exporting.empty(); }
bool reads(const AppState& state) { return !state.loading.empty() || state.counted_percent >= 0; }

}  // namespace

// ---- The commands ----

constexpr Row<Text> cmd::open(
    "open FILE", "Opens a trace; a lecture, a script, a lesson's folder or a program by its kind",
    "Ctrl+O", 1, 1, Curtain::keeps, does<&FileCommands::open>, kMovesCursor,
    menu(item(Menu::file, 0, "Open a file …")),
    file_box(NameBox::Files::open_any, "Open a file", "run.rankscope",
             "A trace, a lecture, a lesson, or a program: it runs, also for the open exercise. Or "
             "drop one onto the window."),
    also("load, import"));
constexpr Row<Text> cmd::compare(
    "compare FILE|keep|off", "Shows a second trace beside the first", "", 1, 1, Curtain::opens,
    does<&FileCommands::compare>,
    menu(item(Menu::compare, 0, "Keep this run for comparison", "keep", has_trace),
         item(Menu::compare, 0, "Compare with a file …"),
         item(Menu::compare, 0, "End the comparison", "off", has_other)),
    file_box(NameBox::Files::open_trace, "Compare with a trace", "other.rankscope",
             "It is shown beside this one."),
    also("difference, two runs, side by side"));
constexpr Row<Text, Text> cmd::meant(
    "meant COLLECTIVE [DATA]",
    "Compares a program's result with a collective, as allreduce:mean or gather:2; off: with none",
    "", 1, 2, Curtain::opens, does<&FileCommands::meant>, kMovesCursor,
    menu(item(Menu::compare, 1, "Compare the result with a collective …", "", has_trace)),
    box("Which collective does the program mean?", "allreduce:sum",
        "COLLECTIVE[:OPERATOR][:ROOT], and the variable that is its data. The trace is one of "
        "`rankscope exec --as`."));
constexpr Row<Text> cmd::save("save FILE", "Saves the trace", "Ctrl+S", 1, 1, Curtain::opens,
                              does<&FileCommands::save>,
                              menu(item(Menu::file, 1, "Save the trace …", "", has_trace)),
                              file_box(NameBox::Files::save_trace, "Save the trace",
                                       "run.rankscope", "Traces end in .rankscope."));
constexpr Row<Text> cmd::workspace(
    "workspace FILE", "Writes a script that brings back the trace, the views and the bookmarks",
    "Ctrl+Shift+S", 1, 1, Curtain::opens, does<&FileCommands::workspace>,
    menu(item(Menu::file, 1, "Save a workspace …", "", has_trace)),
    file_box(NameBox::Files::save_script, "Save a workspace", "lecture.rankscript",
             "Views, bookmarks and the trace's place: `rankscope-gui --script` brings them back."));
constexpr Row<Text, Text> cmd::export_picture(
    "export FILE [DIAGRAM]", "Writes a picture or data; the file's ending says which", "Ctrl+E", 1,
    2, Curtain::opens, does<&FileCommands::export_view>,
    menu(item(Menu::file, 1, "Export a picture …", "", has_trace)),
    file_box(NameBox::Files::save_picture, "Export a picture", "ring.pdf",
             "The ending says what: .pdf .svg .png .gif .mp4 .webm .html, or .jsonl .csv .json for "
             "the events."),
    also("svg, pdf, gif, png, video, html, figure"));
constexpr Row<> cmd::stop_export("stop-export", "Ends the export that goes on", "", 0, 0,
                                 Curtain::keeps, does<&FileCommands::stop_export>,
                                 menu(item(Menu::file, 1, "Stop the export", "", exports)));
constexpr Row<> cmd::stop_reading(
    "stop-reading", "Ends the opening of a trace that takes long, or the counting of its messages",
    "", 0, 0, Curtain::keeps, does<&FileCommands::stop_reading>,
    menu(item(Menu::file, 0, "Stop reading", "", reads)));

void FileCommands::load(std::function<Loaded()> read) {
  load_asked_by_ = app_.group<ScriptCommands>().line_now();
  loading_ = made_behind(app_.options().changed, [read = std::move(read)]() -> Loaded {
    try {
      return read();
    } catch (const std::exception& e) {  // no file may end a lecture
      Loaded failed;
      failed.error = e.what();
      return failed;
    }
  });
}

void FileCommands::load(const std::string& path, bool as_other) {
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  state_.loading = path;
  reading_ = std::make_shared<Reading>();
  load([path, as_other, whole_path = absolute_path(path), reading = reading_] {
    Loaded loaded;
    loaded.document = open_document(path, whole_path, !as_other, *reading);
    if (as_other && loaded.document->run())
      throw UserError(
          fmt::format("{} has {} events: a comparison needs both runs whole, and holds {} at most",
                      path, loaded.document->run()->events(), most_events_held()));
    loaded.as_other = as_other;
    return loaded;
  });
}

// Loads the rest of a trace that is shown in part.
void FileCommands::load_rest() {
  state_.loading = state_.document->path();
  load([path = state_.loading] {
    Loaded loaded;
    loaded.document = Document::make(TraceReader::open(path), path);
    loaded.rest = true;
    return loaded;
  });
}

void FileCommands::show_rest(const Loaded& loaded) {
  const DocumentPtr& now = state_.document;
  if (!now || !now->run() || now->path() != loaded.document->path())  // something else is shown
    return discard(loaded.document);
  state_.selection.event = state_.selection.message = -1;
  show(loaded.document, true);
  app_.group<ViewCommands>().show_problems();
}

// Makes a document of the same trace that is compared with another collective.
void FileCommands::meant(const Arguments& words) {
  require_trace("there is no run to compare: open the trace of a program");
  refuse_ghost("compared");
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  if (state_.document->run())
    throw UserError("the run is too large to be held whole: it is compared with nothing");
  const Trace& trace = state_.document->trace();
  const std::string text = words.rest(0);  // the box gives both in one
  const auto gap = text.find(' ');
  const std::string said = text.substr(0, gap), as = said == "off" ? "" : said;
  const std::string data = gap == std::string::npos ? "" : text.substr(gap + 1);
  if (!as.empty()) (void)meant::parse_meaning(as, "meant");
  TraceMeta meta = trace.meta();
  if (!meta.handed || meta.handed->calls.empty())
    throw UserError(
        trace.meta().collective
            ? "this is a run of an algorithm of ours: its result has been compared already"
            : "the trace does not hold what the ranks began and ended with: record the program "
              "again with `rankscope exec --as COLLECTIVE` and open that trace");
  meta.handed->as = as;
  meta.handed->data = data;
  state_.loading = "the comparison";
  std::vector<std::string> told{said};
  if (!data.empty()) told.push_back(data);
  load([trace, meta = std::move(meta), path = state_.document->path(), told] {
    Loaded loaded;
    loaded.meant = told;
    loaded.document = Document::make(TraceBuilder::with_meta(trace, meta), path);
    const auto verdict = meant::judge(loaded.document->trace().meta());
    loaded.judged = verdict ? verdict->words : "the result is compared with nothing";
    return loaded;
  });
}

void FileCommands::show_judged(const Loaded& loaded) {
  show(loaded.document, true);
  meant_ = loaded.meant;
  app_.group<ViewCommands>().show_problems();
  const auto wrong = app_.group<PlaybackCommands>().lead_to_wrong_result();
  show_message(wrong.empty() ? loaded.judged : wrong, !wrong.empty());
}

void FileCommands::open(const Arguments& words) {
  if (auto other = opened_otherwise(state_.lesson, words[0])) {
    if (!app_.execute(*other)) throw UserError(state_.message);
    return;
  }
  load(words[0], false);
}

void FileCommands::discard(DocumentPtr document) {
  if (document && document->large()) discarded_.push_back(std::move(document));
  if (discarded_.empty()) return;
  if (discarding_.valid() && !is_ready(discarding_)) return;  // next time
  discarding_ = std::async(std::launch::async,
                           [old = std::exchange(discarded_, {})]() mutable { old.clear(); });
}

void FileCommands::show(DocumentPtr document, bool same_run) {
  discard(std::exchange(state_.document, std::move(document)));
  saved_as_.clear();
  if (!same_run) {
    meant_.clear();
    state_.show_welcome = false;
  }
  app_.group<PlaybackCommands>().arrive(same_run);
  state_.problems = problems_of(state_.result, state_.document.get());
}

void FileCommands::show_loaded(const Loaded& loaded) {
  if (loaded.as_other) {
    discard(std::exchange(state_.other, loaded.document));
    state_.settings.layout.at(Slot::main) = "compare";
    return;
  }
  if (!loaded.judged.empty()) return show_judged(loaded);
  if (loaded.rest) return show_rest(loaded);
  if (app_.group<CodeCommands>().declines(*loaded.document)) return discard(loaded.document);
  auto& exec = app_.group<ExecCommands>();
  const std::string& path = loaded.document->path();
  std::optional<Edits> before;
  if (exec.has_made(path)) before = app_.group<EditCommands>().edits();
  const bool ends_run = app_.group<RunCommands>().make_way();
  state_.bookmarks.clear();  // they are moments of another trace
  app_.group<EditCommands>().forget_bookmarks();
  show(loaded.document, false);
  auto& code = app_.group<CodeCommands>();
  // A file of the window's own is gone at its end, and its name says nothing.
  const bool own = before || code.has_made(path) || app_.group<OverlapCommands>().has_made(path) ||
                   app_.group<NetworkCommands>().has_made(path) ||
                   app_.group<ScheduleCommands>().has_made(path) ||
                   app_.group<SceneCommands>().has_made(path);
  if (!own) remember_file(path);
  show_message(what_is_shown(*loaded.document, own ? loaded.document->headline() : path) +
               (ends_run ? "; the run was ended for it" : ""));
  app_.group<ViewCommands>().show_problems();
  if (const auto wrong = app_.group<PlaybackCommands>().lead_to_wrong_result(); !wrong.empty())
    show_message(wrong, true);
  code.lead_to_fault();
  if (before) exec.arrived(std::move(*before));
  if (is_to_be_read(*loaded.document)) load_rest();
  if (is_to_be_counted(*loaded.document))
    counter_.begin(loaded.document->run(), app_.options().changed);
}

void FileCommands::take_counted(bool& news) {
  const auto told = counter_.follow(state_.document, state_.counted, state_.counted_percent);
  news = news || told;
  if (told && !told->ended.empty()) show_message(told->ended, told->failed);
}

void FileCommands::remember_file(const std::string& path) {
  auto& recent = state_.settings.recent;
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > 10) recent.resize(10);
}

void FileCommands::update(double /*seconds*/, bool& news) {
  if (is_ready(loading_)) {
    const Loaded loaded = loading_.get();
    state_.loading.clear();
    state_.loaded_percent = -1;
    news = true;
    if (loaded.error.empty()) show_loaded(loaded);
    else app_.group<ScriptCommands>().report(load_asked_by_, loaded.error);
  }
  if (loading_.valid() && state_.loaded_percent != reading_->percent) {
    state_.loaded_percent = reading_->percent;
    news = true;
  }
  follow_part(news);
  take_counted(news);
  take_exported(news);
}

FileCommands::~FileCommands() { reading_->stop = true; }

void FileCommands::stop_reading() {
  if (loading_.valid()) reading_->stop = true;
  else if (counter_.busy()) show_message(counter_.end_early(state_.counted_percent));
  else throw UserError("no trace is being opened");
}

// Reads another part of a large run when the cursor leaves the one in memory.
void FileCommands::follow_part(bool& news) try {
  auto next = parts_.follow(state_.document, state_.counted, state_.playback.moment,
                            app_.options().changed);
  if (!next) return;
  // Both are positions in the part before.
  state_.selection.event = state_.selection.message = -1;
  show(std::move(next), true);
  news = true;
} catch (const std::exception& e) {  // whatever the file has become meanwhile
  show_message(e.what(), true);
}

void FileCommands::drop(const std::vector<std::string>& files) {
  const auto script =
      ranges::find_if(files, [](const std::string& file) { return file.ends_with(".rankscript"); });
  if (files.empty()) return;
  if (script != files.end()) {
    app_.execute(cmd::script(*script));
    return;
  }
  if (!app_.execute(cmd::open(files[0])) || files.size() < 2 || is_program(files[0])) return;
  app_.group<ScriptCommands>().queue_last({"wait still", cmd::compare(files[1]).text()}, "dropped");
}

void FileCommands::compare(const Arguments& words) {
  if (words[0] == "off") {
    state_.other.reset();
    return leave_view(state_.settings.layout, "compare");
  }
  if (words[0] == "keep") {
    require_trace("there is no run to keep");
    state_.other = state_.document;
    return;
  }
  load(words[0], true);
}

void FileCommands::save(const Arguments& words) {
  auto& runs = app_.group<RunCommands>();
  if (runs.running_in_view()) throw UserError("the run has not ended: stop it, or wait, then save");
  bool ignored = false;
  runs.update(0, ignored);  // takes in its end
  require_trace("there is no trace to save");
  refuse_ghost("saved");
  const std::string& path = words[0];
  const std::string from = trace_file();
  if (from.empty() && app_.group<SceneCommands>().open())
    throw UserError("a run that a scene was left with is in no file: `scene again` runs it again");
  if (from.empty())
    throw UserError(fmt::format(
        "this run was not recorded in a file, because {} cannot be written: set XDG_CACHE_HOME to "
        "a folder with room, start again and repeat the run",
        cache_folder().empty() ? "there is no home folder, so a cache" : cache_folder().string()));
  std::error_code error;
  if (fs::equivalent(from, path, error))
    return show_message(fmt::format("{} is saved already", from));
  copy_file(from, path);
  saved_as_ = absolute_path(path);
  remember_file(saved_as_);
  show_message(fmt::format("saved as {}", path));
}

void FileCommands::refuse_ghost(std::string_view what) const {
  if (state_.what_if.ghost() && state_.document->id() == state_.what_if.shown_id)
    throw UserError(fmt::format(
        "a ghost run is in no file and cannot be {}: choose \"as written\" below the stage first",
        what));
}

std::string FileCommands::trace_file() const {
  if (auto file = app_.group<RaceCommands>().trace_file(*state_.document); !file.empty())
    return file;
  return state_.document->path().empty() ? app_.group<RunCommands>().trace_file()
                                         : state_.document->path();
}

void FileCommands::export_view(const Arguments& words) {
  require_trace("there is nothing to export");
  refuse_ghost("exported");
  if (exporting_) throw UserError("another export is still being written: wait for it");
  auto& runs = app_.group<RunCommands>();
  if (runs.running()) throw UserError("the run has not ended: stop it, or wait, then export");
  bool ignored = false;
  runs.update(0, ignored);  // takes in its end
  refuse_pipe(words[0]);
  const auto& layout = state_.settings.layout;
  std::vector<std::string> sources{trace_file()};
  if (state_.other) sources.push_back(state_.other->path());
  TraceExport what = export_of(
      state_, words[0],
      words.size() > 1 ? words[1] : layout.at(layout.maximized.value_or(Slot::main)), sources);
  exporting_ = std::make_unique<ExportJob>(state_, std::move(what), app_.options().changed);
  export_asked_by_ = app_.group<ScriptCommands>().line_now();
  state_.exporting = exporting_->progress();
  show_message(state_.exporting);
}

void FileCommands::stop_export() {
  if (!exporting_) throw UserError("nothing is being exported");
  exporting_->stop();
}

void FileCommands::take_exported(bool& news) {
  if (!exporting_) return;
  if (!exporting_->ended()) {
    const std::string before = std::exchange(state_.exporting, exporting_->progress());
    if (before == state_.exporting) return;
    if (state_.message == before) show_message(state_.exporting);
    news = true;
    return;
  }
  const ExportJob::Outcome outcome = exporting_->outcome();
  exporting_.reset();
  state_.exporting.clear();
  if (outcome.failed) app_.group<ScriptCommands>().report(export_asked_by_, outcome.message);
  else show_message(outcome.message);
  news = true;
}

void FileCommands::workspace(const Arguments& words) {
  require_trace("there is no trace to make a workspace of");
  refuse_ghost("part of a workspace");
  const auto& trace = state_.document->path().empty() ? saved_as_ : state_.document->path();
  if (trace.empty()) throw UserError("save the trace first (Ctrl+S): a workspace names its file");
  refuse_pipe(words[0]);
  write_whole(words[0], workspace_text(state_, trace, meant_));
  const bool left_out = state_.other && state_.other->path().empty();
  show_message(fmt::format("workspace saved: rankscope-gui --script {}{}", words[0],
                           left_out ? "; the run beside it is not saved, and left out of it" : ""));
}

}  // namespace rankscope::gui
