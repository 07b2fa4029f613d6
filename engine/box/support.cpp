// Makes the filter of system calls, tests whether bubblewrap works here, and says what to change if not.
#include "engine/box/support.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/box/box_group.h"
#include "engine/box/bwrap_arguments.h"
#include "engine/box/cgroup.h"
#include "engine/core/base/fd.h"

namespace rankscope {

namespace {

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

void check(int result, const char* what) {
  if (result < 0)
    throw UserError(fmt::format("cannot make the filter of system calls ({}): {}", what,
                                std::strerror(-result)));
}

// By name, because the headers of an older system do not know all of them.
constexpr const char* kRefused[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp",
    "move_pages", "migrate_pages",
    // namespaces, mounts, file handles that lead around them
    "unshare", "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree",
    "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr",
    "name_to_handle_at", "open_by_handle_at", "swapon", "swapoff", "quotactl", "quotactl_fd",
    "fanotify_init",
    // the kernel itself
    "bpf", "perf_event_open", "userfaultfd", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "create_module", "syslog", "acct", "reboot", "nfsservctl",
    "lookup_dcookie", "iopl", "ioperm", "modify_ldt", "vm86", "vm86old", "uselib", "sysfs",
    "_sysctl", "vhangup", "add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter",
    "io_uring_register", "io_setup", "io_submit",
    // the machine's clock and name
    "clock_settime", "clock_settime64", "clock_adjtime", "clock_adjtime64", "settimeofday",
    "adjtimex", "stime", "sethostname", "setdomainname",
    // Descriptors under way between processes are counted for a user, so for all ranks; pages in memory show what others
    // have read; the numbers of the machine's processes and free pages, what others do.
    "sendmsg", "sendmmsg", "mincore", "sysinfo",
    // memory that belongs to no process, so that nobody could count it
    "shmget", "shmat", "msgget", "semget", "mq_open", "memfd_secret", "vmsplice",
    "landlock_create_ruleset", "landlock_add_rule",
    // Boxes share read-only files; opening or locking one could signal another rank.
    "inotify_init", "inotify_init1", "inotify_add_watch", "flock"};

// The refused commands of fcntl.
constexpr int kRefusedOfFcntl[] = {F_SETLK,      F_SETLKW,   F_OFD_SETLK,
                                   F_OFD_SETLKW, F_SETLEASE, F_NOTIFY};

// Options of setsockopt that enlarge a socket's buffers or attach a program. (At other levels than SOL_SOCKET, a local
// socket knows none of these numbers.)
constexpr int kRefusedOfSockets[] = {
    SO_SNDBUF,        SO_RCVBUF,     SO_SNDBUFFORCE,           SO_RCVBUFFORCE,
    SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF};

// Calls that fail as on an old kernel, so that programs take another way. clone3 takes its flags from memory, which a
// filter cannot read; glibc then calls clone.
constexpr const char* kAbsent[] = {"clone3", "memfd_create"};

void refuse(scmp_filter_ctx filter, const char* name, int error) {
  const int call = seccomp_syscall_resolve_name(name);
  if (call == __NR_SCMP_ERROR || call < 0) return;  // not on this processor
  check(seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error)), call, 0), name);
}

void refuse_by_argument(scmp_filter_ctx filter, int call, const scmp_arg_cmp& argument, int error,
                        const char* what) {
  check(seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error)), call, 1,
                               &argument),
        what);
}

// Without a box, programs share one network, and could signal each other by what a process sets for itself: its priority,
// or whether it may be inspected.
void add_rules_without_box(scmp_filter_ctx filter) {
  for (const char* name : {"socket", "bind", "connect", "listen"}) refuse(filter, name, EPERM);
  for (const char* name : {"setpriority", "sched_setaffinity", "sched_setparam",
                           "sched_setscheduler", "sched_setattr", "ioprio_set"})
    refuse(filter, name, 0);  // does nothing: programs that ask for it go on
  refuse_by_argument(filter, SCMP_SYS(sendto), SCMP_A4(SCMP_CMP_NE, 0), EPERM, "sendto");
  refuse_by_argument(filter, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_DUMPABLE), EPERM,
                     "prctl");
}

