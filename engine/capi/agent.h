// The trusted side of a boxed rank: it carries out what the rank asks for, on a context of its own, and it
// is what the trace and the grade come from. Nothing that the rank says of itself is believed.
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

/// What a rank handed in: an array, or why there is none.
struct TaskResult {
  std::string name;  ///< As the program's side calls it: "return", "stdout" ...
  std::vector<std::byte> data;
  DType dtype = DType::float32;
  std::vector<Count> shape;
};

/// What a boxed rank is given to do in one run.
struct AgentTask {
  std::string text;                            ///< JSON for the program's side.
  std::vector<std::vector<std::byte>> inputs;  ///< By index.
  /// In virtual time: how long a rank computes for each nanosecond of processor time that its process took.
  double compute = 0;
  std::uint64_t most_verbs = 50'000;  ///< Of a rank in one run.
  /// Nothing to do: the program does what it does, as one run, until it leaves.
  bool is_script() const noexcept { return text.empty(); }
};

/// What the messages of a rank hold, all of them together. What it gives to a collective counts as sent.
struct SentValues {
  std::uint64_t count = 0;  ///< Elements, until two of them differ.
  bool alike = true;        ///< All are one number, or none is a number.
  double value = 0;         ///< The number that all are. NaN: none is one.
  std::uint64_t bytes = 0;  ///< Of all messages.

  void add(std::span<const std::byte> message, DType dtype) noexcept;
};

/// What one message held.
struct SentMessage {
  std::vector<std::byte> data;
  DType dtype = DType::uint8;
};

struct AgentReport {
  static constexpr std::size_t kMostMessages = 64, kMostMessageBytes = 1024;
  std::vector<TaskResult> results;  ///< In the order in which they were handed in.
  std::string error;                ///< Of the rank's program, in its words.
  std::string error_class;          ///< "ValueError"; empty: not known.
  int error_number = 0;             ///< Its errno; 0: it stands for none.
  bool error_after_stop = false;    ///< The run had been stopped by then, which may be why.
  std::string platform;             ///< "torch", "mpi" ...: as it says of itself.
  /// What its first message held; empty: it has sent none, or a long one.
  std::vector<std::byte> first_sent;
  SentValues sent;
  /// The first kMostMessages that it sent; one of more than kMostMessageBytes is empty.
  std::vector<SentMessage> messages;
  bool finished = false;  ///< It asked for the next task, or ended in order.
  bool gone = false;      ///< The socket broke: nothing more can come.
  bool awaited = false;   ///< In virtual time: the run was ended while nothing came from it.
  bool several_threads = false;
};

/// One for each box, for all runs of a submission.
class Agent {
 public:
  explicit Agent(int socket) : wire_(socket) {}

  /// The rank's part of a run (RunnerOptions::part): hands out the task, serves until the rank asks for the
  /// next one, breaks the protocol, is gone, or the run is stopped.
  RankOutcome serve(RankContext& rank, const JobSpec& spec, std::uint32_t epoch,
                    const AgentTask& task, AgentReport& report) noexcept;
  /// Waits until the program asks for its first task. False: it does not, or is gone.
  bool ready(Deadline limit) noexcept;
  bool usable() const noexcept { return !gone_; }

 private:
  friend class AgentRun;
  Wire wire_;
  bool asked_ = false;  ///< For a task, without an answer yet.
  bool gone_ = false;
};

}  // namespace rankscope::capi
