// Trains LeNet-5 in float64 with the batches that a program's ranks took, right and with typical mistakes.
#include "lessons/coding/lenet_model.h"

#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/core/base/random.h"
#include "engine/training/data/known_data.h"
#include "engine/training/data/pictures.h"

namespace rankscope {
namespace {

using training::LeNet5;
using training::LeNet5Layout;
using Average = LenetFault::Average;
using Descent = LenetFault::Descent;

constexpr auto kPixelsOfOne = static_cast<std::size_t>(LeNet5Layout::kPixels);

void copy_to_all(std::vector<LenetParameters>& ranks, const LenetParameters& one) {
  for (LenetParameters& rank : ranks) rank = one;
}

/// `at` += factor * `by`.
void add_times(LenetParameters& at, double factor, const LenetParameters& by) {
  for (std::size_t i = 0; i < at.size(); ++i) at[i] += factor * by[i];
}

constexpr std::string_view kNothingWritten =
    "the parameters are as they were before the first step: what a step computes is never written "
    "back into the model. `p = p - ...` only gives a new tensor the name p, and `type(p) is "
    "torch.Tensor` is false for a parameter (isinstance(p, torch.Tensor) is true); write `p -= "
    "...` or `p.copy_(...)` under torch.no_grad()";
constexpr std::string_view kNothingAveraged =
    "nothing is averaged over the ranks: in a step, no rank sends its parameters or gradients. "
    "`type(p) is torch.Tensor` is false for a parameter, so a loop that asks for it leaves all out "
    "(isinstance(p, torch.Tensor) is true)";
constexpr std::string_view kAverageIsLost =
    "messages travel in each step, and yet each rank goes on from its own local step: the average "
    "is taken before backward() has computed the gradients, or of copies that are never written "
    "back into the model";
constexpr std::string_view kEveryOther =
    "the parameters are averaged in every other step only (that is local SGD); the algorithm "
    "averages in each step";
constexpr std::string_view kOwnBegin =
    "the ranks begin with different parameters: broadcast rank 0's first";
}  // namespace

LenetParameters lenet_begin(std::uint64_t seed, Rank rank) {
  return training::initial_parameters<double>(seed * 3'000'017 +
                                              static_cast<std::uint64_t>(rank) * 104'729 + 11);
}

LenetParameters mean_of(std::span<const LenetParameters> ranks) {
  LenetParameters out(ranks.front().size());
  for (const LenetParameters& rank : ranks)
    add_times(out, 1 / static_cast<double>(ranks.size()), rank);
  return out;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

LenetNetwork::LenetNetwork() = default;
LenetNetwork::~LenetNetwork() = default;

LeNet5<double>& LenetNetwork::of_batch(std::size_t count) {
  auto& network = networks_[count];
  if (!network)
    network = std::make_unique<LeNet5<double>>(training::LeNet5Options{}, static_cast<int>(count),
                                               *training::usable_kernels<double>().front());
  return *network;
}

training::BatchResult LenetNetwork::forward(const LenetParameters& at,
                                            const LenetPictures& pictures,
                                            std::span<const std::uint32_t> chosen) {
  pixels_.resize(chosen.size() * kPixelsOfOne);
  labels_.resize(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::copy_n(&pictures.pixels[chosen[i] * kPixelsOfOne], kPixelsOfOne,
                &pixels_[i * kPixelsOfOne]);
    labels_[i] = pictures.labels[chosen[i]];
  }
  return of_batch(chosen.size()).forward(at, pixels_, labels_);
}

LenetParameters LenetNetwork::gradient(const LenetParameters& at, const LenetPictures& pictures,
                                       std::span<const std::uint32_t> chosen) {
  forward(at, pictures, chosen);
  LenetParameters out(at.size());
  of_batch(chosen.size()).backward(at, out);
  return out;
}

int LenetNetwork::count_right(const LenetParameters& at, const LenetPictures& pictures,
                              std::span<const std::uint32_t> chosen) {
  return chosen.empty() ? 0 : forward(at, pictures, chosen).right;
}

LenetTraining::LenetTraining(const LenetSize& size, const LenetData& data, LenetNetwork& network,
                             std::uint64_t seed, const LenetFault& fault)
    : size_(size), data_(data), network_(network), fault_(fault) {
  for (Rank rank = 0; rank < size.ranks; ++rank)
    at_.push_back(lenet_begin(seed, fault.own_begin ? rank : 0));
  kept_ = velocity_ = square_ =
      std::vector<LenetParameters>(at_.size(), LenetParameters(at_.front().size()));
}

// Momentum and Adam as PyTorch has them, with its own settings.
void LenetTraining::descend(std::size_t rank, const LenetParameters& gradient) {
  constexpr double kMomentum = 0.9, kSquare = 0.999, kEpsilon = 1e-8;
  LenetParameters& at = at_[rank];
  for (std::size_t i = 0; i < at.size(); ++i) {
    double& v = velocity_[rank][i];
    double& s = square_[rank][i];
    switch (fault_.descent) {
      case Descent::plain: at[i] -= size_.step_size * gradient[i]; break;
      case Descent::momentum:
        v = kMomentum * v + gradient[i];
        at[i] -= size_.step_size * v;
        break;
      case Descent::adam:
        v = kMomentum * v + (1 - kMomentum) * gradient[i];
        s = kSquare * s + (1 - kSquare) * gradient[i] * gradient[i];
        at[i] -= size_.step_size * v / (1 - std::pow(kMomentum, steps_)) /
                 (std::sqrt(s / (1 - std::pow(kSquare, steps_))) + kEpsilon);
        break;
    }
  }
}

void LenetTraining::step(std::span<const std::vector<std::uint32_t>> batches) {
  ++steps_;
  if (fault_.average == Average::nothing_written) return;
  if (fault_.average == Average::before) copy_to_all(at_, mean_of(at_));
  std::vector<LenetParameters> slopes;
  for (std::size_t rank = 0; rank < at_.size(); ++rank) {
    LenetParameters slope = network_.gradient(at_[rank], data_.train, batches[rank]);
    if (fault_.keeps_gradient) add_times(slope, 1, kept_[rank]);
    slopes.push_back(std::move(slope));
  }
  if (fault_.keeps_gradient) kept_ = slopes;
  if (fault_.average == Average::gradients) copy_to_all(slopes, mean_of(slopes));
  for (std::size_t rank = 0; rank < at_.size(); ++rank) descend(rank, slopes[rank]);
  const bool now =
      fault_.period == 1 || (steps_ + (fault_.last_of_period ? 0 : 1)) % fault_.period == 0;
  if (fault_.average == Average::parameters && now) copy_to_all(at_, mean_of(at_));
  if (fault_.average == Average::one_rank) copy_to_all(at_, LenetParameters(at_.front()));
  if (fault_.average == Average::last_rank) copy_to_all(at_, LenetParameters(at_.back()));
}

void LenetTraining::finish() {
  if (fault_.averaged_at_end) copy_to_all(at_, mean_of(at_));
}

const std::vector<LenetFault>& lenet_faults() {
  static const std::vector<LenetFault> kFaults{
      {.own_begin = true, .says = kOwnBegin},
      {.average = Average::gradients,
       .own_begin = true,
       .says = "the ranks begin with different parameters, and averaged gradients leave them "
               "different: broadcast rank 0's first"},
      {.average = Average::none,
       .averaged_at_end = true,
       .says = "the parameters are averaged once, after the last step, and not in each step"},
      {.average = Average::none, .says = kNothingAveraged, .says_of_senders = kAverageIsLost},
      {.period = 2, .says = kEveryOther},
      {.period = 2, .last_of_period = true, .says = kEveryOther},
      {.average = Average::none,
       .own_begin = true,
       .says = "the ranks begin with different parameters, and nothing is averaged"},
      {.average = Average::before,
       .says = "the parameters are averaged before the backward pass and the local step, so that "
               "each rank ends a step with its own: the average comes after the local step"},
      {.average = Average::before,
       .own_begin = true,
       .says = "the parameters are averaged before the backward pass and the local step, and never "
               "broadcast at the beginning: each rank ends a step with its own parameters"},
      {.average = Average::one_rank,
       .says =
           "only rank 0's gradient counts: what the other ranks compute is thrown away. Average "
           "the steps of all ranks"},
      {.average = Average::last_rank,
       .says = "only the last rank's gradient counts: what the other ranks compute is thrown away. "
               "Average the steps of all ranks"},
      {.average = Average::nothing_written, .says = kNothingWritten},
      {.average = Average::nothing_written, .own_begin = true, .says = kNothingWritten},
      {.keeps_gradient = true,
       .says = "each step also takes the gradients of the steps before it: they are not set to "
               "zero (zero_grad()), and backward() adds to them"},
      {.descent = Descent::momentum,
       .says = "the steps have momentum (0.9); plain gradient descent is asked for"},
      {.descent = Descent::adam,
       .says = "the steps are Adam's, not those of plain gradient descent"},
      {.average = Average::gradients,
       .descent = Descent::adam,
       .says = "the steps are Adam's, not those of plain gradient descent"},
  };
  return kFaults;
}

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

/// Draws `count` pictures, none of them twice.
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
