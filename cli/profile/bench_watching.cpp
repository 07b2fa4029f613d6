// Many small messages of a program with mpi4py under `rankscope exec`, over sockets and over shared memory, beside Open
// MPI with the real mpi4py where that is installed (./dev setup --with-baselines).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/profile/bench_goals.h"
#include "cli/terminal/text.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/program_search.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/model/statistics.h"
#include "engine/run/conductor/launcher.h"
#include "engine/run/job/transports.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kWatchedRanks = 8, kExchanges = 1000, kMessages = kWatchedRanks * kExchanges;
constexpr auto kLongestWatched = std::chrono::seconds(60);

// Rank 0 writes the seconds into the file that is named; each rank sends and receives in a ring.
constexpr std::string_view kMessagesProgram = R"(import sys, time
import numpy
from mpi4py import MPI
comm = MPI.COMM_WORLD
right, left = (comm.Get_rank() + 1) % comm.Get_size(), (comm.Get_rank() - 1) % comm.Get_size()
given, taken = numpy.arange(16, dtype=numpy.float32), numpy.empty(16, dtype=numpy.float32)
comm.Barrier()
begin = time.perf_counter()
for i in range(int(sys.argv[2])):
    if sys.argv[3] == "buffers":
        request = comm.Irecv(taken, source=left)
        comm.Send(given, dest=right)
        request.Wait()
    else:
        request = comm.irecv(source=left)
        comm.send(i, dest=right)
        request.wait()
comm.Barrier()
if comm.Get_rank() == 0:
    with open(sys.argv[1], "w") as file:
        file.write(str(time.perf_counter() - begin))
)";

std::vector<std::string> program_words(const fs::path& folder, std::string_view kind) {
  const bool systems = ::access("/usr/bin/python3", X_OK) == 0;
  return {systems ? "/usr/bin/python3" : "python3", (folder / "messages.py").string(),
          (folder / "seconds").string(), std::to_string(kExchanges), std::string(kind)};
}

/// Seconds that the messages took; nothing: the program did not get to its end.
std::optional<double> seconds_of(std::vector<std::string> words, const fs::path& folder,
                                 std::string_view kind) {
  const fs::path file = folder / "seconds";
  fs::remove(file);
  for (std::string& word : program_words(folder, kind)) words.push_back(std::move(word));
  Subprocess run(
      {.words = std::move(words),
       .folder = folder.string(),
       .descriptors = {{.theirs = STDOUT_FILENO, .file = "/dev/null", .flags = O_WRONLY},
                       {.theirs = STDERR_FILENO, .file = "/dev/null", .flags = O_WRONLY}}});
  if (run.wait(Deadline::in(kLongestWatched)) != 0) return std::nullopt;
  std::ifstream in(file);
  double seconds = 0;
  return in >> seconds ? std::optional(seconds) : std::nullopt;
}

std::vector<std::string> watched(const fs::path& folder, std::string_view transport) {
  return {own_program(),
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
  // Ours may be on the path of the user who runs the bench: it must not be compared with itself.
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
  std::vector<double> seconds = {};
};

std::string each_message(const std::vector<double>& seconds) {
  return fmt::format("{} a message", format_seconds(median(seconds) / kMessages));
}

void report_ways(const std::vector<WatchedWay>& ways, std::string_view kind, BenchReport& report) {
  constexpr double kMost = 4;
  const std::vector<double>& theirs = ways.back().seconds;
  for (std::size_t i = 0; i + 1 < ways.size(); ++i) {
    const WatchedWay& one = ways[i];
    const std::string what = fmt::format(
        "watching {} small mpi4py messages ({}) over {} takes at most {:.0f} times Open "
        "MPI's time",
        kMessages, kind, one.name, kMost);
    if (one.seconds.empty()) {
      report.goals.push_back({what,
                              "the program did not run: it needs python3 with NumPy "
                              "(apt-get install python3-numpy)",
                              Goal::Verdict::unknown});
      continue;
    }
    if (theirs.empty()) {
      report.goals.push_back({what,
                              each_message(one.seconds) +
                                  "; there is no Open MPI with mpi4py here to compare with "
                                  "(./dev setup --with-baselines)",
                              Goal::Verdict::unknown});
      continue;
    }
    const double ratio = median(one.seconds) / median(theirs);
    report.goals.push_back(scored_goal(what,
                                       fmt::format("{:.1f} times: {} against {}", ratio,
                                                   each_message(one.seconds), each_message(theirs)),
                                       kMost / ratio,
                                       fmt::format("watching-{}-{}", kind, one.name)));
  }
}

}  // namespace

void bench_watching(const BenchOptions& options, BenchReport& report) {
  const ScratchFolder folder("bench");
  std::ofstream(folder.path() / "messages.py") << kMessagesProgram;
  const bool has_mpirun = program_on_path("mpirun").has_value();
  for (const std::string_view kind : {"buffers", "objects"}) {
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
        if (way.words.empty() || (&way == &ways.back() && !theirs_works)) continue;
        options.progress(fmt::format("{} with {}, round {}", kind, way.name, round + 1));
        if (const auto seconds = seconds_of(way.words, folder.path(), kind))
          way.seconds.push_back(*seconds);
        else if (&way == &ways.back()) theirs_works = false;
      }
    report_ways(ways, kind, report);
  }
}

}  // namespace rankscope::cli
