// Formats a run's result: check, times, failures with advice, exit code, and the same as JSON.
#include "cli/run/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/terminal/text.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "engine/core/run/job_json.h"
#include "engine/model/bandwidth.h"
#include "engine/model/statistics.h"

namespace rankscope::cli {
namespace {

using Status = JobResult::Status;

double input_bytes(const JobSpec& spec) {
  return static_cast<double>(spec.input_shape().count()) *
         static_cast<double>(dtype_size(spec.call.dtype));
}

/// Returns D; gather and allgather count the data of all ranks together.
double total_bytes(const JobSpec& spec) {
  const auto collective = require_algorithm(spec.call.algorithm).collective;
  return input_bytes(spec) * (traits(collective).counts_all_ranks() ? spec.world.size : 1);
}

std::string check_text(const RankOutcome& rank, const Style& style) {
  if (!rank.error.empty()) return style.bad("failed");
  if (!rank.checked) return "–";
  return rank.ok ? style.good("ok") : style.bad("wrong");
}

int repetitions(const JobSpec& spec) { return spec.recording.warmup + spec.recording.iterations; }

std::string rank_table(const RunReport& report, const Style& style) {
  Table table({"rank",
               "pid",
               {report.spec.recording.iterations > 1 ? "median time" : "time"},
               "sent",
               "received",
               "messages",
               "events",
               {"check", kLeft}});
  for (const auto& rank : report.result.ranks) {
    const auto index = static_cast<std::size_t>(rank.rank);
    const int pid = index < report.result.pids.size() ? report.result.pids[index] : 0;
    table.add_row({std::to_string(rank.rank), pid == 0 ? "–" : std::to_string(pid),
                   rank.times_s.empty() ? "–" : format_seconds(median(rank.times_s)),
                   format_bytes(rank.bytes_sent), format_bytes(rank.bytes_received),
                   std::to_string(rank.frames_sent), std::to_string(rank.events),
                   check_text(rank, style)});
  }
  if (table.empty()) return {};
  auto text = table.to_string(style, 2);
  if (repetitions(report.spec) > 1)
    text +=
        fmt::format("  What was sent and received counts all {} repetitions and their barriers.\n",
                    repetitions(report.spec));
  return text;
}

/// Algorithm bandwidth (size / time) and bus bandwidth as nccl-tests define them.
struct Bandwidth {
  double algorithm = 0, bus = 0;  ///< Bytes per second; 0 where it has no meaning.
};
Bandwidth bandwidth_of(const JobSpec& spec, double seconds) {
  const auto collective = require_algorithm(spec.call.algorithm).collective;
  if (seconds <= 0 || collective == Collective::barrier) return {};
  const double bytes = total_bytes(spec);
  return {algorithm_bandwidth(bytes, seconds),
          bus_bandwidth(to_string(collective), spec.world.size, bytes, seconds)};
}

std::string time_lines(const RunReport& report) {
  const auto times = summarize(report.result.times_s());
  const auto count = times.samples;
  if (count == 0) return {};
  std::string text =
      count == 1 ? fmt::format("time of the slowest rank {}", format_seconds(times.median))
                 : fmt::format(
                       "time of the slowest rank, {} iterations: median {}, min {}, p99 {}, max {}",
                       count, format_seconds(times.median), format_seconds(times.min),
                       format_seconds(times.p99), format_seconds(times.max));
  text += "\n";
  // For a few bytes a rate only repeats the latency.
  constexpr double kWorthARate = 64 * 1024;
  const auto rate = bandwidth_of(report.spec, times.median);
  if (rate.algorithm > 0 && total_bytes(report.spec) >= kWorthARate)
    text += fmt::format("algorithm bandwidth {}, bus bandwidth {}\n", format_rate(rate.algorithm),
                        format_rate(rate.bus));
  return text;
}

std::string dropped_line(const JobResult& result) {
  std::uint64_t malformed = 0, strangers = 0, stale = 0;
  for (const auto& rank : result.ranks) {
    malformed += rank.malformed;
    strangers += rank.wrong_secret;
    stale += rank.stale;
  }
  if (malformed + strangers + stale == 0) return {};
  return fmt::format("dropped frames: {} malformed, {} of strangers, {} of an earlier job\n",
                     malformed, strangers, stale);
}

/// Returns a rank's own message, unless the report has it already.
std::string rank_failure(const RunReport& report, const RankOutcome& rank) {
  const auto& failures = report.result.failures;
  const bool told =
      ranges::any_of(failures, [&](const auto& failure) { return failure.rank == rank.rank; });
  if (told || report.result.status == Status::interrupted) return {};
  if (!rank.mismatch.ok())
    return fmt::format("  rank {}: element {} is {}, it should be {}\n", rank.rank,
                       rank.mismatch.index, rank.mismatch.got, rank.mismatch.expected);
  if (rank.error.empty()) return {};
  return fmt::format("  {}\n", shown_error(rank.rank, rank.cause, rank.error));
}

std::string failure_line(const RankFailure& failure) {
  auto line = fmt::format("  rank {} {}", failure.rank, failure.what);
  if (!failure.where.empty()) line += fmt::format("; it was {}", failure.where);
  if (failure.lost_events > 0)
    line += fmt::format("; {} of its trace are lost", plural(failure.lost_events, "event"));
  return line + "\n";
}

/// Shortens the list, as most of a thousand ranks say the same.
std::string first_of(const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 16;
  const auto shown = lines.size() > kMost ? kMost / 2 : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += lines[i];
  if (shown < lines.size())
    text += fmt::format("  ... and {} more; --json has them all\n", lines.size() - shown);
  return text;
}

std::string_view advice_for(const RunReport& report) {
  const bool traced = !report.trace_file.empty();
  switch (report.result.status) {
    case Status::timeout:
      return "Ranks that wait for each other make no progress: look for the cycle in the lines "
             "above. If the run is only slow, --timeout gives it more time.";
    case Status::deadlock:  // the message says what to try
      return traced ? "`rankscope check` shows the cycle and what was never received." : "";
    case Status::wrong_result:
      return traced && report.spec.recording.trace == TraceLevel::full
                 ? "`rankscope replay` shows, round by round, where the first wrong value came "
                   "from."
                 : "Run it again with --trace full: `rankscope replay` shows, round by round, "
                   "where the first wrong value came from.";
    case Status::failed: return traced ? "The trace holds what the ranks did until then." : "";
    case Status::ok:
    case Status::interrupted: break;
  }
  return "";
}

}  // namespace

ClosedFormInput closed_form_input(const JobSpec& spec) {
  return {.n = spec.world.size,
          .shape = spec.input_shape(),
          .dtype = spec.call.dtype,
          .root = spec.call.root,
          .scatter_dim = spec.call.scatter_dim,
          .segment_bytes = spec.call.segment_bytes,
          .group_size = spec.call.group_size,
          .radix = spec.call.radix};
}

ExitCode exit_code_of(Status status) noexcept {
  if (status == Status::ok) return kOk;
  return status == Status::interrupted ? kInterrupted : kFailed;
}

std::string title_of(const JobSpec& spec) {
  const auto shape = spec.input_shape();
  const std::string count =
      spec.call.shape.size() > 1 ? fmt::format("{}", fmt::join(spec.call.shape, "×")) : "";
  const auto collective = require_algorithm(spec.call.algorithm).collective;
  return fmt::format(
      "{}: {} over {}, {} {} ({}) each{}{}", spec.call.algorithm, plural(spec.world.size, "rank"),
      spec.transport.name, count.empty() ? std::to_string(shape.count()) : count,
      to_string(spec.call.dtype), format_bytes(input_bytes(spec)), reduces(collective) ? ", " : "",
      reduces(collective) ? to_string(spec.call.op) : "");
}

std::string report_text(const RunReport& report, const Style& style) {
  const auto& [spec, result, file, file_bytes] = report;
  std::string text = style.bold(title_of(spec)) + "\n\n" + rank_table(report, style) + "\n";
  if (result.ok()) {
    const bool checked =
        ranges::all_of(result.ranks, [](const auto& rank) { return rank.checked; });
    text += checked ? style.good("The result is right") + " on every rank.\n"
                    : std::string("The result was not checked.\n");
    const Algorithm& algorithm = require_algorithm(spec.call.algorithm);
    const ClosedFormInput in = closed_form_input(spec);
    if (algorithm.rounds != nullptr && algorithm.busiest_bytes != nullptr)
      text += fmt::format("{}, {} sent by the busiest rank (closed form)\n",
                          plural(algorithm.rounds(in), "round"),
                          format_bytes(algorithm.busiest_bytes(in)));
    text += time_lines(report);
  }
  text += dropped_line(result);
  if (result.lost_events > 0)
    text += style.warning(plural(result.lost_events, "event")) + " of the trace are lost\n";
  if (!file.empty())
    text += fmt::format("trace: {} ({}, {})\n", file, plural(result.events, "event"),
                        format_bytes(file_bytes));
  return text;
}

std::string failure_text(const RunReport& report, const Style& style) {
  const auto& result = report.result;
  if (result.ok()) return {};
  const std::string what(to_string(result.status));
  // A message like "interrupted while the ranks ..." says it itself.
  const bool says_it = result.message.starts_with(what);
  std::string text = style.bad("rankscope: " + what + (says_it ? "" : ":"));
  text += (says_it ? result.message.substr(what.size()) : " " + result.message) + "\n";
  std::vector<std::string> lines;
  for (const auto& failure : result.failures) lines.push_back(failure_line(failure));
  for (const auto& rank : result.ranks)
    if (auto line = rank_failure(report, rank); !line.empty()) lines.push_back(std::move(line));
  text += first_of(lines);
  const auto advice = advice_for(report);
  if (!advice.empty()) text += fmt::format("  {}\n", wrap(advice, 98, 2));
  if (!report.trace_file.empty())
    text += fmt::format("  See what happened: rankscope replay {}\n", report.trace_file);
  return text;
}

nlohmann::json report_json(const RunReport& report) {
  const auto times = summarize(report.result.times_s());
  const auto rate = bandwidth_of(report.spec, times.median);
  nlohmann::json json{
      {"job", json_of(report.spec)},
      {"result", json_of(report.result)},
      {"rounds", nullptr},
      {"time_s",
       {{"min", times.min}, {"median", times.median}, {"p99", times.p99}, {"max", times.max}}},
      {"algorithm_bandwidth", rate.algorithm},
      {"bus_bandwidth", rate.bus}};
  if (const Algorithm& algorithm = require_algorithm(report.spec.call.algorithm);
      algorithm.rounds != nullptr)
    json["rounds"] = algorithm.rounds(closed_form_input(report.spec));
  if (report.trace_file.empty()) json["trace_file"] = nullptr;
  else json["trace_file"] = report.trace_file;
  return json;
}

}  // namespace rankscope::cli
