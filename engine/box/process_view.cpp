// Reads memory, time and children of a box's processes from /proc.
#include "engine/box/process_view.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "engine/box/spawn.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

// A process may write into another's pages (/proc/PID/mem, or memory shared by clone) and end: its faults go with it, and
// no process shows the growth. The next measurement does.
constexpr std::chrono::seconds kOldest{2};

std::uint64_t growth(std::uint64_t now, std::uint64_t then) { return now > then ? now - then : 0; }

}  // namespace

void MemoryBound::record(const MeasuredMemory& measured, Clock::time_point now) {
  if (!measured.at_most) return;
  measured_ = *measured.at_most;
  had_ = measured.had;
  ranges::sort(had_, {}, &ProcessMemory::pid);
  when_ = now;
  known_ = true;
}

MemoryUse MemoryBound::at_most(const std::vector<ProcessMemory>& have,
                               Clock::time_point now) const {
  const MemoryUse plain = plain_sum(have);
  if (!known_ || now - when_ > kOldest) return plain;
  MemoryUse bound = measured_;
  for (const auto& process : have) {
    const auto then = ranges::lower_bound(had_, process.pid, {}, &ProcessMemory::pid);
    if (then == had_.end() || then->pid != process.pid || then->started != process.started) {
      bound.anonymous += process.anonymous;
      bound.shared += process.shared;
      continue;
    }
    // A page that is copied because it was shared does not show in its sum, only as a fault.
    bound.anonymous += growth(process.anonymous, then->anonymous) +
                       growth(process.faults, then->faults) *
                           std::max(then->bytes_per_fault, process.bytes_per_fault);
    bound.shared += growth(process.shared, then->shared);
  }
  return {std::min(plain.anonymous, bound.anonymous), std::min(plain.shared, bound.shared)};
}

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

// If the first thread has ended and others go on, only their folders say how much memory they have.
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

// Adds the page tables, which may be all the memory of a range that is read only here and there.
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

// Adds each page by its share ("proportional set size"), because fork copies no memory until a process writes to it.
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
  // The measured sum is at least what the largest single process had, however it was shared.
  for (const auto& process : all.had)
    all.exact.anonymous = std::max(all.exact.anonymous, process.anonymous);
  const auto now = processes_in(proc);
  const bool others =
      ranges::any_of(now, [&](pid_t pid) { return ranges::find(pids, pid) == pids.end(); });
  if (!others)
    all.at_most = {all.exact.anonymous + given_up.anonymous, all.exact.shared + given_up.shared};
  return all;
}

