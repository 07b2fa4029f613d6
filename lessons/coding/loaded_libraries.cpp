// Starts the process that holds Python's libraries, and has forks of it enter boxes.
#include "lessons/coding/loaded_libraries.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/json_text.h"
#include "engine/run/conductor/local_socket.h"
#include "lessons/coding/boxes.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr int kHostNumber = 3;
constexpr std::chrono::seconds kForked{10};

/// Pages of its own, and its page tables.
std::uint64_t memory_of(pid_t process) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  std::uint64_t kib = 0;
  for (std::string word; status >> word;)
    if (std::uint64_t more = 0; (word == "RssAnon:" || word == "VmPTE:") && status >> more)
      kib += more;
  return kib * 1024;
}

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = std::size_t{200} << 20;
constexpr BoxLimits kHeaderLimits{.wall = std::chrono::seconds(180),
                                  .cpu_seconds = 60,
                                  .memory = std::uint64_t{2} << 30,
                                  .processes = 32,
                                  .output = std::uint64_t{4} << 20,
                                  .disk = kMostHeaders,
                                  .files = 200};
constexpr int kOutNumber = 3, kMainNumber = 4;  // of the descriptors through which the files come

}  // namespace

bool LoadedLibraries::ready(const CodeBoxesOptions& options) {
  const std::lock_guard lock(mutex_);
  if (!tried_ && options.support.sandbox) try {
      start(options);
    } catch (const UserError&) {
      process_.reset();
    }
  tried_ = true;
  return up_;
}

// The environment is that of a box without PYTHONPATH: the loaded modules get the paths that they have there
// (library_host.py).
void LoadedLibraries::start(const CodeBoxesOptions& options) {
  FdPair pair = socket_pair("the ranks' libraries", SOCK_SEQPACKET);
  SubprocessOptions host;
  host.words = {"/usr/bin/env", "-i"};
  for (const std::string& word : entered_environment())
    if (!word.starts_with("PYTHONPATH=")) host.words.push_back(word);
  host.words.push_back(fmt::format("RANKSCOPE_HOST={}", kHostNumber));
  host.words.insert(host.words.end(), {options.python, "-B", "library_host.py"});
  host.folder =
      options.python_files / "rankscope";  // its command line, which ranks see, names none
  host.descriptors = {{.theirs = 1, .file = "/dev/null", .flags = O_WRONLY},
                      {.theirs = 2, .file = "/dev/null", .flags = O_WRONLY},
                      {.theirs = kHostNumber, .ours = pair.theirs.get()}};
  host.close_from = kHostNumber + 1;
  process_.emplace(host);
  pair.theirs.reset();
  socket_ = std::move(pair.ours);
  const auto limit = Deadline::in(
      std::chrono::milliseconds(static_cast<std::int64_t>(options.start_timeout_s * 1000)));
  const auto said = receive_message(socket_, limit);
  const json answer = said ? parse_json_or_none(said->text) : json();
  up_ = answer.is_object() && answer.value("up", false);
  if (!up_) return process_.reset();
  memory_ = memory_of(process_->pid());
  cpu_s_ = answer.value("cpu_s", 0.0);
}

BoxLimits LoadedLibraries::left_of(BoxLimits limits) {
  const std::lock_guard lock(mutex_);
  const auto spent = std::chrono::milliseconds(static_cast<std::int64_t>(cpu_s_ * 1000));
  if (limits.memory > memory_) limits.memory -= memory_;
  if (limits.cpu_seconds > cpu_s_) limits.cpu_seconds -= cpu_s_;
  if (limits.wall > spent) limits.wall -= spent;
  return limits;
}

// The request carries its descriptors; it waits until it is under the box's limits.
std::optional<pid_t> LoadedLibraries::forked(const BoxEntrance& entrance, const Gifts& gifts,
                                             int filter, Deadline limit) {
  const json order{{"user", entrance.uid},
                   {"group", entrance.gid},
                   {"limits", entrance.limits},
                   {"processes", entrance.most_processes},
                   {"environment", gifts.environment},
                   {"numbers",
                    {{"control", gifts.control_number},
                     {"filter", gifts.filter_number},
                     {"alive", gifts.alive_number}}}};
  const std::lock_guard lock(mutex_);
  if (!send_message(socket_, dump_json(order),
                    {entrance.process.get(), gifts.control, entrance.out.get(), entrance.err.get(),
                     filter, gifts.alive},
                    earlier(limit, Deadline::in(kForked))))
    return std::nullopt;
  const auto said = receive_message(socket_, earlier(limit, Deadline::in(kForked)));
  const json answer = said ? parse_json_or_none(said->text) : json();
  const auto process = answer.is_object() ? answer.value("process", pid_t{-1}) : pid_t{-1};
  if (process > 0) return process;
  up_ = false;  // an answer that comes too late must not be taken for that of the next request
  return std::nullopt;
}

