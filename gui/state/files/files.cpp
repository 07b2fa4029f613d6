// Resolves paths, reads scripts and copies files, refusing pipes and devices.
#include "gui/state/files/files.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"

namespace rankscope::gui {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kLongestScript = 4U << 20;

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

}  // namespace rankscope::gui
