// What all slides of a lesson share: title, margins, page number; and the place of text and pictures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lessons/slides/slide_layout.h"
#include "lessons/slides/slides.h"

namespace rankscope {

class SlideFrame {
 public:
  explicit SlideFrame(const Ruler& ruler) : ruler_(ruler) {}

  /// The first slide.
  void opening(const Lesson& lesson);
  /// On as many slides as it takes; the notes go with the first one. `label`: above the title, may be empty.
  void text(const std::string& label, const std::string& title, const std::vector<SlidePart>& parts,
            const std::string& notes);
  /// They have room on one slide in letters of this size, in pixels.
  bool fits(const std::string& label, const std::string& title, const std::vector<SlidePart>& parts,
            double size);
  /// `draw` makes the picture for a width and height: the one that is largest on the slide is taken. How large its smallest
  /// letters are there; 0, and no slide, where they would be too small to be read.
  double picture(const std::string& title, const SlideWords& lead, const std::string& caption,
                 const std::function<Scene(double, double)>& draw);
  /// Takes the last slides away again.
  void drop(std::size_t slides) { slides_.resize(slides_.size() - slides); }
  /// What the lecturer reads while the last slide so far is shown.
  void note(const std::string& notes);
  std::vector<Slide> take(const std::string& lesson_title);
  const Ruler& ruler() const noexcept { return ruler_; }

 private:
  /// An empty slide with its title; where its body begins.
  double begin(const std::string& label, const std::string& title, bool is_continued);

  const Ruler& ruler_;
  std::vector<Slide> slides_;
};

}  // namespace rankscope
