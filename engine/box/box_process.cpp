// Starts one box, drains its output, measures it, enforces its limits, and collects its outcome.
#include "engine/box/box_process.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <random>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/box/bwrap_arguments.h"
#include "engine/core/base/error.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {
namespace {

// The kernel stops the growth of a fork bomb a little above the limit, so that the supervisor sees it
// crossed and can say so.
constexpr unsigned long kSlackProcesses = 8;
// The first of the outer PID namespace, and two of bubblewrap; of the same user.
constexpr unsigned long kProcessesOfABox = 3;

FdPair unblocked(FdPair pair) {
  ::fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK);
  return pair;
}
FdPair output_pipe() { return unblocked(pipe_pair("a box")); }
FdPair gate_pair() { return unblocked(socket_pair("a box")); }

Fd nothing_to_read() { return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// Reads what is there, at most some at a time so that a flood does not keep the supervisor from its looks.
// Closes the descriptor at its end.
void drain(Fd& fd, std::string& kept, std::uint64_t& total, std::uint64_t most) {
  constexpr int kRounds = 16;
  char buffer[1 << 14];
  for (int i = 0; fd && i < kRounds; ++i) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return fd.reset();
    total += static_cast<std::uint64_t>(count);
    const auto room = most - std::min<std::uint64_t>(most, kept.size());
    kept.append(buffer, std::min<std::size_t>(room, static_cast<std::size_t>(count)));
  }
}

std::string random_mark() {
  std::random_device random;
  return fmt::format("RANKSCOPE_BOX={:08x}{:08x}{:08x}", random(), random(), random());
}

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& text : environment)
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=')
      return text.substr(name.size() + 1);
  return {};
}

std::string found_in_path(const std::string& program, const std::string& path) {
  if (program.find('/') != std::string::npos) return program;
  if (auto file = program_in(path, program)) return *file;
  throw UserError(fmt::format("there is no program '{}' in {}", program, path));
}

}  // namespace

BoxProcess::BoxProcess(const Setting& setting, BoxSpec spec)
    : spec_(std::move(spec)),
      boxed_(setting.support.sandbox),
      most_processes_(setting.limits.processes),
      output_kept_(setting.limits.output_kept) {
  if (spec_.argv.empty()) throw UserError("a box has no program to run");
  if (boxed_) start_boxed(setting);
  else start_plain(setting);
}

BoxProcess::~BoxProcess() {
  // The supervisor waits until it is gone; this is for exceptions only.
  if (gone_) return;
  kill_pidfd(process_.pidfd, SIGKILL);
  while (!reaped_ && process_.pid > 0 && ::waitpid(process_.pid, nullptr, 0) < 0 &&
         errno == EINTR) {
  }
}

std::vector<std::pair<int, unsigned long>> BoxProcess::limits(const Setting& setting) const {
  const auto& own = spec_.rlimits;
  std::vector<std::pair<int, unsigned long>> list = {
      {RLIMIT_CORE, 0}, {RLIMIT_MSGQUEUE, 0}, {RLIMIT_MEMLOCK, 64 << 10}};
  if (own.address_space > 0) list.emplace_back(RLIMIT_AS, own.address_space);
  if (own.file_size > 0) list.emplace_back(RLIMIT_FSIZE, own.file_size);
  if (own.open_files > 0)
    list.emplace_back(RLIMIT_NOFILE, std::max<std::uint64_t>(own.open_files, 32));
  // One process alone; the supervisor adds up all of them, and is first unless it sleeps.
  if (setting.limits.cpu_seconds > 0)
    list.emplace_back(RLIMIT_CPU,
                      static_cast<unsigned long>(std::ceil(setting.limits.cpu_seconds)) + 2);
  // The limit counts this user's processes in all boxes. An ordinary user has other processes, which would count: there the
  // limit is set in the box only (serve_gate).
  if (setting.user.other() && most_processes_ > 0)
    list.emplace_back(RLIMIT_NPROC,
                      most_processes_ + kSlackProcesses + kProcessesOfABox * setting.boxes);
  for (auto& [which, value] : list) {
    rlimit now{};
    if (::getrlimit(static_cast<__rlimit_resource>(which), &now) == 0)
      value = std::min<unsigned long>(value, now.rlim_max);
  }
  return list;
}

