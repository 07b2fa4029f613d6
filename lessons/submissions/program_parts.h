// The files that a program consists of, one hash over them, and a copy of them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

/// The program first, then the modules that it imports and the files that it names between quotes, from its own folder and
/// those below. Installed modules are not among them.
std::vector<std::filesystem::path> program_parts(const std::filesystem::path& program);

/// Returns those of `programs`, files of one submission, that `program` does not use: they are none of its parts, and no
/// part's text has their name.
std::set<std::string> unused_programs(const std::filesystem::path& folder,
                                      const std::string& program,
                                      const std::set<std::string>& programs);

/// A hash over the names and bytes of all parts, the program's own name left out. It shows whether the graded files are
/// unchanged. Empty when a part cannot be read.
std::string program_hash(const std::filesystem::path& program);

/// Copies the program to the file `to`, and its other parts beside it as they lie beside the program. Throws UserError
/// where another file is in the place of one.
void copy_program(const std::filesystem::path& program, const std::filesystem::path& to);

/// Returns a file's bytes. Throws UserError for one that is too large to be handed in, or cannot be read.
std::string bytes_to_hand_in(const std::filesystem::path& file);

/// Writes a file, and makes its folder if it is not there. Throws UserError.
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

}  // namespace rankscope
