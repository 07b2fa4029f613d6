// Reads the findings of a run for what its stage ends with.
#include "engine/diagrams/stage/stage_trouble.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/meant/verdict.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/partition.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/utf8.h"
#include "engine/diagrams/grid/grid_model.h"
#include "engine/diagrams/stage/stage_model.h"

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

// A rank's own output, as an index of the data as a whole.
std::int64_t of_whole(const TraceAnalysis& analysis, Rank rank, std::int64_t index) {
  const auto* collective = traits_of(analysis.trace());
  if (collective == nullptr || collective->out != Extent::chunk) return index;
  const Partition chunks(analysis.pieces().whole(), analysis.trace().world_size());
  return chunks[rank].offset + index;
}

/// Of a program whose result is not that of the collective that was meant.
void add_meant(const TraceAnalysis& analysis, StageTrouble& trouble) {
  const auto verdict = meant::judge(analysis.trace().meta());
  if (!verdict) return;
  for (const meant::WrongElement& one : verdict->wrong)
    if (one.rank >= 0 && one.rank < analysis.trace().world_size())
      trouble.wrong.push_back({one.rank, one.index, -1, fmt::format("{:.7g}", one.got),
                               fmt::format("{:.7g}", one.expected)});
  if (!trouble.wrong.empty()) trouble.why = verdict->findings.front().what;
}

// Of a damaged file as much as can be read.
void add_wrong(const TraceAnalysis& analysis, StageTrouble& trouble) {
  const auto result = parse_json_or_none(analysis.trace().meta().result_json);
  if (!result.is_object()) return;
  try {
    for (const auto& outcome : result.value("ranks", nlohmann::json::array())) {
      const auto mismatch = outcome.find("mismatch");
      if (mismatch == outcome.end()) continue;
      StageTrouble::Wrong wrong;
      wrong.rank = outcome.at("rank").get<Rank>();
      if (wrong.rank < 0 || wrong.rank >= analysis.trace().world_size()) continue;
      wrong.index = of_whole(analysis, wrong.rank, mismatch->at("index").get<std::int64_t>());
      wrong.got = mismatch->at("got").get<std::string>();
      wrong.expected = mismatch->at("expected").get<std::string>();
      trouble.wrong.push_back(std::move(wrong));
    }
  } catch (const nlohmann::json::exception&) {
  }
  if (trouble.wrong.empty()) add_meant(analysis, trouble);
  if (trouble.wrong.empty()) return;
  const auto& first = trouble.wrong.front();
  trouble.headline = fmt::format("Wrong result: element {} of rank {} is {}, it should be {}",
                                 first.index, first.rank, first.got, first.expected);
}

std::string ranks_text(const std::vector<int>& ranks) {
  return ranks.size() == 1 ? fmt::format("rank {}", ranks.front())
                           : fmt::format("ranks {}", fmt::join(ranks, ", "));
}

}  // namespace

void explain_wrong(StageTrouble& trouble, StageModel& model) {
  if (trouble.wrong.empty() || model.chunks() == 0) return;
  const auto whole = model.analysis().pieces().whole();
  const Partition chunks(whole, model.chunks());
  for (auto& wrong : trouble.wrong)
    if (wrong.index >= 0 && wrong.index < whole) wrong.chunk = chunks.chunk_of(wrong.index);
  const auto& first = trouble.wrong.front();
  const auto& cells = model.state(model.last())->cells[static_cast<std::size_t>(first.rank)];
  if (first.chunk < 0 || first.chunk >= static_cast<int>(cells.size())) return;
  const StageCell& cell = cells[static_cast<std::size_t>(first.chunk)];
  const std::string there =
      model.whole() ? "Its data" : fmt::format("There, chunk c{}", first.chunk);
  std::vector<int> missing;
  for (std::size_t i = 0; i < cell.slots.size(); ++i)
    if (cell.slots[i] < 0.999F) missing.push_back(static_cast<int>(i));
  if (!cell.doubled.empty())
    trouble.why = fmt::format("{} has the part of {} more than once.", there,
                              ranks_text({cell.doubled.begin(), cell.doubled.end()}));
  else if (model.reduces() && !missing.empty())
    trouble.why = fmt::format("{} lacks the part{} of {}.", there, missing.size() == 1 ? "" : "s",
                              ranks_text(missing));
  else if (!model.reduces() && cell.origin >= 0)
    trouble.why = fmt::format("{} comes from rank {}.", there, cell.origin);
}

const StageTrouble::Wrong* StageTrouble::wrong_at(Rank rank) const noexcept {
  const auto found = std::ranges::find(wrong, rank, &Wrong::rank);
  return found == wrong.end() ? nullptr : &*found;
}
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
  if (trouble.headline.empty()) add_wrong(analysis, trouble);
  return trouble;
}

}  // namespace rankscope
