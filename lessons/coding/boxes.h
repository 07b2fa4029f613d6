// A student's program in boxes, one per rank, for many runs: the ranks share nothing but messages, which their
// agents carry, in this process. The ranks' boxes stand in one box, in which their libraries are loaded once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/box/box_group.h"
#include "engine/capi/agent.h"
#include "engine/capi/agent_world.h"
#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/run/outcome.h"
#include "engine/core/trace/trace.h"
#include "engine/run/job/job.h"

namespace rankscope {

class CppHeaders;
class LoadedLibraries;
class RunOrder;

/// The headers of programs in C++, all in one folder.
inline constexpr const char* kCppHeaders[] = {"rankscope.h", "rankscope.hpp",
                                              "rankscope_detail.hpp"};

struct CodeBoxesOptions {
  BoxSupport support;
  BoxLimits limits{.wall = std::chrono::milliseconds(180'000),
                   .cpu_seconds = 300};  ///< For all runs and boxes together.
  std::filesystem::path submission;    ///< A copy that nobody else writes to; seen as /submission.
  std::filesystem::path python_files;  ///< lessons/python; seen as /rankscope/python.
  std::filesystem::path library;       ///< librankscope.so
  /// The first process in each rank's box (engine/capi/first_process.cpp).
  std::filesystem::path first_process;
  std::string python = "/usr/bin/python3";
  std::filesystem::path cpp_files;  ///< lessons/cpp, for programs in C++
  std::filesystem::path include;    ///< The folder with rankscope.hpp
  std::string compiler = "g++";
  std::filesystem::path program;  ///< A compiled one (cpp_program.h), instead of a file for Python.
  double start_timeout_s = 120;   ///< Until all ranks have loaded their libraries.
  double begin_timeout_s = 10;    ///< Until all ranks of a compiled program have come to main().
  int interrupt_fd = -1;
  /// Shared by all programs of a class; when null, each compiles and loads its own.
  std::shared_ptr<CppHeaders> headers;
  std::shared_ptr<LoadedLibraries> libraries;
  std::shared_ptr<const ScratchFolder> kept;  ///< Copies of files that the boxes could not reach.
};

/// A submission that cannot be taken: the program's fault.
class RefusedSubmission : public UserError {
 public:
  using UserError::UserError;
};

/// The environment of a process that has entered a box to start the ranks, as "NAME=value".
std::vector<std::string> entered_environment();

/// One run of a program, seen from outside. Its trace is null when nothing was run.
struct CodeRun : capi::AgentWorldRun {
  std::vector<capi::AgentReport> ranks;
  /// The reason for the program's early end: "used more than 1 GiB of memory".
  std::string trouble;
  Cause trouble_cause = Cause::none;
  bool left_behind = false;  ///< `trouble` names a process that went on after all had returned.
  /// A run that took too long slept meanwhile, so programs beside it are not the reason (load_watch.h).
  bool slept = false;
  bool boxes_ended = false;  ///< The program is gone, no matter by whose fault: see `trouble`.
};

class CodeBoxes {
 public:
  /// Boxes for `ranks` ranks. Throws UserError when there can be none.
  CodeBoxes(CodeBoxesOptions options, int ranks);
  ~CodeBoxes();
  CodeBoxes(const CodeBoxes&) = delete;
  CodeBoxes& operator=(const CodeBoxes&) = delete;

  /// Runs the first spec.world.size ranks, each with its task, in new boxes when an earlier run ended them. Processes that
  /// the ranks leave behind have a second to end, then are ended; without boxes they are not seen. With an `order`
  /// (engine/run/step/run_order.h) the ranks move one at a time.
  CodeRun run(const JobSpec& spec, const std::vector<capi::AgentTask>& tasks,
              RunOrder* order = nullptr);
  /// The next run begins with ranks that have run nothing before.
  void forget();
  int starts() const noexcept { return starts_; }

 private:
  struct Boxes;
  void start();
  void start_box(Deadline limit);
  bool enter_box(Deadline limit);
  void refuse_to_begin(Rank rank);
  void stop();
  void find_trouble(CodeRun& run);
  bool end_ranks();
  void end_others(CodeRun& run);
  BoxSpec box(int control) const;
  BoxSpec box_to_enter(int alive) const;
  void copy(const BoxGroup& group);
  void make_rank_folders(const BoxGroup& group);

  const CodeBoxesOptions options_;
  const int ranks_;
  std::unique_ptr<Boxes> boxes_;
  ScratchFolder copies_{"code", ScratchFolder::For::everybody};  ///< The copy that the boxes see.
  /// Without boxes: each rank's user and the folder that it may write.
  std::vector<std::pair<uid_t, std::string>> rank_users_;
  std::string start_error_;
  int starts_ = 0;
};

}  // namespace rankscope
