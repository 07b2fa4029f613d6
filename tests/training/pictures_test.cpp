// Reading data sets: what is right, and every way in which a file can be wrong.
#include "engine/training/data/pictures.h"

#include <cmath>
#include <fstream>
#include <string>

#include "engine/core/base/error.h"
#include "engine/core/base/scratch_folder.h"
#include "tests/support/catch.h"
#include "tests/training/made_up_pictures.h"

using namespace rankscope;
using namespace rankscope::training;

namespace {

namespace fs = std::filesystem;
using namespace rankscope::test;

std::string fault_of(const fs::path& file, std::size_t dimensions) {
  try {
    read_idx(file, dimensions);
  } catch (const FormatError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("training: a data set is read as it was written, plain and compressed", "[training]") {
  const ScratchFolder folder("pictures");
  const PictureData written = test::made_up_pictures(30, 20);
  write_set(folder.path(), "train", written.train);
  write_set(folder.path(), "t10k", written.test);
  const PictureData read = load_pictures(folder.path());
  CHECK(read.train.pixels == written.train.pixels);
  CHECK(read.train.labels == written.train.labels);
  CHECK(read.test.pixels == written.test.pixels);
  CHECK(read.test.labels == written.test.labels);

  // Normalised by the training pictures: mean 0, variance 1.
  std::vector<std::uint32_t> all(30);
  for (std::uint32_t i = 0; i < 30; ++i) all[i] = i;
  std::vector<double> pixels(30 * 784);
  std::vector<std::uint8_t> labels(30);
  take_batch<double>(read, read.train, all, pixels, labels);
  double mean = 0, square = 0;
  for (const double pixel : pixels)
    mean += pixel / double(pixels.size()), square += pixel * pixel / double(pixels.size());
  CHECK(std::abs(mean) < 1e-12);
  CHECK(std::abs(square - 1) < 1e-12);
  CHECK(labels == written.train.labels);
}

TEST_CASE("training: a missing file is named, with what to do", "[training]") {
  const ScratchFolder folder("pictures");
  write_set(folder.path(), "train", test::made_up_set(3, 1));
  CHECK_THROWS_WITH(load_pictures(folder.path()), ContainsSubstring("t10k-images-idx3-ubyte") &&
                                                      ContainsSubstring("name a folder"));
  CHECK_THROWS_WITH(load_pictures(folder.path() / "nowhere"),
                    ContainsSubstring("train-images-idx3-ubyte"));
}

TEST_CASE("training: a file that was cut off anywhere is refused, plain and compressed",
          "[training]") {
  const ScratchFolder folder("pictures");
  const std::string whole = idx({3, 2, 2}, std::vector<std::uint8_t>(12, 5));
  write(folder.path() / "whole", whole);
  CHECK(fault_of(folder.path() / "whole", 3).empty());
  CHECK(read_idx(folder.path() / "whole", 3).bytes == std::vector<std::uint8_t>(12, 5));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(folder.path() / "cut", whole.substr(0, length));
    INFO(length);
    CHECK_THAT(fault_of(folder.path() / "cut", 3),
               ContainsSubstring("ends too early") && ContainsSubstring("cut"));
  }
  write_compressed(folder.path() / "whole.gz", whole);
  std::ifstream in(folder.path() / "whole.gz", std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t length = 1; length < packed.size(); ++length) {
    write(folder.path() / "cut.gz", packed.substr(0, length));
    INFO(length);
    CHECK(!fault_of(folder.path() / "cut.gz", 3).empty());
  }
}

TEST_CASE("training: a file of something else is refused, and why", "[training]") {
  const ScratchFolder folder("pictures");
  const fs::path file = folder.path() / "file";
  const auto fault = [&](const std::string& bytes, std::size_t dimensions) {
    write(file, bytes);
    return fault_of(file, dimensions);
  };
  const std::string whole = idx({2, 2}, {1, 2, 3, 4});
  CHECK_THAT(fault("<html>not found</html>", 2), ContainsSubstring("is no IDX file"));
  CHECK_THAT(fault(whole, 3), ContainsSubstring("has 2 dimensions; 3 are expected"));
  CHECK_THAT(fault(whole + "x", 2), ContainsSubstring("goes on after its last element"));
  CHECK_THAT(fault(idx({1U << 30U, 4}, {}), 2), ContainsSubstring("more than 1 GiB"));
  std::string floats = whole;
  floats[2] = 0x0d;
  CHECK_THAT(fault(floats, 2), ContainsSubstring("elements of type 0x0d"));
  write_compressed(file, whole);
  std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
  damage.seekp(-6, std::ios::end);  // in gzip's checksum
  damage.put('!');
  damage.close();
  CHECK_THAT(fault_of(file, 2), ContainsSubstring("is damaged"));
}

TEST_CASE("training: files that do not fit each other are refused, and why", "[training]") {
  const ScratchFolder folder("pictures");
  const PictureSet set = test::made_up_set(4, 1);
  const auto fault = [&](const PictureSet& train) {
    write_set(folder.path(), "train", train);
    write_set(folder.path(), "t10k", set);
    try {
      load_pictures(folder.path());
    } catch (const FormatError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(fault(set).empty());
  PictureSet wrong = set;
  wrong.labels[2] = 10;
  CHECK_THAT(fault(wrong), ContainsSubstring("has the label 10 at 2"));
  CHECK_THAT(fault(PictureSet{}), ContainsSubstring("has no pictures"));
  write_set(folder.path(), "train", set);
  write_compressed(folder.path() / "train-labels-idx1-ubyte.gz", idx({3}, {1, 2, 3}));
  CHECK_THROWS_WITH(load_pictures(folder.path()),
                    ContainsSubstring("has 3 labels for the 4 pictures"));
  write(folder.path() / "train-images-idx3-ubyte", idx({1, 2, 2}, {1, 2, 3, 4}));
  CHECK_THROWS_WITH(load_pictures(folder.path()), ContainsSubstring("pictures of 2 x 2; 28 x 28"));
}
