// Resolves paths, reads scripts and copies files, refusing pipes and devices.
#include "gui/state/files/files.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLongestScript = 4U << 20;

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Reads XDG_PICTURES_DIR="$HOME/Bilder", as xdg-user-dirs writes it.
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

enum class Taken : std::uint8_t { yes, no, not_found };

/// Gives a file to a clipboard tool. Not a Subprocess, since the tool's background process must keep running; its output is not
/// read, since that process would keep a pipe open.
Taken feed(const std::vector<std::string>& words, const std::string& file) {
  pid_t pid = -1;
  const int error = start_process(
      {.words = words,
       .descriptors = {{.theirs = STDIN_FILENO, .file = file, .flags = O_RDONLY},
                       {.theirs = STDOUT_FILENO, .file = "/dev/null", .flags = O_WRONLY},
                       {.theirs = STDERR_FILENO, .file = "/dev/null", .flags = O_WRONLY}}},
      pid);
  if (error != 0) return error == ENOENT ? Taken::not_found : Taken::no;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return wait_exit_code(status) == 0 ? Taken::yes : Taken::no;
}

CopiedPicture saved(const std::string& png, const std::string& why) {
  const fs::path file = free_name(pictures_folder());
  try {
    write_whole(file, png);
  } catch (const UserError&) {
    return {false, fmt::format("{}, and {} cannot be written", why, file.string()), ""};
  }
  return {
      true,
      fmt::format("{}: the picture is {}, and its path is on the clipboard", why, file.string()),
      file.string()};
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto whole = fs::absolute(path, error);
  return error ? path : whole.lexically_normal().string();
}

void refuse_pipe(const std::string& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_fifo(status) || fs::is_socket(status))
    throw UserError(fmt::format("{} is a pipe, not a file: name a file", path));
  if (fs::is_directory(status))
    throw UserError(fmt::format("{} is a folder: name a file in it", path));
}

std::string read_script(const std::string& path) {
  refuse_pipe(path);
  std::string fault, text = read_whole(path, kLongestScript, fault);
  if (!fault.empty()) throw UserError(fmt::format("the script {} {}", path, fault));
  return text;
}

void copy_file(const std::string& from, const std::string& to) {
  refuse_pipe(to);
  std::error_code error;
  const auto size = fs::file_size(from, error);
  std::ifstream in(from, std::ios::binary);
  if (error || !in) throw UserError(fmt::format("cannot read {}: was it moved?", from));
  NewFile file(to);
  std::uintmax_t copied = 0;
  file.write([&](std::ostream& out) {
    std::vector<char> part(1U << 18);
    // Not `out << in.rdbuf()`, which does not report a disk that fills up after the first bytes.
    while (out && in) {
      in.read(part.data(), static_cast<std::streamsize>(part.size()));
      out.write(part.data(), in.gcount());
      copied += static_cast<std::uintmax_t>(in.gcount());
    }
  });
  if (copied != size)
    throw UserError(fmt::format("cannot read all of {}: {} was not written", from, to));
  file.finish();
}

std::string pictures_folder() {
  const std::string home = variable("HOME");
  std::error_code error;
  for (const auto& folder :
       {variable("XDG_PICTURES_DIR"), desktop_pictures_folder(home), home + "/Pictures", home})
    if (!folder.empty() && fs::is_directory(folder, error)) return folder;
  return fs::temp_directory_path(error).string();
}

CopiedPicture copy_picture(const std::string& png) {
  std::optional<ScratchFolder> folder;
  std::string file;
  try {
    file = folder.emplace("picture").path() / "picture.png";
    write_whole(file, png);
  } catch (const UserError&) {
    return {false, "the picture cannot be written to the temporary folder", ""};
  }
  // The window is on X11 or on Wayland's X server: both tools may work, the session's own first.
  const std::vector<std::string> wayland{"wl-copy", "--type", "image/png"},
      x11{"xclip", "-selection", "clipboard", "-t", "image/png"};
  const bool on_wayland = !variable("WAYLAND_DISPLAY").empty();
  const Taken taken = feed(on_wayland ? wayland : x11, file);
  if (taken == Taken::yes) return {true, "the picture is on the clipboard", ""};
  const std::string tool = on_wayland ? "wl-clipboard" : "xclip";
  if (taken == Taken::not_found)
    return saved(
        png, fmt::format("for pictures on the clipboard, install {} (apt install {})", tool, tool));
  return saved(png, fmt::format("{} refused the picture", tool));
}

}  // namespace rankscope::gui