void add_rules(scmp_filter_ctx filter, bool boxed) {
  for (const char* name : kRefused) refuse(filter, name, EPERM);
  for (const char* name : kAbsent) refuse(filter, name, ENOSYS);
  if (!boxed) add_rules_without_box(filter);

  constexpr std::uint64_t kNamespaces[] = {CLONE_NEWUSER,  CLONE_NEWPID, CLONE_NEWNS,
                                           CLONE_NEWNET,   CLONE_NEWIPC, CLONE_NEWUTS,
                                           CLONE_NEWCGROUP};
  // The parent of a rank's program must not get children that it did not start.
  constexpr std::uint64_t kSibling = CLONE_PARENT;
  refuse_by_argument(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, kSibling, kSibling),
                     EPERM, "clone");
  for (const std::uint64_t flag : kNamespaces)
    refuse_by_argument(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag), EPERM,
                       "clone");
  // Local sockets only. (All 64 bits are compared, of which the kernel looks at 32: what has one above
  // them is refused.)
  if (boxed)
    refuse_by_argument(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_NE, AF_UNIX), EPERM, "socket");
  refuse_by_argument(filter, SCMP_SYS(socketpair), SCMP_A0(SCMP_CMP_NE, AF_UNIX), EPERM,
                     "socketpair");
  constexpr std::uint64_t kInt = 0xffffffff;  // the bits of an int
  // Refuses typing into the terminal of the user who started it.
  for (const std::uint64_t request : {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}})
    refuse_by_argument(filter, SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, request), EPERM,
                       "ioctl");
  for (const int command : kRefusedOfFcntl)
    refuse_by_argument(filter, SCMP_SYS(fcntl),
                       SCMP_A1(SCMP_CMP_MASKED_EQ, kInt, static_cast<std::uint64_t>(command)),
                       ENOLCK, "fcntl");
  for (const int option : kRefusedOfSockets)
    refuse_by_argument(filter, SCMP_SYS(setsockopt),
                       SCMP_A2(SCMP_CMP_MASKED_EQ, kInt, static_cast<std::uint64_t>(option)), EPERM,
                       "setsockopt");
  // Refused: asking or changing which pages of a shared file are in memory (a covert channel).
  constexpr std::uint64_t kOnlyInMemory = RWF_NOWAIT;
  refuse_by_argument(filter, SCMP_SYS(preadv2),
                     SCMP_A5(SCMP_CMP_MASKED_EQ, kOnlyInMemory, kOnlyInMemory), EOPNOTSUPP,
                     "preadv2");
  refuse_by_argument(filter, SCMP_SYS(fadvise64),
                     SCMP_A3(SCMP_CMP_MASKED_EQ, kInt, std::uint64_t{POSIX_FADV_DONTNEED}), EPERM,
                     "fadvise64");
  // Anonymous shared memory can outlive all its mappings and then counts for no process.
  constexpr std::uint64_t kNobodys = MAP_SHARED | MAP_ANONYMOUS;
  refuse_by_argument(filter, SCMP_SYS(mmap), SCMP_A3(SCMP_CMP_MASKED_EQ, kNobodys, kNobodys), EPERM,
                     "mmap");
  // Huge pages would grow a process by more than its faults show.
  refuse_by_argument(filter, SCMP_SYS(prctl),
                     SCMP_A0(SCMP_CMP_MASKED_EQ, kInt, std::uint64_t{PR_SET_THP_DISABLE}), EPERM,
                     "prctl");
  // Programs may only query it.
  refuse_by_argument(filter, SCMP_SYS(personality), SCMP_A0(SCMP_CMP_NE, kInt), EPERM,
                     "personality");
}

std::string exported(scmp_filter_ctx filter) {
  const Fd file(::memfd_create("rankscope-filter", MFD_CLOEXEC));
  if (!file) throw UserError(fmt::format("cannot make a file in memory: {}", std::strerror(errno)));
  check(seccomp_export_bpf(filter, file.get()), "export");
  std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  if (::pread(file.get(), program.data(), program.size(), 0) !=
      static_cast<ssize_t>(program.size()))
    throw UserError("cannot read the filter of system calls back");
  return program;
}

// Refuses the calls of later kernels, by number, since nobody here can say what they do. Programs do without, as on an
// older kernel. Jumps are relative, so that a filter may begin with this.
std::string without_newer_calls(std::string filter) {
  constexpr std::uint32_t kLastKnown = 450;  // set_mempolicy_home_node; the same on all processors
  const sock_filter first[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kLastKnown, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  return filter.insert(0, reinterpret_cast<const char*>(first), sizeof(first));
}

/// The filter as the kernel takes it (BPF). Everything is allowed but a list: what reaches into other
/// processes, makes namespaces or mounts, opens sockets other than local ones, keeps memory that no
/// process shows, is a large and rarely needed part of the kernel, or is newer than the list. Throws
/// UserError when libseccomp cannot make it. `boxed`: for a box, which has a network of its own.
std::string seccomp_filter(bool boxed) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (filter == nullptr) throw UserError("libseccomp cannot make a filter of system calls");
  // Another processor's calls (32 bits on 64) have numbers of their own, which the list does not name.
  check(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS),
        "processor");
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree, not a list: only faster
  add_rules(filter.get(), boxed);
  return without_newer_calls(exported(filter.get()));
}

namespace fs = std::filesystem;

// Not from PATH, because a changed PATH would change the program that confines untrusted code.
fs::path system_bwrap() {
  for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"})
    if (::access(path, X_OK) == 0) return path;
  return {};
}

