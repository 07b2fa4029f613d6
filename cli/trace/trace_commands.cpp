// `rankscope trace`: info, print, stats, narrate and diff.
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/command.h"
#include "cli/sizes.h"
#include "cli/terminal/text.h"
#include "cli/trace/streamed_file.h"
#include "cli/trace/trace_report.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/core/trace/trace_file.h"

namespace rankscope::cli {
namespace {

constexpr std::int64_t kAnyNumber = std::int64_t{1} << 62;
constexpr int kMostSentences = 1 << 30;

struct TraceOptions {
  std::vector<std::string> files;
  std::string rank, from = "0", limit;
};

void print_info(const Console& console, const Trace& trace, const std::string& file) {
  std::error_code ignored;  // it was readable a moment ago
  const auto bytes = std::filesystem::file_size(file, ignored);
  const TraceFileInfo facts{file, ignored ? 0 : bytes};
  if (console.json()) console.print_raw(trace_info_json(trace, facts));
  else console.print(trace_info_text(trace, facts, console.out()));
}

void print_statistics(const Console& console, const Trace& trace, const Statistics& found) {
  if (console.json()) console.print_raw(trace_statistics_json(trace, found));
  else console.print(trace_statistics_text(trace, found, console.out()));
}

EventChoice choice_of(int world_size, const TraceOptions& options) {
  EventChoice choice;
  const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(world_size) - 1, 0);
  if (!options.rank.empty())
    choice.rank = static_cast<Rank>(parse_integer(options.rank, "--rank", 0, most));
  choice.from = static_cast<std::uint64_t>(parse_integer(options.from, "--from", 0, kAnyNumber));
  if (!options.limit.empty())
    choice.limit =
        static_cast<std::uint64_t>(parse_integer(options.limit, "--limit", 0, kAnyNumber));
  return choice;
}

int narrate(const Console& console, const TraceOptions& options) {
  const Trace trace = open_trace(console, options.files[0], "`rankscope trace narrate`");
  const Narration narration{TraceAnalysis(trace)};
  const auto number = [](const std::string& text, const char* option, int least, int most) {
    return static_cast<int>(parse_integer(text, option, least, most));
  };
  const int from = number(options.from, "--from", 0, narration.steps() + 1);
  const int limit = options.limit.empty() ? narration.steps() + 2
                                          : number(options.limit, "--limit", 0, kMostSentences);
  if (console.json()) console.print_raw(trace_narration_json(trace, narration, from, limit));
  else
    console.print(
        trace_narration_text(trace, narration, from, limit, console.out(), console.width()));
  return lost_something(trace.issues()) ? kBadInput : kOk;
}

int run_diff(const Console& console, const TraceOptions& options) {
  constexpr const char* kNeeds = "`rankscope trace diff`";
  const Trace left = open_trace(console, options.files[0], kNeeds);
  const Trace right = open_trace(console, options.files[1], kNeeds);
  const auto report = trace_diff(left, right, options.files[0], options.files[1]);
  if (console.json()) console.print_raw(report.json);
  else console.print(report.text);
  // Lost events would differ, too, so that the runs cannot be compared.
  if (lost_something(left.issues()) || lost_something(right.issues())) return kBadInput;
  return report.equal ? kOk : kFailed;
}

enum class Report { info, events, statistics };

int report_in_parts(const Console& console, const TraceOptions& options, Report report,
                    const Interrupt& interrupt) {
  const auto& file = options.files[0];
  const StreamedFile run(console, file, interrupt);
  TraceIssues issues = run.trace().issues();
  if (report == Report::events) {
    issues = run.print(choice_of(run.trace().world_size(), options));
  } else if (report == Report::statistics) {
    const auto [found, names] = run.statistics();
    issues = names.issues();
    print_statistics(console, names, found);
  } else {
    print_info(console, run.trace().part({0, 0}), file);
  }
  warn_of_issues(console, file, issues);
  return lost_something(issues) ? kBadInput : kOk;
}

/// Reports on a file with more events than memory should hold.
int report_in_parts(const Console& console, const TraceOptions& options, Report report) {
  const Interrupt interrupt;
  try {
    return report_in_parts(console, options, report, interrupt);
  } catch (const UserError&) {
    if (!interrupt.happened()) throw;
    console.note("interrupted");
    return kInterrupted;
  }
}

int report_trace(const Console& console, const TraceOptions& options, Report report) {
  const auto& file = options.files[0];
  if (look_at_trace(file).events > most_events_held())
    return report_in_parts(console, options, report);
  const Trace trace = open_trace(console, file, "`rankscope trace`");
  switch (report) {
    case Report::info: print_info(console, trace, file); break;
    case Report::events:
      print_events(console, trace, choice_of(trace.world_size(), options));
      break;
    case Report::statistics:
      print_statistics(console, trace, TraceAnalysis(trace).statistics());
      break;
  }
  return lost_something(trace.issues()) ? kBadInput : kOk;
}

Action define_trace(OptionList app) {
  const auto options = std::make_shared<TraceOptions>();
  ActionList actions(app);
  constexpr ActionList::Names kOne{1, 1, "1 trace file"}, kTwo{2, 2, "2 trace files"};
  const auto add = [&](const char* word, const char* summary, Report report) {
    actions.add(word, summary, kOne, [options, report](const Console& console) {
      return report_trace(console, *options, report);
    });
  };
  add("info", "what was recorded, and whether the file is complete", Report::info);
  add("print", "every event, in an order in which causes come first", Report::events);
  add("stats", "messages, bytes, rounds and where the time went, by rank, phase and pair",
      Report::statistics);
  actions.add("narrate", "a sentence for each step", kOne,
              [options](const Console& out) { return narrate(out, *options); });
  actions.add("diff",
              "the first step in which two runs differ, whatever their timing; exit code 1 if "
              "there is a difference",
              kTwo, [options](const Console& out) { return run_diff(out, *options); });
  // CLI11 gives a word to a required argument rather than to a subcommand, unless the argument may have no value.
  app.add_option("FILE", "FILE", options->files, "The trace; two for diff")
      .required()
      .expected(0, 2);
  app.add_option("--rank", "RANK", options->rank, "print: only this rank's events");
  app.add_option("--from", "EVENT", options->from,
                 "print: from this event on; narrate: from this step on");
  app.add_option("--limit", "COUNT", options->limit,
                 "print, narrate: at most this many events, or sentences");
  return [options, actions](const Console& out) { return actions.run(out, options->files); };
}

}  // namespace

constinit const CommandEntry kTraceCommand{
    .name = "trace",
    .group = kTraces,
    .summary = "look into a recorded run, or compare two",
    .details =
        "A file that was cut or damaged opens with everything that is intact, and with a warning, "
        "and the exit code is 2; when only the end mark is missing (the recorder was killed and "
        "nothing is known to be lost), it is 0.",
    .examples =
        "rankscope trace info run.rankscope\n"
        "rankscope trace print run.rankscope --rank 2 --limit 20\n"
        "rankscope trace stats run.rankscope --json  # for a script\n"
        "rankscope trace diff right.rankscope mine.rankscope",
    .define = define_trace,
};

}  // namespace rankscope::cli
