// Reads files in the IDX format of the MNIST pictures (http://yann.lecun.com/exdb/mnist, "File formats"), plain or
// compressed with gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::training {

/// Bytes in as many dimensions as `extents` has.
struct IdxFile {
  std::vector<std::size_t> extents;  ///< {60000, 28, 28}
  std::vector<std::uint8_t> bytes;
};

/// Throws FormatError, which names the file and says what is wrong with it: it is cut off, is of other numbers than
/// bytes, has not `dimensions` dimensions, has more than 1 GiB, or does not pass gzip's checksum.
IdxFile read_idx(const std::filesystem::path& file, std::size_t dimensions);

}  // namespace rankscope::training
