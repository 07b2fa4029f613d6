// A program in C++ that `rankscope exec` compiles for the time of its run.
#pragma once

#include <filesystem>
#include <string>

namespace rankscope::cli {

class CompiledProgram {
 public:
  /// Compiles the file with $CXX, else a g++ or clang++ that knows C++20. What the compiler says goes to standard
  /// error, as it is. Throws UserError when it cannot be compiled.
  explicit CompiledProgram(const std::string& source);
  ~CompiledProgram();
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;
  std::string binary() const { return (folder_ / "program").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace rankscope::cli
