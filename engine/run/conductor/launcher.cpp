// Starts worker processes with their lifelines and status pages, and ends them.
#include "engine/run/conductor/launcher.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/process_stat.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {
namespace {

constexpr int kFirstFreeFd = 10;  // above the descriptors that a worker inherits by number

// Moved up, so that dup2 onto the worker's descriptors cannot overwrite one that is still needed.
Fd moved_up(int fd) {
  const Fd low(fd);
  return Fd(low ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstFreeFd) : -1);
}

int anonymous_file(std::size_t size) {
#if defined(__linux__)
  const int fd = ::memfd_create("rankscope-status", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
  const auto name = fmt::format("/rankscope-{}-{}", ::getpid(), ::rand());
  const int fd = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ::shm_unlink(name.c_str());
#endif
  if (fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) != 0) {
    ::close(fd);
    return -1;
  }
#if defined(__linux__)
  // A worker that shrank the page would end the conductor, which reads it, by SIGBUS.
  if (fd >= 0) ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
#endif
  return fd;
}

void* map_shared(int fd, std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

#if defined(__linux__)
// Changes a thread's policy (0: the calling thread's). Returns false if it was not `from`.
bool change_policy(int thread, int from, int into) noexcept {
  const sched_param none{};
  return ::sched_getscheduler(thread) == from && ::sched_setscheduler(thread, into, &none) == 0;
}
#endif

// Makes a lifeline: puts our end into `ours`, returns the worker's.
Fd make_lifeline(Fd& ours) {
  FdPair pair = socket_pair("a worker");
  ours = moved_up(pair.ours.release());
  Fd theirs = moved_up(pair.theirs.release());
  if (!ours || !theirs)
    throw UserError(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  return theirs;
}

}  // namespace

SharedStatusPage::SharedStatusPage() : fd_(moved_up(anonymous_file(sizeof(Memory)))) {
  void* const memory = fd_ ? map_shared(fd_.get(), sizeof(Memory)) : nullptr;
  if (memory == nullptr)
    throw UserError(
        fmt::format("cannot get shared memory for a worker's status: {}", std::strerror(errno)));
  memory_ = new (memory) Memory;  // does not write the ring, so its pages are not allocated yet
}

SharedStatusPage::SharedStatusPage(int fd) : fd_(fd) {
  struct stat file {};
  const bool whole = ::fstat(fd, &file) == 0 && file.st_size >= static_cast<off_t>(sizeof(Memory));
  memory_ = whole ? static_cast<Memory*>(map_shared(fd, sizeof(Memory))) : nullptr;
  if (memory_ == nullptr || memory_->page.magic != StatusPage::kMagic)
    throw UserError(
        "the inherited status page is not one of this version: start workers by `rankscope run`");
}

SharedStatusPage::SharedStatusPage(SharedStatusPage&& other) noexcept
    : fd_(std::move(other.fd_)), memory_(std::exchange(other.memory_, nullptr)) {}

SharedStatusPage::~SharedStatusPage() {
  if (memory_ != nullptr) ::munmap(memory_, sizeof(Memory));
}

WorkerProcess::WorkerProcess(const std::vector<std::string>& argv,
                             const std::vector<std::string>& environment, int memory) {
  const Fd theirs = make_lifeline(lifeline_);
  SubprocessOptions options{
      .words = argv,
      .environment = environment,
      .descriptors = {{.theirs = kLifelineFd, .ours = theirs.get()},
                      {.theirs = kStatusFd, .ours = status_.fd()}},
      // Else a worker would hold whatever this process left inheritable: pipes of a shell, log files.
      .close_from = kStatusFd + 1};
  if (memory >= 0) {
    options.descriptors.push_back({.theirs = kMemoryFd, .ours = memory});
    options.close_from = kMemoryFd + 1;
  }
  const int error = start_process(options, pid_);
  if (error != 0) {
    pid_ = -1;
    throw UserError(fmt::format("cannot start a worker ({}): {}", argv[0], std::strerror(error)));
  }
}

WorkerProcess::WorkerProcess(pid_t pid, PassedDescriptors& theirs) : pid_(pid), adopted_(true) {
  theirs.lifeline = make_lifeline(lifeline_);
  theirs.status = status_.fd();
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : status_(std::move(other.status_)),
      events_(std::move(other.events_)),
      lifeline_(std::move(other.lifeline_)),
      pid_(std::exchange(other.pid_, -1)),
      adopted_(other.adopted_),
      state_(std::move(other.state_)) {}

// An adopted process has left once its end of the lifeline is closed, even if it still runs.
ProcessState WorkerProcess::poll_adopted() {
  char byte = 0;
  const auto got = ::recv(lifeline_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  const bool left = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
  const auto stat = process_stat(open_proc().get(), pid_);
  const char letter = stat ? stat->state : '?';
  if (left) state_ = {.running = false, .what = "ended without a word (killed, or left by _exit)"};
  else if (letter == 't') state_ = {.debugged = true};
  else if (letter == 'T') state_ = {.stopped = true, .what = "is stopped (by a signal)"};
  else state_ = {};
  return state_;
}

ProcessState WorkerProcess::poll() {
  if (pid_ < 0 || !state_.running) return state_;
  if (adopted_) return poll_adopted();
  int status = 0;
  pid_t seen = 0;
  do seen = ::waitpid(pid_, &status, WNOHANG | WUNTRACED | WCONTINUED);
  while (seen < 0 && errno == EINTR);
  if (seen == 0) return state_;
  if (seen < 0) {  // this process ignores SIGCHLD, or another part of it waits for all children
    state_ = {.running = false, .what = "ended (how is not known)"};
  } else if (WIFEXITED(status)) {
    state_ = {.running = false, .what = fmt::format("exited with code {}", WEXITSTATUS(status))};
  } else if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    state_ = {.running = false,
              .what = fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal)),
              .loss = RankLoss::killed};
  } else if (WIFSTOPPED(status)) {
    const int signal = WSTOPSIG(status);
    state_ = {.stopped = true,
              .what = fmt::format("is stopped by signal {} ({})", signal, ::strsignal(signal))};
  } else if (WIFCONTINUED(status)) {
    state_ = {};
  }
  return state_;
}

