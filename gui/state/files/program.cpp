// Starts a program with posix_spawn, feeds its input, and returns its status.
#include "gui/state/files/program.h"

#include <cerrno>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace rankscope::gui {
namespace {

/// What the program's descriptors are to be.
class Actions {
 public:
  Actions() { ::posix_spawn_file_actions_init(&actions_); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void open(int descriptor, const char* file, int flags) {
    ::posix_spawn_file_actions_addopen(&actions_, descriptor, file, flags, 0);
  }

  /// The process; negative: it could not be started.
  pid_t start(std::vector<std::string>& words, ProgramOutput& output) const {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    const int failed = ::posix_spawnp(&pid, argv[0], &actions_, nullptr, argv.data(), environ);
    if (failed == 0) return pid;
    output.found = failed != ENOENT;
    return -1;
  }

 private:
  posix_spawn_file_actions_t actions_{};
};

int status_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

ProgramOutput feed_program(std::vector<std::string> words, const std::string& file) {
  ProgramOutput output;
  Actions actions;
  actions.open(STDIN_FILENO, file.c_str(), O_RDONLY);
  actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  actions.open(STDERR_FILENO, "/dev/null", O_WRONLY);
  const pid_t pid = actions.start(words, output);
  if (pid >= 0) output.status = status_of(pid);
  return output;
}

}  // namespace rankscope::gui
