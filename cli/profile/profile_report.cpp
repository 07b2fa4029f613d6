// Formats profiles as tables: times, bandwidths, and speed relative to a baseline.
#include "cli/profile/profile_report.h"

#include <array>

#include <fmt/format.h>

#include "cli/terminal/text.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/model/bandwidth.h"
#include "lessons/handout/giveaways.h"

namespace rankscope::cli {
namespace {

using Records = std::vector<const ProfileRecord*>;

// Returns the speed against `other`.
double speed_against(const ProfileRecord& mine, const ProfileRecord& other) {
  return mine.median_s > 0 ? other.median_s / mine.median_s : 0;
}

std::vector<std::string> baselines_among(const std::vector<ProfileRecord>& records) {
  std::vector<std::string> names;
  for (const auto& r : records)
    if (r.baseline && ranges::find(names, r.algorithm) == names.end()) names.push_back(r.algorithm);
  return names;
}

std::string label_of(const ProfileRecord& r) {
  return r.chosen.empty()
             ? r.algorithm
             : fmt::format("{} = {}", r.algorithm, r.chosen.substr(r.chosen.find('.') + 1));
}

const ProfileRecord* fastest_of(const Records& point) {
  const ProfileRecord* fastest = nullptr;
  for (const auto* r : point)
    if (r->ok() && (fastest == nullptr || r->median_s < fastest->median_s)) fastest = r;
  return fastest;
}

void add_point(Table& table, const Records& point, const std::vector<std::string>& baselines,
               const Style& style) {
  const ProfileRecord* fastest = fastest_of(point);
  bool first = true;
  for (const auto* r : point) {
    std::vector<std::string> row{first ? format_bytes(r->bytes) : "", label_of(*r), r->transport};
    first = false;
    if (!r->ok()) {
      row.push_back(style.bad("failed"));
      table.add_row(std::move(row));
      continue;
    }
    for (const double seconds : {r->min_s, r->median_s, r->p99_s, r->max_s})
      row.push_back(format_seconds(seconds));
    row.push_back(format_rate(r->algbw));
    row.push_back(format_rate(r->busbw));
    row.push_back(r == fastest ? style.good("best")
                               : format_ratio(r->median_s / fastest->median_s));
    for (const auto& name : baselines) {
      const auto other = ranges::find_if(
          point, [&](const auto* o) { return o->baseline && o->algorithm == name && o->ok(); });
      row.push_back(other == point.end() || r->baseline ? ""
                                                        : format_ratio(speed_against(*r, **other)));
    }
    table.add_row(std::move(row));
  }
}

// Returns whether the time is there and back, as that of the ping-pong; the assignment times one way.
bool is_round_trip(const ProfileRecord& r) {
  const Algorithm* const algorithm = find_algorithm(r.algorithm);
  return algorithm != nullptr && algorithm->collective == Collective::p2p;
}

struct Printed {  // of the assignment's own machine
  std::string_view algorithm, method, label;
  double seconds, megabytes;
};
constexpr std::array<Printed, 4> kPrinted{
    {{"p2p.ping", "do_send_recv", "P2P (send/recv)", 0.06692, 478.21},
     {"allreduce.auto", "ray_all_reduce", "built-in allreduce", 0.28446, 196.86},
     {"allreduce.bde", "bde_all_reduce", "BDE allreduce", 0.21817, 256.68},
     {"allreduce.mst", "mst_all_reduce", "MST allreduce", 0.22072, 253.72}}};

}  // namespace

std::string format_ratio(double ratio) { return fmt::format("{:.2f}x", ratio); }

std::string profile_table(const std::vector<ProfileRecord>& records, const Style& style) {
  const auto baselines = baselines_among(records);
  std::vector<Table::Column> columns{{"size"},        {"algorithm", kLeft},
                                     {"over", kLeft}, {"min"},
                                     {"median"},      {"p99"},
                                     {"max"},         {"algbw"},
                                     {"busbw"},       {"time/best"}};
  for (const auto& name : baselines) columns.push_back({"speed/" + name});
  Table table(columns);
  int np = -1;
  for (std::size_t i = 0; i < records.size();) {
    if (records[i].np != np) {
      np = records[i].np;
      table.add_section(fmt::format("{} on {}", records[i].collective, plural(np, "rank")));
    }
    Records point;
    for (const auto bytes = records[i].bytes;
         i < records.size() && records[i].np == np && records[i].bytes == bytes; ++i)
      point.push_back(&records[i]);
    add_point(table, point, baselines, style);
  }
  std::string text = table.to_string(style);
  for (const auto& r : records)
    if (!r.error.empty())
      text += style.bad(
          fmt::format("{}, {} ranks, {} bytes: {}\n", r.algorithm, r.np, r.bytes, r.error));
  return text;
}

std::string assignment_table(const std::vector<ProfileRecord>& records, const Style& style) {
  Table table({{"", kLeft}, "time", "MB/s", "busbw", "printed: time", "MB/s"});
  for (const auto& r : records) {
    if (!r.ok()) continue;
    const auto printed = ranges::find_if(kPrinted, [&](const Printed& row) {
      return row.algorithm == r.algorithm || row.method == r.algorithm;
    });
    const auto bytes = static_cast<double>(r.bytes);
    const double seconds = is_round_trip(r) ? r.median_s / 2 : r.median_s;
    std::vector<std::string> row{
        printed != kPrinted.end() ? fmt::format("{}: {}", printed->label, label_of(r))
                                  : label_of(r),
        fmt::format("{:.5f} s", seconds),
        fmt::format("{:.2f}", assignment_bandwidth(r.collective, r.np, bytes, seconds)),
        format_rate(bus_bandwidth(r.collective, r.np, bytes, seconds))};
    if (printed != kPrinted.end()) {
      row.push_back(fmt::format("{:.5f} s", printed->seconds));
      // Its course asks for these.
      if (!keeps_answers()) row.push_back(fmt::format("{:.2f}", printed->megabytes));
    }
    table.add_row(std::move(row));
  }
  return table.to_string(style);
}

}  // namespace rankscope::cli
