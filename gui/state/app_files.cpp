// Commands about files.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.h"
#include "engine/core/trace_file.h"
#include "gui/state/app.h"
#include "gui/state/export_job.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

void App::open(const Words& words) {
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  state_.loading = words.front();
  loading_ = std::async(
      std::launch::async, [path = words.front(), changed = options_.changed]() -> Loaded {
        Loaded loaded;
        try {
          loaded.document = Document::make(TraceReader::open(path), path);
        } catch (const std::exception& e) {  // a file of whatever kind must not end a lecture
          loaded.error = e.what();
        }
        changed();
        return loaded;
      });
}

void App::compare(const Words& words) {
  if (words.front() == "off") return state_.other.reset();
  if (words.front() == "keep") {
    if (!state_.has_trace()) throw UserError("there is no run to keep");
    state_.other = state_.document;
    return;
  }
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  open(words);
  // The same reading, but for the other side.
  loading_ = std::async(std::launch::async, [first = std::move(loading_)]() mutable {
    Loaded loaded = first.get();
    loaded.as_other = true;
    return loaded;
  });
}

void App::sample(const Words& words) {
  const auto path = fs::path(options_.samples_folder) / (words.front() + ".rankscope");
  std::error_code ignored;
  if (options_.samples_folder.empty() || !fs::exists(path, ignored))
    throw UserError(fmt::format("there is no sample \"{}\"", words.front()));
  open({path.string()});
}

void App::save(const Words& words) {
  const std::string from = state_.document && !state_.document->path().empty()
                               ? state_.document->path()
                               : session_->trace_file();
  if (from.empty() || !state_.has_trace()) throw UserError("there is no trace to save");
  if (session_->running()) throw UserError("the run has not ended: stop it, or wait, then save");
  std::error_code error;
  if (fs::equivalent(from, words.front(), error))
    return tell(fmt::format("{} is saved already", from));
  const fs::path to = words.front(), fresh = to.string() + ".part";
  fs::copy_file(from, fresh, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(fresh, to, error);
  if (error) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    throw UserError(fmt::format("cannot write {}: {}", to.string(), error.message()));
  }
  tell(fmt::format("saved as {}", to.string()));
}

void App::export_view(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is nothing to export");
  if (exporting_.valid()) throw UserError("another export is still being written: wait for it");
  if (session_->running()) throw UserError("the run has not ended: stop it, or wait, then export");
  ExportJob job;
  job.program = options_.worker_program;
  job.trace = state_.document->path().empty() ? session_->trace_file() : state_.document->path();
  job.output = words.front();
  job.diagram = words.size() > 1 ? words[1] : state_.settings.layout.view[0];
  job.theme = state_.settings.theme == ThemeKind::light ? "light" : "dark";
  job.measured = state_.playback.clock == ClockBase::measured;
  tell(fmt::format("writing {} …", job.output));
  exporting_ = std::async(std::launch::async, [job, changed = options_.changed]() -> Exported {
    const auto [ok, message] = carry_out(job);
    changed();
    return {message, ok};
  });
}

// A script that brings everything back: it can be read, changed and given away.
void App::workspace(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is no trace to make a workspace of");
  const auto& trace = state_.document->path();
  if (trace.empty()) throw UserError("save the trace first (Ctrl+S): a workspace names its file");
  const auto& play = state_.playback;
  std::vector<Command> lines{{"open", {fs::absolute(trace).string()}}, {"wait", {"run"}}};
  for (const Slot slot : {Slot::main, Slot::lower, Slot::side, Slot::side_lower})
    lines.push_back({"view",
                     {std::string(to_string(slot)),
                      state_.settings.layout.view[static_cast<std::size_t>(slot)]}});
  lines.push_back({"labels", {state_.settings.labels}});
  for (const auto& [name, on] : {std::pair{"values", state_.settings.values},
                                 {"portrait", state_.settings.portrait},
                                 {"critical-path", state_.settings.critical_path}})
    lines.push_back({name, {on ? "on" : "off"}});
  for (const auto& mark : state_.bookmarks) {
    lines.push_back({"clock", {std::string(to_string(mark.clock))}});
    lines.push_back({"seek", {fmt::format("{}", mark.moment)}});
    lines.push_back({"bookmark", mark.note.empty() ? Words{} : Words{mark.note}});
  }
  for (const auto& [file, line] : state_.breakpoints)
    lines.push_back({"break", {fmt::format("{}:{}", file, line)}});
  lines.push_back({"clock", {std::string(to_string(play.clock))}});
  lines.push_back({"seek", {fmt::format("{}", play.moment)}});
  lines.push_back({"speed", {fmt::format("{:.3g}", play.speed)}});
  std::string text = "# a rankscope workspace: rankscope-gui --script THIS_FILE\n";
  for (const auto& line : lines) text += line.text() + "\n";
  const fs::path to = words.front(), fresh = to.string() + ".part";
  std::ofstream out(fresh, std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (out) fs::rename(fresh, to, error);
  if (!out || error) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    throw UserError(fmt::format("cannot write {}", to.string()));
  }
  tell(fmt::format("workspace saved: rankscope-gui --script {}", to.string()));
}

}  // namespace rankscope::gui
