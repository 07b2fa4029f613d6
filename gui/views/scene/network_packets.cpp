// Places each message of a step on its route by the times of the replay.
#include "gui/views/scene/network_packets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope::gui {
namespace {

constexpr int kPackets = 4;        // of a message
constexpr double kFollows = 0.13;  // of a link, between two of them
constexpr std::size_t kMostFlights = 10'000;
constexpr int kMostNamed = 24;  // ranks
constexpr int kAllRounds = -2;

const Mark* first_mark(const Scene& scene, const std::string& id, Mark::Kind kind) {
  const std::int32_t group = group_named(scene, id);
  if (group < 0) return nullptr;
  const auto found = ranges::find_if(
      scene.marks, [&](const Mark& mark) { return mark.group == group && mark.kind == kind; });
  return found == scene.marks.end() ? nullptr : &*found;
}

/// A rank's circle, or a switch's box; empty if it is not drawn.
Box node_box(const Scene& scene, const std::string& id) {
  const std::int32_t group = group_named(scene, id);
  for (const Mark& mark : scene.marks)
    if (group >= 0 && mark.group == group && mark.kind != Mark::Kind::text) return mark.box;
  return {};
}

double node_radius(const Scene& scene) { return node_box(scene, "rank-0").width / 2; }

void draw_packet(const Look& look, ImDrawList& list, ImVec2 at, const Ink& ink, float half) {
  const ImVec2 low{at.x - half, at.y - half}, high{at.x + half, at.y + half};
  list.AddRectFilled(low, high, look.color(ink), look.px(1.5));
  list.AddRect(low, high, look.palette().window, look.px(1.5), 0, look.px(1.5));
}

}  // namespace

// The step's own times, so that who waits for whom is seen; on the measured clock they are the clock's.
void NetworkPackets::find(const AppState& state, int round) {
  const NetworkTraffic& traffic = *state.network.traffic_shown();
  if (of_document_ == traffic.document && of_network_ == state.network.id && of_round_ == round)
    return;
  of_document_ = traffic.document;
  of_network_ = state.network.id;
  of_round_ = round;
  flights_.clear();
  const auto& rounds = state.document->rounds();
  double begin = 0, end = 0;
  for (const auto& one : traffic.flights) {
    if (round != kAllRounds && rounds.round[one.message] != round) continue;
    if (flights_.size() >= kMostFlights) break;
    const MessageRecord& message = rounds.messages[one.message];
    const int chunk = state.document->analysis().pieces().of(message).chunk();
    if (flights_.empty()) begin = one.posted, end = one.end;
    begin = std::min(begin, one.posted);
    end = std::max(end, one.end);
    flights_.push_back({one.posted, one.begin, one.end,
                        route_of(traffic, *state.network.shown(), message), message.from,
                        chunk < 0 ? Ink{Tone::whole} : Ink{Tone::chunk, chunk},
                        chunk < 0 ? std::string() : fmt::format("c{}", chunk)});
  }
  if (round == kAllRounds) return;
  const double length = std::max(end - begin, 1e-12);
  for (Flight& flight : flights_)
    for (double* const time : {&flight.posted, &flight.begin, &flight.end})
      *time = (*time - begin) / length;
}

void NetworkPackets::draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
                          const ScenePlace& place) {
  const AppState& state = context.state;
  draw_cuts(context, list, scene, place);
  if (state.network.traffic_shown() == nullptr || !state.has_trace() || state.document->large() ||
      state.network.whole)
    return;
  const auto& play = state.playback;
  const double moment = play.moment;
  const int done = state.document->rounds_done(play.clock, moment);
  const bool measured = play.clock == ClockBase::measured;
  const double share = measured ? moment * 1e-6 : moment - done;
  if (share <= 0 || done + 1 > state.document->rounds().count) return;
  find(state, measured ? kAllRounds : done + 1);
  std::map<Rank, std::vector<const Flight*>> waiting;
  for (const Flight& flight : flights_) {
    const double least = 0.02 * (flight.end - flight.begin);
    if (share >= flight.posted && share < flight.begin - least)
      waiting[flight.from].push_back(&flight);
    else if (share >= flight.begin && share < flight.end)
      draw_moving(context, list, scene, place, flight, share);
  }
  for (const auto& [rank, all] : waiting)
    if (const Box node = node_box(scene, fmt::format("rank-{}", rank)); !node.empty())
      draw_waiting(context, list, node, place, all);
}

