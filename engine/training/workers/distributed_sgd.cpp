// Distributed SGD: batches, the local step, averages, and tests.
#include "engine/training/workers/distributed_sgd.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/random.h"
#include "engine/core/base/ranges.h"
#include "engine/core/message/communicator.h"

namespace rankscope::training {
namespace {

constexpr int kTestBatch = 100;
constexpr auto kCount = static_cast<Count>(LeNet5Layout::kParameters);

std::vector<Range> layer_ranges() {
  std::vector<Range> out;
  for (const LayerInfo& one : LeNet5Layout::layers())
    out.push_back({static_cast<Count>(one.offset), static_cast<Count>(one.count)});
  return out;
}

class Stopwatch {
 public:
  explicit Stopwatch(std::chrono::nanoseconds& total) : total_(total) {}
  ~Stopwatch() { total_ += std::chrono::steady_clock::now() - began_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  std::chrono::nanoseconds& total_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

void SgdSettings::validate() const {
  const auto need = [](bool good, const char* what) {
    if (!good) throw UserError(what);
  };
  need(batch >= 1, "a batch has at least 1 picture");
  need(step > 0, "the step is larger than 0");
  need(momentum >= 0 && momentum < 1, "the momentum is at least 0 and less than 1");
  need(period >= 1, "parameters are averaged after 1 or more iterations");
  need(warmup >= 0, "a warm-up has 0 or more iterations");
  need(period == 1 || averaging == Averaging::parameters,
       "a longer period is of averaged parameters: average the parameters, or choose the period 1");
  need(bucket_bytes == 0 || averaging == Averaging::gradients,
       "buckets are of averaged gradients: average the gradients, or leave the buckets out");
}

double SgdSettings::step_of(std::int64_t iteration) const noexcept {
  return iteration < warmup ? step * double(iteration + 1) / warmup : step;
}

template <class T>
DistributedSgd<T>::DistributedSgd(Communicator& comm, const PictureData& data,
                                  const SgdSettings& settings, const Algorithm* allreduce)
    : comm_(comm),
      data_(data),
      settings_(settings),
      allreduce_(allreduce),
      kernels_(*usable_kernels<T>().front()),
      network_((settings.validate(), settings.network), settings.batch, kernels_),
      test_network_(settings.network, kTestBatch, kernels_),
      mine_(Buffer::allocate(dtype_of<T>(), kCount)),
      together_(Buffer::allocate(dtype_of<T>(), kCount)),
      gradient_(LeNet5Layout::kParameters) {
  if (std::cmp_less(data.train.size(), comm.size()))
    throw UserError(
        fmt::format("{} pictures are too few for {} workers", data.train.size(), comm.size()));
  if (settings.bucket_bytes > 0)
    buckets_ = gradient_buckets(layer_ranges(), sizeof(T), settings.bucket_bytes);
  const auto most = static_cast<std::size_t>(std::max(settings.batch, kTestBatch));
  pixels_.resize(most * LeNet5Layout::kPixels);
  labels_.resize(most);
  // Only rank 0 draws them, so that workers begin alike even if their generators differed.
  if (comm_.rank() == 0) state_.parameters = initial_parameters<T>(settings.seed);
  state_.parameters.resize(LeNet5Layout::kParameters);
  state_.velocity.resize(LeNet5Layout::kParameters);
  ranges::copy(state_.parameters, together_.as<T>().begin());
  auto phase = comm_.phase("initial parameters");
  run_algorithm(comm_, require_algorithm("broadcast.binomial"),
                {.in = together_, .out = together_});
  ranges::copy(together_.as<T>(), state_.parameters.begin());
}

std::vector<std::uint32_t> batch_of(const SgdSettings& settings, std::size_t pictures, int ranks,
                                    Rank rank, std::int64_t iteration) {
  // A generator for each iteration and rank, so that a run can go on from any iteration.
  RandomNumbers of_seed(settings.seed);
  RandomNumbers of_iteration(of_seed.next() + static_cast<std::uint64_t>(iteration));
  RandomNumbers random(of_iteration.next() + static_cast<std::uint64_t>(rank));
  const auto first = static_cast<std::uint64_t>(rank), stride = static_cast<std::uint64_t>(ranks);
  const bool sharded = settings.sharing == Sharing::sharded;
  const std::uint64_t choice = sharded ? (pictures - first + stride - 1) / stride : pictures;
  std::vector<std::uint32_t> out(static_cast<std::size_t>(settings.batch));
  for (std::uint32_t& one : out) {
    const std::uint64_t drawn = random.below(choice);
    one = static_cast<std::uint32_t>(sharded ? first + drawn * stride : drawn);
  }
  return out;
}

template <class T>
void DistributedSgd<T>::average(std::span<T> values, std::string_view what) {
  const Stopwatch watch(times_.communicating);
  auto phase = comm_.phase(what);
  ranges::copy(values, mine_.as<T>().begin());
  ranges::copy(values, together_.as<T>().begin());
  run_algorithm(comm_, *allreduce_, {.in = mine_, .out = together_, .op = ReduceOp::avg});
  ranges::copy(together_.as<T>(), values.begin());
}

template <class T>
void DistributedSgd<T>::backward_and_average() {
  auto phase = comm_.phase("backward pass");
  const Buffer gradient = Buffer::borrow(reinterpret_cast<std::byte*>(gradient_.data()),
                                         dtype_of<T>(), Shape::flat(kCount));
  OverlappedAverage average(comm_, *allreduce_, {.mine = gradient, .together = together_},
                            buckets_);
  {
    const Stopwatch watch(times_.computing);
    network_.backward(state_.parameters, gradient_,
                      [&](std::size_t layer) { average.layer_done(layer); });
  }
  const Stopwatch watch(times_.communicating);
  average.wait();
  ranges::copy(together_.as<T>(), gradient_.begin());
}

template <class T>
void DistributedSgd<T>::average_with_neighbours() {
  const Stopwatch watch(times_.communicating);
  auto phase = comm_.phase("parameters of neighbours");
  const int n = comm_.size();
  if (n == 1) return;
  const Rank left = (comm_.rank() + n - 1) % n, right = (comm_.rank() + 1) % n;
  ranges::copy(state_.parameters, mine_.as<T>().begin());
  // With two ranks both neighbours are the same one, which counts once.
  for (const auto& [to, from] : std::array{std::pair{right, left}, std::pair{left, right}}) {
    comm_.sendrecv(to, mine_, from, together_);
    std::ranges::transform(state_.parameters, together_.as<T>(), state_.parameters.begin(),
                           std::plus());
    if (n == 2) break;
  }
  const auto of = static_cast<T>(std::min(n, 3));
  for (T& one : state_.parameters) one /= of;
}

template <class T>
BatchResult DistributedSgd<T>::step() {
  const auto size = static_cast<std::size_t>(settings_.batch);
  BatchResult result;
  {
    const Stopwatch watch(times_.computing);
    const auto chosen =
        batch_of(settings_, data_.train.size(), comm_.size(), comm_.rank(), state_.iteration);
    take_batch<T>(data_, data_.train, chosen, pixels_, labels_);
    result = network_.forward(state_.parameters,
                              std::span<const T>(pixels_).first(size * LeNet5Layout::kPixels),
                              std::span<const std::uint8_t>(labels_).first(size));
    if (buckets_.empty()) network_.backward(state_.parameters, gradient_);
  }
  if (!buckets_.empty()) backward_and_average();
  else if (settings_.averaging == Averaging::gradients)
    average(gradient_, "average of the gradients");
  {
    const Stopwatch watch(times_.computing);
    kernels_.sgd_step(gradient_.size(), static_cast<T>(settings_.step_of(state_.iteration)),
                      static_cast<T>(settings_.momentum), gradient_.data(), state_.velocity.data(),
                      state_.parameters.data());
  }
  ++state_.iteration;
  if (settings_.averaging == Averaging::gossip) average_with_neighbours();
  if (settings_.averaging == Averaging::parameters && state_.iteration % settings_.period == 0)
    average(state_.parameters, "average of the parameters");
  return result;
}

template <class T>
std::int64_t DistributedSgd<T>::evaluate() {
  const Stopwatch watch(times_.testing);
  const Partition shares(static_cast<Count>(data_.test.size()), comm_.size());
  const Range mine = shares[comm_.rank()];
  std::int64_t right = 0;
  for (Count at = mine.offset; at < mine.end();) {
    const auto size = static_cast<int>(std::min<Count>(kTestBatch, mine.end() - at));
    std::vector<std::uint32_t> chosen(static_cast<std::size_t>(size));
    std::iota(chosen.begin(), chosen.end(), static_cast<std::uint32_t>(at));
    take_batch<T>(data_, data_.test, chosen, pixels_, labels_);
    std::optional<LeNet5<T>> rest;  // the last ones may be fewer
    LeNet5<T>& network =
        size == kTestBatch ? test_network_ : rest.emplace(settings_.network, size, kernels_);
    right += network
                 .forward(state_.parameters,
                          std::span<const T>(pixels_).first(chosen.size() * LeNet5Layout::kPixels),
                          std::span<const std::uint8_t>(labels_).first(chosen.size()))
                 .right;
    at += size;
  }
  auto phase = comm_.phase("test pictures");
  Buffer in = Buffer::of(std::vector<std::int64_t>{right}),
         out = Buffer::of(std::vector<std::int64_t>{right});
  run_algorithm(comm_, require_algorithm("allreduce.bde"), {.in = in, .out = out});
  return out.as<std::int64_t>().front();
}

template <class T>
void DistributedSgd<T>::resume(SgdState<T> state) {
  if (state.parameters.size() != LeNet5Layout::kParameters ||
      state.velocity.size() != LeNet5Layout::kParameters)
    throw UserError(fmt::format("this is no state of LeNet-5: it has {} parameters instead of {}",
                                state.parameters.size(), LeNet5Layout::kParameters));
  state_ = std::move(state);
}

template class DistributedSgd<float>;
template class DistributedSgd<double>;

}  // namespace rankscope::training