void WorkerProcess::kill() noexcept {
  if (pid_ < 0 || !state_.running || adopted_) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  state_ = {.running = false, .what = "was killed by the conductor", .loss = RankLoss::killed};
}

WorkerProcess::~WorkerProcess() { kill(); }

void keep_to_share(Rank rank, int ranks, ProcessorShares shares) noexcept {
#if defined(__linux__)
  cpu_set_t allowed, mine;
  CPU_ZERO(&allowed);
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  const int count = CPU_COUNT(&allowed);
  if (count < 2 || rank < 0 || rank >= ranks) return;
  const int ahead = shares == ProcessorShares::rank_0_amid ? ranks / count / 2 : 0;
  const std::int64_t place = (rank + ahead) % ranks;
  const int first = static_cast<int>(place * count / ranks);
  const int last = std::max(first, static_cast<int>((place + 1) * count / ranks) - 1);
  for (int cpu = 0, i = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (i >= first && i <= last) CPU_SET(cpu, &mine);
    ++i;
  }
  ::sched_setaffinity(0, sizeof(mine), &mine);
  // A woken rank does not preempt the running one, as with BatchScheduling.
  if (ranks > count) change_policy(0, SCHED_OTHER, SCHED_BATCH);
#else
  (void)rank, (void)ranks, (void)shares;
#endif
}

bool must_share_processors([[maybe_unused]] int ranks) noexcept {
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && ranks > CPU_COUNT(&allowed);
#else
  return false;
#endif
}

BatchScheduling::BatchScheduling() noexcept {
#if defined(__linux__)
  if (change_policy(0, SCHED_OTHER, SCHED_BATCH)) thread_ = ::gettid();
#endif
}

BatchScheduling::~BatchScheduling() {
#if defined(__linux__)
  if (thread_ != 0) change_policy(thread_, SCHED_BATCH, SCHED_OTHER);
#endif
}

Fd above_inherited(Fd fd) { return moved_up(fd.release()); }

std::string own_program() {
  std::error_code error;
  const char* const link = "/proc/self/exe";
  const auto path = std::filesystem::read_symlink(link, error);
  if (error) return "rankscope";
  // The file may have been replaced by a newer build: the link still leads to the one that runs.
  return std::filesystem::exists(path, error) ? path.string() : link;
}

std::optional<std::string> program_beside(std::string_view name) {
  const auto beside = std::filesystem::path(own_program()).parent_path() / name;
  if (auto file = program_on_path(beside.string())) return file;  // a name with a slash
  return program_on_path(std::string(name));
}

void need_descriptors(std::size_t count) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  const rlim_t wanted = count;
  if (limit.rlim_max >= wanted) {
    limit.rlim_cur = wanted;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  }
  throw UserError(
      fmt::format("this many ranks need {} open files, and the system allows {}: use "
                  "fewer ranks, or raise the limit (ulimit -n {})",
                  count, limit.rlim_max, count));
}

}  // namespace rankscope