std::optional<long> setting(const char* path) {
  std::ifstream file(path);
  long value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

// Returns the likely reason for a kernel to refuse user namespaces, and what to do.
std::string advice() {
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
    return "this system allows user namespaces to nobody but root: as root, run `sysctl "
           "kernel.unprivileged_userns_clone=1`";
  if (setting("/proc/sys/user/max_user_namespaces") == 0)
    return "this system allows no user namespaces: as root, run `sysctl "
           "user.max_user_namespaces=10000`";
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
    return "AppArmor restricts user namespaces: install a profile that allows them to bwrap "
           "(Ubuntu: the "
           "package apparmor-profiles, bwrap-userns-restrict), or as root run `sysctl "
           "kernel.apparmor_restrict_unprivileged_userns=0`";
  if (fs::exists("/.dockerenv") || fs::exists("/run/.containerenv"))
    return "this is a container, which must allow namespaces inside: start it with `--security-opt "
           "seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
           "systempaths=unconfined`, or grade outside of it";
  return "run rankscope where user namespaces are allowed";
}

// Starts a program that does nothing in a box with all of a submission's limits; returns why it failed.
std::string try_one(const BoxSupport& support, const std::string& advice) try {
  BoxLimits limits;
  limits.wall = std::chrono::milliseconds(10'000);
  BoxGroup group(support, limits);
  BoxSpec spec;
  spec.argv = {"/bin/true"};
  group.start({spec});
  group.wait(std::chrono::milliseconds(30'000));
  const auto& box = group.outcome().boxes.at(0);
  if (box.end == BoxEnd::ended && box.exit_code == 0) return {};
  return fmt::format("a program {}; {}", box.words, advice);
} catch (const UserError& error) {
  return error.what();
}

}  // namespace

BoxSupport box_support(const BoxSupportOptions& options) {
  BoxSupport support;
  support.sandbox = !options.no_sandbox;
  if (options.no_sandbox) return support;
  support.bwrap = options.bwrap.empty() ? system_bwrap() : options.bwrap;
  if (support.bwrap.empty() || ::access(support.bwrap.c_str(), X_OK) != 0) {
    support.problem =
        "bubblewrap is not installed: install the package bubblewrap (apt install bubblewrap)";
    return support;
  }
  try {
    support.filter = seccomp_filter(true);
    support.system = system_arguments(options.hidden);
    support.problem = try_one(support, advice());
    // Takes the cgroup only if it works: a container may show one that cannot be used.
    BoxSupport with_cgroup = support;
    with_cgroup.cgroup = delegated_cgroup();
    if (support.problem.empty() && !with_cgroup.cgroup.empty() && try_one(with_cgroup, "").empty())
      support.cgroup = with_cgroup.cgroup;
  } catch (const UserError& error) {
    support.problem = error.what();
  }
  return support;
}

BoxSupport as_other_user(const BoxSupport& failed) {
  BoxSupport out = failed;
  std::string fault = "only root can run them as another user";
  if (::geteuid() == 0) try {
      out.filter = seccomp_filter(false);
      out.sandbox = false;
      out.other_user = true;
      fault = try_one(out, "those of other users need a filter of system calls (seccomp)");
    } catch (const UserError& error) {
      fault = error.what();
    }
  if (fault.empty()) return out;
  out = failed;
  out.problem += "; and " + fault;
  return out;
}

namespace {

// Landlock: the Python module that starts the ranks makes the rules (lessons/python/rankscope/_other_users.py).
bool kernel_limits_files() {
  constexpr long kCreateRuleset = 444;
  constexpr unsigned long kVersion = 1;
  return ::syscall(kCreateRuleset, nullptr, 0UL, kVersion) > 0;
}

}  // namespace

std::string other_user_warning(const BoxSupport& support) {
  return fmt::format(
      "this machine allows no sandboxes ({}), so programs ran as other users, each rank as one of "
      "its own, as the course says: time, memory, processes, output and system calls were limited, "
      "and the network was closed. {}",
      support.problem,
      kernel_limits_files()
          ? "Ranks saw no files but their own and those of the system, but they could see how many "
            "processes there are, and what those have open"
          : "Its kernel cannot limit which files they see (Landlock, Linux 5.13): ranks could read "
            "what everybody may read, and leave files to each other");
}

void require_boxes(const BoxSupport& support) {
  if (support.works()) return;
  throw NoBoxes(
      fmt::format("students' programs cannot be kept in boxes here: {}.\nOr run them without "
                  "(--no-sandbox), if "
                  "you trust every one of them: {}",
                  support.problem, box_warning()));
}

std::string box_warning() {
  return "without boxes, students' programs run as you: they can read and delete your files, other "
         "submissions and the answers, use the network, change the system as far as you can, and "
         "forge their results. Time, memory, processes and output are still watched and limited, "
         "but a "
         "program that means harm can escape that, too.";
}

}  // namespace rankscope
