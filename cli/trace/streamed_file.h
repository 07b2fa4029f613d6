// A trace file read in parts for the command line: with progress, and until Ctrl-C.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/interrupt.h"
#include "cli/terminal/console.h"
#include "cli/terminal/output.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/analysis/statistics.h"

namespace rankscope::cli {

/// Prints the chosen events of a trace, or of a part with `choice.before` events before it. Returns how many.
std::uint64_t print_events(const Console& console, const Trace& part, const EventChoice& choice);

class StreamedFile {
 public:
  /// Throws as StreamedTrace::open does. Whatever takes long throws UserError after Ctrl-C.
  StreamedFile(const Console& console, const std::string& file, const Interrupt& interrupt);

  const StreamedTrace& trace() const noexcept { return *trace_; }
  StreamedStatistics statistics() const;
  /// Prints the chosen events, part by part, and returns the damage found. Where ranks' clocks disagree by more than a
  /// message takes, a receive may come before its send at the border of two parts.
  TraceIssues print(const EventChoice& choice) const;
  /// Calls `visit` with each part and the number of events before it, and returns the damage found.
  using VisitPart = std::function<void(const Trace& part, std::uint64_t before)>;
  TraceIssues write(const VisitPart& visit) const;

 private:
  /// Calls `visit` for each part until it returns false.
  TraceIssues visit_parts(
      const std::function<bool(const Trace& part, std::uint64_t before)>& visit) const;
  bool shown(std::string_view what, double share) const;

  const Console& console_;
  const Interrupt& interrupt_;
  mutable ProgressLine line_;
  mutable int percent_ = -1;
  std::shared_ptr<const StreamedTrace> trace_;
};

}  // namespace rankscope::cli
