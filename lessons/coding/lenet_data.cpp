// The pictures of a case: drawn from the shipped sample of MNIST; where it is missing, digits made of strokes.
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/core/base/random.h"
#include "engine/training/data/known_data.h"
#include "engine/training/data/pictures.h"
#include "lessons/coding/lenet_model.h"

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

/// Read once. Nothing: it is not here, or smaller than what is asked for.
const training::PictureData* shipped_sample(const LenetSize& size) {
  static const std::optional<training::PictureData> kSample =
      []() -> std::optional<training::PictureData> {
    const training::KnownData* const known = training::find_known_data("mnist-small");
    const auto folder = known == nullptr ? std::nullopt : training::folder_of(*known);
    if (!folder) return std::nullopt;
    return training::load_pictures(*folder);
  }();
  const bool enough = kSample && std::cmp_greater_equal(kSample->train.size(), size.pictures) &&
                      std::cmp_greater_equal(kSample->test.size(), size.test_pictures);
  return enough ? &*kSample : nullptr;
}

/// So many pictures, none of them twice.
LenetPictures drawn(const training::PictureData& data, const training::PictureSet& set, Count count,
                    RandomNumbers& random) {
  std::vector<std::uint32_t> chosen(set.size());
  std::iota(chosen.begin(), chosen.end(), 0U);
  const auto wanted = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(chosen[i], chosen[i + random.below(chosen.size() - i)]);
  chosen.resize(wanted);
  LenetPictures out;
  out.pixels.resize(wanted * static_cast<std::size_t>(LeNet5Layout::kPixels));
  out.labels.resize(wanted);
  training::take_batch<double>(data, set, chosen, out.pixels, out.labels);
  return out;
}

}  // namespace

LenetData lenet_data(const LenetSize& size, std::uint64_t seed) {
  RandomNumbers random(seed * 5'000'011 + 23);
  const auto from = [&](const training::PictureData& data) -> LenetData {
    LenetPictures train = drawn(data, data.train, size.pictures, random);
    return {std::move(train), drawn(data, data.test, size.test_pictures, random)};
  };
  if (const auto* sample = shipped_sample(size)) return from(*sample);
  training::PictureData made_up{
      .train = made_up_digits(size.pictures, random), .test = {}, .mean = 0.2, .deviation = 0.28};
  made_up.test = made_up_digits(size.test_pictures, random);
  return from(made_up);
}

}  // namespace rankscope
