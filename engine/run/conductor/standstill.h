// A rank's state at one moment, and its form as a message to the conductor, which alone can distinguish a deadlock from
// a late message.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/message/rank_context.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

struct Standstill {
  Rank rank = -1;
  std::uint32_t epoch = 0;
  /// Every strand sleeps, waiting for something that has not happened.
  bool asleep = false;
  std::uint64_t moves = 0;  ///< See StrandsLook.
  std::vector<FrameCount>
      traffic;  ///< By world rank; omits ranks at the end with which nothing was exchanged.
  std::vector<RankView> views;  ///< One per strand.
  std::vector<Endpoint::Unreceived> unreceived;

  FrameCount with(Rank peer) const noexcept;
  /// Returns whether nothing at all has happened on the rank in between.
  bool unchanged_since(const Standstill& earlier) const noexcept;
};

/// Returns the rank's state. Locks the progress engine and the gate for a moment; receives a message if no strand does.
nlohmann::json standstill_json(RankContext& rank, const StepGate& gate);
/// Throws FormatError.
Standstill standstill_of(const nlohmann::json& json, Rank rank, int world_size);

nlohmann::json json_of(const std::vector<FrameCount>& traffic);
/// Throws FormatError.
std::vector<FrameCount> traffic_of(const nlohmann::json& json, int world_size);

}  // namespace rankscope
