// The processes of a baseline's other ranks, where the program starts them itself (Gloo, ZeroMQ).
#pragma once

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankscope::baseline {

// The other ranks' processes and the meeting directory: neither outlives rank 0.
class Family {
 public:
  // `words`: how this program was started; "--rank R --meeting FOLDER" is added for each child.
  Family(int ranks, const std::vector<std::string>& words) {
    std::string name = (std::filesystem::temp_directory_path() / "rankscope-base-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    meeting_ = name;
    for (int rank = 1; rank < ranks; ++rank) spawn(rank, words);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  ~Family() {
    forget_meeting();
    for (const Child& child : children_) close(child.input);  // end of input: they leave
    for (const Child& child : children_) waitpid(child.pid, nullptr, 0);
  }

  const std::string& meeting() const { return meeting_; }

  void forget_meeting() noexcept {
    std::error_code ignored;
    std::filesystem::remove_all(meeting_, ignored);
  }

  void forward(const std::string& line) {
    const std::string text = line + "\n";
    for (const Child& child : children_)  // far below PIPE_BUF: whole or not at all
      if (write(child.input, text.data(), text.size()) < 0)
        throw std::runtime_error("a rank has died");
  }

  void kill_all() noexcept {
    forget_meeting();
    for (const Child& child : children_) kill(child.pid, SIGKILL);
    for (const Child& child : children_) waitpid(child.pid, nullptr, 0);
    children_.clear();
  }

 private:
  struct Child {
    pid_t pid;
    int input;
  };

  void spawn(int rank, std::vector<std::string> words) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    for (const auto& word :
         {std::string("--rank"), std::to_string(rank), std::string("--meeting"), meeting_})
      words.push_back(word);
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    args.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    pid_t pid = -1;
    const int error = posix_spawn(&pid, "/proc/self/exe", &files, nullptr, args.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (error != 0) throw std::runtime_error("cannot start rank " + std::to_string(rank));
    children_.push_back({pid, ends[1]});
  }

  std::string meeting_;
  std::vector<Child> children_;
};

// SIGTERM and the like end rank 0 and its family at any moment, also within a collective.
inline sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

inline void end_family_on_signal(Family& family) {
  std::thread([&family] {
    const sigset_t set = ending_signals();
    int signal = 0;
    sigwait(&set, &signal);
    family.kill_all();
    _exit(128 + signal);
  }).detach();
}

// Rank 0: starts the others, does its part, and ends all of them when that fails or a signal comes. Before the library's
// threads are there, which would inherit what signals are blocked.
template <class Part>
void with_family(int ranks, const std::vector<std::string>& words, Part&& part) {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  Family family(ranks, words);
  end_family_on_signal(family);
  try {
    part(family);
  } catch (...) {
    family.kill_all();
    throw;
  }
}

}  // namespace rankscope::baseline
