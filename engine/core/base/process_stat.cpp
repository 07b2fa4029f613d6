// Parses files of /proc and lists processes.
#include "engine/core/base/process_stat.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace rankscope {

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto start = std::min(text.find_first_not_of(" \t"), text.size());
  std::from_chars(text.data() + start, text.data() + text.size(), number);
  return number;
}

Fd open_proc() { return Fd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

std::string beginning_of(int folder, const std::string& path, std::size_t most) {
  std::string text(most, '\0');
  const Fd file(::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  std::size_t size = 0;
  while (file && size < most) {
    const ssize_t count = ::read(file.get(), text.data() + size, most - size);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

// Fields are counted from the last bracket, because the name, in brackets, may contain any characters.
std::optional<ProcessStat> process_stat(int proc, pid_t pid) {
  const auto text = beginning_of(proc, fmt::format("{}/stat", pid), 1024);
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  std::array<std::string_view, 20> fields;  // from the third field on
  std::string_view rest(text);
  rest.remove_prefix(std::min(bracket + 2, rest.size()));
  for (auto& field : fields) {
    field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  }
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  ProcessStat stat;
  stat.state = fields[0].empty() ? '?' : fields[0][0];
  stat.parent = static_cast<pid_t>(number_in(fields[1]));
  stat.faults = number_in(fields[7]) + number_in(fields[9]);
  for (std::size_t i = 11; i <= 14; ++i)
    stat.cpu_seconds += static_cast<double>(number_in(fields[i])) / ticks;
  stat.threads = static_cast<unsigned>(number_in(fields[17]));
  stat.started = number_in(fields[19]);
  return stat;
}

namespace {

// Returns the entries of a folder that are numbers.
std::vector<pid_t> numbers_in(int proc, const std::string& path) {
  std::vector<pid_t> numbers;
  const int copy = ::openat(proc, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const folder = copy < 0 ? nullptr : ::fdopendir(copy);
  if (folder == nullptr) {
    if (copy >= 0) ::close(copy);
    return numbers;
  }
  while (const dirent* entry = ::readdir(folder))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      numbers.push_back(std::atoi(entry->d_name));
  ::closedir(folder);
  return numbers;
}

// Three numbers: nanoseconds on a processor, nanoseconds of waiting for one, how often it got one
// (Documentation/scheduler/sched-stats.rst of the kernel).
std::optional<double> runnable_in(int proc, const std::string& path) {
  const auto text = beginning_of(proc, path, 128);
  const auto blank = text.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  const std::uint64_t sum = number_in(text) + number_in(std::string_view(text).substr(blank));
  return static_cast<double>(sum) * 1e-9;
}

}  // namespace

std::vector<pid_t> processes_in(int proc) { return numbers_in(proc, "."); }

std::optional<double> runnable_s(int proc) {
  std::optional<double> sum;
  for (const pid_t pid : processes_in(proc))
    for (const pid_t thread : numbers_in(proc, fmt::format("{}/task", pid)))
      if (const auto one = runnable_in(proc, fmt::format("{}/task/{}/schedstat", pid, thread)))
        sum = sum.value_or(0) + *one;
  return sum;
}

std::optional<double> own_runnable_s() {
  return runnable_in(open_proc().get(), "thread-self/schedstat");
}

double stalled_s() {
  constexpr std::string_view kTotal = "total=";  // of the first line, in microseconds
  const Fd proc = open_proc();
  double sum = 0;
  for (const char* file : {"pressure/memory", "pressure/io"}) {
    const auto text = beginning_of(proc.get(), file, 256);
    if (const auto at = text.find(kTotal); at != std::string::npos)
      sum += static_cast<double>(number_in(std::string_view(text).substr(at + kTotal.size())));
  }
  return sum * 1e-6;
}

}  // namespace rankscope
