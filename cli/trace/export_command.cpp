// `rankscope export`: a trace as a picture, or as data for other programs.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "cli/terminal/write_file.h"
#include "cli/trace/export_picture.h"
#include "cli/trace/trace_report.h"
#include "cli/vocabulary.h"
#include "engine/analysis/export/export_chrome.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/core/base/error.h"
#include "engine/core/base/suggest.h"
#include "engine/core/base/utf8.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/spacetime/overview.h"

namespace rankscope::cli {
namespace {

constexpr std::string_view kFormatWords = "svg|pdf|png|gif|html|chrome|jsonl|csv";
constexpr std::string_view kLabelWords = "all|chunks|bytes|none";
constexpr std::string_view kTimeWords = "rounds|measured";
constexpr std::string_view kThemeWords = "light|dark|print";
constexpr int kLeastDpi = 24, kMostDpi = 2400;

struct ExportOptions {
  std::string file, format, output, diagram;
  std::string title, ranks, steps, labels = "chunks", time = "rounds", round;
  std::string theme, size, dpi, fps, with;
  bool portrait = false, critical_path = false, values = false, contributions = false;
  bool sequence = false;
  OptionList app;  // to know what was said

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

// Options of a diagram's content, and of a picture's file.
constexpr std::array kContentOptions = {"title", "ranks",    "steps",         "labels",
                                        "time",  "portrait", "critical-path", "values",
                                        "round", "size",     "contributions", "with"};
constexpr std::array kLookOptions = {"theme", "dpi", "fps", "sequence"};

/// An option that was given without anything (--ranks "$EMPTY") was not left out.
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

/// One of the words, else an error with the nearest.
void check_word(std::string_view option, const std::string& word, std::string_view words) {
  const auto known = choices_of(words);
  if (std::ranges::find(known, word) != known.end()) return;
  const auto guess = did_you_mean(word, known);
  throw UserError(fmt::format("{}: '{}' is none of {}{}{}", option, word, fmt::join(known, ", "),
                              guess.empty() ? "" : "; ", guess));
}

// ---- Data for other programs --------------------------------------------------------------------

struct DataFormat {
  std::string_view name, ending;
  void (*write)(const Trace&, std::ostream&);
};
constexpr DataFormat kDataFormats[] = {{"chrome", ".json", export_chrome},
                                       {"jsonl", ".jsonl", export_jsonl},
                                       {"csv", ".csv", export_csv}};

int export_data(const Console& console, const Trace& trace, const ExportOptions& options,
                const std::string& format_name, int code) {
  const DataFormat& format = *std::ranges::find(kDataFormats, format_name, &DataFormat::name);
  if (options.output == "-") {
    format.write(trace, std::cout);
    check_stdout();
    return code;
  }
  const auto output =
      !options.output.empty()
          ? options.output
          : std::filesystem::path(options.file).replace_extension(format.ending).string();
  check_not_source(output, options.file);
  write_whole(output, [&](std::ostream& out) { format.write(trace, out); });
  std::error_code ignored;
  const auto size = std::filesystem::file_size(output, ignored);
  const std::uintmax_t bytes = ignored ? 0 : size;
  if (console.json()) {
    console.print_raw(json_text(
        {{"file", output}, {"format", format.name}, {"events", trace.size()}, {"bytes", bytes}}));
    return code;
  }
  console.print(fmt::format("{}: {} as {}, {}\n", escaped(output), plural(trace.size(), "event"),
                            format.name, format_bytes(static_cast<double>(bytes))));
  if (format.name == "chrome")
    console.note("Open it at https://ui.perfetto.dev or in chrome://tracing.");
  return code;
}

// ---- Pictures -----------------------------------------------------------------------------------

void set_size(DiagramRequest& request, const std::string& size) {
  if (size == "slide") {
    request.width = 1280;
    request.height = 720;
  } else if (size == "column") {  // 90 mm, of a paper in two columns
    request.width = 340;
    request.text_scale = 0.7;
  } else if (!size.empty()) {
    const auto by = size.find('x');
    if (by == std::string::npos)
      throw UserError(
          fmt::format("--size: '{}' is neither slide nor column nor the likes of 1280x720", size));
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
                           const std::string& format) {
  auto path = std::filesystem::path(options.file).replace_extension();
  if (kind.name != "spacetime") path += fmt::format("-{}", kind.name);
  path += "." + format;
  return path.string();
}

void report(const Console& console, const PictureExport& what, const PictureResult& result) {
  std::uint64_t bytes = 0;
  for (const auto& file : result.files) bytes += file.bytes;
  if (console.json()) {
    auto files = nlohmann::json::array();
    for (const auto& file : result.files)
      files.push_back({{"file", file.path}, {"bytes", file.bytes}});
    nlohmann::json facts{{"file", result.files.front().path},
                         {"format", what.format},
                         {"diagram", what.kind->name},
                         {"bytes", bytes},
                         {"width", result.width},
                         {"height", result.height},
                         {"frames", result.frames}};
    if (result.files.size() > 1) facts["files"] = files;
    console.print_raw(json_text(facts));
    return;
  }
  const bool moves = what.format == "gif" || what.format == "html";
  std::string name = escaped(result.files.front().path);
  if (result.files.size() > 1) name += " to " + escaped(result.files.back().path);
  console.print(fmt::format(
      "{}: {}, {:.0f} x {:.0f}{}, {}\n", name, what.kind->name, result.width, result.height,
      moves ? ", " + plural(result.frames, what.format == "gif" ? "frame" : "moment") : "",
      format_bytes(static_cast<double>(bytes))));
}

PictureExport picture_of(const ExportOptions& options, const DiagramKind& kind,
                         const std::string& format, const TraceAnalysis& analysis) {
  PictureExport what;
  what.kind = &kind;
  what.request = request_of(options, kind, analysis);
  what.format = format;
  what.output = options.output.empty() ? default_output(options, kind, format) : options.output;
  what.source = options.file;
  what.second_source = options.with;
  what.theme = options.theme;
  if (!what.theme.empty()) check_word("--theme", what.theme, kThemeWords);
  if (!options.dpi.empty())
    what.dpi = static_cast<double>(parse_integer(options.dpi, "--dpi", kLeastDpi, kMostDpi));
  if (!options.fps.empty()) what.fps = static_cast<int>(parse_integer(options.fps, "--fps", 0, 50));
  what.sequence = options.sequence;
  // Moments and pictures of the buffers, or of the messages, of one round.
  const bool moves = format == "gif" || format == "html" || what.sequence;
  if (kind.motion == DiagramKind::Motion::rounds && moves && options.said("round"))
    throw UserError("--round is for a picture; an animation shows all rounds, or --steps A:B");
  return what;
}

/// Warns of what a file does not hold any more; the exit code says the same.
int code_of(const Console& console, const std::string& file, const TraceIssues& issues) {
  warn_of_issues(console, file, issues);
  return lost_something(issues) ? kBadInput : kOk;
}

/// `run`: null for a file too large to be held in memory.
int export_diagram(const Console& console, const TraceAnalysis* run, const ExportOptions& options,
                   const std::string& format, int code) {
  const TraceAnalysis none;
  const auto& kind = diagram_named(options.diagram.empty() ? "spacetime" : options.diagram);
  PictureExport what = picture_of(options, kind, format, run != nullptr ? *run : none);
  TraceAnalysis other;
  if (!options.with.empty()) {
    other = TraceAnalysis(TraceReader::open(options.with));
    code = std::max(code, code_of(console, options.with, other.trace().issues()));
    what.request.other = &other;
  }
  if (run == nullptr) {
    TraceIssues issues;
    what.drawn =
        overview_of_file(options.file, spacetime_options(what.request), system_ruler(), &issues);
    code = std::max(code, code_of(console, options.file, issues));
  }
  const auto result = export_picture(console, run != nullptr ? *run : none, what);
  if (result.interrupted) {
    console.note("interrupted: nothing was written");
    return kInterrupted;
  }
  if (what.output != "-") report(console, what, result);
  return code;
}

// ---- Which of the two ---------------------------------------------------------------------------

/// Empty: the ending is none of ours.
std::string format_of_ending(std::string ending) {
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!ending.empty() && is_picture_format(ending.substr(1))) return ending.substr(1);
  if (ending == ".htm") return "html";
  for (const DataFormat& format : kDataFormats)
    if (ending == format.ending) return std::string(format.name);
  return {};
}

/// From --format, else from the file's ending, else what the other options suggest.
std::string format_of(const ExportOptions& options) {
  const std::string ending = std::filesystem::path(options.output).extension().string();
  const std::string ended = format_of_ending(ending);
  if (!options.format.empty()) {
    check_word("--format", options.format, kFormatWords);
    if (!ended.empty() && ended != options.format)
      throw UserError(
          fmt::format("'{}' ends as {} does, but --format says {}: leave --format away, or give "
                      "the file another ending",
                      escaped(options.output), ended, options.format));
    return options.format;
  }
  if (!ended.empty() && (options.diagram.empty() || is_picture_format(ended))) return ended;
  if (options.output.empty() || options.output == "-")
    return options.diagram.empty() ? "chrome" : "svg";
  const auto guess = did_you_mean(ending.empty() ? "" : ending.substr(1), choices_of(kFormatWords));
  throw UserError(fmt::format(
      "'{}' does not say which format it is to have: end it in .svg, .pdf, .png, .gif or "
      ".html{}, or use --format{}{}",
      escaped(options.output), options.diagram.empty() ? ", or in .json, .jsonl or .csv" : "",
      guess.empty() ? "" : "; ", guess));
}

int run_export(const Console& console, const ExportOptions& options) {
  check_not_empty(options);
  const auto format = format_of(options);
  if (!options.diagram.empty()) diagram_named(options.diagram);  // before anything is read
  const bool picture = is_picture_format(format);
  if (!picture && !options.diagram.empty())
    throw UserError(fmt::format("a diagram is no {}: choose svg, pdf, png, gif or html", format));
  const auto check_for_data = [&](const auto& names) {
    for (const char* option : names)
      if (options.said(option))
        throw UserError(fmt::format("--{} is for diagrams; {} holds all events", option, format));
  };
  if (!picture) {
    check_for_data(kContentOptions);
    check_for_data(kLookOptions);
  }
  // Millions of messages are counted where they lie.
  const bool whole = options.ranks.empty() && options.steps.empty();
  if (picture && whole && (options.diagram.empty() || options.diagram == "spacetime") &&
      is_large(options.file))
    return export_diagram(console, nullptr, options, format, kOk);
  const TraceAnalysis run(TraceReader::open(options.file));
  const int code = code_of(console, options.file, run.trace().issues());
  return picture ? export_diagram(console, &run, options, format, code)
                 : export_data(console, run.trace(), options, format, code);
}

void add_content_options(OptionList app, ExportOptions& options) {
  constexpr auto kGroup = "What a diagram shows";
  const auto text = [&](const char* name, std::string& value, const char* help, std::string type) {
    return app.add_option(name, value, help)->type_name(std::move(type))->group(kGroup);
  };
  text("--title", options.title, "Instead of the algorithm and the number of ranks", "TEXT");
  text("--ranks", options.ranks, "Only these, in this order: 0,2-5", "LIST");
  text("--steps", options.steps, "Only these: 3:6, 3: or :6", "A:B");
  text("--labels", options.labels, "On the arrows", std::string(kLabelWords));
  text("--time", options.time, "Logical rounds, or the clock", std::string(kTimeWords));
  app.add_flag("--portrait", options.portrait, "Time downwards")->group(kGroup);
  app.add_flag("--critical-path", options.critical_path,
               "Mark the messages that the end had to wait for")
      ->group(kGroup);
  text("--round", options.round, "Buffers after, or messages of, this round", "ROUND");
  app.add_flag("--contributions", options.contributions, "Buffers: whose data each chunk holds")
      ->group(kGroup);
  app.add_flag("--values", options.values, "Buffers: the elements")->group(kGroup);
  text("--with", options.with, "compare: the second trace", "FILE");
}

void add_look_options(OptionList app, ExportOptions& options) {
  constexpr auto kGroup = "How it looks";
  const auto text = [&](const char* name, std::string& value, const char* help, std::string type) {
    return app.add_option(name, value, help)->type_name(std::move(type))->group(kGroup);
  };
  text("--theme", options.theme,
       "Colours; by default print for pdf, what the reader's system asks for in html, else light",
       std::string(kThemeWords));
  text("--size", options.size,
       "slide (16:9), column (of a paper) or pixels at 96 dpi: 1280x720; by default as large as "
       "needed",
       "slide|column|WIDTHxHEIGHT");
  text("--dpi", options.dpi, "Resolution of png (144) and gif (96)", "DPI");
  text("--fps", options.fps, "Frames a second of gif (12) and of --sequence (only the steps)",
       "FPS");
  app.add_flag("--sequence", options.sequence, "png: numbered files, FILE-001.png and so on")
      ->group(kGroup);
}

}  // namespace

Action define_export(OptionList app) {
  const auto options = std::make_shared<ExportOptions>();
  options->app = app;
  app.add_option("FILE", options->file, "The trace")->type_name("FILE")->required();
  app.add_option("--diagram", options->diagram, "Which picture (by default spacetime)")
      ->type_name(diagram_names());
  app.add_option(
         "--format", options->format,
         "By default from the ending of the output. svg, pdf, png: a picture; gif, html: an "
         "animation; chrome for Perfetto, jsonl for scripts, csv for spreadsheets")
      ->type_name(std::string(kFormatWords));
  app.add_option("-o,--output", options->output,
                 "Where to (- is the standard output); by default beside the trace")
      ->type_name("FILE");
  add_content_options(app, *options);
  add_look_options(app, *options);
  return [options](const Console& console) { return run_export(console, *options); };
}

}  // namespace rankscope::cli
