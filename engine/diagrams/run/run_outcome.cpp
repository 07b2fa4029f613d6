// Words for captions: success, failure, the lost rank, and messages nobody received.
#include "engine/diagrams/run/run_outcome.h"

#include <fmt/format.h>

#include "engine/core/base/quantity.h"

namespace rankscope {
namespace {

// Returns which rank was lost, and how; nothing if a rank's error came first, because ranks lost after it are not why
// the run failed.
std::string first_failure(const JobResult& result) {
  if (result.failed_rank >= 0 || result.failures.empty()) return {};
  const RankFailure& first = result.failures.front();
  return first.what.empty() ? std::string() : fmt::format("rank {} {}", first.rank, first.what);
}

}  // namespace

std::string run_name(const TraceMeta& meta) {
  return meta.algorithm.empty() ? "run" : meta.algorithm;
}

std::string run_title(const TraceMeta& meta, int ranks) {
  return fmt::format("{}, {} rank{}", run_name(meta), ranks, ranks == 1 ? "" : "s");
}

std::string titled(std::string_view word, const TraceMeta& meta) {
  return fmt::format("{}{}{}", word, meta.algorithm.empty() ? "" : ": ", meta.algorithm);
}

std::string run_outcome(const Trace& trace) {
  using Status = JobResult::Status;
  const TraceMeta& meta = trace.meta();
  if (!meta.outcome) return trace.issues().unclosed ? "recorded without its end" : "";
  if (meta.outcome->ok()) return {};
  if (meta.outcome->status == Status::timeout) return "timed out";
  if (meta.outcome->status != Status::failed) return std::string(to_string(meta.outcome->status));
  const std::string failure = first_failure(*meta.outcome);
  return failure.empty() ? "failed" : failure;
}

std::string_view unreceived_words(const Trace& trace) {
  return trace.meta().has_ended() ? "never received" : "not received yet";
}

std::string unreceived_text(const Trace& trace, std::uint64_t messages) {
  return fmt::format("{} {} {}", counted(messages, "message"), messages == 1 ? "was" : "were",
                     unreceived_words(trace));
}

std::string with_outcome(const Trace& trace, const std::string& words) {
  const std::string outcome = run_outcome(trace);
  if (outcome.empty() || words.empty()) return outcome + words;
  return outcome + " · " + words;
}

}  // namespace rankscope
