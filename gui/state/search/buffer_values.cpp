// Collects the values of the ranks' buffers at a moment, or the reason why there are none.
#include "gui/state/search/buffer_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/base/ranges.h"
#include "engine/core/base/value_text.h"
#include "engine/run/job/job.h"

namespace rankscope::gui {
namespace {

bool is_known(const BufferState& state, std::size_t sample, std::size_t size) {
  return sample < state.known.size() && state.known[sample] &&
         (sample + 1) * size <= state.samples.size();
}

BufferValues::Figures figures_of(const Definition& buffer, const BufferState& state) {
  BufferValues::Figures figures;
  const auto size = dtype_size(buffer.dtype);
  for (std::size_t i = 0; i < state.known.size(); ++i) {
    if (!is_known(state, i, size)) continue;
    const double value = value_number(buffer.dtype, state.samples.data() + i * size);
    ++figures.known;
    if (!std::isfinite(value)) {
      ++figures.not_finite;
      continue;
    }
    figures.least = std::min(figures.least, value);
    figures.most = std::max(figures.most, value);
    figures.sum += value;
  }
  return figures;
}

}  // namespace

std::string BufferValues::Row::text(Count sample) const {
  const auto at = static_cast<std::size_t>(sample), size = dtype_size(buffer.dtype);
  return is_known(now, at, size) ? value_text(buffer.dtype, now.samples.data() + at * size, true)
                                 : "·";
}

BufferValues buffer_values(const Document& document, const std::vector<Cursor>& cursors) {
  BufferValues values;
  const auto& trace = document.trace();
  // Ranks at the same moment share a seek.
  std::vector<Cursor> distinct(cursors);
  ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  const auto buffers = trace.definitions(Definition::Kind::buffer);
  for (const Cursor cursor : distinct) {
    for (auto& state : trace.seek(cursor)) {
      if (state.buffer == 0 || state.buffer > buffers.size()) continue;
      const auto& buffer = buffers[state.buffer - 1];
      if (buffer.id == 0 || buffer.rank < 0 ||
          static_cast<std::size_t>(buffer.rank) >= cursors.size() ||
          cursors[static_cast<std::size_t>(buffer.rank)] != cursor)
        continue;
      if (ranges::find(values.names, buffer.name) == values.names.end())
        values.names.push_back(buffer.name);
      const auto figures = figures_of(buffer, state);
      values.rows.push_back({buffer.rank, buffer, std::move(state), figures});
    }
  }
  ranges::stable_sort(values.rows, {}, &BufferValues::Row::rank);
  return values;
}

std::string why_no_values(const Trace& trace) {
  if (trace.meta().job && trace.meta().job->recording.trace != TraceLevel::full)
    return "This run was recorded without the buffers' contents (trace=light). Run it again with "
           "`run trace=full`, or `rankscope run --trace full`; of buffers with more than 1,024 "
           "elements, 256 are recorded.";
  if (trace.definitions(Definition::Kind::buffer).empty())
    return "No rank has named a buffer: the run ended before its data was there, or moves none, as "
           "a barrier does.";
  return {};
}

std::optional<std::string> own_buffer(const Trace& trace) {
  std::vector<std::pair<std::string, int>> ranks;
  for (const Definition& buffer : trace.definitions(Definition::Kind::buffer)) {
    if (buffer.id == 0) continue;
    if (buffer.name == "data" || buffer.name == "in") return std::nullopt;
    const auto known = ranges::find(ranks, buffer.name, [](const auto& one) { return one.first; });
    if (known == ranks.end()) ranks.emplace_back(buffer.name, 1);
    else ++known->second;
  }
  const auto most = ranges::max_element(ranks, {}, [](const auto& one) { return one.second; });
  return most == ranks.end() ? std::string() : most->first;
}

}  // namespace rankscope::gui
