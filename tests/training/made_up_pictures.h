// A small data set that can be learnt: in each class another square of the picture is bright. And its files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <zlib.h>

#include "engine/core/base/random.h"
#include "engine/training/data/pictures.h"
#include "engine/training/network/lenet5.h"
#include "tests/support/catch.h"

namespace rankscope::test {

inline training::PictureSet made_up_set(std::size_t size, std::uint64_t seed) {
  using training::LeNet5Layout;
  RandomNumbers random(seed);
  training::PictureSet set;
  for (std::size_t i = 0; i < size; ++i) {
    const auto label = static_cast<std::uint8_t>(random.below(LeNet5Layout::kClasses));
    set.labels.push_back(label);
    for (std::size_t y = 0; y < LeNet5Layout::kSide; ++y)
      for (std::size_t x = 0; x < LeNet5Layout::kSide; ++x) {
        const bool bright = y / 14 == label / 5U && x / 6 == label % 5U;
        set.pixels.push_back(static_cast<std::uint8_t>(random.below(64) + (bright ? 160 : 0)));
      }
  }
  return set;
}

inline training::PictureData made_up_pictures(std::size_t train, std::size_t test) {
  return {
      .train = made_up_set(train, 1), .test = made_up_set(test, 2), .mean = 0.2, .deviation = 0.25};
}

inline std::string idx(const std::vector<unsigned>& extents,
                       const std::vector<std::uint8_t>& bytes) {
  std::string out{0, 0, 8, static_cast<char>(extents.size())};
  for (const unsigned extent : extents)
    for (const int shift : {24, 16, 8, 0})
      out += static_cast<char>(extent >> unsigned(shift) & 0xffU);
  return out + std::string(bytes.begin(), bytes.end());
}

inline void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

inline void write_compressed(const std::filesystem::path& file, const std::string& bytes) {
  const gzFile out = gzopen(file.c_str(), "wb");
  REQUIRE(out != nullptr);
  REQUIRE(gzwrite(out, bytes.data(), unsigned(bytes.size())) == int(bytes.size()));
  REQUIRE(gzclose(out) == Z_OK);
}

inline void write_set(const std::filesystem::path& folder, const std::string& name,
                      const training::PictureSet& set) {
  write(folder / (name + "-images-idx3-ubyte"), idx({unsigned(set.size()), 28, 28}, set.pixels));
  write_compressed(folder / (name + "-labels-idx1-ubyte.gz"),
                   idx({unsigned(set.size())}, set.labels));
}

/// The four files of a data set, in a new folder.
inline void write_pictures(const std::filesystem::path& folder, const training::PictureData& data) {
  std::filesystem::create_directories(folder);
  write_set(folder, "train", data.train);
  write_set(folder, "t10k", data.test);
}

}  // namespace rankscope::test
