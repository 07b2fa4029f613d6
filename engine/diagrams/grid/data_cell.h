// One rank's part of a chunk, as pictures show it.
#pragma once

#include <string>
#include <vector>

#include "engine/account/shares.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// Some of a cell's elements, as shares of them: 0 to 1.
struct CellPart {
  float begin = 0, share = 0;
  bool any() const noexcept { return share > 0; }
  bool whole() const noexcept { return share > 0.999F; }
  /// The elements that are in both.
  CellPart common(const CellPart& other) const noexcept;
  /// Where it lies in a box with all elements, the first one at the left.
  Box in(const Box& box) const noexcept {
    return {box.x + box.width * begin, box.y, box.width * share, box.height};
  }
  bool operator==(const CellPart&) const = default;
};

/// Elements of a cell that hold the same.
struct CellStripe {
  double share = 1;  ///< Share of the cell's elements, 0 to 1.
  Rank origin = -1;
  int origin_chunk = -1;  ///< Which chunk of its data; -1: several, or parts.
  bool unknown = false;
  bool operator==(const CellStripe&) const = default;
};

/// The elements of one chunk on one rank, as grids and the stage draw them; made from account::Contents.
struct DataCell {
  Range elements;  ///< Range in the data as a whole; count 0 where the buffer lacks this chunk.
  bool unknown = false;  ///< Some of it was written by code that the trace does not show.
  bool complete = false;
  /// By slot, the elements that hold it. In a reduction a slot is a rank's contribution; data that only moves has one slot.
  std::vector<CellPart> slots;
  std::vector<int> times;    ///< By rank, the most often that its data is in one element.
  int fewest = 0, most = 0;  ///< Numbers of ranks whose data is in one element.
  Rank origin =
      -1;  ///< The rank whose data it is, where data only moves; -1: several ranks', or nobody's.
  int origin_chunk = -1;  ///< Which chunk of its data it was.
  std::vector<CellStripe> stripes;
  std::vector<std::string> values;  ///< "…" stands for those left out.
  bool changed = false;             ///< Against the round before.
  std::string elsewhere;            ///< The buffer in which the rank has this chunk instead.

  bool exists() const noexcept { return elements.count > 0; }
  bool holds_anything() const noexcept { return unknown || most > 0; }
  int worst() const noexcept;         ///< The most often that one rank is in it.
  std::vector<Rank> doubled() const;  ///< Ranks whose data is in it more than once.
  double held() const noexcept;       ///< The slots' average share.
  bool same_contents(const DataCell& other) const;
};

}  // namespace rankscope
