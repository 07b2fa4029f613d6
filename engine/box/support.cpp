// Tests whether bubblewrap works on this machine, and advises what to change if it does not.
#include "engine/box/support.h"

#include <cstdint>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/box/box_group.h"
#include "engine/box/bwrap_arguments.h"
#include "engine/box/cgroup.h"
#include "engine/box/seccomp_filter.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

// Not from PATH: anyone who can change that would choose what untrusted programs are run by.
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

// Why a kernel may refuse user namespaces, and what to do.
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

// Everything that a submission would get, with a program that does nothing.
std::string try_one(const BoxSupport& support) try {
  BoxLimits limits;
  limits.wall = std::chrono::milliseconds(10'000);
  BoxGroup group(support, limits);
  BoxSpec spec;
  spec.argv = {"/bin/true"};
  group.start({spec});
  group.wait(std::chrono::milliseconds(30'000));
  const auto& box = group.outcome().boxes.at(0);
  if (box.end == BoxEnd::ended && box.exit_code == 0) return {};
  return fmt::format("a box {}; {}", box.words, advice());
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
    support.filter = seccomp_filter();
    support.system = system_arguments();
    support.problem = try_one(support);
    // Only when it works: a container may show what it does not give.
    BoxSupport with_cgroup = support;
    with_cgroup.cgroup = delegated_cgroup();
    if (support.problem.empty() && !with_cgroup.cgroup.empty() && try_one(with_cgroup).empty())
      support.cgroup = with_cgroup.cgroup;
  } catch (const UserError& error) {
    support.problem = error.what();
  }
  return support;
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
         "forge "
         "their results. Time, memory, processes and output are still watched and limited, but a "
         "program "
         "that means harm can escape that, too.";
}

}  // namespace rankscope
