// `rankscope bench` and the hidden `bench-trace`: their options, and how they start rankscope-bench.
#include "cli/profile/bench_options.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/subprocess.h"
#include "engine/run/conductor/launcher.h"

namespace rankscope::cli {

void add_bench_options(OptionList app, BenchChoice& choice) {
  app.add_option("part", "PART", choice.parts,
                 fmt::format("{}; without it, all but choice", fmt::join(kBenchParts, ", ")));
  app.add_flag("--quick", choice.quick, "Fewer rounds: about two minutes");
  app.add_flag(
      "--thorough", choice.thorough,
      "Also judge the automatic choice of algorithms, on a fine grid: more than ten minutes");
  app.add_option("-o,--output", "FILE.json", choice.output, "Also write all figures as JSON");
  app.add_option("--history", "FILE.csv", choice.history,
                 "Add this release's line: how many times as good as promised, by goal");
  app.add_option("--plot", "FILE.svg", choice.plot,
                 "Draw --history's lines by release; nothing is measured");
}

void add_bench_trace_options(OptionList app, BenchTraceChoice& choice) {
  app.add_option("--events", "COUNT", choice.events, "How many events to record");
  app.add_option("--write", "FILE", choice.file, "Record them into this file, and do nothing else");
}

namespace {

constexpr const char* kProgram = "rankscope-bench";

/// Replaces this process by rankscope-bench. With "rankscope" as argv[0] it finds the command's name among the words.
int start_bench(const Console& console) {
  std::string program = std::filesystem::path(own_program()).parent_path() / kProgram;
  if (!std::filesystem::exists(program)) {
    const auto found = program_on_path(kProgram);
    if (!found)
      throw UserError(fmt::format(
          "{0} is not there, the program that measures: it lies beside rankscope when it is "
          "installed; in a folder of the sources, `./dev build release {0}` builds it",
          kProgram));
    program = *found;
  }
  console.flush();
  std::vector<char*> words;
  for (const char* word : console.command_line()) words.push_back(const_cast<char*>(word));
  std::string name = "rankscope";
  words.front() = name.data();
  words.push_back(nullptr);
  // If the program's file was removed, it has no path to pass on.
  const std::string own = own_program();
  if (std::filesystem::is_regular_file(std::filesystem::symlink_status(own)))
    ::setenv(kBenchedProgram, own.c_str(), 1);
  ::execv(program.c_str(), words.data());
  throw std::system_error(errno, std::generic_category(), "cannot start " + program);
}

template <class Choice, void (*add)(OptionList, Choice&)>
Action define_bench(OptionList app) {
  const auto choice = std::make_shared<Choice>();
  add(app, *choice);
  return [choice](const Console& console) { return start_bench(console); };
}

}  // namespace

constinit const CommandEntry kBenchCommand{
    .name = "bench",
    .group = kMeasuring,
    .summary = "measure every speed goal of rankscope",
    .details =
        "Eight ranks beside Gloo, Open MPI and a bare ring on ZeroMQ, in interleaved rounds; the "
        "cost of tracing; small messages of mpi4py; how soon a run starts; how good the automatic "
        "choice is; training beside PyTorch. A missed goal is shown as missed; the exit code does "
        "not say it.",
    .examples =
        "rankscope bench  # all of it, five minutes\n"
        "rankscope bench speed tracing -o speed.json  # some parts, and their figures\n"
        "rankscope bench --history assets/speed/history.csv  # of a release\n"
        "rankscope bench --history assets/speed/history.csv --plot speed.svg  # draw it\n"
        "rankscope bench --quick  # less exact",
    .define = define_bench<BenchChoice, add_bench_options>,
};

constinit const CommandEntry kBenchTraceCommand{
    .name = "bench-trace",
    .group = "",
    .summary = "measure how fast traces are recorded and opened here",
    .details = "",
    .examples = "rankscope bench-trace --events 1000000",
    .define = define_bench<BenchTraceChoice, add_bench_trace_options>,
};

}  // namespace rankscope::cli
