// `rankscope export` to pictures, animations and pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/trace/diagrams.h"

namespace rankscope::cli {

/// svg, pdf, png, gif, html.
bool is_picture_format(std::string_view format);

struct PictureExport {
  const DiagramKind* kind = nullptr;
  DiagramRequest request;
  std::optional<Scene> drawn;  ///< Of a file too large to be a trace in memory.
  std::string format, output;
  std::string source;         ///< The trace's file, which is not to be replaced.
  std::string second_source;  ///< That of a comparison's second trace.
  std::string theme;          ///< Empty: what suits the format.
  double dpi = 0;             ///< 0: what suits the format.
  int fps = -1;               ///< -1: not said.
  bool sequence = false;      ///< PNG: a numbered file for each moment or frame.
};

struct WrittenFile {
  std::string path;
  std::uint64_t bytes = 0;
};
struct PictureResult {
  std::vector<WrittenFile> files;
  double width = 0, height = 0;  ///< Of the scene, in pixels at 96 dpi.
  std::size_t frames = 1;
  bool interrupted = false;  ///< By Ctrl-C, between two frames: nothing was written.
};

/// Throws UserError and leaves nothing half-written. An output "-" is the standard output.
PictureResult export_picture(const Console& console, const TraceAnalysis& analysis,
                             const PictureExport& what);

}  // namespace rankscope::cli
