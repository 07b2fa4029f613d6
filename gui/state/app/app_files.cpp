// Commands about files.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/new_file.h"
#include "engine/core/trace/trace_file.h"
#include "gui/state/app/app.h"
#include "gui/state/files/export_job.h"
#include "gui/state/files/files.h"
#include "gui/state/files/settings_file.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

void App::load(const std::string& path, bool as_other) {
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  state_.loading = path;
  loading_ = std::async(std::launch::async,
                        [path, as_other, whole_path = absolute_path(path), line = line_now(),
                         changed = options_.changed]() -> Loaded {
                          Loaded loaded;
                          loaded.as_other = as_other;
                          loaded.line = line;
                          try {
                            loaded.document = Document::make(TraceReader::open(path), whole_path);
                          } catch (const std::exception& e) {
                            // a file of whatever kind must not end a lecture
                            loaded.error = e.what();
                          }
                          changed();
                          return loaded;
                        });
}

void App::open(const Words& words) { load(words.front(), false); }

namespace {

// A program that is dropped while a lesson asks for one on the open page; empty: it is something else.
std::string exercise_for(const LessonState& lesson, const std::string& file) {
  static constexpr std::array<std::string_view, 4> kPrograms = {".py", ".cpp", ".ipynb", ".zip"};
  const bool program =
      std::ranges::any_of(kPrograms, [&](std::string_view end) { return file.ends_with(end); });
  std::error_code error;
  if (!lesson.lesson || lesson.lesson->steps.empty() ||
      (!program && !fs::is_directory(file, error)))
    return {};
  const Step& page = lesson.lesson->steps[static_cast<std::size_t>(lesson.page())];
  for (const Block& block : page.blocks) {
    const CodingExercise* asked =
        block.kind == Block::Kind::coding ? lesson.lesson->find_coding(block.id) : nullptr;
    if (asked != nullptr && asked->graded()) return asked->id;
  }
  return {};
}

}  // namespace

void App::drop(const std::vector<std::string>& files) {
  const auto script = std::ranges::find_if(
      files, [](const std::string& file) { return file.ends_with(".rankscript"); });
  if (files.empty()) return;
  if (const std::string exercise = exercise_for(state_.lesson, files[0]); !exercise.empty()) {
    execute({"program", {exercise, files[0]}});
    return;
  }
  if (script != files.end()) {
    execute({"script", {*script}});
    return;
  }
  if (!execute({"open", {files[0]}}) || files.size() < 2) return;
  for (const auto& line : {std::string("wait still"), Command("compare", {files[1]}).text()})
    script_.push_back({line, "dropped", 1, 0});
}

void App::compare(const Words& words) {
  if (words.front() == "off") return state_.other.reset();
  if (words.front() == "keep") {
    if (!state_.has_trace()) throw UserError("there is no run to keep");
    state_.other = state_.document;
    return;
  }
  load(words.front(), true);
}

void App::save(const Words& words) {
  if (session_->running() && shows_session_)
    throw UserError("the run has not ended: stop it, or wait, then save");
  bool ignored = false;
  take_news(ignored);  // its end, which nobody has seen yet
  if (!state_.has_trace()) throw UserError("there is no trace to save");
  const std::string& path = words.front();
  const std::string from = trace_file();
  if (from.empty())
    throw UserError(fmt::format(
        "this run was not recorded in a file, because {} cannot be written: set "
        "XDG_CACHE_HOME to a folder with room, start anew and run it again",
        cache_folder().empty() ? "there is no home folder, so a cache" : cache_folder().string()));
  std::error_code error;
  if (fs::equivalent(from, path, error)) return tell(fmt::format("{} is saved already", from));
  copy_file(from, path);
  saved_as_ = absolute_path(path);
  remember_file(saved_as_);
  tell(fmt::format("saved as {}", path));
}

std::string App::trace_file() const {
  return state_.document->path().empty() ? session_->trace_file() : state_.document->path();
}

// At the cursor, as the views show it.
std::optional<int> App::round_of(const std::string& view) const {
  const auto& document = *state_.document;
  const auto& play = state_.playback;
  const int count = document.rounds().count;
  const int done = document.rounds_done(play.clock, play.moment);
  if (count == 0 || document.large()) return std::nullopt;
  if (view != "graph") return done >= count ? std::nullopt : std::optional(done);
  const int going =
      play.clock == ClockBase::rounds ? static_cast<int>(std::ceil(play.moment - 1e-9)) : done + 1;
  return std::clamp(going, 1, count);
}

