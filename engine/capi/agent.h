// The trusted side of a boxed rank: it carries out the rank's requests on its own context, which is the source of the
// trace and the grade. It trusts nothing that the rank says about itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/capi/wire.h"
#include "engine/run/job/job.h"

namespace rankscope {
class RankContext;
}

namespace rankscope::capi {

/// A result that a rank handed in: an array, or the reason why there is none.
struct TaskResult {
  std::string name;  ///< The program's name for it: "return", "stdout" ...
  std::vector<std::byte> data;
  DType dtype = DType::float32;
  std::vector<Count> shape;
};

/// The contents of one message.
struct SentMessage {
  std::vector<std::byte> data;
  DType dtype = DType::uint8;
};

/// A boxed rank's task in one run.
struct AgentTask {
  std::string text;                            ///< JSON for the program's side.
  std::vector<std::vector<std::byte>> inputs;  ///< By index.
  /// In virtual time: seconds of computing charged per second of processor time that its process used.
  double compute = 0;
  std::uint64_t most_verbs = 50'000;  ///< Limit for a rank in one run.
  /// Limit for the copies of its arrays, for its results, and for a request: bytes that the agent holds for it.
  std::uint64_t most_memory = std::uint64_t{512} << 20;
  /// Its messages arrive with other contents, so that a result that is right all the same did not come from them.
  bool altered = false;
  /// Returns whether there is no task: the program then runs its own course, as one run, until it leaves.
  bool is_script() const noexcept { return text.empty(); }
};

/// The values in all messages of a rank. Data passed to a collective counts as sent.
struct SentValues {
  std::uint64_t count = 0;  ///< Number of elements counted, until two of them differ.
  bool alike = true;        ///< All are one number, or none is a number.
  double value = 0;         ///< The common value; NaN if no element is a number.
  std::uint64_t bytes = 0;  ///< Bytes of all messages.

  void add(std::span<const std::byte> message, DType dtype) noexcept;
};

struct AgentReport {
  static constexpr std::size_t kMostMessages = 64, kMostMessageBytes = 1024;
  std::vector<TaskResult> results;  ///< In the order in which they were handed in.
  std::string error;                ///< The error message that the rank's program printed.
  std::string error_class;          ///< "ValueError"; empty if unknown.
  int error_number = 0;             ///< Its errno; 0 if it has none.
  bool error_after_stop = false;    ///< The run had already been stopped, which may be the cause.
  std::string platform;             ///< The program's own statement: "torch", "mpi" ...
  /// The contents of its first message; empty if it sent none, or a long one.
  std::vector<std::byte> first_sent;
  SentValues sent;
  /// The first kMostMessages that it sent; a message of more than kMostMessageBytes is empty.
  std::vector<SentMessage> messages;
  bool finished = false;  ///< It asked for the next task, or ended in order.
  bool gone = false;      ///< The socket broke, so no more requests can come.
  bool awaited =
      false;  ///< In virtual time: the run was ended while the agent waited for this rank.
  bool several_threads = false;
};

/// One agent per box, for all runs of a submission.
class Agent {
 public:
  explicit Agent(int socket) : wire_(socket) {}

  /// Serves the rank's part of a run (RunnerOptions::part): hands out the task, then serves until the rank asks for the
  /// next task, violates the protocol, is gone, or the run is stopped.
  RankOutcome serve(RankContext& rank, const JobSpec& spec, std::uint32_t epoch,
                    const AgentTask& task, AgentReport& report) noexcept;
  /// Waits until the program asks for its first task. Returns false if it does not ask or is gone.
  bool ready(Deadline limit) noexcept;
  bool usable() const noexcept { return !gone_; }

 private:
  friend class AgentRun;
  Wire wire_;
  bool asked_ = false;  ///< The rank asked for a task and has no answer yet.
  bool gone_ = false;
};

}  // namespace rankscope::capi
