// Python's libraries (torch, NumPy), loaded once for all programs of a class: loading takes longer than all runs of most
// programs. A process of ours holds them outside of the boxes and forks one for each submission, which enters that one's
// box before anything of it runs (lessons/python/rankscope/_joined.py).
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/box/box_group.h"
#include "engine/core/base/deadline.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"

namespace rankscope {

struct CodeBoxesOptions;

/// Thread-safe. Where anything of it does not work, the caller loads the libraries in the box instead.
class LoadedLibraries {
 public:
  /// Descriptors for the process that enters, and their numbers there.
  struct Gifts {
    std::vector<std::string> environment;
    int control = -1, control_number = -1;  ///< The ranks' starter's socket.
    int alive = -1, alive_number = -1;      ///< Closed when it is gone.
    int filter_number = -1;
  };

  /// Loads them at the first call. Returns false if they cannot be kept here.
  bool ready(const CodeBoxesOptions& options);
  /// A submission's limits, less what loading the libraries took.
  BoxLimits left_of(BoxLimits limits);
  /// Has a process with the libraries enter the group's box and become the starter of its ranks.
  bool enter(BoxGroup& group, const BoxSupport& support, const Gifts& gifts, Deadline limit);
  /// The number of boxes that were entered.
  int entered() const noexcept { return entered_; }

 private:
  void start(const CodeBoxesOptions& options);
  std::optional<pid_t> forked(const BoxEntrance& entrance, const Gifts& gifts, int filter,
                              Deadline limit);

  std::mutex mutex_;
  bool tried_ = false, up_ = false;
  std::uint64_t memory_ = 0;
  double cpu_s_ = 0;
  std::atomic<int> entered_{0};
  Fd socket_;  // before the process, which ends with it
  std::optional<Subprocess> process_;
};

/// The shared parts of a class's programs in C++, compiled once: their headers, and the part of the program that takes
/// tasks. That is most of what the compiler has to do for one of them.
class CppHeaders {
 public:
  /// The places in the box at which a program's compiler looks for them.
  static constexpr const char *kInBox = "/rankscope/headers/contract_headers.h.gch",
                              *kMainInBox = "/rankscope/headers/contract_main.o";

  /// The folder with `made` and `main`, made when it is asked for first, in a box and of our own text alone; empty: the
  /// compiler cannot, or there are no boxes. Thread-safe. It lies there as long as this lives.
  std::filesystem::path folder(const CodeBoxesOptions& options);

 private:
  bool make(const CodeBoxesOptions& options) const;

  ScratchFolder folder_{"headers", ScratchFolder::For::everybody};
  std::mutex mutex_;
  bool tried_ = false, made_ = false;
};

/// The compiler and its options for any text: a compiled header is good for a program with the same ones only.
std::vector<std::string> cpp_compiler_words(const CodeBoxesOptions& options);

/// Writes what comes through the pipe into a file until its other end is closed. Returns false for more than `most` bytes,
/// or when interrupted.
bool take_file(int pipe, int interrupt, std::size_t most, const std::filesystem::path& to,
               bool& interrupted);

}  // namespace rankscope
