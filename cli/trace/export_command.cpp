// `rankscope export`: a trace as a picture, or as data for other programs.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/write_file.h"
#include "cli/trace/diagrams.h"
#include "cli/trace/export_options.h"
#include "cli/trace/streamed_file.h"
#include "cli/trace/trace_report.h"
#include "cli/trace/whole_trace.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope::cli {
namespace {

// ---- Writing ------------------------------------------------------------------------------------

// A long animation: how far it is, on a terminal.
class FrameLine {
 public:
  explicit FrameLine(const Console& console)
      : enabled_(console.err_is_terminal() && !console.quiet() && !console.json()) {}
  ~FrameLine() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  FrameLine(const FrameLine&) = delete;
  FrameLine& operator=(const FrameLine&) = delete;
  void show(std::size_t done, std::size_t all) {
    if (!enabled_) return;
    shown_ = true;
    std::fputs(fmt::format("\r\x1b[Kframe {} of {}", done, all).c_str(), stderr);
  }

 private:
  bool enabled_, shown_ = false;
};

ExportResult write(const Console& console, const TraceAnalysis& analysis, TraceExport what) {
  FrameLine line(console);
  std::optional<Interrupt> interrupt;  // Ctrl-C leaves no file behind
  what.how = " with --output";
  if (what.output == "-") what.stream = &std::cout;
  else interrupt.emplace();
  auto result = export_trace(analysis, what,
                             {[&](std::size_t done, std::size_t all) { line.show(done, all); },
                              [&] { return interrupt && interrupt->happened(); }});
  if (what.stream != nullptr && !result.stopped) check_stdout();
  return result;
}

int stopped(const Console& console) {
  console.note("interrupted: nothing was written");
  return kInterrupted;
}

// ---- Data for other programs --------------------------------------------------------------------

TraceExport data_of(const ExportOptions& options, const FileFormat& format) {
  TraceExport what;
  what.format = &format;
  what.output = !options.output.empty()
                    ? options.output
                    : std::filesystem::path(options.file).replace_extension(format.ending).string();
  what.sources = {options.file};
  return what;
}

int report_data(const Console& console, const TraceExport& what, const ExportResult& result,
                std::uint64_t events, int code) {
  if (what.output == "-") return code;
  const FileFormat& format = *what.format;
  const std::uint64_t bytes = result.files.front().bytes;
  if (console.json()) {
    console.print_raw(json_text(
        {{"file", what.output}, {"format", format.name}, {"events", events}, {"bytes", bytes}}));
    return code;
  }
  console.print(fmt::format("{}: {} as {}, {}\n", escaped(what.output), plural(events, "event"),
                            format.name, format_bytes(bytes)));
  if (format.name == "chrome")
    console.note("Open it at https://ui.perfetto.dev or in chrome://tracing.");
  return code;
}

int export_data(const Console& console, const TraceAnalysis& analysis, const ExportOptions& options,
                const FileFormat& format, int code) {
  const TraceExport what = data_of(options, format);
  const ExportResult result = write(console, analysis, what);
  if (result.stopped) return stopped(console);
  return report_data(console, what, result, analysis.trace().size(), code);
}

/// The formats that may be written part by part.
using WritePart = void (*)(const Trace& part, std::ostream& out, std::uint64_t before);
WritePart writer_of_parts(const FileFormat& format) {
  if (format.name == "csv") return export_csv;
  if (format.name != "jsonl") return nullptr;
  return [](const Trace& part, std::ostream& out, std::uint64_t before) {
    EventChoice all;
    all.before = before;
    export_jsonl(part, out, all);
  };
}

// Of a file that is not held in memory.
int export_in_parts(const Console& console, const ExportOptions& options, const FileFormat& format,
                    WritePart write_part) {
  const Interrupt interrupt;
  TraceExport what = data_of(options, format);
  what.how = " with --output";
  if (what.output == "-") what.stream = &std::cout;
  try {
    const StreamedFile run(console, options.file, interrupt);
    TraceIssues issues;
    what.contents = [&](std::ostream& out) {
      issues = run.write(
          [&](const Trace& part, std::uint64_t before) { write_part(part, out, before); });
    };
    const auto result =
        export_trace(TraceAnalysis(), what, {{}, [&] { return interrupt.happened(); }});
    if (result.stopped) return stopped(console);
    if (what.stream != nullptr) check_stdout();
    warn_of_issues(console, options.file, issues);
    return report_data(console, what, result, run.trace().events(),
                       lost_something(issues) ? kBadInput : kOk);
  } catch (const UserError&) {
    if (!interrupt.happened()) throw;
    return stopped(console);
  }
}

// ---- Pictures -----------------------------------------------------------------------------------

void report(const Console& console, const TraceExport& what, const ExportResult& result) {
  std::uint64_t bytes = 0;
  for (const auto& file : result.files) bytes += file.bytes;
  if (console.json()) {
    auto files = nlohmann::json::array();
    for (const auto& file : result.files)
      files.push_back({{"file", file.path}, {"bytes", file.bytes}});
    nlohmann::json facts{{"file", result.files.front().path},
                         {"format", what.format->name},
                         {"diagram", what.kind->name},
                         {"bytes", bytes},
                         {"width", result.width},
                         {"height", result.height},
                         {"frames", result.frames}};
    if (result.files.size() > 1) facts["files"] = files;
    console.print_raw(json_text(facts));
    return;
  }
  std::string name = escaped(result.files.front().path);
  if (result.files.size() > 1) name += " to " + escaped(result.files.back().path);
  console.print(fmt::format(
      "{}: {}, {:.0f} x {:.0f}{}, {}\n", name, what.kind->name, result.width, result.height,
      what.format->moves ? ", " + plural(result.frames, what.format->pixels ? "frame" : "moment")
                         : "",
      format_bytes(bytes)));
}

/// Warns of what a file does not hold any more; the exit code says the same.
int code_of(const Console& console, const std::string& file, const TraceIssues& issues) {
  warn_of_issues(console, file, issues);
  return lost_something(issues) ? kBadInput : kOk;
}

/// `analysis`: null for a file too large to be held in memory.
int export_diagram(const Console& console, const TraceAnalysis* analysis,
                   const ExportOptions& options, const DiagramKind& kind, const FileFormat& format,
                   int code) {
  const TraceAnalysis none;
  TraceExport what = picture_of(options, kind, format, analysis != nullptr ? *analysis : none);
  TraceAnalysis other;
  if (!options.with.empty()) {
    other = TraceAnalysis(read_whole_trace(options.with, "`rankscope export --with`"));
    code = std::max(code, code_of(console, options.with, other.trace().issues()));
    what.request.other = &other;
  }
  if (analysis == nullptr) {
    TraceIssues issues;
    what.drawn =
        overview_of_file(options.file, spacetime_options(what.request), system_ruler(), &issues);
    code = std::max(code, code_of(console, options.file, issues));
  }
  const auto result = write(console, analysis != nullptr ? *analysis : none, what);
  if (result.stopped) return stopped(console);
  if (what.output != "-") report(console, what, result);
  return code;
}

int run_export(const Console& console, const ExportOptions& options) {
  check_not_empty(options);
  const FileFormat& format = format_of(options);
  // Before anything is read.
  const auto& kind = diagram_named(options.diagram.empty() ? "spacetime" : options.diagram);
  const bool picture = format.picture();
  if (!picture && !options.diagram.empty())
    throw UserError(fmt::format("a diagram is no {}: choose svg, pdf, png, gif, mp4, webm or html",
                                format.name));
  if (!picture) check_for_data(options, format);
  // Millions of messages are counted where they lie.
  const bool whole = options.ranks.empty() && options.steps.empty();
  if (picture && whole && kind.name == "spacetime" && is_large(options.file))
    return export_diagram(console, nullptr, options, kind, format, kOk);
  if (const auto write_part = writer_of_parts(format);
      write_part != nullptr && look_at_trace(options.file).events > most_events_held())
    return export_in_parts(console, options, format, write_part);
  const TraceAnalysis analysis(read_whole_trace(
      options.file, picture ? fmt::format("`rankscope export --diagram {}`{}", kind.name,
                                          whole ? "" : " of chosen ranks or steps")
                            : fmt::format("`rankscope export` as {}", format.name)));
  const int code = code_of(console, options.file, analysis.trace().issues());
  return picture ? export_diagram(console, &analysis, options, kind, format, code)
                 : export_data(console, analysis, options, format, code);
}

Action define_export(OptionList app) {
  const auto options = std::make_shared<ExportOptions>();
  options->app = app;
  add_export_options(app, *options);
  return [options](const Console& console) { return run_export(console, *options); };
}

}  // namespace

