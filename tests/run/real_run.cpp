// Starts child processes and looks at what runs on real workers leave behind.
#include "tests/run/real_run.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/paths.h"

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    names.insert(entry.path().filename().string());
  return names;
}

fs::path base_of_run_directories() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/') return value;
  }
  return "/tmp";
}

}  // namespace

RunnerOptions real_workers() {
  RunnerOptions options;
  options.program = rankscope_binary().string();
  return options;
}

std::set<int> children() {
  std::set<int> found;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator("/proc/self/task", ignored)) {
    std::ifstream in(task.path() / "children");
    for (int pid = 0; in >> pid;) found.insert(pid);
  }
  return found;
}

std::vector<fs::path> run_directories(int pid) {
  std::vector<fs::path> found;
  const auto prefix = fmt::format("rankscope.run-{}-", pid);
  for (const auto& name : names_in(base_of_run_directories()))
    if (name.starts_with(prefix)) found.push_back(base_of_run_directories() / name);
  return found;
}

int open_descriptors() { return static_cast<int>(names_in("/proc/self/fd").size()); }

Leftovers::Leftovers()
    : children_(children()),
      shared_memory_(names_in("/dev/shm")),
      directories_(run_directories(::getpid())) {}

std::string Leftovers::look() const {
  std::string text;
  for (const int pid : children())
    if (!children_.contains(pid)) text += fmt::format("process {}\n", pid);
  for (const auto& name : names_in("/dev/shm"))
    if (!shared_memory_.contains(name) && name.find("rankscope") != std::string::npos)
      text += fmt::format("shared memory {}\n", name);
  for (const auto& path : run_directories(::getpid()))
    if (std::find(directories_.begin(), directories_.end(), path) == directories_.end())
      text += fmt::format("directory {}\n", path.string());
  return text;
}

std::string Leftovers::found() const {
  eventually([&] { return look().empty(); });
  return look();
}

ProcessLook look_at(int pid) {
  const std::string text = text_of(fmt::format("/proc/{}/task/{}/stat", pid, pid));
  const auto paren = text.rfind(')');
  if (paren == std::string::npos) return {};
  std::istringstream in(text.substr(paren + 2));
  ProcessLook look;
  in >> look.state;
  std::string skipped;
  for (int field = 4; field < 14; ++field) in >> skipped;
  long user = 0, system = 0;
  in >> user >> system;
  look.ticks = user + system;
  return look;
}

bool alive(int pid) {
  const char state = look_at(pid).state;
  return state != '?' && state != 'Z' && state != 'X';
}

Child::Child(std::vector<std::string> command, const EnvironmentChanges& environment,
             std::string output_file)
    : file_(std::move(output_file)) {
  program_ = std::make_unique<Subprocess>(
      SubprocessOptions{.words = std::move(command),
                        .environment = environment_lines(environment),
                        .descriptors = {{.theirs = STDIN_FILENO, .file = "/dev/null"},
                                        {.theirs = STDOUT_FILENO,
                                         .file = file_,
                                         .flags = O_WRONLY | O_CREAT | O_TRUNC},
                                        {.theirs = STDERR_FILENO, .ours = STDOUT_FILENO}},
                        .own_group = false});
}

int Child::wait() { return program_->wait(Deadline::in(kWaitLimit)).value_or(-1); }

std::string Child::output() const { return text_of(file_); }

JobSpec slow_job(int world_size, double delay_us) {
  JobSpec spec;
  spec.world.size = world_size;
  spec.call.shape = {64};
  spec.world.delays_us.assign(static_cast<std::size_t>(world_size), delay_us);
  return spec;
}

}  // namespace rankscope::test
