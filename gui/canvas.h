// Framebuffers of our own, beside a window's.
#pragma once

#include "engine/diagrams/paint/cairo_painter.h"

namespace rankscope::gui {

/// Belongs to the window that is current when it is made.
class Canvas {
 public:
  /// `samples`: of each pixel; 0: one.
  Canvas(int width, int height, int samples);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  bool has_size(int width, int height) const noexcept {
    return width_ == width && height_ == height;
  }
  /// What is drawn next goes here.
  void draw_into() const;
  /// Puts it into the window, into which goes what is drawn next.
  void show() const;
  /// A picture of that one, made smaller or larger where their sizes differ.
  void take(const Canvas& from) const;
  Pixels pixels() const;

 private:
  int width_, height_;
  unsigned frame_ = 0, storage_ = 0;
};

}  // namespace rankscope::gui
