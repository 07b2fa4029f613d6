// Loads a data set of pictures, checks that its files fit each other, and takes batches from it.
#include "engine/training/data/pictures.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::training {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
constexpr std::uint8_t kUnsignedBytes = 8;  // the format's number for this type

struct CloseFile {
  void operator()(gzFile file) const noexcept { gzclose(file); }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : name_(escaped(file.string())), file_(gzopen(file.c_str(), "rbe")) {
    if (file_ == nullptr) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }

  /// Reads exactly `bytes` bytes.
  void read(std::uint8_t* into, std::size_t bytes) {
    std::size_t have = 0;
    while (have < bytes) {
      const int got = gzread(file_.get(), into + have,
                             static_cast<unsigned>(std::min(bytes - have, std::size_t{1} << 24U)));
      if (got < 0) fail(fmt::format("is damaged: {}", error()));
      if (got == 0)
        fail(fmt::format("ends too early: {} of {} bytes are missing", bytes - have, bytes));
      have += static_cast<std::size_t>(got);
    }
  }

  /// Checks that nothing follows; zlib checks gzip's checksum only here.
  void end() {
    std::uint8_t more = 0;
    const int got = gzread(file_.get(), &more, 1);
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code == Z_BUF_ERROR) fail("ends too early: the end of what was compressed is missing");
    if (got < 0) fail(fmt::format("is damaged: {}", error()));
    if (got > 0) fail("goes on after its last element");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw FormatError(fmt::format("{} {}", name_, why));
  }

 private:
  std::string error() const {
    int code = 0;
    const char* text = gzerror(file_.get(), &code);
    return code == Z_ERRNO ? std::strerror(errno) : text;
  }

  std::string name_;
  std::unique_ptr<gzFile_s, CloseFile> file_;
};

}  // namespace

IdxFile read_idx(const std::filesystem::path& file, std::size_t dimensions) {
  Reader reader(file);
  std::array<std::uint8_t, 4> head{};
  reader.read(head.data(), head.size());
  if (head[0] != 0 || head[1] != 0) reader.fail("is no IDX file: it does not begin with two zeros");
  if (head[2] != kUnsignedBytes)
    reader.fail(fmt::format("has elements of type {:#04x}; bytes (0x08) are expected", head[2]));
  if (head[3] != dimensions)
    reader.fail(fmt::format("has {} dimensions; {} are expected", head[3], dimensions));
  IdxFile out;
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> big_endian{};
    reader.read(big_endian.data(), big_endian.size());
    std::size_t extent = 0;
    for (const std::uint8_t byte : big_endian) extent = extent << 8U | byte;
    if (extent > 0 && bytes > kMostBytes / extent) reader.fail("has more than 1 GiB");
    bytes *= extent;
    out.extents.push_back(extent);
  }
  out.bytes.resize(bytes);
  reader.read(out.bytes.data(), bytes);
  reader.end();
  return out;
}

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
