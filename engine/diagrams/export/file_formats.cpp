// The table of file formats, by name and by the ending of a file.
#include "engine/diagrams/export/file_formats.h"

#include <array>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/export/export_chrome.h"
#include "engine/analysis/export/export_csv.h"
#include "engine/analysis/export/export_jsonl.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {
namespace {

constexpr auto kFormats = std::to_array<FileFormat>({
    {.name = "svg", .ending = ".svg"},
    {.name = "pdf", .ending = ".pdf", .binary = true},
    {.name = "png", .ending = ".png", .pixels = true, .binary = true},
    {.name = "gif", .ending = ".gif", .moves = true, .pixels = true, .binary = true},
    {.name = "mp4", .ending = ".mp4", .moves = true, .pixels = true, .binary = true, .video = true},
    {.name = "webm",
     .ending = ".webm",
     .moves = true,
     .pixels = true,
     .binary = true,
     .video = true},
    {.name = "html", .ending = ".html", .moves = true},
    {.name = "chrome", .ending = ".json", .write_data = export_chrome},
    {.name = "jsonl", .ending = ".jsonl", .write_data = export_jsonl},
    {.name = "csv", .ending = ".csv", .write_data = export_csv},
});

const FileFormat* where(auto&& fits) {
  const auto found = ranges::find_if(kFormats, fits);
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

std::span<const FileFormat> file_formats() { return kFormats; }

const FileFormat* find_format(std::string_view name) noexcept {
  return where([&](const FileFormat& format) { return format.name == name; });
}

const FileFormat* format_of_file(const std::string& path) {
  const std::string ending = ascii_lower(std::filesystem::path(path).extension().string());
  if (ending == ".htm") return find_format("html");
  return where([&](const FileFormat& format) { return format.ending == ending; });
}

std::string endings(bool pictures) {
  std::vector<std::string_view> list;
  for (const FileFormat& format : kFormats)
    if (format.picture() == pictures) list.push_back(format.ending);
  const auto last = list.back();
  list.pop_back();
  return fmt::format("{} or {}", fmt::join(list, ", "), last);
}

}  // namespace rankscope