bool LoadedLibraries::enter(BoxGroup& group, const BoxSupport& support, const Gifts& gifts,
                            Deadline limit) {
  const auto left = std::chrono::milliseconds(std::max(0, limit.poll_ms()));
  const auto entrance = group.entrance(left);
  if (!entrance) return false;
  const Fd filter = file_of(support.filter);
  const auto process = forked(*entrance, gifts, filter.get(), limit);
  const bool admitted = process && group.admit(*process);
  entered_ += admitted;
  return admitted;
}

bool take_file(int pipe, int interrupt, std::size_t most, const fs::path& to, bool& interrupted) {
  std::ofstream file(to, std::ios::binary);
  std::array<char, 64 * 1024> part;
  for (std::size_t taken = 0;;) {
    pollfd wait[] = {{pipe, POLLIN, 0}, {interrupt, POLLIN, 0}};
    if (::poll(wait, 2, -1) < 0 && errno != EINTR) return false;
    interrupted = wait[1].revents != 0;
    if (interrupted) return false;
    if (wait[0].revents == 0) continue;
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 && file.flush().good();
    taken += static_cast<std::size_t>(got);
    if (taken > most) return false;
    file.write(part.data(), got);
  }
}

std::vector<std::string> cpp_compiler_words(const CodeBoxesOptions& options) {
  return {options.compiler,
          "-std=c++20",
          "-Og",
          "-fdiagnostics-color=never",
          "-fmax-errors=8",
          "-w",
          "-D_GLIBCXX_ASSERTIONS"};
}

fs::path CppHeaders::folder(const CodeBoxesOptions& options) {
  const std::lock_guard lock(mutex_);
  if (!tried_ && options.support.sandbox) made_ = make(options);
  tried_ = true;
  return made_ ? folder_.path() : fs::path();
}

// A program is compiled without them where this fails.
bool CppHeaders::make(const CodeBoxesOptions& options) const try {
  FdPair headers = pipe_pair("the compiler"), main = pipe_pair("the compiler");
  BoxSpec spec;
  spec.name = "the compiler";
  spec.argv = {
      "/bin/sh", "-c",
      R"("$@" -x c++-header "$0_headers.h" -o /tmp/headers.gch && cat /tmp/headers.gch >&3 &&
exec 3>&- && "$@" -c "$0_main.cpp" -o /tmp/main.o && exec cat /tmp/main.o >&4)",
      "/rankscope/cpp/contract"};
  for (std::string& word : cpp_compiler_words(options)) spec.argv.push_back(std::move(word));
  for (const char* word : {"-I", "/rankscope/include", "-I", "/rankscope/cpp", "-pthread"})
    spec.argv.emplace_back(word);
  spec.environment = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=/tmp"};
  for (const char* header : kCppHeaders)
    spec.binds.push_back(
        {fs::canonical(options.include / header), std::string("/rankscope/include/") + header});
  spec.binds.push_back({options.cpp_files, "/rankscope/cpp"});
  spec.descriptors = {{headers.theirs.get(), kOutNumber}, {main.theirs.get(), kMainNumber}};
  spec.tmp_size = spec.rlimits.file_size = kMostHeaders;
  BoxGroup group(options.support, kHeaderLimits);
  group.start({spec});
  bool interrupted = false;
  const auto take = [&](FdPair& pipe, const char* name) {
    pipe.theirs.reset();
    const fs::path to = folder_.path() / name;
    const bool whole =
        take_file(pipe.ours.get(), options.interrupt_fd, kMostHeaders, to, interrupted);
    pipe.ours.reset();
    fs::permissions(to, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    return whole;
  };
  const bool whole = take(headers, "made") && take(main, "main");
  if (!whole) group.stop("the headers are too large");
  while (!group.wait(std::chrono::seconds(1))) {
  }
  const BoxOutcome& box = group.outcome().boxes.front();
  if (!whole || box.end != BoxEnd::ended || box.exit_code != 0) return false;
  return true;
} catch (const UserError&) {
  return false;
}

}  // namespace rankscope
