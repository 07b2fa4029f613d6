// Draws how a wrong value came about: one chunk on all ranks, the messages that carried it in their order, where a part
// was lost, and the sum that was expected above the one that was found.
#pragma once

#include <string>
#include <vector>

#include "engine/analysis/meant/wrong_value.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_layout.h"

namespace rankscope {

class StageWrong {
 public:
  StageWrong(const StageLayout& layout, const meant::WrongValue& value, const Ruler& ruler);

  /// Returns false if the area is too small; the usual cards then mark the wrong row.
  bool fits() const noexcept { return fits_; }
  void draw(Drawing& pen) const;

 private:
  struct Way {
    const meant::WrongValue::Hop* hop = nullptr;  ///< Null for the message that was never sent.
    StagePath path;
    Box pill;  ///< Empty where there is no room for it.
  };
  void add_way(const meant::WrongValue::Hop* hop, Rank from, Rank to);
  bool is_free(const StagePath& path, const Box& pill) const;
  static Box pill_at(const StagePath& path, double width);
  void place_sum();
  std::string term(Rank rank, int times) const;
  double column_of(const Font& font) const;
  void card(Drawing& pen, Rank rank) const;
  void way(Drawing& pen, const Way& way, bool pills) const;
  void sum(Drawing& pen) const;
  void slots(Drawing& pen, const account::Shares& shares, Box first, double pitch,
             bool digits) const;
  std::string number(const account::Shares& shares) const;
  std::string history(Rank rank) const;
  Ink hue() const;

  bool place_cards(const Box& size);

  StageLayout layout_;  ///< With cards for one chunk, as far apart as the area allows.
  const meant::WrongValue& value_;
  const Ruler& ruler_;
  const int world_;
  bool fits_ = false;
  double pill_width_ = 0, brief_width_ = 0;  ///< With slots, and with only the step and the value.
  Box sum_;                                  ///< Empty if there is no room for it.
  double size_ = 0;                          ///< Of the sum's figures.
  std::vector<Way> ways_;
};

}  // namespace rankscope
