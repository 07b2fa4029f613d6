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
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/fd.h"
#include "engine/core/base/subprocess.h"
#include "tests/support/paths.h"

namespace rankscope::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

/// Writes input and reads both outputs until they are closed; returns false if the limit comes first.
bool pump(Fd& in, Fd& out, Fd& err, std::string_view input, Finished& result,
          SteadyClock::time_point until) {
  fcntl(in.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.reset();
  while (out || err) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - SteadyClock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> waiting{
        {{in.get(), POLLOUT, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left)) < 0 && errno != EINTR)
      fail("poll");
    if (waiting[0].revents != 0) {
      const auto written = write(in.get(), input.data(), input.size());
      if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
      if ((written < 0 && errno != EAGAIN) || input.empty()) in.reset();
    }
    for (const auto& [end, text, polled] :
         {std::tuple{&out, &result.out, 1}, std::tuple{&err, &result.err, 2}}) {
      if (waiting[static_cast<std::size_t>(polled)].revents == 0) continue;
      std::array<char, 65536> chunk{};
      const auto got = read(end->get(), chunk.data(), chunk.size());
      if (got > 0) text->append(chunk.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) end->reset();
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> environment_lines(const EnvironmentChanges& changes) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : changes)
    lines.push_back(value.empty() ? name : name + "=" + value);
  return lines;
}

Finished run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  // A child that does not read its input must not end this process.
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c)
  const auto until = SteadyClock::now() + options.limit;
  auto [input_end, in] = pipe_pair("a test");  // the child reads from it
  auto [out, out_end] = pipe_pair("a test");
  auto [err, err_end] = pipe_pair("a test");
  pid_t pid = -1;
  const int error =
      start_process({.words = command,
                     .environment = environment_lines(options.environment),
                     .folder = options.folder,
                     .descriptors = {{.theirs = STDIN_FILENO, .ours = input_end.get()},
                                     {.theirs = STDOUT_FILENO, .ours = out_end.get()},
                                     {.theirs = STDERR_FILENO, .ours = err_end.get()}}},
                    pid);
  if (error != 0) fail(command.front().c_str(), error);
  for (Fd* end : {&input_end, &out_end, &err_end}) end->reset();
  Finished result;
  result.timed_out = !pump(in, out, err, options.input, result, until);
  // Ends its children, too.
  if (result.timed_out) kill(-pid, SIGKILL);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0)
    if (errno != EINTR) fail("wait4");
  result.peak_kib = usage.ru_maxrss;
  result.exit_code = wait_exit_code(status);
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

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto until = SteadyClock::now() + limit;
  while (!condition()) {
    if (SteadyClock::now() >= until) return condition();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
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
