// Reads /proc/PID/status and smaps_rollup.
#include "engine/box/process_memory.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// "RssAnon:     123 kB". At the beginning of a line: a process may choose its name, which is in the first one.
std::uint64_t number_after(std::string_view text, std::string_view key) {
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1))
    if (at > 0 && text[at - 1] == '\n') return number_in(text.substr(at + key.size()));
  return 0;
}
std::uint64_t bytes_after(std::string_view text, std::string_view key) {
  return number_after(text, key) * 1024;
}
bool has_line(std::string_view text, std::string_view key) {
  return text.find("\n" + std::string(key)) != std::string_view::npos;
}

// Where the first thread has ended and others go on, only theirs say how much memory they have.
std::string folder_of(int proc, pid_t pid, const ProcessStat& stat) {
  auto folder = fmt::format("{}", pid);
  if (stat.state != 'Z' || stat.threads <= 1) return folder;
  folder += "/task";
  const Fd threads(::openat(proc, folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!threads) return folder;
  for (const pid_t thread : processes_in(threads.get()))
    if (const auto one = process_stat(threads.get(), thread);
        one && one->state != 'Z' && one->state != 'X')
      return fmt::format("{}/{}", folder, thread);
  return folder;
}

std::string status_of(int proc, const std::string& folder) {
  return beginning_of(proc, folder + "/status", 4096);
}

// With the page tables, which belong to no page: of a range that is only looked at here and there, nothing else is there.
std::uint64_t anonymous_in(std::string_view status) {
  return bytes_after(status, "RssAnon:") + bytes_after(status, "VmSwap:") +
         bytes_after(status, "VmPTE:") + bytes_after(status, "HugetlbPages:");
}

std::uint64_t page_size() {
  static const auto size = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// 2 MiB on x86.
std::uint64_t huge_page_size() {
  static const std::uint64_t size = [] {
    const Fd root(::open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return number_in(beginning_of(root.get(), "kernel/mm/transparent_hugepage/hpage_pmd_size", 64));
  }();
  return std::max(size, page_size());
}

// Each page by its share ("proportional set size"): fork copies no memory until somebody writes to it.
void add_exact(int proc, const std::string& folder, const ProcessMemory& process,
               MeasuredMemory& all, MemoryUse& given_up) {
  const auto text = beginning_of(proc, folder + "/smaps_rollup");
  const auto status = status_of(proc, folder);
  const auto less = [](std::uint64_t before, std::uint64_t now) {
    return before > now ? before - now : 0;
  };
  given_up.anonymous += less(process.anonymous, anonymous_in(status));
  given_up.shared += less(process.shared, bytes_after(status, "RssShmem:"));
  if (!has_line(text, "Pss_Anon:")) {
    all.exact.anonymous += process.anonymous;
    all.exact.shared += process.shared;
    return;
  }
  all.exact.anonymous += bytes_after(text, "Pss_Anon:") + bytes_after(text, "SwapPss:") +
                         bytes_after(status, "VmPTE:") + bytes_after(status, "HugetlbPages:");
  all.exact.shared += bytes_after(text, "Pss_Shmem:");
}

}  // namespace

ProcessMemory memory_of(int proc, pid_t pid, const ProcessStat& stat) {
  const auto status = status_of(proc, folder_of(proc, pid, stat));
  const bool small = has_line(status, "THP_enabled:") && number_after(status, "THP_enabled:") == 0;
  return {.pid = pid,
          .started = stat.started,
          .anonymous = anonymous_in(status),
          .shared = bytes_after(status, "RssShmem:"),
          .faults = stat.faults,
          .bytes_per_fault = small ? page_size() : huge_page_size()};
}

MemoryUse plain_sum(const std::vector<ProcessMemory>& processes) {
  MemoryUse sum;
  for (const auto& process : processes) {
    sum.anonymous += process.anonymous;
    sum.shared += process.shared;
  }
  return sum;
}

// All are read before the first is measured: what grows meanwhile counts twice rather than not at all. What one gives up
// meanwhile may be another's that was measured by its share.
MeasuredMemory measure_exactly(int proc, const std::vector<pid_t>& pids) {
  MeasuredMemory all;
  std::vector<std::string> folders;
  for (const pid_t pid : pids)
    if (const auto stat = process_stat(proc, pid)) {
      all.had.push_back(memory_of(proc, pid, *stat));
      folders.push_back(folder_of(proc, pid, *stat));
    }
  MemoryUse given_up;
  for (std::size_t i = 0; i < all.had.size(); ++i)
    add_exact(proc, folders[i], all.had[i], all, given_up);
  // What one process had was there, by whatever it was shared when it was measured.
  for (const auto& process : all.had)
    all.exact.anonymous = std::max(all.exact.anonymous, process.anonymous);
  const auto now = processes_in(proc);
  const bool others =
      ranges::any_of(now, [&](pid_t pid) { return ranges::find(pids, pid) == pids.end(); });
  if (!others)
    all.at_most = {all.exact.anonymous + given_up.anonymous, all.exact.shared + given_up.shared};
  return all;
}

}  // namespace rankscope
