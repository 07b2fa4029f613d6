// Indexes the source lines of a trace's events by rank and time.
#include "gui/state/run/code_places.h"

#include <algorithm>

#include "engine/core/base/ranges.h"

namespace rankscope::gui {
namespace {

constexpr std::uint64_t kLeastBlock = 1024;

}  // namespace

CodePlaces::CodePlaces(Trace trace, std::string file)
    : trace_(std::move(trace)),
      file_(std::move(file)),
      ranks_(static_cast<std::size_t>(std::max(trace_.world_size(), 0))),
      block_(std::max<std::uint64_t>(kLeastBlock, 4 * ranks_)) {
  const auto sites = trace_.definitions(Definition::Kind::site);
  line_of_site_.assign(sites.size() + 1, 0);
  for (std::uint32_t id = 1; id <= sites.size(); ++id) {
    const auto* site = find_around(trace_, Definition::Kind::site, id, [&](const Definition& one) {
      return same_file(file_, one.file);
    });
    if (site != nullptr) line_of_site_[id] = site->line;
  }
  if (!ranges::all_of(line_of_site_, [](unsigned line) { return line == 0; })) index();
}

void CodePlaces::index() {
  std::vector<unsigned> now(ranks_, 0);
  at_block_.reserve((trace_.size() / block_ + 1) * ranks_);
  for (std::uint64_t k = 0; k < trace_.size(); ++k) {
    if (k % block_ == 0) at_block_.insert(at_block_.end(), now.begin(), now.end());
    const StepEvent& event = trace_[k];
    const unsigned line = line_of(event);
    if (line > 0 && static_cast<std::size_t>(event.rank) < ranks_)
      now[static_cast<std::size_t>(event.rank)] = line;
  }
}

unsigned CodePlaces::line(Rank rank, Cursor cursor) const {
  cursor = std::min<Cursor>(cursor, trace_.size());
  if (cursor == 0 || at_block_.empty() || rank < 0 || static_cast<std::size_t>(rank) >= ranks_)
    return 0;
  const std::uint64_t block = (cursor - 1) / block_;
  for (Cursor k = cursor; k-- > block * block_;)
    if (trace_[k].rank == rank)
      if (const unsigned line = line_of(trace_[k]); line > 0) return line;
  return at_block_[static_cast<std::size_t>(block) * ranks_ + static_cast<std::size_t>(rank)];
}

}  // namespace rankscope::gui
