// Places for the labels of arrows: on their own arrow, never on each other, and off other arrows'
// paths where there is room elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagrams/scene/ruler.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

struct LabelRequest {
  Point from, to;                  ///< Its arrow, straight.
  std::vector<std::string> texts;  ///< The first that finds a place is taken.
};

struct LabelPlace {
  std::string text;
  Box pill;  ///< The text with its padding, centred on the arrow.
};

class LabelPlacer {
 public:
  /// Labels stay inside of `area`.
  LabelPlacer(const Ruler& ruler, const Font& font, const Box& area)
      : ruler_(ruler), font_(font), area_(area) {}
  /// Keeps labels off this box.
  void block(const Box& box) { blocked_.push_back(box); }
  /// Keeps labels off this box if possible.
  void avoid(const Box& box) { avoided_.push_back(box); }
  /// Returns a place per request; nothing if none of its texts finds one.
  std::vector<std::optional<LabelPlace>> place(const std::vector<LabelRequest>& requests) const;

 private:
  Box pill(const std::string& text, Point center) const;
  const Ruler& ruler_;
  Font font_;
  Box area_;
  std::vector<Box> blocked_, avoided_;
};

}  // namespace rankscope
