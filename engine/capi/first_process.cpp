// The first process of a rank's processes in its box: they end with it, and orphans become its children, for which it
// waits. It is an init that starts nothing: the rank's program is put beside it (lessons/python/rankscope/_inner_box.py).
#include <climits>
#include <csignal>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// It has the user of the student's program, which could look at its files otherwise.
bool give_up_rights() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  return ::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) == 0 &&
         ::prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0 &&
         ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL) == 0 &&
         ::syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

int main() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  if (::sigprocmask(SIG_BLOCK, &children, nullptr) != 0 || !give_up_rights() ||
      ::write(0, ".", 1) != 1)
    return 1;
  ::close_range(0, UINT_MAX, 0);
  for (int signal = 0;; ::sigwait(&children, &signal))
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {  // their time counts as this one's
    }
}
