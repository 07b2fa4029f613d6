// Counts a trace's sends by the line whose phase they stand in.
#include "engine/training/parallel/line_counts.h"

#include "engine/core/base/ranges.h"

namespace rankscope::training {
namespace {

/// Index of the line whose phase this is, or is in; lines.size(): none.
std::size_t line_of_phase(const Trace& trace, std::uint32_t phase,
                          std::span<const CommunicationLine> lines) {
  const Definition* at = trace.definition(Definition::Kind::phase, phase);
  for (; at != nullptr; at = trace.definition(Definition::Kind::phase, at->parent)) {
    const auto found = ranges::find(lines, at->name, &CommunicationLine::name);
    if (found != lines.end()) return static_cast<std::size_t>(found - lines.begin());
  }
  return lines.size();
}

}  // namespace

std::uint64_t LineCount::busiest() const noexcept {
  return bytes.empty() ? 0 : *ranges::max_element(bytes);
}

std::vector<LineCount> count_lines(const Trace& trace, std::span<const CommunicationLine> lines) {
  const auto ranks = static_cast<std::size_t>(trace.world_size());
  std::vector<LineCount> out(
      lines.size() + 1, {std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)});
  std::vector<std::size_t> line_of;  // by phase
  for (const Definition& phase : trace.definitions(Definition::Kind::phase))
    line_of.push_back(line_of_phase(trace, phase.id, lines));
  for (std::uint64_t k = 0; k < trace.size(); ++k) {
    const StepEvent& event = trace[k];
    if (event.kind != EventKind::posted || !is_send(event.verb)) continue;
    const bool named = event.phase > 0 && event.phase <= line_of.size();
    LineCount& line = out.at(named ? line_of[event.phase - 1] : lines.size());
    const auto rank = static_cast<std::size_t>(event.rank);
    line.bytes.at(rank) += event.bytes;
    ++line.messages.at(rank);
  }
  return out;
}

}  // namespace rankscope::training