void BoxProcess::start_boxed(const Setting& setting) {
  const auto numbers = helper_numbers(spec_);
  FdPair out = output_pipe(), err = output_pipe(), gate = gate_pair();
  const Fd input = nothing_to_read();
  const Fd filter = file_of(setting.support.filter);
  const Fd passwd = file_of(passwd_text()), group = file_of(group_text());

  SpawnPlan plan;
  plan.argv = bwrap_arguments(setting.support, spec_, numbers);
  plan.descriptors = spec_.descriptors;
  for (const auto& [fd, number] : {std::pair{input.get(), 0},
                                   {out.theirs.get(), 1},
                                   {err.theirs.get(), 2},
                                   {filter.get(), numbers.filter},
                                   {passwd.get(), numbers.passwd},
                                   {group.get(), numbers.group},
                                   {gate.theirs.get(), numbers.gate}})
    plan.descriptors.push_back({fd, number});
  plan.limits = limits(setting);
  plan.confined = true;
  plan.change_user = setting.user.other();
  plan.uid = setting.user.uid();
  plan.gid = setting.user.gid();
  plan.cgroup = setting.cgroup;
  process_ = spawn(plan);
  out_ = std::move(out.ours);
  err_ = std::move(err.ours);
  gate_ = std::move(gate.ours);
  if (spec_.enterable)
    entrance_ = BoxEntrance{Fd(),
                            std::move(out.theirs),
                            std::move(err.theirs),
                            setting.user.uid(),
                            setting.user.gid(),
                            plan.limits,
                            most_processes_ > 0 ? most_processes_ + kSlackProcesses : 0};
}

std::optional<BoxEntrance> BoxProcess::take_entrance() {
  if (!at_gate_ || !entrance_) return std::nullopt;
  return std::exchange(entrance_, std::nullopt);
}

void BoxProcess::start_plain(const Setting& setting) {
  const BoxSpec plain = without_box(spec_);
  FdPair out = output_pipe(), err = output_pipe();
  const Fd input = nothing_to_read();
  const auto mark = random_mark();

  SpawnPlan plan;
  plan.argv = plain.argv;
  plan.environment = plain.environment;
  if (variable(plan.environment, "PATH").empty())
    plan.environment.emplace_back("PATH=/usr/local/bin:/usr/bin:/bin");
  if (variable(plan.environment, "HOME").empty()) plan.environment.emplace_back("HOME=/tmp");
  plan.environment.push_back(mark);
  plan.argv[0] = found_in_path(plan.argv[0], variable(plan.environment, "PATH"));
  plan.directory = plain.directory;
  plan.descriptors = plain.descriptors;
  for (const auto& [fd, number] :
       {std::pair{input.get(), 0}, {out.theirs.get(), 1}, {err.theirs.get(), 2}})
    plan.descriptors.push_back({fd, number});
  plan.limits = limits(setting);
  plan.cgroup = setting.cgroup;
  plan.change_user = setting.user.other();
  plan.uid = setting.user.uid();
  plan.gid = setting.user.gid();
  Fd filter;
  if (spec_.filter_number >= 0) {
    plan.keep_changing = true;
    filter = file_of(setting.support.filter);
    plan.descriptors.push_back({filter.get(), spec_.filter_number});
  } else {
    plan.filter = setting.support.filter;
  }
  process_ = spawn(plan);
  std::vector<uid_t> users;
  if (plan.change_user) {
    users = setting.others;
    users.insert(users.begin(), plan.uid);
  }
  family_ = FamilyView(process_.pid, mark, std::move(users));
  out_ = std::move(out.ours);
  err_ = std::move(err.ours);
  started_ = true;
}

void BoxProcess::add_to(std::vector<pollfd>& list) const {
  for (const Fd* fd : {&out_, &err_, &gate_})
    if (*fd) list.push_back({fd->get(), POLLIN, 0});
  if (!reaped_) list.push_back({process_.pidfd.get(), POLLIN, 0});
}

void BoxProcess::serve() {
  if (gone_) return;
  drain(out_, outcome_.out, outcome_.out_bytes, output_kept_);
  drain(err_, outcome_.err, outcome_.err_bytes, output_kept_);
  serve_gate();
  if (!reaped_) reap();
  if (!reaped_ || (!boxed_ && family_.kill_all())) return;
  // No writer is left, so the pipes hold all the rest.
  std::uint64_t before = 0;
  do {
    before = output();
    drain(out_, outcome_.out, outcome_.out_bytes, output_kept_);
    drain(err_, outcome_.err, outcome_.err_bytes, output_kept_);
  } while (output() != before);
  gone_ = true;
}

