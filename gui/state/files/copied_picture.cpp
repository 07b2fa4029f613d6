// Puts a picture on the clipboard, or into the pictures folder without a clipboard tool.
#include "gui/state/files/copied_picture.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include "gui/state/files/program.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool write(const fs::path& file, const std::string& contents) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << contents;
  return static_cast<bool>(out.flush());
}

/// A file that nobody else sees, gone at the end.
class TemporaryPicture {
 public:
  explicit TemporaryPicture(const std::string& contents) {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "rankscope-picture-XXXXXX").string();
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) return;
    ::close(descriptor);
    made_ = true;
    written_ = write(path_, contents);
  }
  ~TemporaryPicture() {
    std::error_code ignored;
    if (made_) fs::remove(path_, ignored);
  }
  TemporaryPicture(const TemporaryPicture&) = delete;
  TemporaryPicture& operator=(const TemporaryPicture&) = delete;
  bool written() const noexcept { return written_; }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  bool made_ = false, written_ = false;
};

// XDG_PICTURES_DIR="$HOME/Bilder", as xdg-user-dirs writes it.
std::string desktop_pictures_folder(const std::string& home) {
  std::string config = variable("XDG_CONFIG_HOME");
  if (config.empty()) config = home + "/.config";
  std::ifstream in(config + "/user-dirs.dirs");
  constexpr std::string_view kName = "XDG_PICTURES_DIR=\"", kHome = "$HOME";
  for (std::string line; std::getline(in, line);) {
    const auto end = line.rfind('"');
    if (!line.starts_with(kName) || end < kName.size()) continue;
    const std::string folder = line.substr(kName.size(), end - kName.size());
    return folder.starts_with(kHome) ? home + folder.substr(kHome.size()) : folder;
  }
  return {};
}

fs::path free_name(const fs::path& folder) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string name = fmt::format("rankscope-{:%Y-%m-%d-%H%M%S}", fmt::localtime(now));
  std::error_code error;
  fs::path file = folder / (name + ".png");
  for (int i = 2; fs::exists(file, error); ++i) file = folder / fmt::format("{}-{}.png", name, i);
  return file;
}

CopiedPicture saved(const std::string& png, const std::string& why) {
  const fs::path file = free_name(pictures_folder());
  if (!write(file, png))
    return {false, fmt::format("{}, and {} cannot be written", why, file.string()), ""};
  return {
      true,
      fmt::format("{}: the picture is {}, and its path is on the clipboard", why, file.string()),
      file.string()};
}

}  // namespace

std::string pictures_folder() {
  const std::string home = variable("HOME");
  std::error_code error;
  for (const auto& folder :
       {variable("XDG_PICTURES_DIR"), desktop_pictures_folder(home), home + "/Pictures", home})
    if (!folder.empty() && fs::is_directory(folder, error)) return folder;
  return fs::temp_directory_path(error).string();
}

CopiedPicture copy_picture(const std::string& png) {
  const TemporaryPicture file(png);
  if (!file.written()) return {false, "the picture cannot be written to the temporary folder", ""};
  // Our window is on X11 or on Wayland's X server: both tools may serve, the session's own first.
  const std::vector<std::string> wayland{"wl-copy", "--type", "image/png"},
      x11{"xclip", "-selection", "clipboard", "-t", "image/png"};
  const bool on_wayland = !variable("WAYLAND_DISPLAY").empty();
  const ProgramOutput output = feed_program(on_wayland ? wayland : x11, file.path());
  if (output.status == 0) return {true, "the picture is on the clipboard", ""};
  const std::string tool = on_wayland ? "wl-clipboard" : "xclip";
  if (!output.found)
    return saved(
        png, fmt::format("for pictures on the clipboard, install {} (apt install {})", tool, tool));
  return saved(png, fmt::format("{} refused the picture", tool));
}

}  // namespace rankscope::gui
