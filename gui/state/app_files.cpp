// Commands about files.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/error.h"
#include "engine/core/new_file.h"
#include "engine/core/trace_file.h"
#include "gui/state/app.h"
#include "gui/state/export_job.h"

namespace rankscope::gui {

namespace fs = std::filesystem;

void App::load(const std::string& path, bool as_other) {
  if (loading_.valid()) throw UserError("another trace is being read: wait for it");
  state_.loading = path;
  loading_ =
      std::async(std::launch::async, [path, as_other, changed = options_.changed]() -> Loaded {
        Loaded loaded;
        loaded.as_other = as_other;
        try {
          loaded.document = Document::make(TraceReader::open(path), path);
        } catch (const std::exception& e) {  // a file of whatever kind must not end a lecture
          loaded.error = e.what();
        }
        changed();
        return loaded;
      });
}

void App::open(const Words& words) { load(words.front(), false); }

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
  const std::string from = state_.document && !state_.document->path().empty()
                               ? state_.document->path()
                               : session_->trace_file();
  if (from.empty() || !state_.has_trace()) throw UserError("there is no trace to save");
  if (session_->running()) throw UserError("the run has not ended: stop it, or wait, then save");
  std::error_code error;
  if (fs::equivalent(from, words.front(), error))
    return tell(fmt::format("{} is saved already", from));
  std::ifstream in(from, std::ios::binary);
  if (!in) throw UserError(fmt::format("cannot read {}: was it moved?", from));
  NewFile to(words.front());
  to.write([&](std::ostream& out) { out << in.rdbuf(); });
  to.finish();
  tell(fmt::format("saved as {}", words.front()));
}

void App::export_view(const Words& words) {
  if (!state_.has_trace()) throw UserError("there is nothing to export");
  if (exporting_.valid()) throw UserError("another export is still being written: wait for it");
  if (session_->running()) throw UserError("the run has not ended: stop it, or wait, then export");
  ExportJob job;
  job.program = options_.worker_program;
  job.trace = state_.document->path().empty() ? session_->trace_file() : state_.document->path();
  job.output = words.front();
  job.diagram = words.size() > 1 ? words[1] : state_.settings.layout.at(Slot::main);
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
  for (const Slot slot : kSlots)
    lines.push_back({"view", {std::string(to_string(slot)), state_.settings.layout.at(slot)}});
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
  write_whole(words.front(), text);
  tell(fmt::format("workspace saved: rankscope-gui --script {}", words.front()));
}

}  // namespace rankscope::gui
