// `rankscope bench`: the promises about speed, one by one.
#include <algorithm>
#include <memory>
#include <ranges>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/profile/bench_goals.h"
#include "cli/profile/bench_history.h"
#include "cli/profile/profile_report.h"
#include "cli/terminal/write_file.h"
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

struct BenchChoice : BenchOptions {
  std::string output, history, plot;
};

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
  BenchOptions options = chosen;
  options.interrupt_fd = interrupt.fd();
  const bool live = console.err_is_terminal() && !console.quiet();
  options.progress = [&](const std::string& what) {
    if (!live) return;
    const auto width = static_cast<std::size_t>(std::max(20, console.width() - 1));
    fmt::print(stderr, "\r\033[K{}", what.substr(0, width));
    std::fflush(stderr);
  };
  options.on_part = [&](const std::string& part) {
    if (!live) console.note(part);
  };
  console.note(fmt::format("{} processors; close other programs: figures are of this machine, now",
                           std::thread::hardware_concurrency()));
  const BenchReport report = run_bench(options);
  if (live) fmt::print(stderr, "\r\033[K");
  print_report(console, report);
  if (!chosen.output.empty()) write_whole(chosen.output, json_of(report));
  // A line of half of the goals would be drawn as if the others had been given up.
  if (!chosen.history.empty() && !report.interrupted) add_to_history(chosen.history, report.goals);
  return report.interrupted ? kInterrupted : kOk;
}

}  // namespace

Action define_bench(OptionList app) {
  const auto options = std::make_shared<BenchChoice>();
  app.add_option(
      "part", "PART", options->parts,
      fmt::format("{}; without it, all but choice",
                  fmt::join(bench_parts() | std::views::transform(&BenchPart::name), ", ")));
  app.add_flag("--quick", options->quick, "Fewer rounds: about two minutes");
  app.add_flag(
      "--thorough", options->thorough,
      "Also judge the automatic choice of algorithms, on a fine grid: more than ten minutes");
  app.add_option("-o,--output", "FILE.json", options->output, "Also write all figures as JSON");
  app.add_option("--history", "FILE.csv", options->history,
                 "Add this release's line: how many times as good as promised, by goal");
  app.add_option("--plot", "FILE.svg", options->plot,
                 "Draw --history's lines by release; nothing is measured");
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace rankscope::cli