constinit const CommandEntry kExportCommand{
    .name = "export",
    .group = kTraces,
    .summary = "draw a run as a picture, an animation or a page, or write it for other programs",
    .details =
        "Diagrams come as svg, pdf or png, as an animated gif, as an mp4 or webm video (which "
        "the "
        "package ffmpeg encodes), or as one html file that is stepped through with the arrow "
        "keys and needs no network. chrome: Chrome trace event "
        "JSON, with an arrow for every message; opens in Perfetto. jsonl: one JSON object per "
        "event, with names and contents. csv: a table of the events.",
    .examples =
        "rankscope export run.rankscope -o ring.pdf  # the time-vs-rank diagram\n"
        "rankscope export run.rankscope -o ring.html  # to step through in a lecture\n"
        "rankscope export run.rankscope --diagram spacetime --time measured --size slide -o "
        "ring.png  # as it was on the clock\n"
        "rankscope export run.rankscope --steps 1:3 --ranks 0-3 --theme dark -o ring.gif  # a "
        "part, moving\n"
        "rankscope export run.rankscope --diagram stage --size 1280x720 -o ring.mp4  # a "
        "video, "
        "by ffmpeg\n"
        "rankscope export run.rankscope  # run.json, for https://ui.perfetto.dev\n"
        "rankscope export run.rankscope --format jsonl -o - | head  # for a script\n"
        "rankscope export run.rankscope --format csv -o steps.csv",
    .define = define_export,
};

}  // namespace rankscope::cli
