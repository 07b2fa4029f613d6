// Formats trace metadata, statistics, events and differences as text and JSON.
#include "cli/trace/trace_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/analysis/diff.h"
#include "engine/analysis/events/event_text.h"
#include "engine/analysis/statistics.h"
#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/text.h"
#include "engine/core/trace/trace_file.h"
#include "engine/diagrams/run/run_outcome.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

constexpr int kMatrixRanks = 16;  // more do not fit a terminal

std::string seconds(std::int64_t ns) { return format_seconds(static_cast<double>(ns) * 1e-9); }

std::uint64_t events_of(const Trace& trace) {
  return trace.part() != nullptr ? trace.part()->run_events : trace.size();
}

std::int64_t duration_ns(const Trace& trace) {
  if (trace.part() != nullptr) return trace.part()->run_ns;
  return trace.size() > 0 ? trace.time_ns(trace.size() - 1) : 0;
}

/// Returns a job's text as JSON where it is JSON.
json parsed(const std::string& text) {
  if (text.empty()) return nullptr;
  auto value = parse_json_or_none(text);
  return value.is_discarded() ? json(text) : value;
}

std::uint64_t missing_events(const Trace& trace) {
  std::uint64_t missing = 0;
  for (const auto& [rank, count] : trace.gaps()) missing += count;
  return missing;
}

json traffic_json(const Traffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}};
}

std::string rank_table(const Statistics& statistics, const Style& style) {
  Table table({"rank", "sent", "bytes", "received", "bytes", "waits", "blocked", "reduce", "copy",
               "compute"});
  for (const auto& rank : statistics.ranks)
    table.add_row({std::to_string(rank.rank), std::to_string(rank.sent.messages),
                   format_bytes(rank.sent.bytes), std::to_string(rank.received.messages),
                   format_bytes(rank.received.bytes), std::to_string(rank.waits),
                   seconds(rank.blocked_ns), seconds(rank.reduce_ns), seconds(rank.copy_ns),
                   seconds(rank.compute_ns + rank.delay_ns)});
  return table.to_string(style);
}

std::string phase_table(const Statistics& statistics, const Style& style) {
  Table table({{"phase", kLeft}, "messages", "bytes", "blocked", "work", "from", "to"});
  for (const auto& phase : statistics.phases)
    table.add_row({phase.name, std::to_string(phase.sent.messages), format_bytes(phase.sent.bytes),
                   seconds(phase.blocked_ns), seconds(phase.work_ns), seconds(phase.first_ns),
                   seconds(phase.last_ns)});
  return table.to_string(style);
}

std::string matrix_table(const Statistics& statistics, const Style& style) {
  const auto n = static_cast<Rank>(statistics.ranks.size());
  std::vector<Table::Column> columns{{"from \\ to"}};
  for (Rank to = 0; to < n; ++to) columns.push_back({std::to_string(to)});
  Table table(std::move(columns));
  for (Rank from = 0; from < n; ++from) {
    std::vector<std::string> row{std::to_string(from)};
    for (Rank to = 0; to < n; ++to) {
      const auto cell = statistics.matrix.find({from, to});
      row.push_back(cell == statistics.matrix.end() ? "·" : format_bytes(cell->second.bytes));
    }
    table.add_row(std::move(row));
  }
  return table.to_string(style);
}

}  // namespace

std::string trace_info_text(const Trace& trace, const TraceFileInfo& file, const Style& style) {
  const TraceMeta& meta = trace.meta();
  Table table({{"trace", kLeft}, {escaped(file.path), kLeft}});
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) table.add_row({std::move(name), std::move(value)});
  };
  add("algorithm", meta.algorithm);
  add("ranks", std::to_string(trace.world_size()));
  add("recorded by", meta.program);
  add("started", meta.started);
  add("duration", seconds(duration_ns(trace)));
  add("events", std::to_string(events_of(trace)));
  add("size", fmt::format("{} ({:.1f} bytes an event)", format_bytes(file.bytes),
                          static_cast<double>(file.bytes) /
                              static_cast<double>(std::max<std::uint64_t>(events_of(trace), 1))));
  if (trace.part() == nullptr)
    add("buffers", std::to_string(trace.definitions(Definition::Kind::buffer).size()));
  if (meta.outcome) add("result", std::string(to_string(meta.outcome->status)));
  const bool whole = !trace.issues().any() && trace.gaps().empty() && meta.lost_events == 0;
  add("complete", whole && meta.complete ? style.good("yes") : style.bad("no"));
  add("damage", trace.issues().to_string());
  for (const auto& [rank, count] : trace.gaps())
    add("gap", fmt::format("{} of rank {} missing", plural(count, "event"), rank));
  if (meta.lost_events > 0)
    add("lost", fmt::format("{} of ranks that died", plural(meta.lost_events, "event")));
  return table.to_string(style);
}

