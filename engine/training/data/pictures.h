// Data sets of small grey pictures in ten classes, in MNIST's format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rankscope::training {

/// The content of an IDX file: bytes, row-major in the dimensions of `extents`.
struct IdxFile {
  std::vector<std::size_t> extents;  ///< {60000, 28, 28}
  std::vector<std::uint8_t> bytes;
};

/// Throws FormatError with the file's name if it is cut off, has elements other than bytes, more or fewer dimensions
/// than `dimensions`, or more than 1 GiB, or does not pass gzip's checksum.
IdxFile read_idx(const std::filesystem::path& file, std::size_t dimensions);

/// Pictures of 28 x 28, each with a class from 0 to 9.
struct PictureSet {
  std::vector<std::uint8_t> pixels;  ///< [size][28][28]
  std::vector<std::uint8_t> labels;  ///< [size]
  std::size_t size() const noexcept { return labels.size(); }
};

struct PictureData {
  PictureSet train, test;
  double mean = 0, deviation = 1;  ///< Over the training pictures' pixels, each divided by 255.
};

/// Reads train-images-idx3-ubyte, train-labels-idx1-ubyte and t10k-..., plain or as .gz, from a folder. Throws
/// UserError for a file that is missing (with what to do) and FormatError for one that is damaged, or does not fit the
/// others.
PictureData load_pictures(const std::filesystem::path& folder);
/// Returns the path of the file, or of the same with .gz. Throws UserError if there is neither.
std::filesystem::path find_data_file(const std::filesystem::path& folder, const std::string& name);

/// Writes pictures `chosen` of `set` to pixels [chosen][28][28], normalised by data.mean and data.deviation, and their
/// classes to `labels`.
template <class T>
void take_batch(const PictureData& data, const PictureSet& set,
                std::span<const std::uint32_t> chosen, std::span<T> pixels,
                std::span<std::uint8_t> labels);

extern template void take_batch<float>(const PictureData&, const PictureSet&,
                                       std::span<const std::uint32_t>, std::span<float>,
                                       std::span<std::uint8_t>);
extern template void take_batch<double>(const PictureData&, const PictureSet&,
                                        std::span<const std::uint32_t>, std::span<double>,
                                        std::span<std::uint8_t>);

}  // namespace rankscope::training
