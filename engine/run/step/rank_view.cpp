// Describes in words what each strand of a rank does or waits for.
#include "engine/run/step/rank_view.h"

#include <fmt/format.h>

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

}  // namespace rankscope
