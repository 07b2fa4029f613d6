// Converts a rank's standstill report to JSON and back, and compares two of them.
#include "engine/run/conductor/standstill.h"

#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/run/step/rank_view.h"

namespace rankscope {

using nlohmann::json;

FrameCount Standstill::with(Rank peer) const noexcept {
  const auto index = static_cast<std::size_t>(peer);
  return index < traffic.size() ? traffic[index] : FrameCount{};
}

bool Standstill::unchanged_since(const Standstill& earlier) const noexcept {
  return epoch == earlier.epoch && asleep == earlier.asleep && moves == earlier.moves &&
         traffic == earlier.traffic;
}

json json_of(const std::vector<FrameCount>& traffic) {
  json list = json::array();
  for (const FrameCount& with : traffic) list.push_back({with.sent, with.arrived});
  return list;
}

std::vector<FrameCount> traffic_of(const json& list, int world_size) {
  if (list.size() > static_cast<std::size_t>(world_size))
    throw FormatError("traffic with ranks that do not exist");
  std::vector<FrameCount> traffic;
  for (const auto& with : list)
    traffic.push_back({with.at(0).get<std::uint64_t>(), with.at(1).get<std::uint64_t>()});
  return traffic;
}

// Strands fall asleep and wake up under the progress engine's lock, so the gate's state, read under it, fits. The
// counts differ if a strand is listed as blocked but has left its wait.
json standstill_json(RankContext& rank, const StepGate& gate) {
  // If a rank waits in no verb, none of its threads receives what has arrived, so poll once.
  if (const StrandPlaces now = gate.look().places;
      ranges::all_of(now, [](const auto& known) { return known.second.awaits != 0; }))
    rank.progress().probe(~ContextId{0}, kAnyRank, kAnyTag);
  StrandsLook strands;
  const Progress::Look look = rank.progress().look([&] { strands = gate.look(); });
  std::size_t in_verbs = 0;
  bool all = true;
  for (const auto& [strand, place] : strands.places) {
    all &= place.state == StrandPlace::State::blocked;
    in_verbs += place.awaits == 0 ? 1 : 0;
  }
  json body = json_of(strands.places, {}, {}, rank.recorder());
  body["epoch"] = look.epoch;
  body["asleep"] = all && look.stuck && in_verbs == look.asleep;
  body["moves"] = strands.moves;
  body["traffic"] = json_of(look.traffic);
  json unreceived = json::array();
  for (const auto& [context, source, tag, bytes] : look.unreceived)
    unreceived.push_back({context, source, tag, bytes});
  body["unreceived"] = std::move(unreceived);
  return body;
}

Standstill standstill_of(const json& body, Rank rank, int world_size) {
  Standstill known;
  known.rank = rank;
  known.epoch = body.at("epoch").get<std::uint32_t>();
  known.asleep = body.at("asleep").get<bool>();
  known.moves = body.at("moves").get<std::uint64_t>();
  known.traffic = traffic_of(body.at("traffic"), world_size);
  known.views = step_report_of(body, rank, world_size).views;
  for (const auto& message : body.at("unreceived"))
    known.unreceived.push_back({message.at(0).get<ContextId>(), message.at(1).get<Rank>(),
                                message.at(2).get<Tag>(), message.at(3).get<std::uint64_t>()});
  return known;
}

}  // namespace rankscope
