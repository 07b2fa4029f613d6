// Starts a program, feeds and captures its streams, and kills its group at the limit.
#include "tests/support/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/paths.h"

extern char** environ;  // NOLINT: POSIX's own declaration

namespace rankscope::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) fail("pipe2");
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int end(int which) const { return ends_[static_cast<std::size_t>(which)]; }
  void close_end(int which) {
    int& end = ends_[static_cast<std::size_t>(which)];
    if (end >= 0) close(end);
    end = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string variable = *at;
    const auto changed = [&](const auto& change) {
      return variable.starts_with(change.first + "=");
    };
    if (std::none_of(changes.begin(), changes.end(), changed)) variables.push_back(variable);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

pid_t spawn(std::vector<std::string> command, const ProcessOptions& options, const Pipe& in,
            const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.end(0), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.end(1), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.end(1), STDERR_FILENO);
  if (!options.folder.empty())
    posix_spawn_file_actions_addchdir_np(&actions, options.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // a group of its own, to be killed
  auto environment = environment_with(options.environment);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, command.front().c_str(), &actions, &attributes,
                                 pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) fail(command.front().c_str(), error);
  return pid;
}

/// Writes input and reads both outputs until they are closed; false when the limit came first.
bool pump(Pipe& in, Pipe& out, Pipe& err, std::string_view input, Finished& result,
          SteadyClock::time_point until) {
  fcntl(in.end(1), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.close_end(1);
  while (out.end(0) >= 0 || err.end(0) >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> waiting{
        {{in.end(1), POLLOUT, 0}, {out.end(0), POLLIN, 0}, {err.end(0), POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left)) < 0 && errno != EINTR)
      fail("poll");
    if (waiting[0].revents != 0) {
      const auto written = write(in.end(1), input.data(), input.size());
      if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
      if ((written < 0 && errno != EAGAIN) || input.empty()) in.close_end(1);
    }
    for (const auto& [pipe, text, polled] :
         {std::tuple{&out, &result.out, 1}, std::tuple{&err, &result.err, 2}}) {
      if (waiting[static_cast<std::size_t>(polled)].revents == 0) continue;
      std::array<char, 65536> chunk{};
      const auto got = read(pipe->end(0), chunk.data(), chunk.size());
      if (got > 0) text->append(chunk.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) pipe->close_end(0);
    }
  }
  return true;
}

}  // namespace

Finished run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  // A child that does not read its input must not end this process.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)
  const auto until = SteadyClock::now() + options.limit;
  Pipe in, out, err;
  const pid_t pid = spawn(command, options, in, out, err);
  in.close_end(0);
  out.close_end(1);
  err.close_end(1);
  Finished result;
  result.timed_out = !pump(in, out, err, options.input, result, until);
  // Its own children may still hold nothing but a wish to live.
  if (result.timed_out) kill(-pid, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR) fail("wait4");
  result.peak_kib = usage.ru_maxrss;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Finished run_rankscope(const std::vector<std::string>& arguments, ProcessOptions options) {
  std::vector<std::string> command{rankscope_binary().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : {std::pair{"LC_ALL", "C.UTF-8"}, std::pair{"NO_COLOR", "1"}}) {
    const auto given = [&](const auto& change) { return change.first == name; };
    if (std::none_of(options.environment.begin(), options.environment.end(), given))
      options.environment.emplace_back(name, value);
  }
  return run_process(command, options);
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "rankscope-test-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) fail("mkdtemp");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace rankscope::test
