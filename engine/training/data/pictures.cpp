// Loads a data set of pictures, checks that its files fit each other, and takes batches from it.
#include "engine/training/data/pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/utf8.h"
#include "engine/training/data/idx_file.h"

namespace rankscope::training {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSide = 28, kPixels = kSide * kSide;
constexpr std::uint8_t kClasses = 10;

PictureSet load_set(const fs::path& folder, const std::string& name) {
  const fs::path pictures = find_data_file(folder, name + "-images-idx3-ubyte");
  const fs::path labels = find_data_file(folder, name + "-labels-idx1-ubyte");
  IdxFile images = read_idx(pictures, 3);
  const auto fail = [](const fs::path& file, const std::string& why) {
    throw FormatError(fmt::format("{} {}", escaped(file.string()), why));
  };
  if (images.extents[0] == 0) fail(pictures, "has no pictures");
  if (images.extents[1] != kSide || images.extents[2] != kSide)
    fail(pictures, fmt::format("has pictures of {} x {}; 28 x 28 are expected", images.extents[1],
                               images.extents[2]));
  IdxFile classes = read_idx(labels, 1);
  if (classes.extents[0] != images.extents[0])
    fail(labels, fmt::format("has {} labels for the {} pictures of {}", classes.extents[0],
                             images.extents[0], pictures.filename().string()));
  const auto wrong = ranges::find_if(classes.bytes, [](auto one) { return one >= kClasses; });
  if (wrong != classes.bytes.end())
    fail(labels, fmt::format("has the label {} at {}; labels are 0 to 9", *wrong,
                             wrong - classes.bytes.begin()));
  return {std::move(images.bytes), std::move(classes.bytes)};
}

}  // namespace

fs::path find_data_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"})
    if (fs::is_regular_file(folder / (name + ending), ignored)) return folder / (name + ending);
  throw UserError(
      fmt::format("{} has no file {} or {}.gz: name a folder that has the four files of MNIST",
                  escaped(folder.string()), name, name));
}

PictureData load_pictures(const fs::path& folder) {
  PictureData data{.train = load_set(folder, "train"), .test = load_set(folder, "t10k")};
  std::array<double, 256> occurs{};
  for (const std::uint8_t pixel : data.train.pixels) ++occurs.at(pixel);
  const auto pixels = double(data.train.pixels.size());
  double square = 0;
  for (std::size_t value = 0; value < occurs.size(); ++value) {
    const double pixel = double(value) / 255;
    data.mean += occurs.at(value) / pixels * pixel;
    square += occurs.at(value) / pixels * pixel * pixel;
  }
  const double variance = square - data.mean * data.mean;
  data.deviation = variance > 0 ? std::sqrt(variance) : 1;
  return data;
}

template <class T>
void take_batch(const PictureData& data, const PictureSet& set,
                std::span<const std::uint32_t> chosen, std::span<T> pixels,
                std::span<std::uint8_t> labels) {
  std::array<T, 256> normal{};
  for (std::size_t value = 0; value < normal.size(); ++value)
    normal.at(value) = static_cast<T>((double(value) / 255 - data.mean) / data.deviation);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto from = set.pixels.begin() + static_cast<std::ptrdiff_t>(chosen[i] * kPixels);
    std::transform(from, from + kPixels, pixels.begin() + static_cast<std::ptrdiff_t>(i * kPixels),
                   [&](std::uint8_t pixel) { return normal[pixel]; });
    labels[i] = set.labels[chosen[i]];
  }
}
template void take_batch<float>(const PictureData&, const PictureSet&,
                                std::span<const std::uint32_t>, std::span<float>,
                                std::span<std::uint8_t>);
template void take_batch<double>(const PictureData&, const PictureSet&,
                                 std::span<const std::uint32_t>, std::span<double>,
                                 std::span<std::uint8_t>);

}  // namespace rankscope::training