std::string trace_info_json(const Trace& trace, const TraceFileInfo& file) {
  const TraceMeta& meta = trace.meta();
  json gaps = json::array();
  for (const auto& [rank, count] : trace.gaps())
    gaps.push_back({{"rank", rank}, {"missing", count}});
  const TraceIssues& issues = trace.issues();
  return json_text({{"file", file.path},
                    {"bytes", file.bytes},
                    {"algorithm", meta.algorithm},
                    {"ranks", trace.world_size()},
                    {"hosts", meta.hosts},
                    {"program", meta.program},
                    {"started", meta.started},
                    {"duration_s", static_cast<double>(duration_ns(trace)) * 1e-9},
                    {"events", events_of(trace)},
                    {"missing_events", missing_events(trace)},
                    {"lost_events", meta.lost_events},
                    {"complete", meta.complete},
                    {"gaps", gaps},
                    {"damage",
                     {{"cut", issues.cut},
                      {"unclosed", issues.unclosed},
                      {"damaged_blocks", issues.damaged_blocks},
                      {"lost_events", issues.lost_events},
                      {"text", issues.to_string()}}},
                    {"job", parsed(job_text(meta))},
                    {"result", parsed(result_text(meta))}});
}

std::string trace_statistics_text(const Trace& trace, const Statistics& found, const Style& style) {
  const bool in_parts = trace.part() != nullptr;
  std::string text =
      fmt::format("{}{}, {}, {}", plural(found.total.messages, "message"),
                  in_parts ? std::string() : fmt::format(" in {}", plural(found.rounds, "round")),
                  format_bytes(found.total.bytes), seconds(found.duration_ns));
  if (found.busiest >= 0) text += fmt::format("; busiest: rank {}", found.busiest);
  text += "\n";
  if (in_parts)
    text += style.dim(fmt::format("added up in one pass over {}; rounds are not counted in a run "
                                  "of so many",
                                  plural(found.events, "event"))) +
            "\n";
  if (found.unreceived > 0)
    text += style.warning(fmt::format("{} {}", plural(found.unreceived, "message"),
                                      unreceived_words(trace))) +
            "\n";
  text += "\n" + rank_table(found, style);
  if (!found.phases.empty()) text += "\n" + phase_table(found, style);
  if (!found.matrix.empty() && trace.world_size() <= kMatrixRanks)
    text += "\n" + matrix_table(found, style);
  return text;
}

std::string trace_statistics_json(const Trace& trace, const Statistics& found) {
  json ranks = json::array(), phases = json::array(), matrix = json::array();
  for (const auto& rank : found.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"events", rank.events},
                     {"sent", traffic_json(rank.sent)},
                     {"received", traffic_json(rank.received)},
                     {"waits", rank.waits},
                     {"blocked_ns", rank.blocked_ns},
                     {"reduce_ns", rank.reduce_ns},
                     {"copy_ns", rank.copy_ns},
                     {"compute_ns", rank.compute_ns},
                     {"delay_ns", rank.delay_ns},
                     {"reduced_bytes", rank.reduced_bytes},
                     {"copied_bytes", rank.copied_bytes}});
  for (const auto& phase : found.phases)
    phases.push_back({{"name", phase.name},
                      {"sent", traffic_json(phase.sent)},
                      {"blocked_ns", phase.blocked_ns},
                      {"work_ns", phase.work_ns},
                      {"first_ns", phase.first_ns},
                      {"last_ns", phase.last_ns}});
  for (const auto& [pair, traffic] : found.matrix)
    matrix.push_back({{"from", pair.first},
                      {"to", pair.second},
                      {"messages", traffic.messages},
                      {"bytes", traffic.bytes}});
  return json_text({{"events", found.events},
                    {"duration_ns", found.duration_ns},
                    {"rounds", trace.part() != nullptr ? json() : json(found.rounds)},
                    {"total", traffic_json(found.total)},
                    {"unreceived", found.unreceived},
                    {"busiest", found.busiest},
                    {"ranks", ranks},
                    {"phases", phases},
                    {"matrix", matrix}});
}

namespace {

// Returns the number after the last of `limit` sentences from number `from` on.
int end_of_choice(const Narration& narration, int from, int limit) {
  const int all = narration.steps() + 2;
  return limit < all - from ? from + limit : all;
}

std::string sentence_name(const Narration& narration, int step) {
  if (step == 0) return "Start";
  return step > narration.steps() ? "End" : fmt::format("Step {}", step);
}

}  // namespace

