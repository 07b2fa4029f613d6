// The cost of messages on a machine whose ranks share its processors, fitted to measured runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/base/types.h"

namespace rankscope {

/// What the ranks of a run do, and the messages between them.
struct RunPlan {
  struct Message {
    Rank from = 0, to = 0;
    std::uint64_t bytes = 0;
  };
  struct Step {
    enum Kind : std::uint8_t {
      send,
      receive,     ///< Waits for the message.
      await_sent,  ///< Waits until the memory of what was sent may change.
      reduce,
      begin,  ///< The rank's time starts here, and so do its other strands.
    };
    Kind kind = send;
    std::uint32_t message = 0;
    std::uint64_t bytes = 0;  ///< To reduce.
  };
  /// A strand of a rank; its main strand has number 0.
  struct Line {
    Rank rank = 0;
    std::uint16_t strand = 0;
    std::vector<Step> steps;
  };

  int ranks = 0;
  std::vector<Line> lines;
  std::vector<Message> messages;
  double touched_bytes = 0;  ///< Inputs and outputs of all ranks, and what they receive.
};

/// LogGP's terms (Alexandrov, Ionescu, Schauser, Scheiman 1995), with the overhead in three parts, and with terms for
/// what an operating system and caches add. All but latency and skew keep a processor busy.
enum class MachineTerm : std::uint8_t {
  start,        ///< One call.
  skew,         ///< How much later the last rank comes to the barrier before the call.
  latency,      ///< One message under way.
  wake,         ///< One sleeping thread that wakes.
  post,         ///< One message that a rank sends or receives.
  handle,       ///< One message moved by a rank's input and output thread, once on each side.
  byte_copied,  ///< One byte of a message's first 32 KiB, half of the cost on each side.
  byte_lent,    ///< One byte of the rest up to 512 KiB.
  byte_large,   ///< One byte beyond.
  byte_cold,    ///< In addition for a byte that is no longer in the cache.
  reduce,       ///< One byte reduced.
  reduce_cold,  ///< In addition for one that is no longer in the cache.
  strand,       ///< Delay of a strand, for itself and each strand started before it.
};
inline constexpr std::size_t kMachineTerms = 13;
struct MachineTermRow {
  std::string_view name;  ///< The name in files, where its value is in seconds.
  bool per_byte = false;
};
inline constexpr std::array<MachineTermRow, kMachineTerms> kMachineTermRows{{{"start"},
                                                                             {"skew"},
                                                                             {"latency"},
                                                                             {"wake"},
                                                                             {"post"},
                                                                             {"handle"},
                                                                             {"byte_copied", true},
                                                                             {"byte_lent", true},
                                                                             {"byte_large", true},
                                                                             {"byte_cold", true},
                                                                             {"reduce", true},
                                                                             {"reduce_cold", true},
                                                                             {"strand"}}};
/// By term: how often it counts, or its seconds.
using MachineTerms = std::array<double, kMachineTerms>;

/// The costs of messages between ranks of one host, for one transport and number of ranks.
struct MachineCosts {
  MachineTerms seconds{};
  double cache_bytes = 0;  ///< Touched bytes beyond which a part is cold; 0: none is.

  double& operator[](MachineTerm term) noexcept { return seconds[static_cast<std::size_t>(term)]; }
  double operator[](MachineTerm term) const noexcept {
    return seconds[static_cast<std::size_t>(term)];
  }
  bool operator==(const MachineCosts&) const = default;
};

/// The time of the slowest rank, and what it consists of.
struct PlannedTime {
  double seconds = 0;
  MachineTerms
      counts{};  ///< How often each term is on the path that ends last; `seconds` is the sum of their costs.
};
/// Returns the time of a plan. Each rank has its own thread and one for input and output. They take turns on the
/// processors: the one that has been ready for longest runs until it waits. Throws UserError for a plan that cannot
/// end.
PlannedTime planned_time(const MachineCosts& costs, const RunPlan& plan, int processors);

struct MeasuredRun {
  const RunPlan* plan = nullptr;
  double seconds = 0;
};

/// Returns the costs, none below 0, that predict these runs of one number of ranks best. An error is the logarithm of
/// predicted / measured: squared up to 15 %, by its absolute value beyond, so that a few disturbed runs do not decide.
/// Throws UserError for fewer than three runs.
MachineCosts fit_machine_costs(std::span<const MeasuredRun> runs, int processors);

}  // namespace rankscope
