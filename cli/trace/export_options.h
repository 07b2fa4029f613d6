// What `rankscope export` can be asked for, and what it comes to.
#pragma once

#include <string>

#include "cli/option_list.h"
#include "engine/diagrams/export/export_trace.h"

namespace rankscope::cli {

struct ExportOptions {
  std::string file, format, output, diagram;
  std::string title, ranks, steps, labels = "chunks", time = "rounds", round;
  std::string theme, size, dpi, fps, with;
  bool portrait = false, critical_path = false, values = false, contributions = false;
  bool sequence = false;
  OptionList app;  ///< To know what was said.

  bool said(const std::string& option) const { return app.count("--" + option) > 0; }
};

void add_export_options(OptionList app, ExportOptions& options);

// All throw UserError for what does not fit.
void check_not_empty(const ExportOptions& options);
/// Options of diagrams, where all events are written.
void check_for_data(const ExportOptions& options, const FileFormat& format);
/// From --format, else from the file's ending, else what the other options suggest.
const FileFormat& format_of(const ExportOptions& options);
/// A diagram of `trace`, which is empty for a file too large to be held in memory.
TraceExport picture_of(const ExportOptions& options, const DiagramKind& kind,
                       const FileFormat& format, const TraceAnalysis& analysis);

}  // namespace rankscope::cli
