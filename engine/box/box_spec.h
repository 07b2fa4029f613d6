// Describes a box: its program, its limits and its outcome.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {

/// A file or folder that is seen in the box, for reading only. No part of `from` is followed when it is a
/// link that the program could have made: give what you copied yourself (copy_submission).
struct BoxBind {
  std::filesystem::path from;
  std::string to;
};

/// A descriptor of this process that the program gets under `number`. Only for sockets and pipes: a file could be opened
/// again through /proc with other rights.
struct BoxDescriptor {
  int fd = -1;
  int number = -1;
};

/// The kernel's limits for each process of a box; 0: none.
struct BoxRlimits {
  /// Far more than may be used (torch maps 0.7 GiB, each thread's stack and heap about 0.1 GiB), but too little to fill
  /// the kernel's own tables.
  std::uint64_t address_space = std::uint64_t{8} << 30;
  std::uint64_t file_size = std::uint64_t{64} << 20;
  std::uint64_t open_files = 256;
};

struct BoxSpec {
  std::string name;                      ///< For messages: "rank 2".
  std::vector<std::string> argv;         ///< The program is looked up in the box.
  std::vector<std::string> environment;  ///< "NAME=value". Nothing else is inherited.
  std::string directory = "/tmp";
  std::vector<BoxBind> binds;
  std::vector<BoxDescriptor> descriptors;
  BoxRlimits rlimits;
  std::uint64_t tmp_size = std::uint64_t{64} << 20;  ///< Bytes in /tmp; then in /dev/shm.
  std::uint64_t shm_size = std::uint64_t{64} << 20;
  /// Only for a program of ours, which makes a box of its own for each of its children: it may make
  /// namespaces (CAP_SYS_ADMIN in the user namespace of its box), runs without the filter of system calls,
  /// and finds that filter under this number, to set it on them. Where there are no boxes, it may start them as
  /// other users instead (BoxGroup::others). -1: an ordinary program.
  int filter_number = -1;
  /// Its program only waits: a process of ours enters the box instead (BoxGroup::entrance).
  bool enterable = false;
};

/// Limits over all boxes of a submission together; 0: none.
struct BoxLimits {
  std::chrono::milliseconds wall{60'000};
  double cpu_seconds = 120;
  std::uint64_t memory = std::uint64_t{2} << 30;   ///< Files in /tmp and /dev/shm are memory, too.
  unsigned processes = 256;                        ///< Processes and threads together.
  std::uint64_t output = std::uint64_t{16} << 20;  ///< Both streams of all boxes.
  std::uint64_t output_kept = std::uint64_t{64}
                              << 10;  ///< Bytes of each stream that are kept; the rest is counted.
  std::uint64_t disk = std::uint64_t{256} << 20;  ///< Files in /tmp and /dev/shm.
  std::uint64_t files = 20'000;                   ///< Their number, with folders.

  /// Returns the same limits with both times multiplied.
  BoxLimits longer(double times) const {
    BoxLimits out = *this;
    const auto milliseconds = times * static_cast<double>(wall.count());
    out.wall = std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
    out.cpu_seconds *= times;
    return out;
  }
};

enum class BoxEnd {
  running,
  ended,            ///< By itself; see the exit code.
  killed_by,        ///< A signal ended it, sent by itself or the kernel; see `signal`.
  could_not_start,  ///< Not the program's fault, unless there is no such program.
  stopped,          ///< By BoxGroup::stop().
  wall_time,
  cpu_time,
  memory,
  processes,
  output,
  disk,
};

/// "wall_time", "memory" ...
const char* name_of(BoxEnd end);

struct BoxOutcome {
  BoxEnd end = BoxEnd::running;
  int exit_code = -1;  ///< When `ended`.
  int signal =
      0;  ///< When `killed_by`. A program that exits with 128 + n looks the same, as in a shell.
  std::string words;     ///< "used more than 1 GiB of memory (all ranks together)"
  std::string out, err;  ///< The output that was kept.
  std::uint64_t out_bytes = 0, err_bytes = 0;  ///< Bytes written.
};

/// The most that was seen at any look, over all boxes.
struct BoxUse {
  std::uint64_t memory = 0;
  std::uint64_t disk = 0;
  std::uint64_t files = 0;
  std::uint64_t output = 0;
  unsigned processes = 0;
  double cpu_seconds = 0;
  double seconds = 0;        ///< From the moment at which all boxes stood.
  double start_seconds = 0;  ///< Until that moment.
};

struct BoxGroupOutcome {
  BoxEnd end = BoxEnd::ended;  ///< The limit that ended all boxes; else `ended`.
  std::string words;
  std::vector<BoxOutcome> boxes;  ///< In the order of the specs.
  BoxUse most;
};

}  // namespace rankscope
