// `rankscope bench`: the promises about speed, one by one.
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/profile/bench_goals.h"
#include "cli/profile/profile_report.h"
#include "engine/core/base/json_text.h"

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
  const auto word = fmt::format("{:<12}", word_of(verdict));
  if (verdict == Goal::Verdict::met) return style.good(word);
  return verdict == Goal::Verdict::missed ? style.bad(word) : style.warning(word);
}

void print_report(const Console& console, const BenchReport& report) {
  if (console.json()) {
    nlohmann::ordered_json goals = nlohmann::ordered_json::array();
    for (const auto& g : report.goals)
      goals.push_back({{"goal", g.what}, {"figure", g.figure}, {"verdict", word_of(g.verdict)}});
    console.print_raw(
        nlohmann::ordered_json{{"goals", goals},
                               {"records", parse_ordered_json(to_json(report.records))},
                               {"notes", report.notes}}
            .dump(2) +
        "\n");
    return;
  }
  const Style& style = console.out();
  if (!report.records.empty()) console.print(profile_table(report.records, style) + "\n");
  for (const auto& g : report.goals)
    console.print(
        fmt::format("{}{}\n            {}\n", painted(style, g.verdict), g.what, g.figure));
  for (const auto& note : report.notes) console.print(fmt::format("\n{}\n", note));
}

int run(const Console& console, const BenchOptions& chosen) {
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
  console.note(fmt::format("{} processors; close other programs: figures are of this machine, now",
                           std::thread::hardware_concurrency()));
  const BenchReport report = run_bench(options);
  if (live) fmt::print(stderr, "\r\033[K");
  print_report(console, report);
  return report.interrupted ? kInterrupted : kOk;
}

}  // namespace

Action define_bench(OptionList app) {
  const auto options = std::make_shared<BenchOptions>();
  app.add_option(
      "part", "PART", options->parts,
      "speed, shm, tracing, starts, choice, traces, training, simulator or grading; without it, all");
  app.add_flag("--quick", options->quick, "Fewer rounds and a coarser grid: about two minutes");
  return [options](const Console& console) { return run(console, *options); };
}

}  // namespace rankscope::cli
