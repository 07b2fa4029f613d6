// Compiles the headers of programs in C++ in a box, and takes files out of a compiler's box.
#include "lessons/coding/cpp_headers.h"

#include <array>
#include <cerrno>
#include <fstream>

#include <poll.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "lessons/coding/boxes.h"

namespace rankscope {
namespace {

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
