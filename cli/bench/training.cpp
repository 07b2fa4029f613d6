// Measures SGD steps of LeNet-5, alternating with the same steps in PyTorch, on one thread.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "cli/bench/bench.h"
#include "cli/profile/profile_report.h"
#include "cli/terminal/text.h"
#include "engine/core/base/error.h"
#include "engine/core/base/fd.h"
#include "engine/core/base/random.h"
#include "engine/core/base/scratch_folder.h"
#include "engine/core/base/subprocess.h"
#include "engine/model/statistics.h"
#include "engine/training/network/lenet5.h"

namespace rankscope::cli {
namespace {

namespace fs = std::filesystem;
using training::AlignedVector;
using training::LeNet5;
using training::LeNet5Layout;
using training::LeNet5Options;

constexpr float kLearningRate = 0.1F;

/// A network and the size of its batch.
struct TrainingCase {
  std::string_view name;
  LeNet5Options network;
  int batch;
};
constexpr TrainingCase kCases[] = {
    {"LeNet-5 of 1998, batch 32", {training::Activation::tanh, training::Pooling::average}, 32},
    {"LeNet-5 of today, batch 32", {training::Activation::relu, training::Pooling::max}, 32},
    {"LeNet-5 of today, batch 128", {training::Activation::relu, training::Pooling::max}, 128},
};

/// Makes steps on a batch of noise, because the time does not depend on the pictures.
class OurSteps {
 public:
  OurSteps(const TrainingCase& one, const fs::path& folder)
      : kernels_(*training::usable_kernels<float>().front()),
        network_(one.network, one.batch, kernels_),
        parameters_(training::initial_parameters<float>(1)),
        velocity_(parameters_.size()),
        gradient_(parameters_.size()),
        pixels_(static_cast<std::size_t>(one.batch) * LeNet5Layout::kPixels),
        labels_(static_cast<std::size_t>(one.batch)) {
    RandomNumbers random(7);
    for (float& pixel : pixels_) pixel = static_cast<float>(random.below(2001)) / 1000 - 1;
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = static_cast<std::uint8_t>(i % 10);
    write(folder / "parameters", std::as_bytes(std::span(parameters_)));
    write(folder / "pixels", std::as_bytes(std::span(pixels_)));
    write(folder / "labels", std::as_bytes(std::span(labels_)));
  }

  std::string_view kernels() const { return kernels_.name; }
  double loss() const noexcept { return loss_; }
  /// Returns the seconds per step.
  double run(int steps) {
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) {
      loss_ = network_.forward(parameters_, pixels_, labels_).loss;
      network_.backward(parameters_, gradient_);
      kernels_.sgd_step(parameters_.size(), kLearningRate, 0, gradient_.data(), velocity_.data(),
                        parameters_.data());
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() / steps;
  }

 private:
  static void write(const fs::path& file, std::span<const std::byte> bytes) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }

  const training::Kernels<float>& kernels_;
  LeNet5<float> network_;
  AlignedVector<float> parameters_, velocity_, gradient_, pixels_;
  std::vector<std::uint8_t> labels_;
  double loss_ = 0;
};

/// Makes the same steps with PyTorch: reads numbers of steps, and answers each with the seconds per step and the last loss.
constexpr const char* kTorchProgram = R"(
import sys, time
import numpy, torch
from torch import nn

folder, style, batch, step = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
torch.set_num_threads(1)
activation, pooling = (nn.ReLU, nn.MaxPool2d) if style == "today" else (nn.Tanh, nn.AvgPool2d)
net = nn.Sequential(
    nn.Conv2d(1, 6, 5, padding=2), activation(), pooling(2),
    nn.Conv2d(6, 16, 5), activation(), pooling(2), nn.Flatten(),
    nn.Linear(400, 120), activation(), nn.Linear(120, 84), activation(), nn.Linear(84, 10))
values = torch.from_numpy(numpy.fromfile(folder + "/parameters", "f4"))
with torch.no_grad():
    for p in net.parameters():
        p.copy_(values[:p.numel()].view(p.shape))
        values = values[p.numel():]
x = torch.from_numpy(numpy.fromfile(folder + "/pixels", "f4")).view(batch, 1, 28, 28)
y = torch.from_numpy(numpy.fromfile(folder + "/labels", "u1")).long()
optimiser = torch.optim.SGD(net.parameters(), lr=step)
criterion = nn.CrossEntropyLoss()
print("torch", torch.__version__, flush=True)
for line in sys.stdin:
    steps = int(line)
    began = time.perf_counter()
    for _ in range(steps):
        optimiser.zero_grad(set_to_none=True)
        loss = criterion(net(x), y)
        loss.backward()
        optimiser.step()
    seconds = (time.perf_counter() - began) / steps
    print(seconds, loss.item(), flush=True)
)";

