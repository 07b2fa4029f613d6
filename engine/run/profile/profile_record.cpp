// Converts profile records to CSV and JSON and back.
#include "engine/run/profile/profile_record.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/model/bandwidth.h"
#include "engine/model/statistics.h"

namespace rankscope {
namespace {

using nlohmann::ordered_json;

ordered_json json_of(const ProfileRecord& r) {
  ordered_json out = {{"algorithm", r.algorithm},
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
                      {"busbw", r.busbw},
                      {"round_median_s", r.round_median_s}};
  if (!r.chosen.empty()) out["chosen"] = r.chosen;
  if (!r.error.empty()) out["error"] = r.error;
  return out;
}

ProfileRecord record_of(const ordered_json& in) {
  ProfileRecord r;
  r.algorithm = in.at("algorithm").get<std::string>();
  r.collective = in.at("collective").get<std::string>();
  r.transport = in.at("transport").get<std::string>();
  r.baseline = in.value("baseline", false);
  r.np = in.at("np").get<int>();
  r.bytes = in.at("bytes").get<std::uint64_t>();
  r.launches = in.value("launches", 0);
  r.warmup = in.value("warmup", 0);
  r.iterations = in.value("iterations", 0);
  r.min_s = in.at("min_s").get<double>();
  r.median_s = in.at("median_s").get<double>();
  r.p99_s = in.at("p99_s").get<double>();
  r.max_s = in.at("max_s").get<double>();
  r.algbw = in.value("algbw", 0.0);
  r.busbw = in.value("busbw", 0.0);
  r.round_median_s = in.value("round_median_s", std::vector<double>{});
  r.chosen = in.value("chosen", "");
  r.error = in.value("error", "");
  return r;
}

// RFC 4180: only texts of ours that hold a comma or a quote need quotes.
std::string csv_cell(const std::string& text) {
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
    text += "  " + json_of(records[i]).dump() + (i + 1 < records.size() ? ",\n" : "\n");
  return text + "]\n";
}

std::string to_csv(const std::vector<ProfileRecord>& records) {
  std::string text =
      "algorithm,collective,transport,baseline,np,bytes,launches,warmup,iterations,min_s,median_s,"
      "p99_s,max_s,algbw,busbw,chosen,error\n";
  for (const ProfileRecord& r : records)
    text +=
        fmt::format("{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{}\n",
                    csv_cell(r.algorithm), r.collective, csv_cell(r.transport), r.baseline ? 1 : 0,
                    r.np, r.bytes, r.launches, r.warmup, r.iterations, r.min_s, r.median_s, r.p99_s,
                    r.max_s, r.algbw, r.busbw, r.chosen, csv_cell(r.error));
  return text;
}

std::vector<ProfileRecord> records_from_json(std::string_view text) {
  std::vector<ProfileRecord> records;
  try {
    for (const auto& entry : ordered_json::parse(text)) records.push_back(record_of(entry));
  } catch (const nlohmann::json::exception&) {
    throw UserError("this is not a profile: `rankscope profile --json FILE` writes one");
  }
  return records;
}

}  // namespace rankscope
