// Data sets that have a name: where they may be, how one gets them, and whether their files are the right ones.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope::training {

/// One of the four files, without .gz, and the XXH3 (64 bits) of what it holds.
struct KnownFile {
  std::string_view name;
  std::uint64_t checksum;
};

struct KnownData {
  std::string_view name;     ///< "mnist"
  std::string_view summary;  ///< One line, with its authors and terms of use.
  std::string_view advice;   ///< Advice for a user who does not have it.
  /// Folders that may have it, absolute or from the program's; before them `data_home() / name`.
  std::span<const std::string_view> folders;
  std::array<KnownFile, 4> files;
};
std::span<const KnownData> known_data();
/// Returns null if no data set has this name.
const KnownData* find_known_data(std::string_view name) noexcept;

/// $XDG_DATA_HOME/rankscope/data, else ~/.local/share/rankscope/data. Throws UserError when there is no home.
std::filesystem::path data_home();
/// Where it is; nothing: nowhere.
std::optional<std::filesystem::path> folder_of(const KnownData& data);
/// Reads its four files. Throws UserError (missing) and FormatError, which names the first that is not the right one.
void check_files(const KnownData& data, const std::filesystem::path& folder);

/// The folder of a data set's name, or the folder itself. Throws UserError with what to do.
std::filesystem::path resolve_data(const std::string& name_or_folder);

}  // namespace rankscope::training
