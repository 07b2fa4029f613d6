// A small data set that can be learnt: in each class another square of the picture is bright.
#pragma once

#include "engine/core/base/random.h"
#include "engine/training/data/pictures.h"
#include "engine/training/network/lenet5.h"

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

}  // namespace rankscope::test
