// `rankscope export`: a trace as a picture, or as data for other programs.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/option_list.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text.h"
#include "cli/trace/diagrams.h"
#include "cli/trace/streamed_file.h"
#include "cli/trace/trace_report.h"
#include "engine/analysis/events/rounds.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/export/export_trace.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope::cli {
namespace {

struct ExportOptions {
  std::string file, format, output, diagram;
  std::string title, ranks, steps, labels = "chunks", time = "rounds", round;
  std::string theme, size, dpi, fps, with;
  bool portrait = false, critical_path = false, values = false, contributions = false;
  bool sequence = false;
  OptionList app;  ///< Counts the options that were given.

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

constexpr std::string_view kLabelWords = "all|chunks|bytes|none";
constexpr std::string_view kTimeWords = "rounds|measured";
constexpr std::string_view kThemeWords = "light|dark|print";
constexpr int kLeastDpi = 24, kMostDpi = 2400;

// Options for a diagram's content, and for a picture's file.
constexpr std::array kContentOptions = {"title", "ranks",    "steps",         "labels",
                                        "time",  "portrait", "critical-path", "values",
                                        "round", "size",     "contributions", "with"};
constexpr std::array kLookOptions = {"theme", "dpi", "fps", "sequence"};

/// Throws UserError, with the nearest words, for a word that is none of `words`.
void check_word(std::string_view option, const std::string& word, std::string_view words) {
  const auto known = words_for(words);
  if (ranges::find(known, word) != known.end()) return;
  throw UserError(fmt::format("{}: '{}' is none of {}{}", option, word, fmt::join(known, ", "),
                              nearest_hint(word, known)));
}

std::string format_words() {
  std::string words;
  for (const FileFormat& format : file_formats())
    words += (words.empty() ? "" : "|") + std::string(format.name);
  return words;
}

void set_size(DiagramRequest& request, const std::string& size) {
  if (size == "slide") {
    request.width = 1280;
    request.height = 720;
  } else if (size == "column") {  // 90 mm, a column of a paper in two columns
    request.width = 340;
    request.text_scale = 0.7;
  } else if (!size.empty()) {
    const auto by = size.find('x');
    if (by == std::string::npos)
      throw UserError(
          fmt::format("--size: '{}' is not slide, column or WIDTHxHEIGHT, such as 1280x720", size));
    constexpr int kLeast = 160, kMost = 32000;
    request.width = static_cast<double>(parse_integer(size.substr(0, by), "--size", kLeast, kMost));
    request.height =
        static_cast<double>(parse_integer(size.substr(by + 1), "--size", kLeast, kMost));
  }
}

DiagramRequest request_of(const ExportOptions& options, const DiagramKind& kind,
                          const TraceAnalysis& analysis) {
  for (const char* option : kContentOptions)
    if (options.said(option)) check_takes(kind, option);
  if (options.values && options.contributions)
    throw UserError("either --values or --contributions, not both");
  check_word("--labels", options.labels, kLabelWords);
  check_word("--time", options.time, kTimeWords);
  DiagramRequest request;
  request.title = options.title;
  if (!options.ranks.empty())
    request.ranks = parse_ranks(options.ranks, analysis.trace().world_size());
  const int count = options.steps.empty() && options.round.empty() ? 0 : analysis.rounds().count;
  if (!options.steps.empty())
    std::tie(request.first_step, request.last_step) = parse_steps(options.steps, count);
  if (!options.round.empty())
    request.round = static_cast<int>(parse_integer(options.round, "--round", 0, count));
  using Labels = SpacetimeOptions::Labels;
  request.labels = options.labels == "all"     ? Labels::all
                   : options.labels == "bytes" ? Labels::bytes
                   : options.labels == "none"  ? Labels::none
                                               : Labels::chunks;
  request.measured = options.time == "measured";
  request.portrait = options.portrait;
  request.critical_path = options.critical_path;
  request.values = options.values;
  set_size(request, options.size);
  return request;
}

std::string default_output(const ExportOptions& options, const DiagramKind& kind,
                           const FileFormat& format) {
  auto path = std::filesystem::path(options.file).replace_extension();
  if (kind.name != "spacetime") path += fmt::format("-{}", kind.name);
  path += format.ending;
  return path.string();
}

void check_look(const ExportOptions& options, const TraceExport& what) {
  const FileFormat& format = *what.format;
  if (what.dpi != 0 && !format.pixels)
    throw UserError(
        fmt::format("--dpi is for png, gif, mp4 and webm: {} has no pixels", format.name));
  if (what.sequence && format.name != "png")
    throw UserError(
        "--sequence is for png: with gif, mp4, webm and html, one file holds the animation");
  if (what.fps >= 0 && format.name != "gif" && !format.video && !what.sequence)
    throw UserError("--fps is for gif, mp4 and webm, and for png with --sequence");
  if (what.output == "-" && format.binary)
    throw UserError(fmt::format(
        "{} is not written to the standard output: name a file with --output", format.name));
  if (format.name == "html" && options.theme == "print")
    throw UserError(
        "an HTML page has its own colours for print: choose light or dark, or leave out --theme");
}

void add_content_options(OptionList group, ExportOptions& options) {
  group.add_option("--title", "TEXT", options.title,
                   "Instead of the algorithm and the number of ranks");
  group.add_option("--ranks", "LIST", options.ranks, "Show only these ranks, in this order: 0,2-5");
  group.add_option("--steps", "A:B", options.steps, "Show only these steps: 3:6, 3: or :6");
  group.add_option("--labels", std::string(kLabelWords), options.labels, "Labels on the arrows");
  group.add_option("--time", std::string(kTimeWords), options.time, "Logical rounds, or the clock");
  group.add_flag("--portrait", options.portrait, "Time downwards");
  group.add_flag("--critical-path", options.critical_path,
                 "Mark the messages that the end had to wait for");
  group.add_option("--round", "ROUND", options.round, "Buffers after, or messages of, this round");
  group.add_flag("--contributions", options.contributions,
                 "Show in buffers whose data each chunk holds");
  group.add_flag("--values", options.values, "Show elements in buffers");
  group.add_option("--with", "FILE", options.with, "compare: the second trace");
}

void add_look_options(OptionList group, ExportOptions& options) {
  group.add_option(
      "--theme", std::string(kThemeWords), options.theme,
      "Colours; by default print for pdf, what the reader's system asks for in html, else light");
  group.add_option(
      "--size", "slide|column|WIDTHxHEIGHT", options.size,
      "slide (16:9), column (of a paper) or pixels at 96 dpi: 1280x720; by default as large as "
      "needed");
  group.add_option("--dpi", "DPI", options.dpi,
                   "Resolution of png, mp4 and webm (144), and of gif (96)");
  group.add_option(
      "--fps", "FPS", options.fps,
      "Frames a second of gif (12), mp4 and webm (30), and of --sequence (only the steps)");
  group.add_flag("--sequence", options.sequence, "png: numbered files, FILE-001.png and so on");
}

void add_export_options(OptionList app, ExportOptions& options) {
  app.add_option("FILE", "FILE", options.file, "The trace").required();
  app.add_option("--diagram", diagram_names(), options.diagram,
                 "Which diagram (default: spacetime); without -o, --format and --diagram the "
                 "events are written for Perfetto");
  app.add_option(
      "--format", format_words(), options.format,
      "By default from the ending of the output. svg, pdf, png: a picture; gif, mp4, webm, html: "
      "an animation; chrome for Perfetto, jsonl for scripts, csv for spreadsheets");
  app.add_option("-o,--output", "FILE", options.output,
                 "Output file (- is the standard output); by default beside the trace");
  add_content_options(app.in_group("What a diagram shows"), options);
  add_look_options(app.in_group("How it looks"), options);
}

/// Throws UserError for an option with an empty value (--ranks "$EMPTY"), which would count as left out.
void check_not_empty(const ExportOptions& options) {
  const std::pair<const char*, const std::string*> texts[] = {
      {"diagram", &options.diagram}, {"format", &options.format}, {"title", &options.title},
      {"ranks", &options.ranks},     {"steps", &options.steps},   {"labels", &options.labels},
      {"time", &options.time},       {"round", &options.round},   {"with", &options.with},
      {"theme", &options.theme},     {"size", &options.size},     {"dpi", &options.dpi},
      {"fps", &options.fps}};
  for (const auto& [name, text] : texts)
    if (options.said(name) && text->empty())
      throw UserError(fmt::format("--{}: its value is empty: give one, or leave it out", name));
  if (options.said("output")) need_file_name(options.output);
}

/// Throws UserError for options of diagrams where all events are written.
void check_for_data(const ExportOptions& options, const FileFormat& format) {
  const auto check = [&](const auto& names) {
    for (const char* option : names)
      if (options.said(option))
        throw UserError(
            fmt::format("--{} is for diagrams; {} holds all events", option, format.name));
  };
  check(kContentOptions);
  check(kLookOptions);
}

/// Returns the format by --format, else by the file's ending, else by the other options.
const FileFormat& format_of(const ExportOptions& options) {
  const FileFormat* ended = format_of_file(options.output);
  if (!options.format.empty()) {
    check_word("--format", options.format, format_words());
    if (ended != nullptr && ended->name != options.format)
      throw UserError(
          fmt::format("'{}' ends as {} does, but --format says {}: leave --format out, or give "
                      "the file another ending",
                      escaped(options.output), ended->name, options.format));
    return *find_format(options.format);
  }
  if (ended != nullptr && (options.diagram.empty() || ended->picture())) return *ended;
  if (options.output.empty() || options.output == "-")
    return *find_format(options.diagram.empty() ? "chrome" : "svg");
  const std::string ending = std::filesystem::path(options.output).extension().string();
  throw UserError(fmt::format(
      "'{}' does not name a format: end it in {}{}, or use --format{}", escaped(options.output),
      endings(true), options.diagram.empty() ? ", or in " + endings(false) : "",
      nearest_hint(ending.empty() ? "" : ending.substr(1), words_for(format_words()))));
}

/// Returns the request for a diagram of `analysis`, which is empty for a file too large for memory.
TraceExport picture_of(const ExportOptions& options, const DiagramKind& kind,
                       const FileFormat& format, const TraceAnalysis& analysis) {
  TraceExport what;
  what.kind = &kind;
  what.request = request_of(options, kind, analysis);
  what.format = &format;
  what.output = options.output.empty() ? default_output(options, kind, format) : options.output;
  what.sources = {options.file};
  if (!options.with.empty()) what.sources.push_back(options.with);
  if (!options.theme.empty()) {
    check_word("--theme", options.theme, kThemeWords);
    what.theme = theme_named(options.theme).kind();
  }
  if (!options.dpi.empty())
    what.dpi = static_cast<double>(parse_integer(options.dpi, "--dpi", kLeastDpi, kMostDpi));
  if (!options.fps.empty()) what.fps = static_cast<int>(parse_integer(options.fps, "--fps", 0, 50));
  what.sequence = options.sequence;
  using Motion = DiagramKind::Motion;
  if ((kind.motion == Motion::rounds || kind.motion == Motion::between) &&
      (format.moves || what.sequence) && options.said("round"))
    throw UserError("--round is for a picture; an animation shows all rounds, or --steps A:B");
  check_look(options, what);
  if (kind.takes("with") && options.with.empty())
    throw UserError(
        fmt::format("--diagram {} needs a second trace: name it with --with FILE", kind.name));
  return what;
}

// ---- Writing ------------------------------------------------------------------------------------

ExportResult write(const Console& console, const TraceAnalysis& analysis, TraceExport what) {
  ProgressLine line(console);
  std::optional<Interrupt> interrupt;  // Ctrl-C leaves no file behind
  what.how = " with --output";
  if (what.output == "-") what.stream = &std::cout;
  else interrupt.emplace();
  auto result = export_trace(analysis, what,
                             {[&](std::size_t done, std::size_t all) {
                                line.show(fmt::format("frame {} of {}", done, all));
                              },
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

/// Returns the writer of a format that may be written part by part; null for others.
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

// Exports a file that is not held in memory.
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

/// Warns of what is missing in a file, and returns the exit code for it.
int code_of(const Console& console, const std::string& file, const TraceIssues& issues) {
  warn_of_issues(console, file, issues);
  return lost_something(issues) ? kBadInput : kOk;
}

/// `analysis` is null for a file too large for memory.
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
  const auto& kind = diagram_named(options.diagram.empty() ? "spacetime" : options.diagram);
  const bool picture = format.picture();
  if (!picture && !options.diagram.empty())
    throw UserError(fmt::format("a diagram is no {}: choose svg, pdf, png, gif, mp4, webm or html",
                                format.name));
  if (!picture) check_for_data(options, format);
  // A large file's overview is drawn without holding the file in memory.
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
        "Diagrams come as svg, pdf or png, as an animated gif, as an mp4 or webm video (which the "
        "package ffmpeg encodes), or as one html file that is stepped through with the arrow keys "
        "and needs no network. chrome: Chrome trace event JSON, with an arrow for every message; "
        "opens in Perfetto. jsonl: one JSON object per event, with names and contents. csv: a "
        "table of the events.",
    .examples =
        "rankscope export run.rankscope -o ring.pdf  # the time-vs-rank diagram\n"
        "rankscope export run.rankscope -o ring.html  # to step through in a lecture\n"
        "rankscope export run.rankscope --diagram spacetime --time measured --size slide -o "
        "ring.png  # as it was on the clock\n"
        "rankscope export run.rankscope --steps 1:3 --ranks 0-3 --theme dark -o ring.gif  # a "
        "part, moving\n"
        "rankscope export run.rankscope --diagram stage --size 1280x720 -o ring.mp4  # a video, by "
        "ffmpeg\n"
        "rankscope export run.rankscope  # run.json, for https://ui.perfetto.dev\n"
        "rankscope export run.rankscope --format jsonl -o - | head  # for a script\n"
        "rankscope export run.rankscope --format csv -o steps.csv",
    .define = define_export,
};

}  // namespace rankscope::cli
