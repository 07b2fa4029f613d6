// Writes a grader's faults into a trace's metadata and reads them back.
#include "lessons/grading/run_faults.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "engine/account/messages.h"
#include "engine/core/base/json_text.h"

namespace rankscope {
namespace {

using nlohmann::json;
constexpr const char* kKey = "faults";

json json_of_fault(const RunFault& fault) {
  json out = {{"rule", fault.rule}, {"says", fault.says}};
  if (!fault.site.empty()) out["site"] = fault.site;
  if (fault.rank >= 0) out["rank"] = fault.rank;
  if (fault.seq) out["seq"] = *fault.seq;
  return out;
}

RunFault fault_from(const json& row) {
  RunFault fault;
  fault.rule = row.value("rule", "");
  fault.says = row.value("says", "");
  fault.site = row.value("site", "");
  fault.rank = row.value("rank", -1);
  if (row.contains("seq")) fault.seq = row["seq"].get<std::uint32_t>();
  return fault;
}

}  // namespace

RunFault fault_at(const Trace& trace, std::uint64_t event) {
  RunFault fault;
  if (event >= trace.size()) return fault;
  fault.rank = trace[event].rank;
  fault.seq = trace[event].seq;
  return fault;
}

std::uint64_t event_of(const Trace& trace, const RunFault& fault) {
  if (fault.seq)
    for (std::uint64_t k = 0; k < trace.size(); ++k)
      if (trace[k].rank == fault.rank && trace[k].seq == *fault.seq) return k;
  return kNoEvent;
}

void add_faults(TraceMeta& meta, const RunFaults& faults) {
  json result = parse_json_or_none(meta.result_json);
  if (!result.is_object()) result = json::object();
  json rows = json::array();
  for (const RunFault& fault : faults.faults) rows.push_back(json_of_fault(fault));
  result[kKey] = {{"exercise", faults.exercise}, {"run", faults.run}, {"rules", std::move(rows)}};
  // What a program raised is in there, in whatever encoding.
  meta.result_json = dump_json(result);
}

std::optional<RunFaults> faults_in(const TraceMeta& meta) {
  const json result = parse_json_or_none(meta.result_json);
  if (!result.is_object() || !result.contains(kKey)) return std::nullopt;
  try {
    const json& kept = result[kKey];
    RunFaults out;
    out.exercise = kept.value("exercise", "");
    out.run = kept.value("run", "");
    for (const json& row : kept.value("rules", json::array()))
      out.faults.push_back(fault_from(row));
    if (out.faults.empty()) return std::nullopt;
    return out;
  } catch (const json::exception&) {  // of another version, or damaged
    return std::nullopt;
  }
}

}  // namespace rankscope
