// Summarizes profile records, and writes them as CSV and JSON.
#include "engine/run/profile/profile_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/model/bandwidth.h"
#include "engine/model/statistics.h"
#include "engine/run/job/auto_algorithm.h"

namespace rankscope {
namespace {

using nlohmann::ordered_json;

/// The columns that JSON and CSV share, in their order.
ordered_json columns_of(const ProfileRecord& r) {
  return {{"algorithm", r.algorithm},
          {"collective", r.collective},
          {"transport", r.transport},
          {"baseline", r.baseline},
          {"np", r.np},
          {"bytes", r.bytes},
          {"launches", r.launches},
          {"warmup", r.warmup},
          {"iterations", r.iterations},
          {"min_s", r.min_s},
          {"median_s", r.median_s},
          {"p99_s", r.p99_s},
          {"max_s", r.max_s},
          {"algbw", r.algbw},
          {"busbw", r.busbw}};
}

ordered_json json_of(const ProfileRecord& r) {
  ordered_json out = columns_of(r);
  out["round_median_s"] = r.round_median_s;
  if (!r.chosen.empty()) out["chosen"] = r.chosen;
  if (!r.error.empty()) out["error"] = r.error;
  return out;
}

ordered_json row_of(const ProfileRecord& r) {
  ordered_json out = columns_of(r);
  out["chosen"] = r.chosen;
  out["error"] = r.error;
  return out;
}

// RFC 4180: texts with a comma, quote or line break are quoted.
std::string csv_cell(const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_float()) return fmt::format("{:.9g}", value.get<double>());
  if (!value.is_string()) return dump_json(value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void summarize_into(ProfileRecord& record, const std::vector<double>& times_s) {
  const Summary summary = summarize(times_s);
  record.min_s = summary.min;
  record.median_s = summary.median;
  record.p99_s = summary.p99;
  record.max_s = summary.max;
  const auto bytes = static_cast<double>(record.bytes);
  record.algbw = algorithm_bandwidth(bytes, record.median_s);
  record.busbw = bus_bandwidth(record.collective, record.np, bytes, record.median_s);
}

std::string to_json(const std::vector<ProfileRecord>& records) {
  std::string text = "[\n";
  for (std::size_t i = 0; i < records.size(); ++i)
    text += "  " + dump_json(json_of(records[i])) + (i + 1 < records.size() ? ",\n" : "\n");
  return text + "]\n";
}

std::string to_csv(const std::vector<ProfileRecord>& records) {
  const ordered_json columns = row_of({});
  std::vector<std::string> cells;
  for (const auto& column : columns.items()) cells.push_back(column.key());
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const ProfileRecord& record : records) {
    cells.clear();
    for (const ordered_json& value : row_of(record)) cells.push_back(csv_cell(value));
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::vector<ChoiceSample> samples_of(const std::vector<ProfileRecord>& records) {
  std::vector<ChoiceSample> samples;
  for (const auto& r : records)
    if (r.ok() && !r.baseline && !is_auto(r.algorithm))
      samples.push_back({r.collective, r.transport, r.algorithm, r.np, r.bytes, r.median_s});
  return samples;
}

}  // namespace rankscope