// The shell at the gate reports that the box stands; from here on every look sees the box.
void BoxProcess::serve_gate() {
  if (!gate_) return;
  char said = 0;
  const ssize_t count = ::recv(gate_.get(), &said, 1, 0);
  if (count < 0) return;
  if (count == 0) return gate_.reset();  // it is the program now, or has failed
  if (at_gate_ || started_ || outcome_.end != BoxEnd::running) return;
  // Ours, bubblewrap outside of the box, and inside, where it is the first: the program's parent.
  pid_t first = process_.pid;
  for (int i = 0; i < 2; ++i) {
    const auto children = children_of(first);
    first = children.size() == 1 ? children[0] : -1;
  }
  if (!view_.open(first))
    return end(BoxEnd::could_not_start, "could not be supervised: its /proc cannot be seen");
  if (most_processes_ > 0) {
    const rlimit limit{most_processes_ + kSlackProcesses, most_processes_ + kSlackProcesses};
    for (const pid_t pid : children_of(first)) ::prlimit(pid, RLIMIT_NPROC, &limit, nullptr);
  }
  if (entrance_) {
    const auto programs = children_of(first);
    if (programs.size() == 1)
      entrance_->process = Fd(static_cast<int>(::syscall(SYS_pidfd_open, programs[0], 0)));
    if (!entrance_->process) return end(BoxEnd::could_not_start, "could not be entered");
  }
  at_gate_ = true;
}

void BoxProcess::release() {
  if (!at_gate_ || started_ || reaped_) return;
  started_ = true;
  [[maybe_unused]] const auto sent = ::send(gate_.get(), "\n", 1, MSG_NOSIGNAL);
}

BoxLook BoxProcess::look() {
  BoxLook look;
  look.processes = boxed_ ? view_.look(static_cast<unsigned>(most_processes_)) : family_.look();
  look.tmp = view_.tmp();
  look.shm = view_.shm();
  return look;
}

std::uint64_t BoxProcess::exact_memory(const BoxLook& look) {
  BoxLook exact = look;
  exact.processes = boxed_ ? view_.exact_memory() : family_.exact_memory();
  return exact.memory();
}

void BoxProcess::end(BoxEnd why, const std::string& words) {
  if (gone_ || reaped_) return;  // what it did by itself counts
  if (outcome_.end == BoxEnd::running) {
    outcome_.end = why;
    outcome_.words = words;
  }
  if (!boxed_) family_.kill_all();
  kill_pidfd(process_.pidfd, SIGKILL);
}

void BoxProcess::reap() {
  int status = 0;
  pid_t seen = 0;
  do seen = ::waitpid(process_.pid, &status, WNOHANG);
  while (seen < 0 && errno == EINTR);
  if (seen == 0) return;
  reaped_ = true;
  judge(seen < 0 ? -1 : status);
}

void BoxProcess::judge(int status) {
  if (outcome_.end != BoxEnd::running) return;
  drain(err_, outcome_.err, outcome_.err_bytes, output_kept_);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  constexpr int kShellSignals = 128;
  const int signal = WIFSIGNALED(status)                                   ? WTERMSIG(status)
                     : code > kShellSignals && code < kShellSignals + NSIG ? code - kShellSignals
                                                                           : 0;
  const std::string first_line = outcome_.err.substr(0, outcome_.err.find('\n'));
  if (boxed_ && (!started_ || ((code == 126 || code == 127) && first_line.starts_with("gate: ")))) {
    outcome_.end = BoxEnd::could_not_start;
    outcome_.words = fmt::format("could not be started: {}",
                                 first_line.empty() ? "bubblewrap ended" : first_line);
  } else if (status == -1) {
    outcome_.end = BoxEnd::ended;
    outcome_.words = "ended (how is not known)";
  } else if (signal != 0) {
    outcome_.end = BoxEnd::killed_by;
    outcome_.signal = signal;
    outcome_.words = fmt::format("was ended by signal {} ({})", signal, ::strsignal(signal));
  } else {
    outcome_.end = BoxEnd::ended;
    outcome_.exit_code = code;
    outcome_.words = code == 0 ? "ended" : fmt::format("ended with code {}", code);
  }
}

BoxOutcome BoxProcess::take_outcome() {
  view_ = {};
  return std::move(outcome_);
}

}  // namespace rankscope
