// Describes in words what each strand of a rank does or waits for, and converts gate reports to JSON and back.
#include "engine/run/step/rank_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"

namespace rankscope {
namespace {

using State = RankView::State;

std::string verb_phrase(const RankView& view) {
  const auto verb = to_string(view.verb);
  if (view.awaits != 0)
    return fmt::format("{} for strand {}", verb, to_string(StrandId{view.rank, view.awaits}));
  if (is_send(view.verb)) return fmt::format("{} to rank {} ({} B)", verb, view.peer, view.bytes);
  if (is_recv(view.verb))
    return view.peer < 0 ? fmt::format("{} from any rank", verb)
                         : fmt::format("{} from rank {}", verb, view.peer);
  return std::string(verb);
}

}  // namespace

std::string to_string(StrandId id) {
  return id.strand == 0 ? fmt::to_string(id.rank) : fmt::format("{}.{}", id.rank, id.strand);
}

std::string_view to_string(State state) noexcept {
  constexpr std::string_view kNames[] = {"running", "held", "blocked", "done", "lost"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string describe(const RankView& view) {
  std::string text = fmt::format("rank {:<3} {:<8}", to_string(view.id()), to_string(view.state));
  if (view.state != State::held && view.state != State::blocked) return text;
  text += fmt::format(" {} {}", view.state == State::held ? "before" : "in", verb_phrase(view));
  if (view.line != 0) text += fmt::format("  {}:{}", view.file, view.line);
  if (!view.phase.empty()) text += fmt::format("  [{}]", view.phase);
  if (view.hit) text += "  breakpoint";
  return text;
}

namespace {

using nlohmann::json;

constexpr State kStandings[] = {State::running, State::held, State::blocked};

Verb verb_named(const std::string& name) {
  for (int v = 0; v < kVerbCount; ++v)
    if (to_string(static_cast<Verb>(v)) == name) return static_cast<Verb>(v);
  return Verb::wait;
}

State standing_named(const std::string& name) {
  for (const State state : kStandings)
    if (to_string(state) == name) return state;
  throw FormatError(fmt::format("a strand cannot be '{}'", name));
}

json json_of_place(std::uint16_t strand, const StrandPlace& place, const Recorder& recorder) {
  const auto state = kStandings[static_cast<std::size_t>(place.state)];
  json body{{"strand", strand}, {"state", to_string(state)}};
  if (state == State::running) return body;
  const GatePoint& point = place.point;
  const CallSite call = point.call.line != 0 ? point.call : recorder.site_of(point.site);
  body.update({{"verb", to_string(point.verb)},
               {"peer", point.peer},
               {"tag", point.tag},
               {"bytes", point.bytes},
               {"op", point.op},
               {"context", point.context},
               {"file", short_file(call.file)},
               {"line", call.line},
               {"function", short_function(call.function)},
               {"phase", recorder.phase_name(point.phase)},
               {"awaits", place.awaits},
               {"one_of", point.one_of},
               {"hit", place.hit},
               {"rendezvous", point.rendezvous}});
  return body;
}

RankView view_of(const json& body, Rank rank, int world_size) {
  RankView view;
  view.rank = rank;
  view.strand = body.at("strand").get<std::uint16_t>();
  view.state = standing_named(body.at("state").get<std::string>());
  if (view.state == State::running) return view;
  view.verb = verb_named(body.value("verb", ""));
  view.peer = body.value("peer", -1);
  view.tag = body.value("tag", 0);
  view.bytes = body.value("bytes", std::uint64_t{0});
  view.op = body.value("op", OpId{0});
  view.context = body.value("context", ContextId{0});
  view.file = body.value("file", "");
  view.line = body.value("line", 0u);
  view.function = body.value("function", "");
  view.phase = body.value("phase", "");
  view.awaits = body.value("awaits", std::uint16_t{0});
  view.one_of = body.value("one_of", false);
  view.hit = body.value("hit", false);
  view.rendezvous = body.value("rendezvous", false);
  if (view.peer >= world_size || view.peer < (is_send(view.verb) ? 0 : kAnyRank))
    throw FormatError(fmt::format("rank {} cannot have rank {} as its peer", rank, view.peer));
  if (view.state == State::held && rank_of(view.op) != rank)
    throw FormatError(fmt::format("operation {} is not rank {}'s", view.op, rank));
  return view;
}

}  // namespace

json json_of(const StrandPlaces& places, const GateStamp& stamp,
             const std::vector<Receipt>& received, const Recorder& recorder) {
  json strands = json::array(), receipts = json::array();
  for (const auto& [strand, place] : places)
    strands.push_back(json_of_place(strand, place, recorder));
  for (const Receipt& receipt : received) receipts.push_back({receipt.send, receipt.strand});
  return {{"orders", stamp.orders},
          {"permits", stamp.permits},
          {"received", receipts},
          {"strands", strands}};
}

StepReport step_report_of(const json& body, Rank rank, int world_size) {
  StepReport report;
  report.rank = rank;
  report.stamp = {body.value("orders", std::uint64_t{0}), body.value("permits", std::uint64_t{0})};
  for (const auto& receipt : body.value("received", json::array()))
    report.received.push_back({receipt.at(0).get<OpId>(), receipt.at(1).get<std::uint16_t>()});
  for (const auto& strand : body.value("strands", json::array()))
    report.views.push_back(view_of(strand, rank, world_size));
  return report;
}

}  // namespace rankscope
