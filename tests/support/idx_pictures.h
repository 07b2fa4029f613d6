// Pictures and labels in the IDX format, made of random numbers: nobody can learn them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace rankscope::test {

/// Writes the four files of a data set of 28 x 28 pictures into `folder`, which it makes.
inline void write_random_pictures(const std::filesystem::path& folder, std::uint32_t train,
                                  std::uint32_t test) {
  std::filesystem::create_directories(folder);
  std::mt19937 random(1);
  const auto write = [&](const std::string& name, std::uint32_t count, bool images) {
    std::ofstream out(folder / name, std::ios::binary);
    const auto number = [&](std::uint32_t value) {
      for (int shift = 24; shift >= 0; shift -= 8) out.put(static_cast<char>(value >> shift));
    };
    number(images ? 0x803 : 0x801);
    number(count);
    if (images) number(28), number(28);
    for (std::uint32_t i = 0; i < count * (images ? 28 * 28 : 1); ++i)
      out.put(static_cast<char>(random() % (images ? 256 : 10)));
  };
  for (const bool images : {true, false}) {
    const std::string rest = images ? "-images-idx3-ubyte" : "-labels-idx1-ubyte";
    write("train" + rest, train, images);
    write("t10k" + rest, test, images);
  }
}

}  // namespace rankscope::test