/// The process that runs kTorchProgram.
class TorchSteps {
 public:
  struct Answer {
    double seconds = 0;  ///< Per step.
    double loss = 0;
  };

  TorchSteps(const TrainingCase& one, const fs::path& folder)
      : line_(socket_pair("PyTorch")),
        child_({.words = {::access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3",
                          "-c", kTorchProgram, folder.string(),
                          one.network.pooling == training::Pooling::max ? "today" : "1998",
                          std::to_string(one.batch), fmt::format("{}", kLearningRate)},
                .environment = {"OMP_NUM_THREADS=1"},
                .descriptors = {{.theirs = 0, .ours = line_.theirs.get()},
                                {.theirs = 1, .ours = line_.theirs.get()},
                                {.theirs = 2, .file = "/dev/null", .flags = O_WRONLY}}}) {
    line_.theirs.reset();
    version_ = read_line();
  }

  /// Returns "torch 2.1.0"; "" if PyTorch is missing.
  const std::string& version() const noexcept { return version_; }
  std::optional<Answer> run(int steps) {
    const std::string question = std::to_string(steps) + "\n";
    if (::write(line_.ours.get(), question.data(), question.size()) != std::ssize(question))
      return std::nullopt;
    std::istringstream answer(read_line());
    Answer out;
    if (!(answer >> out.seconds >> out.loss)) return std::nullopt;
    return out;
  }

 private:
  std::string read_line() {
    std::string line;
    for (char c = 0; ::read(line_.ours.get(), &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  FdPair line_;
  Subprocess child_;
  std::string version_;
};

/// Adds the goal of one case. Returns false if PyTorch is missing.
bool bench_case(const TrainingCase& one, const BenchOptions& options, BenchReport& report) {
  options.progress(fmt::format("{} beside PyTorch", one.name));
  const ScratchFolder folder("bench");
  OurSteps ours(one, folder.path());
  TorchSteps torch(one, folder.path());
  constexpr int kWarmUp = 20;
  ours.run(kWarmUp);
  const auto first = torch.run(kWarmUp);
  const std::string what =
      fmt::format("{}: a step is no slower than PyTorch's, one thread", one.name);
  if (!first) {
    report.goals.push_back({what, "no python3 with torch here: apt-get install python3-torch",
                            Goal::Verdict::unknown});
    return false;
  }
  if (std::abs(first->loss - ours.loss()) > 1e-3 * (1 + first->loss))
    throw UserError(fmt::format("{}: after {} steps the loss is {} here and {} with PyTorch",
                                one.name, kWarmUp, ours.loss(), first->loss));
  std::vector<double> mine, theirs, ratios;
  const int pictures = options.quick ? 640 : 1920;  // in a round
  const int steps = std::max(1, pictures / one.batch);
  for (int round = 0; round < (options.quick ? 5 : 11); ++round) {
    mine.push_back(ours.run(steps));
    const auto other = torch.run(steps);
    if (!other) throw UserError("PyTorch's process ended while it was measured");
    theirs.push_back(other->seconds);
    ratios.push_back(theirs.back() / mine.back());
  }
  const Summary ratio = summarize(ratios);
  report.goals.push_back(
      {what,
       fmt::format("{} ({} to {}): {} here with {}, {} with {}; same loss after {} steps",
                   format_ratio(ratio.median), format_ratio(ratio.min), format_ratio(ratio.max),
                   format_seconds(summarize(mine).median), ours.kernels(),
                   format_seconds(summarize(theirs).median), torch.version(), kWarmUp),
       ratio.median >= 1 ? Goal::Verdict::met : Goal::Verdict::missed});
  return true;
}

}  // namespace

void bench_training(const BenchOptions& options, BenchReport& report) {
  for (const TrainingCase& one : kCases)
    if (!bench_case(one, options, report)) return;
}

}  // namespace rankscope::cli
