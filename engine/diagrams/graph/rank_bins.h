// Consecutive ranks merged into as many bins as can be drawn.
#pragma once

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/core/base/types.h"

namespace rankscope {

class RankBins {
 public:
  /// At most `most` bins of 1, 2, 4, 8 ... ranks.
  RankBins(int ranks, int most) : ranks_(ranks) {
    while ((ranks + width_ - 1) / width_ > most) width_ *= 2;
  }
  int count() const noexcept { return (ranks_ + width_ - 1) / width_; }
  int width() const noexcept { return width_; }
  bool merged() const noexcept { return width_ > 1; }
  int of(Rank rank) const noexcept { return rank / width_; }
  Rank first(int bin) const noexcept { return bin * width_; }
  Rank last(int bin) const noexcept { return std::min(first(bin) + width_, ranks_) - 1; }
  /// "5" or "16–31".
  std::string name(int bin) const {
    return first(bin) == last(bin) ? fmt::format("{}", first(bin))
                                   : fmt::format("{}–{}", first(bin), last(bin));
  }
  /// "rank 5" or "ranks 16–31".
  std::string words(int bin) const {
    return (first(bin) == last(bin) ? "rank " : "ranks ") + name(bin);
  }

 private:
  int ranks_;
  int width_ = 1;
};

}  // namespace rankscope
