// Computes each part of a trace once, when it is first asked for, from the parts that it needs.
#include "engine/analysis/trace_analysis.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace rankscope {
namespace {

/// A value that the first caller makes. Where that throws, the next one tries again.
template <class T>
class Lazy {
 public:
  template <class Make>
  const T& get(const Make& make) {
    if (!ready()) {
      const std::lock_guard hold(mutex_);
      if (!value_) {
        value_.emplace(make());
        ++times_;
        ready_.store(true, std::memory_order_release);
      }
    }
    return *value_;
  }
  bool ready() const noexcept { return ready_.load(std::memory_order_acquire); }
  /// Counts a value that was made, but not to be kept.
  void made_elsewhere() noexcept { ++times_; }
  int times() const noexcept { return times_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> ready_{false};
  std::atomic<int> times_{0};
  std::optional<T> value_;
};

}  // namespace

struct TraceAnalysis::Parts {
  explicit Parts(Trace of) : trace(std::move(of)) {}
  const Trace trace;
  Lazy<Rounds> rounds;
  Lazy<RoundCuts> cuts;
  Lazy<Pieces> pieces;
  Lazy<account::Contributions> contributions;
  Lazy<Statistics> statistics;
  Lazy<std::vector<Finding>> findings;
};

TraceAnalysis::TraceAnalysis(Trace trace) : parts_(std::make_shared<Parts>(std::move(trace))) {}

const Trace& TraceAnalysis::trace() const noexcept { return parts_->trace; }

const Rounds& TraceAnalysis::rounds() const {
  return parts_->rounds.get([&] { return rankscope::rounds(trace()); });
}

const RoundCuts& TraceAnalysis::cuts() const {
  return parts_->cuts.get([&] { return round_cuts(trace(), rounds()); });
}

const Pieces& TraceAnalysis::pieces() const {
  return parts_->pieces.get([&] { return Pieces(trace()); });
}

const account::Contributions& TraceAnalysis::contributions() const {
  return parts_->contributions.get([&] { return account::Contributions(trace(), pieces()); });
}

const Statistics& TraceAnalysis::statistics() const {
  return parts_->statistics.get([&] {
    if (!large() || parts_->rounds.ready()) return rankscope::statistics(trace(), rounds());
    parts_->rounds.made_elsewhere();
    return rankscope::statistics(trace(), rankscope::rounds(trace()));
  });
}

const std::vector<Finding>& TraceAnalysis::findings() const {
  return parts_->findings.get([&] {
    return trace().part() != nullptr ? std::vector<Finding>() : rankscope::findings(trace());
  });
}

int TraceAnalysis::computed(Part part) const noexcept {
  switch (part) {
    case Part::rounds: return parts_->rounds.times();
    case Part::cuts: return parts_->cuts.times();
    case Part::pieces: return parts_->pieces.times();
    case Part::contributions: return parts_->contributions.times();
    case Part::statistics: return parts_->statistics.times();
    case Part::findings: return parts_->findings.times();
  }
  return 0;
}

}  // namespace rankscope
