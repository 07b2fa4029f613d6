// Collects a lesson's slides, and places titles, texts, pictures and page numbers on them.
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

  /// Adds the first slide.
  void opening(const Lesson& lesson);
  /// Adds text on as many slides as needed, with the notes on the first. `label` stands above the title, and may be empty.
  void text(const std::string& label, const std::string& title, const std::vector<SlidePart>& parts,
            const std::string& notes);
  /// Returns whether parts fit on one slide in letters of this size, in pixels.
  bool fits(const std::string& label, const std::string& title, const std::vector<SlidePart>& parts,
            double size);
  /// Adds a slide with the largest picture that `draw` makes for a width and height. Returns the size of its smallest letters
  /// in pixels; 0, without adding a slide, where they would be too small to be read.
  double picture(const std::string& title, const SlideWords& lead, const std::string& caption,
                 const std::function<Scene(double, double)>& draw);
  /// Removes the last slides.
  void drop(std::size_t slides) { slides_.resize(slides_.size() - slides); }
  /// Adds to the notes of the last slide.
  void note(const std::string& notes);
  std::vector<Slide> take(const std::string& lesson_title);
  const Ruler& ruler() const noexcept { return ruler_; }

 private:
  /// Adds an empty slide with its title; returns where its body begins.
  double begin(const std::string& label, const std::string& title, bool is_continued);

  const Ruler& ruler_;
  std::vector<Slide> slides_;
};

}  // namespace rankscope
