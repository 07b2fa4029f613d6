// What messages cost on a machine whose ranks share its processors: fitted to measured runs.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "engine/model/costs/cost.h"

namespace rankscope {

/// Bytes by class: a message's first 32 KiB are in class 0 (copied), the next up to 512 KiB in class 1 (lent, in the
/// cache), the rest in class 2.
inline constexpr std::size_t kByteClasses = 3;
inline constexpr std::array<std::int64_t, kByteClasses> kByteClassEnds{32 << 10, 512 << 10,
                                                                       std::int64_t{1} << 62};
using ClassBytes = std::array<double, kByteClasses>;
/// Of one message.
ClassBytes bytes_by_class(double message) noexcept;

/// What a run does: on its critical path, and on all ranks together.
struct RunWork {
  CostTerm path;              ///< Of the algorithm itself.
  std::int64_t messages = 0;  ///< Of all ranks.
  ClassBytes bytes{};         ///< Sent by all ranks.
  std::int64_t reduced = 0;   ///< Bytes combined by all ranks.
  /// What split() exchanges before an algorithm on groups begins, a few bytes a message: one after the other on the path,
  /// and of all ranks.
  std::int64_t sync_rounds = 0, sync_messages = 0;

  void add_messages(std::int64_t count, double bytes_of_each) noexcept;
};

/// The costs of messages between ranks of one host, for one transport and number of ranks. Seconds; LogGP's terms (Alexandrov,
/// Ionescu, Schauser, Scheiman 1995) with the overhead shared by the processors, since ranks may be more than these:
///
///   T = start + rounds * alpha + bytes by class * beta[class] + path.reduced * gamma
///     + (messages * overhead + bytes by class * gap[class] + reduced * work) / processors
///
/// Rounds and messages are those of the algorithm and of split() together. On the path, all messages count with their
/// mean length.
struct MachineCosts {
  static constexpr std::size_t kClasses = kByteClasses;

  double start = 0;                     ///< Of a call.
  double alpha = 0;                     ///< Latency of a message.
  std::array<double, kClasses> beta{};  ///< Of a byte on the path.
  double gamma = 0;                     ///< Of a byte reduced on the path.
  double overhead = 0;                  ///< Processor time of a message, of both sides.
  std::array<double, kClasses> gap{};   ///< Processor time of a byte.
  double work = 0;                      ///< Processor time of a byte reduced.
  bool operator==(const MachineCosts&) const = default;
};

/// Seconds. `processors`: as many as ranks can use.
double predicted_time(const MachineCosts& costs, const RunWork& work, int processors) noexcept;

struct MeasuredRun {
  RunWork work;
  double seconds = 0;
};

/// The costs, none below 0, that are nearest to these runs of one number of ranks: by relative error, beyond 10 % by its
/// absolute value, so that a few disturbed runs do not decide. Throws UserError for fewer than three runs.
MachineCosts fit_machine_costs(std::span<const MeasuredRun> runs, int processors);

}  // namespace rankscope
