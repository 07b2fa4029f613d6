// The cursor in a run, what is selected there, and the live processes, as views see them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/base/types.h"
#include "engine/run/step/rank_view.h"
#include "gui/state/command/words.h"

namespace rankscope::gui {

/// More ranks fit into no view, and overload a desktop.
inline constexpr int kMostShownRanks = 64;

/// Chosen in any view, shown in all.
struct Selection {
  std::int64_t message = -1;  ///< Index into Document::rounds().messages.
  Rank rank = -1;
  std::int64_t event = -1;  ///< Position in the trace.
  int chunk = -1;           ///< A chunk of the data, wherever it is.
  bool operator==(const Selection&) const = default;
  /// Returns what was selected, with its number: a message comes with its receiver, and an event with both.
  std::optional<std::pair<Thing, std::int64_t>> thing() const {
    if (event >= 0) return std::pair{Thing::event, event};
    if (message >= 0) return std::pair{Thing::message, message};
    if (chunk >= 0) return std::pair{Thing::chunk, std::int64_t{chunk}};
    if (rank >= 0) return std::pair{Thing::rank, std::int64_t{rank}};
    return std::nullopt;
  }
};

inline constexpr double kSameMoment = 1e-6;  ///< Moments closer than this are the same.

struct Bookmark {
  double moment = 0;
  ClockBase clock = ClockBase::rounds;
  std::string note;
  bool operator==(const Bookmark&) const = default;
};

struct Playback {
  ClockBase clock = ClockBase::rounds;
  double moment = 0;
  bool playing = false;
  /// At 1 a round takes a second, and a measured run ten seconds.
  double speed = 1;
  std::optional<std::pair<double, double>> loop;
  std::optional<double> until;  ///< The moment at which playing stops, if not at the end.
  static constexpr double kSlowest = 0.1, kFastest = 100;
};

struct LiveState {
  bool running = false;
  bool stepping = false;  ///< The ranks are held at the step gate.
  bool ordered = false;   ///< While stepping: an order to the gates is not carried out yet.
  bool resumed = false;   ///< While stepping: released until a breakpoint, a pause or the end.
  double elapsed_s = 0;
  std::uint64_t events = 0;
  int ranks_done = 0;
  std::vector<int> pids;           ///< By rank; 0 while unknown.
  std::vector<int> last_pids;      ///< From the run that has ended: shown, never signalled.
  std::vector<std::string> ranks;  ///< A description of what each rank is doing.
  /// The place of each strand, while stepping and after a stepped run that failed.
  std::vector<RankView> places;
  std::string answer;  ///< The answer to the last order: "released: rank 0 → rank 1".
};

}  // namespace rankscope::gui
