// A trace as a file: a picture or an animation of a diagram, or its events for other programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagrams/catalogue.h"
#include "engine/diagrams/export/file_formats.h"
#include "engine/diagrams/scene/theme.h"

namespace rankscope {

struct TraceExport {
  const FileFormat* format = nullptr;
  std::string output;
  std::ostream* stream = nullptr;    ///< Instead of a file.
  std::vector<std::string> sources;  ///< The traces' files, which are not to be replaced.
  /// Writes the events of a file too large to be a trace in memory; empty to write the trace's.
  std::function<void(std::ostream&)> contents = {};
  std::string_view how = {};  ///< How a file is chosen, for advice: " with --output".

  // ---- Of pictures; each is for the formats that it applies to ----
  const DiagramKind* kind = nullptr;
  DiagramRequest request;
  std::optional<Scene> drawn;        ///< The picture of a file too large to be a trace in memory.
  std::optional<Theme::Kind> theme;  ///< Unset: what suits the format.
  double dpi = 0;                    ///< 0: what suits the format.
  int fps = -1;                      ///< -1: what suits the format.
  bool sequence = false;             ///< PNG: a numbered file for each moment or frame.
};

/// How an export reports progress and is stopped; the exporting thread calls both.
struct ExportWatch {
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< Frames; may be empty.
  std::function<bool()> stopped;                                    ///< May be empty.
};

struct WrittenFile {
  std::string path;
  std::uint64_t bytes = 0;
};
struct ExportResult {
  std::vector<WrittenFile> files;
  double width = 0, height = 0;  ///< The size of a scene, in pixels at 96 dpi.
  std::size_t frames = 1;
  bool stopped = false;  ///< Nothing was written.
};

/// Throws UserError and leaves nothing half-written.
ExportResult export_trace(const TraceAnalysis& analysis, const TraceExport& what,
                          const ExportWatch& watch = {});

}  // namespace rankscope
