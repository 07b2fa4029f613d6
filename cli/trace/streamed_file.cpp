// Goes through a large trace file part by part.
#include "cli/trace/streamed_file.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/terminal/write_file.h"
#include "cli/trace/trace_report.h"
#include "engine/core/base/error.h"
#include "engine/core/trace/summary_cache.h"

namespace rankscope::cli {
namespace {

/// Events merged at once, about 30 MB.
constexpr std::uint64_t kAtOnce = 200'000;

std::uint64_t print_part(const Console& console, const Trace& part, const EventChoice& choice) {
  std::uint64_t printed = 0;
  std::string text;
  for (auto k = choice.from - std::min(choice.from, choice.before);
       k < part.size() && printed < choice.limit; ++k) {
    if (choice.rank >= 0 && part[k].rank != choice.rank) continue;
    ++printed;
    if (!console.json()) text += trace_event_line(part, k, choice.before);
  }
  if (console.json()) {
    export_jsonl(part, std::cout, choice);
    check_stdout();
  } else {
    console.print(text);
  }
  return printed;
}

}  // namespace

StreamedFile::StreamedFile(const Console& console, const std::string& file,
                           const Interrupt& interrupt)
    : console_(console), interrupt_(interrupt), line_(console) {
  const SummaryCache kept;
  trace_ = StreamedTrace::open(
      file, [this](double share) { return shown("reading the file", share); }, &kept);
  line_.clear();
}

bool StreamedFile::shown(std::string_view what, double share) const {
  if (const int percent = static_cast<int>(share * 100); percent != percent_) {
    percent_ = percent;
    line_.show(fmt::format("{}: {} %", what, percent));
  }
  return !interrupt_.happened();
}

StreamedStatistics StreamedFile::statistics() const {
  auto found =
      streamed_statistics(*trace_, [this](double share) { return shown("adding up", share); });
  line_.clear();
  return found;
}

TraceIssues StreamedFile::print(const EventChoice& given) const {
  EventChoice choice = given;
  TraceIssues issues = trace_->issues();
  const auto end = trace_->whole().end_ns;
  for (std::int64_t at = 0; at < end && choice.limit > 0;) {
    const auto span = trace_->span_from(at, kAtOnce);
    const Trace part = trace_->part(span);
    issues.damaged_blocks = std::max(issues.damaged_blocks, part.issues().damaged_blocks);
    choice.limit -= print_part(console_, part, choice);
    choice.before += part.size();
    at = span.end_ns;
    if (choice.before < choice.from)
      (void)shown("looking for the first of them",
                  static_cast<double>(choice.before) / static_cast<double>(choice.from));
    else line_.clear();
    stop_if_interrupted();
  }
  return issues;
}

void StreamedFile::stop_if_interrupted() const {
  if (interrupt_.happened()) throw UserError("stopped");
}

TraceIssues StreamedFile::write(const VisitPart& visit) const {
  TraceIssues issues = trace_->issues();
  const auto end = trace_->whole().end_ns;
  std::uint64_t before = 0;
  for (std::int64_t at = 0; at < end;) {
    const auto span = trace_->span_from(at, kAtOnce);
    const Trace part = trace_->part(span);
    issues.damaged_blocks = std::max(issues.damaged_blocks, part.issues().damaged_blocks);
    if (part.size() > 0) visit(part, before);
    before += part.size();
    at = span.end_ns;
    (void)shown("writing", static_cast<double>(at) / static_cast<double>(end));
    stop_if_interrupted();
  }
  line_.clear();
  return issues;
}

}  // namespace rankscope::cli
