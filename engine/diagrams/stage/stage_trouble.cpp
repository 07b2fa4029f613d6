// Reads the findings of a run for what its stage ends with.
#include "engine/diagrams/stage/stage_trouble.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/utf8.h"

namespace rankscope {
namespace {

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

/// The source that an event's innermost known call site is in, and the line there.
class Place {
 public:
  Place(const Trace& trace, std::uint64_t event) {
    if (event >= trace.size()) return;
    std::uint32_t site = trace[event].site;
    for (int depth = 0; site != 0 && depth < 8; ++depth) {
      const auto* known = trace.definition(Definition::Kind::site, site);
      if (known == nullptr) return;
      for (const auto& [name, text] : trace.meta().sources)
        if (name == known->file || file_name(name) == file_name(known->file)) {
          text_ = text;
          line_ = known->line;
          return;
        }
      if (line_ == 0) line_ = known->line;
      site = known->parent;
    }
  }
  unsigned line() const noexcept { return line_; }
  std::string code(unsigned line) const {
    std::string_view rest = text_;
    for (unsigned at = 1; at < line; ++at) {
      const auto end = rest.find('\n');
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    }
    return trimmed(rest.substr(0, rest.find('\n')));
  }
  /// The next line below that names the other half of a message.
  std::optional<unsigned> next_with(std::string_view word) const {
    const auto lines = static_cast<unsigned>(std::ranges::count(text_, '\n')) + 1;
    for (unsigned at = line_ + 1; at <= lines && at <= line_ + 40; ++at)
      if (code(at).find(word) != std::string::npos) return at;
    return std::nullopt;
  }

 private:
  std::string_view text_;
  unsigned line_ = 0;
};

StageTrouble::Wait wait_of(const Trace& trace, Rank rank, Rank on, std::uint64_t event) {
  StageTrouble::Wait wait;
  wait.rank = rank;
  wait.on = on;
  if (event >= trace.size()) return wait;
  const StepEvent& posted = trace[event];
  wait.sends = is_send(posted.verb);
  wait.what = fmt::format("{} rank {}", wait.sends ? "send to" : "receive from", on);
  wait.why = fmt::format("waits for rank {} to {}", on, wait.sends ? "receive" : "send");
  wait.size = wait.sends && posted.bytes > 0 ? amount_text(posted.bytes) + ", waits" : "waits";
  const Place place(trace, event);
  if (place.line() > 0) wait.line = fmt::format("line {}", place.line());
  wait.code = place.code(place.line());
  return wait;
}

// Where the first one stands, and the line at which the next one would free it.
void add_lines(const Trace& trace, const Finding& found, StageTrouble& trouble) {
  const StageTrouble::Wait& first = trouble.cycle.front();
  if (first.code.empty()) return;
  trouble.lines.push_back(
      fmt::format("rank {} is at {}: {}", first.rank, first.line, printable(first.code)));
  const Place next(trace, found.events[trouble.cycle.size() > 1 ? 1 : 0]);
  if (const auto line = next.next_with(first.sends ? "recv" : "send"))
    trouble.lines.push_back(fmt::format("rank {} would free it at line {}: {}", first.on, *line,
                                        printable(next.code(*line))));
}

void add_cycle(const Trace& trace, const Finding& found, StageTrouble& trouble) {
  const std::size_t count = std::min(found.ranks.size(), found.events.size());
  for (std::size_t i = 0; i < count; ++i)
    trouble.cycle.push_back(
        wait_of(trace, found.ranks[i], found.ranks[(i + 1) % count], found.events[i]));
  if (trouble.cycle.empty()) return;
  trouble.headline = "Deadlock: " + cycle_text(found);
  trouble.why = found.why;
  add_lines(trace, found, trouble);
}

}  // namespace

const StageTrouble::Wait* StageTrouble::of(Rank rank) const noexcept {
  const auto found = std::ranges::find(cycle, rank, &Wait::rank);
  return found == cycle.end() ? nullptr : &*found;
}
bool StageTrouble::is_lost(Rank rank) const noexcept {
  return std::ranges::find(lost, rank) != lost.end();
}

StageTrouble stage_trouble(const TraceAnalysis& analysis) {
  StageTrouble trouble;
  for (const Finding& found : analysis.findings()) {
    const auto world = analysis.trace().world_size();
    const bool known =
        std::ranges::all_of(found.ranks, [&](Rank rank) { return rank >= 0 && rank < world; });
    if (!known || found.ranks.empty()) continue;
    if (found.kind == Finding::Kind::deadlock && trouble.cycle.empty())
      add_cycle(analysis.trace(), found, trouble);
    if (found.kind != Finding::Kind::lost_rank) continue;
    trouble.lost.push_back(found.ranks.front());
    if (trouble.headline.empty()) {
      trouble.headline = fmt::format("Lost: {}", found.what);
      trouble.why = found.why;
    }
  }
  return trouble;
}

}  // namespace rankscope
