// The common part of the baseline programs: the requested batch, its data, and the answer.
//
// A baseline is started once and stays up. Its rank 0 reads lines from standard input,
//     <collective> <bytes> <warmup> <iterations>
// and answers each with one line of JSON on standard output; `quit` or the end of input ends it.
// So a driver can measure A B A B ... in one run. Between batches no rank uses the processor.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::baseline {

enum class Collective { kAllreduce, kBcast, kReduce, kAllgather, kReduceScatter, kAlltoall };
// By enumerator: its name in requests (baseline_collective).
constexpr std::array<std::string_view, 6> kCollectives = {
    "allreduce", "bcast", "reduce", "allgather", "reduce_scatter", "alltoall"};

// Trivially copyable: rank 0 may pass it to the other ranks as bytes.
struct Batch {
  Collective collective = Collective::kAllreduce;
  std::size_t bytes = 0;  // as in nccl-tests: the whole vector, all ranks' parts together
  int warmup = 0;
  int iterations = 0;

  std::size_t count() const { return bytes / sizeof(float); }
};

constexpr std::size_t kMaxBytes = std::size_t{1} << 32;  // MPI counts are int: below 2^31 floats
constexpr int kMaxIterations = 1'000'000;

inline std::optional<Collective> collective_named(const std::string& name) {
  const auto at = std::find(kCollectives.begin(), kCollectives.end(), name);
  if (at == kCollectives.end()) return std::nullopt;
  return static_cast<Collective>(at - kCollectives.begin());
}

inline bool is_split(Collective c) {
  return c == Collective::kAllgather || c == Collective::kReduceScatter ||
         c == Collective::kAlltoall;
}

// Reads one request. On failure, `error` says what is wrong with it.
inline std::optional<Batch> parse_batch(const std::string& line, int ranks, std::string& error) {
  std::istringstream words(line);
  std::string name, rest;
  long long bytes = -1, warmup = -1, iterations = -1;
  words >> name >> bytes >> warmup >> iterations;
  const auto collective = collective_named(name);
  if (!collective) {
    error = "unknown collective: say allreduce, bcast, reduce, allgather, reduce_scatter, alltoall";
  } else if (!words || words >> rest) {
    error = "expected: <collective> <bytes> <warmup> <iterations>";
  } else if (bytes <= 0 || bytes > static_cast<long long>(kMaxBytes) || bytes % 4 != 0) {
    error = "bytes must be a positive multiple of 4 (float32), at most 4 GiB";
  } else if (is_split(*collective) && bytes % (4 * ranks) != 0) {
    error = "bytes is the total of all ranks: it must be a multiple of 4 x ranks";
  } else if (warmup < 0 || warmup > kMaxIterations || iterations < 1 ||
             iterations > kMaxIterations) {
    error = "warmup must be 0 or more, iterations 1 or more, both at most 1000000";
  } else {
    return Batch{*collective, static_cast<std::size_t>(bytes), static_cast<int>(warmup),
                 static_cast<int>(iterations)};
  }
  return std::nullopt;
}

// One rank's data. The values are small integers that differ by rank and position, so that sums are exact and a rank
// counted twice, a missing rank or a swapped block is detected.
class Data {
 public:
  Data(const Batch& batch, int rank, int ranks) : batch_(batch), rank_(rank), ranks_(ranks) {
    const std::size_t part = batch.count() / static_cast<std::size_t>(ranks);
    const Collective c = batch.collective;
    in.resize(c == Collective::kAllgather ? part : batch.count());
    out.resize(c == Collective::kReduceScatter ? part : batch.count());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = input(rank, i);
  }

  // Called before each iteration, outside the timing. Allreduce and bcast work in place, as users call them.
  void prepare() {
    if (batch_.collective == Collective::kAllreduce) out = in;
    if (batch_.collective == Collective::kBcast && rank_ == 0) out = in;
    if (batch_.collective == Collective::kBcast && rank_ != 0) out.assign(out.size(), -1);
  }

  bool is_right() const {
    if (batch_.collective == Collective::kReduce && rank_ != 0) return true;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i] != expected(i)) return false;
    return true;
  }

  std::vector<float> in, out;

 private:
  static float input(int rank, std::size_t i) {
    return static_cast<float>(static_cast<std::size_t>(rank) + i % 61);
  }

  float sum(std::size_t i) const {
    const int of_ranks = ranks_ * (ranks_ - 1) / 2;
    return static_cast<float>(ranks_) * input(0, i) + static_cast<float>(of_ranks);
  }

  float expected(std::size_t i) const {
    const std::size_t part = batch_.count() / static_cast<std::size_t>(ranks_);
    const std::size_t mine = static_cast<std::size_t>(rank_) * part;
    switch (batch_.collective) {
      case Collective::kAllreduce:
      case Collective::kReduce: return sum(i);
      case Collective::kBcast: return input(0, i);
      case Collective::kAllgather: return input(static_cast<int>(i / part), i % part);
      case Collective::kReduceScatter: return sum(mine + i);
      case Collective::kAlltoall: return input(static_cast<int>(i / part), mine + i % part);
    }
    return -1;
  }

  Batch batch_;
  int rank_;
  int ranks_;
};

// Returns the seconds of each iteration on this rank. Every rank must call it.
template <class Barrier, class Once>
std::vector<double> timed(const Batch& batch, Data& data, Barrier&& barrier, Once&& once) {
  std::vector<double> times(static_cast<std::size_t>(batch.iterations));
  for (int i = -batch.warmup; i < batch.iterations; ++i) {
    data.prepare();
    barrier();
    const auto start = std::chrono::steady_clock::now();
    once();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i >= 0) times[static_cast<std::size_t>(i)] = taken.count();
  }
  return times;
}

inline void answer(const Batch& batch, const std::vector<double>& times) {
  std::ostringstream text;
  text.precision(9);
  text << "{\"bytes\":" << batch.bytes << ",\"iterations\":" << batch.iterations
       << ",\"times_s\":[";
  for (std::size_t i = 0; i < times.size(); ++i) text << (i == 0 ? "" : ",") << times[i];
  std::cout << text.str() << "]}" << std::endl;
}

// `message` is our own text and needs no escaping in JSON.
inline void answer_error(const std::string& message) {
  std::cout << "{\"error\":\"" << message << "\"}" << std::endl;
}

}  // namespace rankscope::baseline