void App::export_view(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is nothing to export");
  if (exporting_.valid()) throw UserError("another export is still being written: wait for it");
  if (session_->running()) throw UserError("the run has not ended: stop it, or wait, then export");
  refuse_pipe(words.front());
  const auto& settings = state_.settings;
  ExportJob job;
  job.program = options_.worker_program;
  job.trace = trace_file();
  job.output = words.front();
  job.diagram = words.size() > 1
                    ? words[1]
                    : settings.layout.at(settings.layout.maximized.value_or(Slot::main));
  if (state_.other) job.with = state_.other == state_.document ? job.trace : state_.other->path();
  job.theme = to_string(settings.theme);
  job.measured = state_.playback.clock == ClockBase::measured;
  job.portrait = settings.portrait;
  job.critical_path = settings.critical_path;
  job.values = settings.values;
  job.round = round_of(job.diagram);
  (void)words_of(job);  // what is wrong with it is told at once
  tell(fmt::format("writing {} …", job.output));
  exporting_ = std::async(std::launch::async,
                          [job, line = line_now(), changed = options_.changed]() -> Exported {
                            const auto [ok, message] = carry_out(job);
                            changed();
                            return {message, ok, line};
                          });
}

namespace {

void add_look(const Settings& settings, const std::string& filter, std::vector<Command>& lines) {
  if (!filter.empty()) lines.push_back({"filter", {filter}});  // before the views: it shows one
  const auto& layout = settings.layout;
  for (const Slot slot : kSlots)
    lines.push_back({"view", {std::string(to_string(slot)), layout.at(slot)}});
  const auto say = [](bool on) { return on ? "on" : "off"; };
  for (const auto& [name, open] : {std::pair{"left", layout.left_open},
                                   {"right", layout.right_open},
                                   {"lower", layout.lower_open}})
    lines.push_back({"panel", {name, say(open)}});
  lines.push_back({"maximize", {"off"}});
  if (layout.maximized) lines.push_back({"maximize", {std::string(to_string(*layout.maximized))}});
  lines.push_back({"theme", {std::string(to_string(settings.theme))}});
  lines.push_back({"labels", {settings.labels}});
  for (const auto& [name, on] : {std::pair{"values", settings.values},
                                 {"portrait", settings.portrait},
                                 {"critical-path", settings.critical_path},
                                 {"motion", settings.motion}})
    lines.push_back({name, {say(on)}});
}

}  // namespace

// A script that brings everything back: it can be read, changed and given away.
void App::workspace(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is no trace to make a workspace of");
  const auto& trace = state_.document->path().empty() ? saved_as_ : state_.document->path();
  if (trace.empty()) throw UserError("save the trace first (Ctrl+S): a workspace names its file");
  refuse_pipe(words.front());
  const auto& play = state_.playback;
  std::vector<Command> lines{{"open", {trace}}, {"wait", {"run"}}};
  const bool compared = state_.other && !state_.other->path().empty();
  if (compared) lines.insert(lines.end(), {{"compare", {state_.other->path()}}, {"wait", {"run"}}});
  add_look(state_.settings, state_.event_filter, lines);
  for (const auto& mark : state_.bookmarks) {
    lines.push_back({"clock", {std::string(to_string(mark.clock))}});
    lines.push_back({"seek", {fmt::format("{}", mark.moment)}});
    lines.push_back({"bookmark", mark.note.empty() ? Words{} : Words{mark.note}});
  }
  for (const auto& [file, line] : state_.breakpoints)
    lines.push_back({"break", {fmt::format("{}:{}", file, line)}});
  lines.push_back({"clock", {std::string(to_string(play.clock))}});
  if (play.loop)
    lines.push_back(
        {"loop", {fmt::format("{}", play.loop->first), fmt::format("{}", play.loop->second)}});
  lines.push_back({"seek", {fmt::format("{}", play.moment)}});
  lines.push_back({"speed", {fmt::format("{:.3g}", play.speed)}});
  std::string text = "# a rankscope workspace: rankscope-gui --script THIS_FILE\n";
  for (const auto& line : lines) text += line.text() + "\n";
  write_whole(words.front(), text);
  tell(fmt::format(
      "workspace saved: rankscope-gui --script {}{}", words.front(),
      state_.other && !compared ? "; the run beside it is not saved, and left out of it" : ""));
}

}  // namespace rankscope::gui