std::string trace_narration_text(const Trace& trace, const Narration& narration, int from,
                                 int limit, const Style& style, int width) {
  const int column = static_cast<int>(sentence_name(narration, narration.steps()).size()) + 2;
  auto text = fmt::format("{}: {}, {}\n", style.bold(trace.meta().algorithm),
                          plural(trace.world_size(), "rank"), plural(narration.steps(), "step"));
  for (int step = from; step < end_of_choice(narration, from, limit); ++step) {
    const auto name = fmt::format("{:<{}}", sentence_name(narration, step), column);
    text += style.dim(name) + wrap(narration.sentence(step), std::max(width, column + 40), column) +
            "\n";
  }
  return text;
}

std::string trace_narration_json(const Trace& trace, const Narration& narration, int from,
                                 int limit) {
  auto sentences = json::array();
  for (int step = from; step < end_of_choice(narration, from, limit); ++step)
    sentences.push_back({{"step", step}, {"text", narration.sentence(step)}});
  return json_text({{"algorithm", trace.meta().algorithm},
                    {"ranks", trace.world_size()},
                    {"steps", narration.steps()},
                    {"sentences", sentences}});
}

bool lost_something(const TraceIssues& issues) noexcept {
  return issues.cut || issues.damaged_blocks > 0 || issues.lost_events > 0;
}

void warn_of_issues(const Console& console, const std::string& file, const TraceIssues& issues) {
  if (!issues.any()) return;
  const auto text = fmt::format("{} {}: {}", console.err().warning("incomplete trace:"),
                                escaped(file), issues.to_string());
  if (!lost_something(issues)) return console.note(text);
  std::fflush(stdout);
  std::fputs((console.err().text(text) + "; what is whole of it is shown\n").c_str(), stderr);
}

Trace read_whole_trace(const std::string& file, const std::string& needs) {
  constexpr double kBytesAnEvent = 220;  // with the analysis of it
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  const std::uint64_t events = look_at_trace(file).events, most = most_events_held();
  if (events > most)
    throw UserError(fmt::format(
        "{} has {} events: {} needs all of them in memory, where {} are allowed. Read it in parts: "
        "`rankscope trace info|stats|print` (a range with --from and --limit), `rankscope export` "
        "(the picture of all of it, jsonl, csv) or `rankscope-gui`. Or record a shorter run; or, "
        "with {:.0f} GiB of memory free, set RANKSCOPE_STREAM_EVENTS={}.",
        escaped(file), grouped(events), needs, grouped(most),
        static_cast<double>(events) * kBytesAnEvent / kGiB + 1, events));
  return TraceReader::open(file);
}

Trace open_trace(const Console& console, const std::string& file, const std::string& needs) {
  Trace trace = read_whole_trace(file, needs);
  warn_of_issues(console, file, trace.issues());
  return trace;
}

std::string trace_event_line(const Trace& trace, std::uint64_t k, std::uint64_t before) {
  const StepEvent& event = trace[k];
  auto line = fmt::format("{:>8}  {:>14.3f} µs  rank {:<4} {:<9}  {}", before + k,
                          static_cast<double>(trace.time_ns(k)) * 1e-3, event.rank,
                          to_string(event.kind), describe(trace, k));
  if (event.strand != 0) line += fmt::format("  [strand {}]", event.strand);
  if (const auto site = site_text(trace, event.site); !site.empty()) line += "  at " + site;
  if (trace.clamped(k)) line += "  (moved behind its send)";
  return line + "\n";
}

DiffReport trace_diff(const Trace& left, const Trace& right, const std::string& left_name,
                      const std::string& right_name) {
  DiffReport report;
  const auto found = first_difference(left, right);
  report.equal = !found;
  if (!found) {
    report.text = "The runs are equal: every rank takes the same steps.\n";
    report.json = json_text({{"equal", true}});
    return report;
  }
  const auto side = [](const Trace& trace, const std::optional<std::uint64_t>& k) {
    return k ? fmt::format("event {}: {}", *k, describe(trace, *k))
             : std::string("no further step");
  };
  report.text = fmt::format(
      "The runs differ first on rank {}{}, after {} that are equal:\n  {}\n\n  left   {}  {}\n"
      "  right  {}  {}\n",
      found->rank, found->strand == 0 ? "" : fmt::format(" (strand {})", found->strand),
      plural(found->step, "step"), found->what, left_name, side(left, found->left), right_name,
      side(right, found->right));
  json value{{"equal", false},
             {"rank", found->rank},
             {"strand", found->strand},
             {"equal_steps", found->step},
             {"what", found->what}};
  value["left"] = value["right"] = nullptr;
  if (found->left) value["left"] = {{"event", *found->left}, {"text", side(left, found->left)}};
  if (found->right)
    value["right"] = {{"event", *found->right}, {"text", side(right, found->right)}};
  report.json = json_text(value);
  return report;
}

}  // namespace rankscope::cli
