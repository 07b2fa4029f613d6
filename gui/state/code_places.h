// At which line of the source each rank stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/trace.h"

namespace rankscope::gui {

/// Of one source file. Takes a few bytes for a thousand events, and answers without going back to the
/// beginning of the trace, however long a rank has done nothing.
class CodePlaces {
 public:
  CodePlaces() = default;
  CodePlaces(Trace trace, std::string file);

  /// The innermost line of the file in the call of the rank's last event before `cursor` that was made
  /// from it; 0: there is none.
  unsigned line(Rank rank, Cursor cursor) const;

 private:
  void index();
  /// A phase ends where it was begun in the text, long after its rank has left that line (and after
  /// whatever made it fail).
  unsigned line_of(const StepEvent& event) const noexcept {
    if (event.verb == Verb::phase_end) return 0;
    return event.site < line_of_site_.size() ? line_of_site_[event.site] : 0;
  }

  Trace trace_;
  std::string file_;
  std::size_t ranks_ = 0;
  std::uint64_t block_ = 1;
  std::vector<unsigned> line_of_site_;
  std::vector<unsigned> at_block_;  ///< Blocks x ranks: the line before the block's first event.
};

}  // namespace rankscope::gui