namespace {

void add_process(int proc, pid_t pid, const ProcessStat& stat, ProcessUse& use,
                 std::vector<ProcessMemory>& memory) {
  use.cpu_seconds += stat.cpu_seconds;
  use.processes += std::max(1U, stat.threads);
  use.stopped += stat.state == 'T' ? 1 : 0;
  memory.push_back(memory_of(proc, pid, stat));
}

ProcessUse with_memory(ProcessUse use, const MemoryUse& memory) {
  use.anonymous = memory.anonymous;
  use.shared = memory.shared;
  return use;
}

// Counts the sockets of each network of the processes, including those that wait for a connection, and closed ones
// whose data is not read yet. Their contents are the memory of no process, so each counts with the most that it can hold,
// which programs cannot raise: the filter of system calls refuses it.
class Sockets {
 public:
  void add(int proc, pid_t pid) {
    const Fd file(
        ::openat(proc, fmt::format("{}/net/sockstat", pid).c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 ||
        ranges::find(networks_, status.st_ino) != networks_.end())
      return;
    networks_.push_back(status.st_ino);
    std::array<char, 64> text{};
    const ssize_t size = ::read(file.get(), text.data(), text.size());
    constexpr std::string_view kKey = "sockets: used ";
    const std::string_view seen(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (seen.starts_with(kKey)) count_ += number_in(seen.substr(kKey.size()));
  }
  std::uint64_t bytes() const { return count_ * most_of_one(); }

 private:
  // The kernel takes one more message when its limit is not reached, which may be as long as that.
  static std::uint64_t most_of_one() {
    static const std::uint64_t most = [] {
      constexpr std::uint64_t kUsual = 212'992;
      const Fd proc = open_proc();
      return 2 * std::max(kUsual, number_in(beginning_of(proc.get(), "sys/net/core/wmem_default")));
    }();
    return most;
  }

  std::vector<ino_t> networks_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  const Fd proc = open_proc();
  std::vector<pid_t> children;
  // A kernel may lack this file.
  const auto path = fmt::format("{0}/task/{0}/children", pid);
  if (::faccessat(proc.get(), path.c_str(), R_OK, 0) == 0) {
    const auto text = beginning_of(proc.get(), path);
    for (std::size_t at = 0; at < text.size();
         at = std::min(text.find(' ', at), text.size() - 1) + 1)
      if (const auto child = static_cast<pid_t>(number_in(std::string_view(text).substr(at))))
        children.push_back(child);
    return children;
  }
  for (const pid_t other : processes_in(proc.get()))
    if (const auto stat = process_stat(proc.get(), other); stat && stat->parent == pid)
      children.push_back(other);
  return children;
}

bool ProcessView::open(pid_t first) {
  const Fd ours = open_proc();
  const auto root = fmt::format("{}/root", first);
  const auto folder = [&](const char* name) {
    return Fd(::openat(ours.get(), (root + name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  };
  Fd proc = folder("/proc");
  struct stat their_status {
  }, our_status{};
  // Before the box has its own root, this is the system's folder.
  if (!proc || ::fstat(proc.get(), &their_status) != 0 || ::fstat(ours.get(), &our_status) != 0 ||
      their_status.st_dev == our_status.st_dev)
    return false;
  proc_ = std::move(proc);
  tmp_ = folder("/tmp");
  shm_ = folder("/dev/shm");
  return true;
}

ProcessUse ProcessView::look(unsigned enough) const {
  ProcessUse use;
  if (!proc_) return use;
  const auto pids = processes_in(proc_.get());
  if (enough > 0 && pids.size() > enough + std::size_t{1}) {
    use.processes = static_cast<unsigned>(pids.size()) - 1;
    return use;
  }
  Sockets sockets;
  std::vector<ProcessMemory> memory;
  for (const pid_t pid : pids) {
    const auto stat = process_stat(proc_.get(), pid);
    if (!stat) continue;
    add_process(proc_.get(), pid, *stat, use, memory);
    sockets.add(proc_.get(), pid);
  }
  use = with_memory(use, bound_.at_most(memory, MemoryBound::Clock::now()));
  use.sockets = sockets.bytes();
  // The first process is bubblewrap's. The program has the same user and could take it over, so all that it uses
  // counts, except its one thread.
  use.processes -= std::min(use.processes, 1U);
  return use;
}

ProcessUse ProcessView::exact_memory() {
  if (!proc_) return {};
  const auto pids = processes_in(proc_.get());
  const auto memory = measure_exactly(proc_.get(), pids);
  bound_.record(memory, MemoryBound::Clock::now());
  ProcessUse use = with_memory({}, memory.exact);
  Sockets sockets;
  for (const pid_t pid : pids) sockets.add(proc_.get(), pid);
  use.sockets = sockets.bytes();
  return use;
}

Fd ProcessView::proc() const { return proc_ ? Fd(::fcntl(proc_.get(), F_DUPFD_CLOEXEC, 3)) : Fd(); }

FileUse ProcessView::use_of(const Fd& folder) {
  struct statvfs status {};
  FileUse use;
  if (!folder || ::fstatvfs(folder.get(), &status) != 0) return use;
  use.bytes = std::uint64_t{status.f_blocks - status.f_bfree} * status.f_frsize;
  use.files = status.f_files - status.f_ffree;
  use.full = status.f_bfree == 0;
  return use;
}

std::optional<uid_t> user_of(int proc, pid_t pid) {
  constexpr std::size_t kMostStatus = 4096;
  constexpr std::string_view kKey = "\nUid:\t";
  const std::string status = beginning_of(proc, fmt::format("{}/status", pid), kMostStatus);
  const auto at = status.find(kKey);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<uid_t>(number_in(std::string_view(status).substr(at + kKey.size())));
}

FamilyView::FamilyView(pid_t first, std::string mark, std::vector<uid_t> users)
    : mark_(std::move(mark)), users_(std::move(users)) {
  if (const auto stat = process_stat(open_proc().get(), first))
    members_.push_back({first, stat->started});
}

void FamilyView::find(bool by_mark) {
  const Fd proc = open_proc();
  struct Found {
    Member member;
    pid_t parent;
  };
  std::vector<Found> all;
  for (const pid_t pid : processes_in(proc.get()))
    if (const auto stat = process_stat(proc.get(), pid); stat && stat->state != 'Z')
      all.push_back({{pid, stat->started}, stat->parent});

  std::vector<Member> family;
  const auto belongs = [&](const Found& found) {
    const auto known = [&](const Member& member) {
      return member.pid == found.member.pid && member.started == found.member.started;
    };
    const auto is_child = [&](const Member& member) { return member.pid == found.parent; };
    if (ranges::any_of(members_, known)) return true;
    if (ranges::any_of(family, is_child)) return true;
    if (!users_.empty())
      if (const auto user = user_of(proc.get(), found.member.pid);
          user && ranges::find(users_, *user) != users_.end())
        return true;
    return by_mark && beginning_of(proc.get(), fmt::format("{}/environ", found.member.pid), 1 << 16)
                              .find(mark_) != std::string::npos;
  };
  // Children of children: until a round finds nobody new.
  for (bool grew = true; grew;) {
    grew = false;
    for (auto& found : all) {
      if (found.member.pid == 0 || !belongs(found)) continue;
      family.push_back(found.member);
      found.member.pid = 0;
      grew = true;
    }
  }
  members_ = std::move(family);
}

ProcessUse FamilyView::look() {
  find(false);
  const Fd proc = open_proc();
  ProcessUse use;
  std::vector<ProcessMemory> memory;
  for (const auto& member : members_)
    if (const auto stat = process_stat(proc.get(), member.pid))
      add_process(proc.get(), member.pid, *stat, use, memory);
  return with_memory(use, plain_sum(memory));
}

ProcessUse FamilyView::exact_memory() const {
  const Fd proc = open_proc();
  std::vector<pid_t> pids;
  for (const auto& member : members_) pids.push_back(member.pid);
  return with_memory({}, measure_exactly(proc.get(), pids).exact);
}

bool FamilyView::kill_all() {
  for (const uid_t user : users_) end_processes_of(user, users_.front());
  // Twice, because a search may miss a process that was started during it.
  for (int i = 0; i < 2; ++i) {
    find(true);
    for (const auto& member : members_) ::kill(member.pid, SIGKILL);
    if (!members_.empty()) return true;
  }
  return false;
}

}  // namespace rankscope
