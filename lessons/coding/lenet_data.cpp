// The pictures of a case: handwritten digits of a sample, or made-up ones.
#include <array>
#include <numeric>

#include "engine/training/data/pictures.h"
#include "lessons/coding/lenet_model.h"
#include "lessons/lesson/random.h"

namespace rankscope {
namespace {

using training::LeNet5Layout;

constexpr int kSide = LeNet5Layout::kSide;

struct Stroke {
  int x, y, width, height;
};
// A digit's segments as clocks show them: the bars at the top, in the middle, below; left and right, upper and lower.
constexpr std::array<Stroke, 7> kStrokes{{{8, 4, 10, 2},
                                          {8, 13, 10, 2},
                                          {8, 22, 10, 2},
                                          {7, 5, 2, 9},
                                          {17, 5, 2, 9},
                                          {7, 14, 2, 9},
                                          {17, 14, 2, 9}}};
constexpr std::array<unsigned, 10> kLit{0b1111101, 0b1010000, 0b0110111, 0b1010111, 0b1011010,
                                        0b1001111, 0b1101111, 0b1010001, 0b1111111, 0b1011111};

void draw_digit(unsigned digit, RandomNumbers& random, std::vector<std::uint8_t>& pixels) {
  std::array<std::array<std::uint8_t, kSide>, kSide> picture{};
  const int right = static_cast<int>(random.below(7)) - 3,
            down = static_cast<int>(random.below(7)) - 3;
  for (std::size_t stroke = 0; stroke < kStrokes.size(); ++stroke) {
    const Stroke& one = kStrokes.at(stroke);
    if ((kLit.at(digit) >> stroke & 1U) == 0) continue;
    for (int y = one.y; y < one.y + one.height; ++y)
      for (int x = one.x; x < one.x + one.width; ++x)
        picture.at(static_cast<std::size_t>(y + down)).at(static_cast<std::size_t>(x + right)) =
            static_cast<std::uint8_t>(160 + random.below(96));
  }
  for (auto& row : picture)
    for (std::uint8_t& pixel : row)
      pixels.push_back(pixel != 0 ? pixel : static_cast<std::uint8_t>(random.below(48)));
}

training::PictureSet made_up_digits(Count count, RandomNumbers& random) {
  training::PictureSet out;
  for (Count i = 0; i < count; ++i) {
    out.labels.push_back(static_cast<std::uint8_t>(random.below(LeNet5Layout::kClasses)));
    draw_digit(out.labels.back(), random, out.pixels);
  }
  return out;
}

LenetPictures all_of(const training::PictureData& data, const training::PictureSet& set) {
  LenetPictures out;
  std::vector<std::uint32_t> all(set.size());
  std::iota(all.begin(), all.end(), 0U);
  out.pixels.resize(set.pixels.size());
  out.labels.resize(set.size());
  training::take_batch<double>(data, set, all, out.pixels, out.labels);
  return out;
}

}  // namespace

LenetData lenet_data(const LenetSize& size, std::uint64_t seed) {
  RandomNumbers random(seed * 5'000'011 + 23);
  training::PictureData data{.train = made_up_digits(size.pictures, random),
                             .test = made_up_digits(size.test_pictures, random),
                             .mean = 0.2,
                             .deviation = 0.28};
  return {all_of(data, data.train), all_of(data, data.test)};
}

}  // namespace rankscope
