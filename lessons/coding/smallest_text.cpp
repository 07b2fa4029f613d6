// The smallest run that fails as text, JSON and a file: its messages with what they hold, and where its ranks stand.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/findings/trace_operations.h"
#include "engine/analysis/rules/program_messages.h"
#include "lessons/coding/kept_runs.h"
#include "lessons/coding/smallest.h"
#include "lessons/grading/run_worth.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostLines = 24, kMostElements = 12;

std::string elements_text(const std::vector<account::Shares>& elements) {
  std::vector<std::string> out;
  for (const account::Shares& one : elements) {
    if (out.size() == kMostElements) {
      out.emplace_back("…");
      break;
    }
    out.push_back(one.text());
  }
  return fmt::format("{}", fmt::join(out, "  "));
}

/// The table for a run whose messages were not read.
DataFlow flow_of(const SmallestRun& smallest) {
  if (smallest.flow) return *smallest.flow;
  return data_flow(*smallest.trace, smallest.one, {}, {});
}

void add_messages(const SmallestRun& smallest, const DataFlow& flow, std::string& out) {
  const Trace& trace = smallest.trace->trace();
  const finder::TraceOperations facts(trace);
  std::size_t lines = 0;
  for (const FlowMessage& message : flow.messages) {
    if (message.received == kNoEvent && smallest.failure.way == explore::FailureKind::Way::deadlock)
      continue;
    if (lines++ == kMostLines) {
      out += fmt::format("  … and {} messages more\n", flow.messages.size() - kMostLines);
      return;
    }
    std::string line =
        fmt::format("  round {}: rank {} -> rank {}", message.round, message.from, message.to);
    if (smallest.flow)
      line += "   " + (message.elements.empty() ? "nothing" : elements_text(message.elements));
    if (const std::string site = facts.site(message.sent); !site.empty())
      line += fmt::format("   ({})", site);
    out += line + "\n";
  }
  if (lines == 0)
    out += smallest.failure.way == explore::FailureKind::Way::deadlock ? "  No message arrives.\n"
                                                                       : "  No message is sent.\n";
}

void add_waiting(const SmallestRun& smallest, std::string& out) {
  const finder::TraceOperations facts(smallest.trace->trace());
  std::set<Rank> said;
  for (const finder::Operation& one : facts.operations) {
    if (one.completed != kNoEvent || one.sync || one.dropped || facts.has_ended(one.rank)) continue;
    if (!said.insert(one.rank).second) continue;
    out += fmt::format("  rank {} stays in a {}{}\n", one.rank, one.send ? "send" : "receive",
                       facts.at(one.posted));
  }
}

void add_results(const DataFlow& flow, std::string& out) {
  if (flow.results.empty()) return;
  out += "  at the end:\n";
  for (std::size_t rank = 0; rank < flow.results.size(); ++rank)
    out +=
        fmt::format("    rank {}   {}\n", rank,
                    flow.results[rank].empty() ? "no numbers" : elements_text(flow.results[rank]));
}

}  // namespace

std::string smallest_text(const CodingExercise& exercise, const SmallestRun& smallest, bool end) {
  std::string out =
      fmt::format("The smallest run in which this happens: {} (of {} that were tried)\n",
                  graded_case(exercise, smallest.one).describe(), smallest.runs);
  for (const std::string& words : smallest.order) out += "  " + words + "\n";
  if (!smallest.trace) return out;
  const DataFlow flow = flow_of(smallest);
  if (smallest.flow)
    out += reduces(flow.run.collective)
               ? "  (r1[2] is rank 1's contribution to element 2; r0+r1 a sum; a dash is nobody's "
                 "data)\n"
               : "  (r1[2] is element 2 of rank 1's input; a dash is nobody's data)\n";
  if (smallest.one.ranks > 1) add_messages(smallest, flow, out);
  if (smallest.failure.way == explore::FailureKind::Way::deadlock) add_waiting(smallest, out);
  else if (end && smallest.flow) add_results(flow, out);
  return out;
}

nlohmann::json to_json(const CodingExercise& exercise, const SmallestRun& smallest,
                       const std::optional<RunQuestion>& question) {
  nlohmann::json out = {{"case", graded_case(exercise, smallest.one).describe()},
                        {"failure", smallest.failure.text()},
                        {"words", smallest.failure.words},
                        {"runs", smallest.runs},
                        {"text", smallest_text(exercise, smallest, false)},
                        {"text_with_end", smallest_text(exercise, smallest, true)}};
  if (!question) return out;
  nlohmann::json parts = nlohmann::json::array();
  for (const RunQuestionPart& part : question->parts)
    parts.push_back({{"asks", part.asks},
                     {"form", part.form},
                     {"answers", part.answers},
                     {"pairs", part.pairs}});
  out["question"] = {{"parts", std::move(parts)}, {"explains", question->explains}};
  return out;
}

std::filesystem::path keep_smallest_run(const CodingExercise& exercise, const SmallestRun& smallest,
                                        const std::filesystem::path& submission,
                                        const std::filesystem::path& folder) {
  if (!smallest.trace) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto file = folder / (exercise.id + "-smallest.rankscope");
  const Trace& trace = smallest.trace->trace();
  RunFault fault = fault_at(trace, smallest.event);
  fault.rule = smallest.rule.empty() ? smallest.failure.text() : smallest.rule;
  fault.says = smallest.failure.words;
  if (smallest.event != kNoEvent) fault.site = finder::TraceOperations(trace).site(smallest.event);
  TraceMeta meta = smallest.meta;
  meta.sources = submitted_sources(trace, submission);
  meta.faults = {exercise.title, graded_case(exercise, smallest.one).describe(), {fault}};
  write_run(file, smallest.events, std::move(meta));
  return file;
}

}  // namespace rankscope
