#include "cli/write_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/core/error.h"

namespace rankscope::cli {

void write_whole(const std::string& path, const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool special = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  // A link stays one: what it points to is replaced.
  const auto linked =
      fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored).string() : "";
  const auto target = linked.empty() ? path : linked;
  const auto temporary = special ? target : fmt::format("{}.{}.part", target, ::getpid());
  const auto fail = [&](int error) {
    if (!special) fs::remove(temporary, ignored);
    throw UserError(
        fmt::format("cannot write {}: {}. Choose another place with --output.", path,
                    std::error_code(error == 0 ? EIO : error, std::system_category()).message()));
  };
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) fail(errno);
  try {
    write(out);
  } catch (...) {
    if (!special) fs::remove(temporary, ignored);
    throw;
  }
  out.close();
  if (!out) fail(errno);
  if (special) return;
  std::error_code error;
  fs::rename(temporary, target, error);
  if (error) fail(error.value());
}

void write_whole(const std::string& path, std::string_view bytes) {
  write_whole(path, [&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

void need_file_name(const std::string& output) {
  if (output.empty()) throw UserError("--output: the name of the file is empty");
}

void check_not_source(const std::string& path, const std::string& source) {
  std::error_code ignored;
  if (std::filesystem::equivalent(path, source, ignored))
    throw UserError(fmt::format(
        "cannot write {}: that is the trace itself. Choose another file with --output.", path));
}

void check_stdout() {
  std::cout.flush();
  if (!std::cout)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                            "cannot write to the standard output");
}

}  // namespace rankscope::cli
