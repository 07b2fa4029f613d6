// rankscope-bench: measures the promises about speed, one by one.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/bench/bench.h"
#include "cli/bench/history.h"
#include "cli/bench/trace_speed.h"
#include "cli/interrupt.h"
#include "cli/profile/profile_report.h"
#include "cli/sizes.h"
#include "cli/terminal/output.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

std::string_view word_of(Goal::Verdict verdict) {
  switch (verdict) {
    case Goal::Verdict::met: return "met";
    case Goal::Verdict::missed: return "missed";
    case Goal::Verdict::unknown: return "not measured";
  }
  return "?";
}

std::string painted(const Style& style, Goal::Verdict verdict) {
  const auto word = fmt::format("{:<14}", word_of(verdict));
  if (verdict == Goal::Verdict::met) return style.good(word);
  return verdict == Goal::Verdict::missed ? style.bad(word) : style.warning(word);
}

std::string json_of(const BenchReport& report) {
  nlohmann::ordered_json goals = nlohmann::ordered_json::array();
  for (const auto& g : report.goals) {
    nlohmann::ordered_json one{
        {"goal", g.what}, {"figure", g.figure}, {"verdict", word_of(g.verdict)}};
    if (!g.key.empty()) one["key"] = g.key;
    if (g.score > 0) one["times_the_goal"] = g.score;
    goals.push_back(std::move(one));
  }
  return nlohmann::ordered_json{{"version", RANKSCOPE_VERSION},
                                {"machine", machine_name()},
                                {"seconds", report.seconds},
                                {"interrupted", report.interrupted},
                                {"goals", goals},
                                {"records", parse_ordered_json(to_json(report.records))},
                                {"notes", report.notes}}
             .dump(2) +
         "\n";
}

std::string summary_of(const BenchReport& report) {
  const auto with = [&](Goal::Verdict verdict) {
    return ranges::count(report.goals, verdict, &Goal::verdict);
  };
  return fmt::format("{} goals met, {} missed, {} not measured, in {:.0f} s",
                     with(Goal::Verdict::met), with(Goal::Verdict::missed),
                     with(Goal::Verdict::unknown), report.seconds);
}

void print_report(const Console& console, const BenchReport& report) {
  if (console.json()) {
    console.print_raw(json_of(report));
    return;
  }
  const Style& style = console.out();
  if (!report.records.empty()) console.print(profile_table(report.records, style) + "\n");
  for (const auto& g : report.goals)
    console.print(
        fmt::format("{}{}\n              {}\n", painted(style, g.verdict), g.what, g.figure));
  for (const auto& note : report.notes) console.print(fmt::format("\n{}\n", note));
  console.print(fmt::format("\n{}\n", summary_of(report)));
}

void check_files(const BenchChoice& chosen) {
  if (chosen.plot.empty()) return;
  if (chosen.history.empty()) throw UserError("--plot draws what --history names: give both");
  if (!chosen.parts.empty() || !chosen.output.empty())
    throw UserError("--plot draws a history and measures nothing: leave PART and --output out");
}

int run(const Console& console, const BenchChoice& chosen) {
  check_files(chosen);
  if (!chosen.plot.empty()) {
    plot_history(chosen.history, chosen.plot);
    return kOk;
  }
  const Interrupt interrupt;
  BenchOptions options{chosen};
  options.interrupt_fd = interrupt.fd();
  ProgressLine line(console);
  options.progress = [&](const std::string& what) { line.show(what); };
  options.on_part = [&](const std::string& part) {
    if (!line.is_enabled()) console.note(part);
  };
  console.note(fmt::format("{} processors; close other programs: figures are of this machine, now",
                           std::thread::hardware_concurrency()));
  const BenchReport report = run_bench(options);
  line.clear();
  print_report(console, report);
  if (!chosen.output.empty()) write_whole(chosen.output, json_of(report));
  // An interrupted run would be drawn as if the other goals had been given up.
  if (!chosen.history.empty() && !report.interrupted) add_to_history(chosen.history, report.goals);
  return report.interrupted ? kInterrupted : kOk;
}

Action define_bench(OptionList app) {
  const auto choice = std::make_shared<BenchChoice>();
  add_bench_options(app, *choice);
  return [choice](const Console& console) { return run(console, *choice); };
}

Action define_bench_trace(OptionList app) {
  const auto choice = std::make_shared<BenchTraceChoice>();
  add_bench_trace_options(app, *choice);
  return [choice](const Console& console) {
    const auto count = static_cast<std::uint64_t>(
        parse_integer(choice->events, "--events", 1000, std::int64_t{1} << 32));
    if (!choice->file.empty()) record_made_up(count, choice->file);
    else
      console.print_raw(to_json(bench_trace(count, std::filesystem::temp_directory_path())) + "\n");
    return kOk;
  };
}

}  // namespace
}  // namespace rankscope::cli

// `rankscope-bench WORDS` stands for `rankscope bench WORDS`; `rankscope` passes its own name and all words.
int main(int argc, char** argv) {
  using namespace rankscope::cli;
  CommandEntry bench = kBenchCommand, bench_trace = kBenchTraceCommand;
  bench.define = define_bench;
  bench_trace.define = define_bench_trace;
  const CommandEntry* const commands[] = {&bench, &bench_trace};
  std::vector<const char*> words(argv, argv + argc);
  if (words.empty() || std::filesystem::path(words.front()).filename() != "rankscope") {
    words.erase(words.begin(), words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words)));
    words.insert(words.begin(), {"rankscope", "bench"});
  }
  return run_command_line(words, commands);
}
