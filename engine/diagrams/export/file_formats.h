// The kinds of files that a trace can be written as.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/trace/trace.h"

namespace rankscope {

struct FileFormat {
  std::string_view name, ending;
  bool moves = false;   ///< An animation.
  bool pixels = false;  ///< It has a resolution.
  bool binary = false;  ///< Not for a terminal.
  bool video = false;   ///< Encoded by ffmpeg, with a frame rate that is the same throughout.
  /// Writes all events, for other programs; null for pictures of diagrams.
  void (*write_data)(const Trace&, std::ostream&) = nullptr;

  bool picture() const noexcept { return write_data == nullptr; }
};

std::span<const FileFormat> file_formats();
/// Finds a format by its name; null if there is none.
const FileFormat* find_format(std::string_view name) noexcept;
/// Returns the format for the ending of a file's name, in any case; null if it is none of ours.
const FileFormat* format_of_file(const std::string& path);
/// Returns the endings of file names to choose from: ".svg, .pdf, .png, .gif, .mp4, .webm or .html".
std::string endings(bool pictures);

}  // namespace rankscope
