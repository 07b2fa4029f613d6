// The table of named data sets, and the search for their folders.
#include "engine/training/data/known_data.h"

#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <xxhash.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/training/data/pictures.h"

namespace rankscope::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFashionFolders[] = {"/usr/share/datasets/fashion-mnist"};
/// Relative to the program: installed, and in a build.
constexpr std::string_view kSmallFolders[] = {"../share/rankscope/data/mnist-small",
                                              "../data-files/mnist-small"};

// Checksums are of a file's uncompressed elements, without its head, so that compression does not matter.
constexpr KnownData kKnown[] = {
    {.name = "mnist",
     .summary = "70,000 handwritten digits (LeCun, Cortes, Burges; CC BY-SA 3.0)",
     .advice =
         "`rankscope data mnist` fetches it, with npm; or name a folder that has its four files, "
         "or try mnist-small, which is always here",
     .folders = {},
     .files = {{{"train-images-idx3-ubyte", 0xee3d62f55dfafffbU},
                {"train-labels-idx1-ubyte", 0x37f227c8f4eaefa6U},
                {"t10k-images-idx3-ubyte", 0x6d9df6004ed35f23U},
                {"t10k-labels-idx1-ubyte", 0x6df18589e2c6262fU}}}},
    {.name = "mnist-small",
     .summary = "4,000 of them, shipped: for a first look and without a network (CC BY-SA 3.0)",
     .advice = "install rankscope whole: it is in share/rankscope/data",
     .folders = kSmallFolders,
     .files = {{{"train-images-idx3-ubyte", 0x5c6e9fc80c93129aU},
                {"train-labels-idx1-ubyte", 0x3e26bb8747c4e502U},
                {"t10k-images-idx3-ubyte", 0x22b67c49b2b2f727U},
                {"t10k-labels-idx1-ubyte", 0xa66988b90ea4a49bU}}}},
    {.name = "fashion-mnist",
     .summary = "70,000 pieces of clothing (Zalando; MIT licence)",
     .advice = "install the package dataset-fashion-mnist (Debian, Ubuntu), or name a folder that "
               "has its four files",
     .folders = kFashionFolders,
     .files = {{{"train-images-idx3-ubyte", 0xc11b6543ae1530f3U},
                {"train-labels-idx1-ubyte", 0x46e784b61aa2b893U},
                {"t10k-images-idx3-ubyte", 0xacf1cd2c87a40a9bU},
                {"t10k-labels-idx1-ubyte", 0xf3627f35e9cae75fU}}}},
};

bool has_files(const KnownData& data, const fs::path& folder) {
  std::error_code ignored;
  return ranges::all_of(data.files, [&](const KnownFile& file) {
    return fs::exists(folder / file.name, ignored) ||
           fs::exists(folder / (std::string(file.name) + ".gz"), ignored);
  });
}

}  // namespace

std::span<const KnownData> known_data() { return kKnown; }

const KnownData* find_known_data(std::string_view name) noexcept {
  const auto found = ranges::find(kKnown, name, &KnownData::name);
  return found == std::end(kKnown) ? nullptr : found;
}

fs::path data_home() { return user_data_folder() / "rankscope" / "data"; }

std::optional<fs::path> folder_of(const KnownData& data) {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> places = {data_home() / data.name};
  for (const std::string_view folder : data.folders)
    places.push_back((program / folder).lexically_normal());
  const auto found =
      ranges::find_if(places, [&](const fs::path& one) { return has_files(data, one); });
  if (found == places.end()) return std::nullopt;
  return *found;
}

void check_files(const KnownData& data, const fs::path& folder) {
  for (const KnownFile& file : data.files) {
    const fs::path path = find_data_file(folder, std::string(file.name));
    const IdxFile read = read_idx(path, file.name.find("images") == std::string_view::npos ? 1 : 3);
    if (XXH3_64bits(read.bytes.data(), read.bytes.size()) != file.checksum)
      throw FormatError(fmt::format("{} is not the file of {}: its checksum differs",
                                    escaped(path.string()), data.name));
  }
}

fs::path resolve_data(const std::string& name_or_folder) {
  const KnownData* const known = find_known_data(name_or_folder);
  std::error_code ignored;
  if (known == nullptr || fs::is_directory(name_or_folder, ignored)) {
    if (fs::is_directory(name_or_folder, ignored)) return fs::absolute(name_or_folder);
    std::vector<std::string_view> names;
    for (const KnownData& one : kKnown) names.push_back(one.name);
    throw UserError(fmt::format("there is no folder {} and no data set of this name: known are {}",
                                escaped(name_or_folder), fmt::join(names, ", ")));
  }
  if (const auto folder = folder_of(*known)) return *folder;
  throw UserError(fmt::format("{} is not here: {}", known->name, known->advice));
}

}  // namespace rankscope::training
