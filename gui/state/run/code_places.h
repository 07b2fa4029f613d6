// The line of the source at which each rank stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/trace/trace.h"

namespace rankscope::gui {

/// Returns whether both names mean the same file; one of them may lack folders.
inline bool same_file(std::string_view one, std::string_view other) noexcept {
  if (one.size() < other.size()) std::swap(one, other);
  return !other.empty() && one.ends_with(other) &&
         (one.size() == other.size() || one[one.size() - other.size() - 1] == '/');
}
/// Returns the name without its folders.
inline std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// The line at which each rank stands in one source file. The index takes a few bytes per thousand events and rank.
class CodePlaces {
 public:
  CodePlaces() = default;
  CodePlaces(Trace trace, std::string file);

  /// Returns the innermost line of the file in the call of the rank's last event before `cursor` that came from it, or 0.
  unsigned line(Rank rank, Cursor cursor) const;

 private:
  void index();
  /// The end of a phase has the line of its beginning, which its rank left long ago, so it counts as none.
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
