// A rank whose strands all sleep: what it knows of that at one moment, and how it travels to the
// conductor, who alone can tell a deadlock from a message that is late.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/message/rank_context.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

struct Standstill {
  Rank rank = -1;
  std::uint32_t epoch = 0;
  /// Every strand sleeps for something that has not happened.
  bool asleep = false;
  std::uint64_t moves = 0;  ///< See StrandsLook.
  std::vector<FrameCount>
      traffic;                  ///< By world rank; short of ranks that nothing was exchanged with.
  std::vector<RankView> views;  ///< One per strand.
  std::vector<Endpoint::Unreceived> unreceived;

  FrameCount with(Rank peer) const noexcept;
  /// Nothing at all has happened on the rank in between.
  bool unchanged_since(const Standstill& earlier) const noexcept;
};

/// As the rank's process sees it. Locks the progress engine and the gate for a moment.
nlohmann::json standstill_json(RankContext& rank, const StepGate& gate);
/// Throws FormatError.
Standstill standstill_of(const nlohmann::json& json, Rank rank, int world_size);

nlohmann::json json_of(const std::vector<FrameCount>& traffic);
/// Throws FormatError.
std::vector<FrameCount> traffic_of(const nlohmann::json& json, int world_size);

}  // namespace rankscope
