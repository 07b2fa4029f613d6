// The order in which a run happens, as its deviations from the default order, which people can pass on as text.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/run/step/run_order.h"

namespace rankscope::explore {

/// A deviation from the default order: once all ranks wait, the message that was sent first arrives, and of the ranks that
/// can go on, the lowest does. It names a message or verb by its place in its rank's program order, so that its meaning
/// does not depend on other deviations.
struct Deviation {
  enum class Kind : std::uint8_t {
    late,  ///< Message `number` from `rank` to `to` arrives when nothing of a lower level can happen.
    slow,  ///< Verb `number` of a strand of `rank` goes on when nothing of a lower level can happen.
    wait,  ///< Send `number` from `rank` to `to`, counting those that need not wait, waits for its receive.
  };
  Kind kind = Kind::late;
  Rank rank = -1, to = -1;
  std::uint16_t strand = 0;
  std::uint32_t number = 0;
  std::uint32_t level = 1;  ///< Higher is later.

  auto operator<=>(const Deviation&) const = default;
  /// Returns whether both have the same place, whatever their levels.
  bool same_place(const Deviation& other) const noexcept;
};

inline constexpr std::uint32_t kHighestLevel = 9;

/// Everything needed to repeat a run.
struct Interleaving {
  /// The number of the case, one of a program's runs; for an order by seed, case_of_seed().
  std::uint32_t which = 0;
  std::vector<Deviation> deviations;
  bool operator==(const Interleaving&) const = default;
};

/// "3:late1-0.2x2,slow2.5,wait0-1.0": case 3; message 2 from rank 1 to rank 0 at level 2 ...
std::string to_text(const Interleaving& interleaving);
/// Throws UserError for other texts.
Interleaving parse_interleaving(std::string_view text);

/// A deviation that took effect in a run, with its operation.
struct TakenChoice {
  Deviation deviation;
  OpId op = 0;
};

struct OrderSettings {
  bool may_wait = false;  ///< On this platform a send may or may not wait for its receive.
  /// If a rank computes for longer than this, the others go on without it.
  std::chrono::milliseconds compute_limit{5'000};
};

/// Returns half of the time that a run may last.
std::chrono::milliseconds compute_limit_for(double timeout_s);

class InterleavingOrder : public RunOrder {
 public:
  /// Random deviations that the seed alone decides. Some seeds slow down one of the ranks, some delay messages, some do a
  /// little of everything.
  InterleavingOrder(std::uint64_t seed, int ranks, const OrderSettings& settings);
  InterleavingOrder(std::vector<Deviation> deviations, const OrderSettings& settings);

  std::size_t next(std::span<const NextMove> moves) override;
  bool waits(Rank from, Rank to, std::uint32_t number) override;
  void continue_without(Rank rank) override;
  std::chrono::milliseconds compute_limit() const override { return settings_.compute_limit; }

  // About the run that has ended:

  /// The deviations that came up, in the order in which they first mattered.
  const std::vector<TakenChoice>& taken() const noexcept { return taken_; }
  std::uint64_t moves() const noexcept { return moves_; }
  /// A hash of all moves in their order, equal for runs with the same moves.
  std::uint64_t digest() const noexcept { return digest_; }
  /// Returns whether no rank was left behind: only the interleaving and the program decided the run.
  bool exact() const noexcept { return left_behind_ < 0; }
  Rank left_behind() const noexcept { return left_behind_; }

 private:
  /// A seed's chances, in 256ths.
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

/// The default order, except that this rank's verbs and messages wait until nothing else can happen: a receive from any
/// rank gets all other ranks' messages first.
class LateRankOrder : public RunOrder {
 public:
  LateRankOrder(Rank late, std::chrono::milliseconds compute_limit)
      : late_(late), compute_limit_(compute_limit) {}

  std::size_t next(std::span<const NextMove> moves) override;
  void continue_without(Rank) override { exact_ = false; }
  std::chrono::milliseconds compute_limit() const override { return compute_limit_; }

  /// Returns whether only this order and the program decided the run.
  bool exact() const noexcept { return exact_; }

 private:
  const Rank late_;
  const std::chrono::milliseconds compute_limit_;
  bool exact_ = true;
};

}  // namespace rankscope::explore
