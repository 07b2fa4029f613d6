// An interleaving as what decides in a run: by chance from a seed, or as listed.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "engine/explore/interleaving.h"
#include "engine/run/step/run_order.h"

namespace rankscope::explore {

/// A deviation that came up in a run, with the operation that it was about.
struct TakenChoice {
  Deviation deviation;
  OpId op = 0;
};

struct OrderSettings {
  bool may_wait = false;  ///< The platform lets a send that ends at once wait for its receive.
  std::chrono::milliseconds compute_limit{5'000};
};

/// Of runs that may last so long: half of that.
std::chrono::milliseconds compute_limit_for(double timeout_s);

class InterleavingOrder : public RunOrder {
 public:
  /// Deviations by chance: the same seed gives the same, whatever happens. Some seeds slow down one of the
  /// ranks, some delay messages, some do a little of everything.
  InterleavingOrder(std::uint64_t seed, int ranks, const OrderSettings& settings);
  /// Exactly these.
  InterleavingOrder(std::vector<Deviation> deviations, const OrderSettings& settings);

  std::size_t next(std::span<const NextMove> moves) override;
  bool waits(Rank from, Rank to, std::uint32_t number) override;
  void continue_without(Rank rank) override;
  std::chrono::milliseconds compute_limit() const override { return settings_.compute_limit; }

  // Of the run that has ended:

  /// In the order in which they first mattered.
  const std::vector<TakenChoice>& taken() const noexcept { return taken_; }
  std::uint64_t moves() const noexcept { return moves_; }
  /// Of all moves, in their order: two runs with the same went the same way.
  std::uint64_t digest() const noexcept { return digest_; }
  /// No rank was left behind: the run depended on nothing but the interleaving and the program.
  bool exact() const noexcept { return left_behind_ < 0; }
  Rank left_behind() const noexcept { return left_behind_; }

 private:
  /// Of a seed, in 256ths.
  struct Chances {
    std::uint32_t late = 0, slow = 0, wait = 0, levels = 1;
    Rank slow_rank = -1;
  };
  std::uint32_t level_of(Deviation place, OpId op);
  std::uint32_t chosen_level(const Deviation& place) const;
  std::uint32_t drawn_level(const Deviation& place) const;
  void count(std::uint64_t what);

  const OrderSettings settings_;
  const bool by_chance_;
  const std::uint64_t seed_ = 0;
  Chances chances_;
  std::map<Deviation, std::uint32_t> listed_;  ///< By place (level 1).
  std::map<Deviation, std::uint32_t> asked_;   ///< Levels that were asked for, by place.
  std::vector<TakenChoice> taken_;
  std::uint64_t moves_ = 0, digest_ = 0;
  Rank left_behind_ = -1;
  std::mutex mutex_;  ///< waits() is called by the ranks' threads.
};

}  // namespace rankscope::explore
