// Keeps the ends of transfers in a heap: nothing changes them once they are known.
#include "engine/network/flow/uniform_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

class UniformNetwork final : public Network {
 public:
  UniformNetwork(int ranks, double alpha, double beta)
      : ranks_(ranks), alpha_(alpha), beta_(beta) {}

  int ranks() const noexcept override { return ranks_; }
  double latency(Rank from, Rank to) const override { return from == to ? 0 : alpha_; }
  double bandwidth(Rank from, Rank to) const override {
    return from == to || beta_ == 0 ? std::numeric_limits<double>::infinity() : 1 / beta_;
  }

  TransferId begin(double now, Rank from, Rank to, std::uint64_t bytes) override {
    const double takes = from == to ? 0 : static_cast<double>(bytes) * beta_;
    heap_.push_back({now + takes, ++last_});
    std::ranges::push_heap(heap_, std::ranges::greater());
    return last_;
  }

  double next_end() override {
    drop_cancelled();
    return heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().at;
  }

  void advance(double now, std::vector<Ended>& ended) override {
    for (drop_cancelled(); !heap_.empty() && heap_.front().at <= now; drop_cancelled()) {
      ended.push_back({heap_.front().id, heap_.front().at, false});
      pop();
    }
  }

  void cancel(TransferId id) override {
    const auto has = [id](const End& end) { return end.id == id; };
    if (ranges::any_of(heap_, has)) cancelled_.insert(id);
  }

 private:
  struct End {
    double at;
    TransferId id;
    auto operator<=>(const End&) const = default;
  };

  void pop() {
    std::ranges::pop_heap(heap_, std::ranges::greater());
    heap_.pop_back();
  }
  void drop_cancelled() {
    while (!cancelled_.empty() && !heap_.empty() && cancelled_.erase(heap_.front().id) > 0) pop();
  }

  int ranks_;
  double alpha_, beta_;
  TransferId last_ = 0;
  std::vector<End> heap_;
  std::unordered_set<TransferId> cancelled_;
};

}  // namespace

std::unique_ptr<Network> make_uniform_network(int ranks, double alpha, double beta) {
  if (ranks < 1) throw UserError(fmt::format("a network has 1 rank or more, not {}", ranks));
  for (const auto& [value, name] : {std::pair{alpha, "alpha"}, {beta, "beta"}})
    if (!(value >= 0) || !std::isfinite(value))
      throw UserError(fmt::format("{} is a time that is not negative, not {}", name, value));
  return std::make_unique<UniformNetwork>(ranks, alpha, beta);
}

}  // namespace rankscope
