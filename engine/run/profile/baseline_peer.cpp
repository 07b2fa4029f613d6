// Starts a baseline program, checks that it is installed, and exchanges measurements with it.
#include "engine/run/profile/baseline_peer.h"

#include <cerrno>
#include <csignal>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/json_text.h"

namespace rankscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kQuitTimeout{3'000};  ///< After "quit".
constexpr milliseconds kTermGrace{2'000};    ///< After SIGTERM.

std::vector<std::string> command_of(const Baseline& baseline, int ranks) {
  const std::string program = *program_beside(baseline.program), np = std::to_string(ranks);
  std::vector<std::string> words{program, "--np", np};
  if (baseline.by_mpirun) words = {*program_on_path("mpirun"), "--oversubscribe", "-np", np};
  if (baseline.by_mpirun && ::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.insert(words.end(), baseline.options.begin(), baseline.options.end());
  if (baseline.by_mpirun) words.push_back(program);
  return words;
}

}  // namespace

const std::vector<Baseline>& baselines() {
  constexpr std::string_view kGloo = "rankscope-baseline-gloo", kGlooPackages = "libgloo-dev";
  constexpr std::string_view kOpenMpi = "rankscope-baseline-openmpi",
                             kOpenMpiPackages = "libopenmpi-dev openmpi-bin";
  static const std::vector<Baseline> kBaselines{
      {"gloo", "Gloo, ring", kGloo, kGlooPackages, "tcp", false, {"--algorithm", "ring"}},
      {"gloo-bcube", "Gloo, bcube", kGloo, kGlooPackages, "tcp", false, {"--algorithm", "bcube"}},
      {"openmpi", "Open MPI, default", kOpenMpi, kOpenMpiPackages, "shared memory", true, {}},
      {"openmpi-tcp",
       "Open MPI, TCP",
       kOpenMpi,
       kOpenMpiPackages,
       "tcp",
       true,
       {"--mca", "btl", "tcp,self"}},
      {"zeromq",
       "a bare ring on ZeroMQ",
       "rankscope-baseline-zeromq",
       "libzmq3-dev",
       "ipc",
       false,
       {}},
  };
  return kBaselines;
}

const Baseline& require_baseline(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Baseline& baseline : baselines()) {
    if (baseline.name == name) return baseline;
    names.push_back(baseline.name);
  }
  throw UserError(
      fmt::format("there is no baseline '{}': choose among {}", name, fmt::join(names, ", ")));
}

std::string what_is_missing(const Baseline& baseline) {
  const bool program = program_beside(baseline.program).has_value();
  if (program && (!baseline.by_mpirun || program_on_path("mpirun"))) return {};
  return fmt::format(
      "{} was not measured: {} is not here. Install the Debian packages {} and build again, or let "
      "`./dev bench` do both",
      baseline.title, program ? "mpirun" : baseline.program, baseline.packages);
}

std::string_view baseline_collective(Collective collective) noexcept {
  switch (collective) {
    case Collective::broadcast: return "bcast";
    case Collective::allreduce:
    case Collective::reduce:
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall: return to_string(collective);
    default: return {};
  }
}

BaselinePeer::BaselinePeer(const Baseline& baseline, int ranks, int interrupt_fd)
    : baseline_(baseline), interrupt_fd_(interrupt_fd) {
  if (auto missing = what_is_missing(baseline); !missing.empty()) throw UserError(missing);
  // A socket, not a pipe, for its input, so that writing to a dead reader raises no signal.
  FdPair in = socket_pair("a baseline"), out = pipe_pair("a baseline");
  input_ = std::move(in.ours);
  output_ = std::move(out.ours);
  process_.emplace(
      SubprocessOptions{.words = command_of(baseline, ranks),
                        .descriptors = {{.theirs = STDIN_FILENO, .ours = in.theirs.get()},
                                        {.theirs = STDOUT_FILENO, .ours = out.theirs.get()}}});
}

BaselinePeer::~BaselinePeer() {
  if (!process_) return;
  if (!broken_) write_line("quit");
  input_.reset();
  if (!broken_ && process_->wait(Deadline::in(kQuitTimeout))) return;
  process_->signal(SIGTERM);  // both kinds then end their other ranks
  process_->wait(Deadline::in(kTermGrace));
}

bool BaselinePeer::write_line(const std::string& line) noexcept {
  const std::string text = line + "\n";
  return ::send(input_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

bool BaselinePeer::read_line(std::string& line, Deadline deadline, bool& interrupted) {
  while (true) {
    if (const auto end = buffered_.find('\n'); end != std::string::npos) {
      line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return true;
    }
    pollfd fds[] = {{output_.get(), POLLIN, 0}, {interrupt_fd_, POLLIN, 0}};
    const int ready = ::poll(fds, 2, deadline.poll_ms());
    if (ready < 0 && errno == EINTR) continue;
    if (ready > 0 && fds[1].revents != 0) {
      interrupted = true;
      return false;
    }
    if (ready <= 0 && deadline.passed()) return false;
    if (fds[0].revents == 0) continue;
    char block[65536];
    const ssize_t got = ::read(output_.get(), block, sizeof block);
    if (got <= 0) return false;
    buffered_.append(block, static_cast<std::size_t>(got));
  }
}

PeerAnswer BaselinePeer::measure(std::string_view collective, std::uint64_t bytes, int warmup,
                                 int iterations, Deadline deadline) {
  PeerAnswer answer;
  if (!usable()) {
    answer.error = fmt::format("{} has ended", baseline_.title);
    return answer;
  }
  std::string line;
  if (!write_line(fmt::format("{} {} {} {}", collective, bytes, warmup, iterations)) ||
      !read_line(line, deadline, answer.interrupted)) {
    broken_ = true;
    if (!answer.interrupted)
      answer.error = fmt::format("{} {}", baseline_.title,
                                 deadline.passed() ? "did not answer in time" : "has ended");
    return answer;
  }
  const auto json = parse_json_or_none(line);
  if (!json.is_object()) answer.error = fmt::format("{} answered nonsense", baseline_.title);
  else if (const auto error = json.find("error"); error != json.end())
    answer.error = error->get<std::string>();
  else answer.times_s = json.value("times_s", std::vector<double>{});
  return answer;
}

}  // namespace rankscope
