// Checks output paths and writes whole files or standard output.
#include "cli/terminal/write_file.h"

#include <cerrno>
#include <iostream>
#include <system_error>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"

namespace rankscope::cli {

void write_whole(const std::string& path, const std::function<void(std::ostream&)>& contents) {
  NewFile file(path, "Choose another place with --output.");
  file.write(contents);
  file.finish();
}

void write_whole(const std::string& path, std::string_view bytes) {
  write_whole(path, [&](std::ostream& out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
}

void need_file_name(const std::string& output) {
  if (output.empty()) throw UserError("--output: the name of the file is empty");
}

void check_stdout() {
  std::cout.flush();
  if (!std::cout)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                            "cannot write to the standard output");
}

}  // namespace rankscope::cli
