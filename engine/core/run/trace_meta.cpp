#include "engine/core/run/trace_meta.h"

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/run/job_json.h"

namespace rankscope {
namespace {

using nlohmann::json;

constexpr const char *kObserved = "observed", *kFaults = "faults";

/// Returns the known parts as JSON, with the parts that were not understood.
std::string text_with(json known, const std::string& unread) {
  if (known.empty()) return unread;
  if (const json rest = parse_json_or_none(unread); rest.is_object()) known.update(rest);
  return dump_json(known);
}

}  // namespace

std::string job_text(const TraceMeta& meta) {
  return text_with(meta.job ? json_of(*meta.job) : json(), meta.unread_job);
}

std::string result_text(const TraceMeta& meta) {
  json known = meta.outcome ? json_of(*meta.outcome) : json();
  if (meta.handed) known[kObserved] = json_of(*meta.handed);
  if (meta.faults) known[kFaults] = json_of(*meta.faults);
  return text_with(std::move(known), meta.unread_result);
}

void read_job_text(std::string_view text, TraceMeta& meta) {
  json rest = parse_json_or_none(text);
  if (!rest.is_object()) {
    meta.unread_job = text;
    return;
  }
  meta.job = take_job(rest);
  if (!rest.empty()) meta.unread_job = dump_json(rest);
}

void read_result_text(std::string_view text, TraceMeta& meta) {
  json rest = parse_json_or_none(text);
  if (!rest.is_object()) {
    meta.unread_result = text;
    return;
  }
  if (const auto at = rest.find(kObserved); at != rest.end() && at->is_object()) {
    meta.handed = handed_of(*at, meta.world_size);
    rest.erase(at);
  }
  if (const auto at = rest.find(kFaults); at != rest.end()) try {
      meta.faults = faults_of(*at);
      if (meta.faults) rest.erase(at);
    } catch (const json::exception&) {  // of another version, or damaged
    }
  if (auto result = take_result(rest)) meta.outcome = std::move(result);
  if (!rest.empty()) meta.unread_result = dump_json(rest);
}

}  // namespace rankscope
