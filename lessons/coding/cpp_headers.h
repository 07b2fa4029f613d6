// The shared parts of a class's programs in C++, compiled once: their headers, and the part of the program that takes
// tasks. That is most of what the compiler has to do for one of them.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "engine/core/base/scratch_folder.h"

namespace rankscope {

struct CodeBoxesOptions;

class CppHeaders {
 public:
  /// The places in the box at which a program's compiler looks for them.
  static constexpr const char *kInBox = "/rankscope/headers/contract_headers.h.gch",
                              *kMainInBox = "/rankscope/headers/contract_main.o";

  /// The folder with `made` and `main`, made when it is asked for first, in a box and of our own text alone; empty: the
  /// compiler cannot, or there are no boxes. Thread-safe. It lies there as long as this lives.
  std::filesystem::path folder(const CodeBoxesOptions& options);

 private:
  bool make(const CodeBoxesOptions& options) const;

  ScratchFolder folder_{"headers", ScratchFolder::For::everybody};
  std::mutex mutex_;
  bool tried_ = false, made_ = false;
};

/// The compiler and its options for any text: a compiled header is good for a program with the same ones only.
std::vector<std::string> cpp_compiler_words(const CodeBoxesOptions& options);

/// Writes what comes through the pipe into a file until its other end is closed. Returns false for more than `most` bytes,
/// or when interrupted.
bool take_file(int pipe, int interrupt, std::size_t most, const std::filesystem::path& to,
               bool& interrupted);

}  // namespace rankscope
