// Options, child processes and request loop of baselines that start their ranks themselves (Gloo, ZeroMQ).
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

#include "engine/run/baselines/baseline.h"

namespace rankscope::baseline {

struct Options {
  int ranks = 8;
  std::string algorithm;  // empty where the library has only one
  int rank = 0;           // rank 0 passes the others to its children
  std::string meeting;    // the directory in which the ranks find each other
};

inline Options parse_options(int argc, char** argv, const std::vector<std::string>& algorithms) {
  constexpr int kMaxRanks = 128;
  Options options;
  if (!algorithms.empty()) options.algorithm = algorithms.front();
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--np") options.ranks = std::atoi(value.c_str());
    else if (name == "--rank") options.rank = std::atoi(value.c_str());
    else if (name == "--meeting") options.meeting = value;
    else if (name == "--algorithm" && !algorithms.empty()) options.algorithm = value;
    else throw std::runtime_error("unknown option " + name);
  }
  if (options.ranks < 1 || options.ranks > kMaxRanks)
    throw std::runtime_error("--np must be 1 to 128");
  if (!algorithms.empty() &&
      std::find(algorithms.begin(), algorithms.end(), options.algorithm) == algorithms.end()) {
    std::string all;
    for (const std::string& one : algorithms) all += " " + one;
    throw std::runtime_error("--algorithm must be one of" + all);
  }
  return options;
}

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
    for (const Child& child : children_)  // far below PIPE_BUF, so written whole or not at all
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

// Runs rank 0: starts the others, does its part, and ends them all if it fails or a signal comes. To be called before
// the library starts threads, which must inherit the blocked signals.
template <class Part>
void with_family(const std::string& program, Options options, Part&& part) {
  std::signal(SIGPIPE, SIG_IGN);
  const sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::vector<std::string> words = {program, "--np", std::to_string(options.ranks)};
  if (!options.algorithm.empty()) words.insert(words.end(), {"--algorithm", options.algorithm});
  Family family(options.ranks, words);
  end_family_on_signal(family);
  options.meeting = family.meeting();
  try {
    part(options, &family);
  } catch (...) {
    family.kill_all();
    throw;
  }
}

// Runs the program: part(options, family) connects this rank and serves requests; `family` is null except on rank 0.
template <class Part>
int run_ranks(const std::string& program, int argc, char** argv,
              const std::vector<std::string>& algorithms, Part&& part) {
  Options options;
  try {
    options = parse_options(argc, argv, algorithms);
    if (options.rank == 0) with_family(program, options, part);
    else part(options, nullptr);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << program << ": rank " << options.rank << ": " << error.what() << "\n";
    return 1;
  }
}

// Answers requests until "quit" or the end of input; refuses collectives for which refusal(collective) has a reason.
template <class Refusal, class Measure>
void serve(int ranks, Family* family, Refusal&& refusal, Measure&& measure) {
  std::string line, error;
  while (std::getline(std::cin, line) && line != "quit") {
    error.clear();
    const auto batch = parse_batch(line, ranks, error);
    if (batch) error = refusal(batch->collective);
    if (!error.empty()) {
      answer_error(error);
      continue;
    }
    if (family != nullptr) family->forward(line);
    measure(*batch);
  }
}

}  // namespace rankscope::baseline
