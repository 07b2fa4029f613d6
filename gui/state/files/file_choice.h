// The contents of a box that asks for a file: places, a folder's rows, kinds of files, completions of typed letters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gui/state/command/command.h"
#include "gui/state/files/settings.h"

namespace rankscope::gui {

/// A choice of the box: the endings of the listed files; the first one is given to a name without an ending.
struct FileKind {
  std::string name;                  ///< "Traces"
  std::vector<std::string> endings;  ///< ".rankscope"; empty for all files.
  bool takes(std::string_view file) const;
};
/// Programs that students hand in: .py, .cpp, .ipynb, .zip ...
const FileKind& program_kind();
/// Returns the choices of a box for this use, the initial one first.
std::vector<FileKind> file_kinds(NameBox::Files use);

struct FilePlace {
  std::string name, folder;
};
/// Returns the folders that exist: home, the working folder, home's Desktop, Documents and Downloads, those of recent files.
std::vector<FilePlace> file_places(const Settings& settings);

struct FileRow {
  std::string name;
  bool is_folder = false;
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  ///< Seconds since 1970.
};
struct FileList {
  std::vector<FileRow> rows;  ///< Folders first, then files, by their names.
  std::string trouble;        ///< Why it cannot be read.
  std::size_t left_out = 0;   ///< Rows beyond kMost.
  static constexpr std::size_t kMost = 2000;
};
FileList files_in(const std::string& folder, const FileKind& kind);

/// Returns "~/a", or "a" in the folder, as a whole path.
std::string path_typed(const std::string& folder, const std::string& typed);
/// The folder of the typed letters, and the part of a name behind it.
struct TypedPath {
  std::string folder, name;
};
TypedPath typed_parts(const std::string& folder, const std::string& typed);
/// Returns the rows whose names begin with `name`, ignoring case.
std::vector<FileRow> rows_that_begin(const FileList& list, const std::string& name);
/// Returns the letters with which all names begin, which Tab types.
std::string shared_beginning(const std::vector<FileRow>& rows);
/// Returns the path with the kind's ending, if it has none.
std::string with_ending(std::string path, const FileKind& kind);

/// "today 14:05", "3 Nov 2026"; empty if unknown.
std::string changed_text(std::int64_t changed, std::int64_t now);

}  // namespace rankscope::gui