void NetworkPackets::draw_moving(const ViewContext& context, ImDrawList& list, const Scene& scene,
                                 const ScenePlace& place, const Flight& flight, double now) const {
  const Look& look = context.look;
  const Topology& topology = *context.state.network.shown();
  const auto hops = static_cast<double>(flight.route.size());
  if (flight.route.empty()) return;
  const double train = (kPackets - 1) * kFollows;
  const double head =
      (hops + train) * (now - flight.begin) / std::max(flight.end - flight.begin, 1e-15);
  std::optional<ImVec2> named;
  bool upright = false;
  for (int k = 0; k < kPackets; ++k) {
    const double at = head - k * kFollows;
    if (at < 0 || at >= hops) continue;
    const Hop& hop = flight.route[static_cast<std::size_t>(at)];
    const Mark* const path = first_mark(scene, fmt::format("link-{}", hop.link), Mark::Kind::path);
    if (path == nullptr || path->points.size() < 4) continue;
    const TopologyLink& link = topology.links[static_cast<std::size_t>(hop.link)];
    const bool along = (link.a < link.b) != hop.back;  // paths begin at the lower node
    // Nodes hide what is on its way in them.
    const Point begin = path->points.front(), end = path->points.back();
    const double length = std::hypot(end.x - begin.x, end.y - begin.y);
    const double inside = std::min(0.4, (node_radius(scene) + 5) / std::max(length, 1.0));
    const double share = inside + (at - std::floor(at)) * (1 - 2 * inside);
    // A straight path of cubic segments is fast in its middle.
    const bool is_straight = path->points[0] == path->points[1];
    const double on = is_straight ? 0.5 - std::sin(std::asin(1 - 2 * share) / 3) : share;
    const ImVec2 where = place.at(bezier(path->points, along ? on : 1 - on));
    draw_packet(look, list, where, flight.ink, look.px(4.5));
    named = where;
    upright = std::abs(end.y - begin.y) > std::abs(end.x - begin.x);
  }
  if (!named || flight.name.empty() || context.state.document->world_size() > kMostNamed) return;
  const auto face = look.face({12, Font::Weight::semibold, false});
  const ImVec2 size = face.extent(flight.name);
  const ImVec2 at = upright ? ImVec2{named->x + look.px(8), named->y - size.y / 2}
                            : ImVec2{named->x - size.x / 2, named->y - size.y - look.px(7)};
  list.AddRectFilled({at.x - look.px(2), at.y}, {at.x + size.x + look.px(2), at.y + size.y},
                     with_alpha(look.palette().panel, 0xD0), look.px(3));
  face.draw(list, at, look.palette().text, flight.name);
}

// An open bin below the sender, with how many messages wait there.
void NetworkPackets::draw_waiting(const ViewContext& context, ImDrawList& list, const Box& node,
                                  const ScenePlace& place, const std::vector<const Flight*>& all) {
  const Look& look = context.look;
  const ImVec2 low = place.at({node.center().x, node.bottom()});
  const float each = look.px(11),
              wide = each * static_cast<float>(std::min<std::size_t>(all.size(), 4));
  const float left = low.x - wide / 2, top = low.y + look.px(3), bottom = top + look.px(13);
  const ImU32 ink = look.palette().text;
  list.AddRectFilled({left - look.px(2), top}, {left + wide + look.px(2), bottom},
                     look.palette().panel);
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 4); ++i)
    draw_packet(look, list, {left + each * (static_cast<float>(i) + 0.5F), top + look.px(6)},
                all[i]->ink, look.px(4.5));
  list.AddLine({left - look.px(2), top}, {left - look.px(2), bottom}, ink, look.px(1));
  list.AddLine({left - look.px(2), bottom}, {left + wide + look.px(2), bottom}, ink, look.px(1));
  list.AddLine({left + wide + look.px(2), bottom}, {left + wide + look.px(2), top}, ink,
               look.px(1));
  const auto face = look.face({12, Font::Weight::regular, false});
  const std::string words = all.size() == 1 ? "waits" : fmt::format("{} wait", all.size());
  face.draw(list, {left + wide + look.px(5), top}, ink, words);
}

// A link that the job cut is no link of the topology: its ghost lies between the two nodes.
void NetworkPackets::draw_cuts(const ViewContext& context, ImDrawList& list, const Scene& scene,
                               const ScenePlace& place) {
  const AppState& state = context.state;
  if (!state.has_trace() || state.network.draft) return;
  const auto& job = state.document->trace().meta().job;
  if (!job) return;
  const Look& look = context.look;
  const ImU32 red = look.palette().error;
  for (const std::string_view change : split_at(job->network.links, ",")) {
    const auto equals = change.find('='), colon = change.find(':');
    if (equals == std::string_view::npos || colon > equals || change.substr(equals + 1) != "cut")
      continue;
    const Box a = node_box(scene, fmt::format("rank-{}", change.substr(0, colon))),
              b = node_box(scene,
                           fmt::format("rank-{}", change.substr(colon + 1, equals - colon - 1)));
    if (a.empty() || b.empty()) continue;
    const ImVec2 from = place.at(a.center()), to = place.at(b.center());
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const float edge = static_cast<float>(a.width / 2 * place.zoom) + look.px(2);
    const ImVec2 way{(to.x - from.x) / length, (to.y - from.y) / length};
    const ImVec2 ends[] = {{from.x + way.x * edge, from.y + way.y * edge},
                           {to.x - way.x * edge, to.y - way.y * edge}};
    add_dashes(list, ends, red, look.px(2), look.px(5), look.px(4));
    const ImVec2 middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    const float arm = look.px(6.5);
    list.AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, red,
                 look.px(2.5));
    list.AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, red,
                 look.px(2.5));
    const auto face = look.face({12, Font::Weight::semibold, false});
    face.draw(list, {middle.x - face.extent("cut").x / 2, middle.y - arm - face.extent("cut").y},
              red, "cut");
  }
}

}  // namespace rankscope::gui
