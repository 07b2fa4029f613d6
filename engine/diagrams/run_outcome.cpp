// Words for captions: success, failure, the lost rank, and messages nobody received.
#include "engine/diagrams/run_outcome.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"

namespace rankscope {
namespace {

using nlohmann::json;

// A damaged file may hold anything.
std::string text_of(const json& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// Which rank was lost, and how; of a time-out every rank is listed with where it stood, which is too
// much to say here. Ranks that are lost after another one's error are not why the run failed.
std::string first_failure(const json& result) {
  if (result.contains("failed_rank")) return {};
  const auto failures = result.find("failures");
  if (failures == result.end() || !failures->is_array() || failures->empty()) return {};
  const auto& first = failures->front();
  if (!first.is_object()) return {};
  const auto rank = first.find("rank");
  const std::string what = text_of(first, "what");
  if (what.empty() || rank == first.end() || !rank->is_number_integer()) return {};
  return fmt::format("rank {} {}", rank->get<std::int64_t>(), what);
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
  const auto result = parse_json_or_none(trace.meta().result_json);
  if (!result.is_object()) return trace.issues().unclosed ? "recorded without its end" : "";
  const std::string status = text_of(result, "status");
  if (status == "timeout") return "timed out";
  if (status == "interrupted" || status == "deadlock" || status == "wrong result") return status;
  if (status != "failed") return {};
  const std::string failure = first_failure(result);
  return failure.empty() ? "failed" : failure;
}

std::string_view unreceived_words(const Trace& trace) {
  const bool goes_on = !trace.meta().complete && trace.meta().result_json.empty();
  return goes_on ? "not received yet" : "never received";
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
