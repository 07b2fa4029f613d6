// Goes through a large trace file part by part.
#include "cli/trace/streamed_file.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "cli/trace/trace_report.h"
#include "engine/core/base/error.h"
#include "engine/core/trace/summary_cache.h"

namespace rankscope::cli {
namespace {

/// Events merged at once, about 30 MB.
constexpr std::uint64_t kAtOnce = 200'000;

constexpr std::size_t kPrintAtOnce = std::size_t{1} << 16;

}  // namespace

std::uint64_t print_events(const Console& console, const Trace& part, const EventChoice& choice) {
  std::uint64_t printed = 0;
  std::string text;
  for (auto k = choice.from - std::min(choice.from, choice.before);
       k < part.size() && printed < choice.limit; ++k) {
    if (choice.rank >= 0 && part[k].rank != choice.rank) continue;
    ++printed;
    if (console.json()) continue;
    text += trace_event_line(part, k, choice.before);
    if (text.size() >= kPrintAtOnce) console.print(std::exchange(text, {}));
  }
  if (!console.json()) return console.print(text), printed;
  export_jsonl(part, std::cout, choice);
  check_stdout();
  return printed;
}

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

TraceIssues StreamedFile::visit_parts(
    const std::function<bool(const Trace& part, std::uint64_t before)>& visit) const {
  TraceIssues issues = trace_->issues();
  const auto end = trace_->whole().end_ns;
  std::uint64_t before = 0;
  bool goes_on = true;
  for (std::int64_t at = 0; at < end && goes_on;) {
    const auto span = trace_->span_from(at, kAtOnce);
    const Trace part = trace_->part(span);
    issues.damaged_blocks = std::max(issues.damaged_blocks, part.issues().damaged_blocks);
    goes_on = visit(part, before);
    before += part.size();
    at = span.end_ns;
    if (interrupt_.happened()) throw UserError("stopped");
  }
  line_.clear();
  return issues;
}

TraceIssues StreamedFile::print(const EventChoice& given) const {
  EventChoice choice = given;
  return visit_parts([&](const Trace& part, std::uint64_t before) {
    choice.before = before;
    if (choice.limit > 0) choice.limit -= print_events(console_, part, choice);
    if (const std::uint64_t read = before + part.size(); read < choice.from)
      (void)shown("looking for the first of them",
                  static_cast<double>(read) / static_cast<double>(choice.from));
    else line_.clear();
    return choice.limit > 0;
  });
}

TraceIssues StreamedFile::write(const VisitPart& visit) const {
  return visit_parts([&](const Trace& part, std::uint64_t before) {
    if (part.size() > 0) visit(part, before);
    return shown("writing",
                 static_cast<double>(before + part.size()) / static_cast<double>(trace_->events()));
  });
}

}  // namespace rankscope::cli
