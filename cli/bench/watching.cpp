// Measures many small messages of a program with mpi4py under `rankscope exec`, over sockets and over shared memory,
// beside Open MPI with the real mpi4py where that is installed (./dev setup --with-baselines).
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/terminal/text.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/model/statistics.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kWatchedRanks = 8, kExchanges = 1000, kMessages = kWatchedRanks * kExchanges;
constexpr auto kLongestWatched = std::chrono::seconds(60);

constexpr std::array<std::string_view, 2> kKinds = {"buffers", "objects"};
using Seconds = std::array<double, kKinds.size()>;

// Each rank sends and receives in a ring, by both kinds of calls; rank 0 writes the seconds of each kind into the named
// file.
constexpr std::string_view kMessagesProgram = R"(import sys, time
import numpy
from mpi4py import MPI
comm = MPI.COMM_WORLD
right, left = (comm.Get_rank() + 1) % comm.Get_size(), (comm.Get_rank() - 1) % comm.Get_size()
given, taken = numpy.arange(16, dtype=numpy.float32), numpy.empty(16, dtype=numpy.float32)
def buffers(count):
    for i in range(count):
        request = comm.Irecv(taken, source=left)
        comm.Send(given, dest=right)
        request.Wait()
def objects(count):
    for i in range(count):
        request = comm.irecv(source=left)
        comm.send(i, dest=right)
        request.wait()
def seconds(exchanges):
    comm.Barrier()
    begin = time.perf_counter()
    exchanges(int(sys.argv[2]))
    comm.Barrier()
    return time.perf_counter() - begin
buffers(50), objects(50)  # connections are made, and memory is there
times = [seconds(buffers), seconds(objects)]
if comm.Get_rank() == 0:
    with open(sys.argv[1], "w") as file:
        print(*times, file=file)
)";

std::vector<std::string> program_words(const fs::path& folder) {
  const bool systems = ::access("/usr/bin/python3", X_OK) == 0;
  return {systems ? "/usr/bin/python3" : "python3", (folder / "messages.py").string(),
          (folder / "seconds").string(), std::to_string(kExchanges)};
}

/// Returns the seconds of each kind of message; nothing when the program failed.
std::optional<Seconds> seconds_of(std::vector<std::string> words, const fs::path& folder) {
  const fs::path file = folder / "seconds";
  fs::remove(file);
  for (std::string& word : program_words(folder)) words.push_back(std::move(word));
  Subprocess run(
      {.words = std::move(words),
       .folder = folder.string(),
       .descriptors = {{.theirs = STDOUT_FILENO, .file = "/dev/null", .flags = O_WRONLY},
                       {.theirs = STDERR_FILENO, .file = "/dev/null", .flags = O_WRONLY}}});
  if (run.wait(Deadline::in(kLongestWatched)) != 0) return std::nullopt;
  std::ifstream in(file);
  Seconds seconds{};
  for (double& one : seconds) in >> one;
  return in ? std::optional(seconds) : std::nullopt;
}

std::vector<std::string> watched(const fs::path& folder, std::string_view transport) {
  return {rankscope_program(),
          "exec",
          "--quiet",
          "--transport",
          std::string(transport),
          "-n",
          std::to_string(kWatchedRanks),
          "-o",
          (folder / "trace.rankscope").string(),
          "--no-findings",
          "--"};
}

std::vector<std::string> by_open_mpi() {
  // Our package may be on the user's path, and must not be compared with itself.
  std::vector<std::string> words{"env",
                                 "-u",
                                 "PYTHONPATH",
                                 "-u",
                                 "RANKSCOPE_EXEC",
                                 "mpirun",
                                 "--oversubscribe",
                                 "-np",
                                 std::to_string(kWatchedRanks)};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  return words;
}

struct WatchedWay {
  std::string name;
  std::vector<std::string> words;
  std::array<std::vector<double>, kKinds.size()> seconds = {};  ///< By kind and round.
};

std::string each_message(const std::vector<double>& seconds) {
  return fmt::format("{} a message", format_seconds(median(seconds) / kMessages));
}

void report_ways(const std::vector<WatchedWay>& ways, std::size_t kind, BenchReport& report) {
  constexpr double kMost = 4;
  const std::vector<double>& theirs = ways.back().seconds[kind];
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    const std::vector<double>& ours = ways[i].seconds[kind];
    const std::string what = fmt::format(
        "watching {} small mpi4py messages ({}) over {} takes at most {:.0f} times Open MPI's time",
        kMessages, kKinds[kind], ways[i].name, kMost);
    if (ours.empty()) {
      report.goals.push_back(
          {what,
           "the program did not run: it needs python3 with NumPy (apt-get install python3-numpy)",
           Goal::Verdict::unknown});
      continue;
    }
    if (theirs.empty()) {
      report.goals.push_back({what,
                              each_message(ours) + "; there is no Open MPI with mpi4py here to "
                                                   "compare with (./dev setup --with-baselines)",
                              Goal::Verdict::unknown});
      continue;
    }
    const double ratio = median(ours) / median(theirs);
    report.goals.push_back(scored_goal(
        what,
        fmt::format("{:.1f} times: {} against {}", ratio, each_message(ours), each_message(theirs)),
        kMost / ratio, fmt::format("watching-{}-{}", kKinds[kind], ways[i].name)));
  }
}

}  // namespace

void bench_watching(const BenchOptions& options, BenchReport& report) {
  const ScratchFolder folder("bench");
  std::ofstream(folder.path() / "messages.py") << kMessagesProgram;
  const bool has_mpirun = program_on_path("mpirun").has_value();
  std::vector<WatchedWay> ways{
      {"ipc", watched(folder.path(), kDefaultTransport)},
      {"shm", watched(folder.path(), kSharedTransport)},
      {"Open MPI", has_mpirun ? by_open_mpi() : std::vector<std::string>()}};
  bool theirs_works = has_mpirun;
  for (int round = 0; round < (options.quick ? 3 : 9); ++round)
    for (WatchedWay& way : ways) {
      if (bench_interrupted(options)) {
        report.interrupted = true;
        return;
      }
      const bool theirs = &way == &ways.back();
      if (theirs && !theirs_works) continue;
      options.progress(fmt::format("{}, round {}", way.name, round + 1));
      if (const auto seconds = seconds_of(way.words, folder.path()))
        for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
          way.seconds[kind].push_back((*seconds)[kind]);
      else if (theirs) theirs_works = false;
    }
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) report_ways(ways, kind, report);
}

}  // namespace rankscope::cli
