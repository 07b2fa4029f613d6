// Data sets that have a name: where they may be, how to get them, and checksums of their files.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::training {

/// One of the four files, without .gz, and the XXH3 (64 bits) of its elements.
struct KnownFile {
  std::string_view name;
  std::uint64_t checksum;
};

struct KnownData {
  std::string_view name;     ///< "mnist"
  std::string_view summary;  ///< One line, with its authors and terms of use.
  std::string_view advice;   ///< Advice for a user who does not have it.
  /// Folders that may have it, absolute or relative to the program's. `data_home() / name` is tried first.
  std::span<const std::string_view> folders;
  std::array<KnownFile, 4> files;
};
std::span<const KnownData> known_data();
/// Returns null if no data set has this name.
const KnownData* find_known_data(std::string_view name) noexcept;

/// Returns $XDG_DATA_HOME/rankscope/data, or ~/.local/share/rankscope/data. Throws UserError if there is no home.
std::filesystem::path data_home();
/// Returns the first folder that has all its files; nullopt if none has.
std::optional<std::filesystem::path> folder_of(const KnownData& data);
/// Reads the four files. Throws UserError for a missing one, FormatError for the first that is damaged or another.
void check_files(const KnownData& data, const std::filesystem::path& folder);

/// Returns the folder of a named data set, or the folder itself. Throws UserError with what to do.
std::filesystem::path resolve_data(const std::string& name_or_folder);

}  // namespace rankscope::training
