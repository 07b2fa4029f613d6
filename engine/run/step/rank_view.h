// A strand's position, as the conductor knows and shows it, and a rank's report of it, as the control plane carries it.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/core/trace/recorder.h"
#include "engine/run/step/step_gate.h"

namespace rankscope {

/// A strand of a rank; 0 is the main one.
struct StrandId {
  Rank rank = -1;
  std::uint16_t strand = 0;
  auto operator<=>(const StrandId&) const = default;
};
/// Returns "2", or "2.3" for a strand other than the main one.
std::string to_string(StrandId id);

struct RankView {
  enum class State : std::uint8_t { running, held, blocked, done, lost };
  Rank rank = -1;
  std::uint16_t strand = 0;  ///< 0: the main one. A rank that is done or lost has no other.
  State state = State::running;
  Verb verb = Verb::send;  ///< For a held or blocked strand, like the fields below.
  Rank peer = -1;
  Tag tag = 0;
  std::uint64_t bytes = 0;
  OpId op = 0;
  ContextId context = 0;
  std::string file, function, phase;
  unsigned line = 0;
  int round = 0;             ///< The round of the verb before which it is held; 0 if unknown.
  std::uint16_t awaits = 0;  ///< Blocked until this strand of its rank ends (0: in a verb).
  bool one_of = false;       ///< Blocked until this or another of several operations is done.
  bool hit = false;          ///< Held by a breakpoint.
  bool rendezvous = false;   ///< The send needs its receiver.
  StrandId id() const noexcept { return {rank, strand}; }
};
std::string_view to_string(RankView::State state) noexcept;
/// Returns "rank 2   held     before send to rank 3 (16 B)  allreduce_ring.cpp:27  [reduce-scatter]"
std::string describe(const RankView& view);

/// A rank's report from its gate.
struct StepReport {
  Rank rank = -1;
  GateStamp stamp;
  std::vector<Receipt> received;
  std::vector<RankView> views;  ///< One per strand.
};

/// Returns the report; the recorder supplies the names of call sites and phases.
nlohmann::json json_of(const StrandPlaces& places, const GateStamp& stamp,
                       const std::vector<Receipt>& received, const Recorder& recorder);
/// Throws FormatError.
StepReport step_report_of(const nlohmann::json& json, Rank rank, int world_size);

}  // namespace rankscope
