// A program in C++ that was handed in, compiled. The compiler reads what a student wrote, so it runs in a box as
// well: it sees no file but the system's, and a text that keeps it busy for ever is ended like any other program.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/base/scratch_folder.h"
#include "lessons/coding/boxes.h"
#include "lessons/lesson/coding.h"

namespace rankscope {

/// The last line of a program that aborted; if a check of the standard library ended it, without the library's own text.
std::string without_library_text(const std::string& said);

class CppProgram {
 public:
  /// Compiles the exercise's file of `options.submission`. What the text is to blame for becomes diagnostics;
  /// throws UserError for what it is not: no box, no compiler.
  CppProgram(const CodingExercise& exercise, const CodeBoxesOptions& options);
  bool interrupted() const noexcept { return interrupted_; }
  /// The compiler's errors, with the student's own names of files; or why it was ended. Printable.
  const std::string& diagnostics() const noexcept { return diagnostics_; }
  /// The reason for which the compiler was ended, if it was.
  Cause ended_by() const noexcept { return ended_by_; }
  /// The binary, which is there as long as this lives.
  std::filesystem::path binary() const { return folder_.path() / "program"; }

 private:
  BoxSpec spec(const CodingExercise& exercise, const CodeBoxesOptions& options, int pipe) const;
  void judge(const CodingExercise& exercise, const CodeBoxesOptions& options,
             const BoxGroupOutcome& outcome, bool whole);

  ScratchFolder folder_{"cpp", ScratchFolder::For::everybody};
  std::string diagnostics_;
  Cause ended_by_ = Cause::none;
  bool interrupted_ = false;
};

}  // namespace rankscope
