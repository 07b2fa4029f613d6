// Makes framebuffers with OpenGL, and reads their pixels.
#include "gui/canvas.h"

#include <glad/gl.h>

namespace rankscope::gui {

Canvas::Canvas(int width, int height, int samples) : width_(width), height_(height) {
  glGenFramebuffers(1, &frame_);
  glBindFramebuffer(GL_FRAMEBUFFER, frame_);
  glGenRenderbuffers(1, &storage_);
  glBindRenderbuffer(GL_RENDERBUFFER, storage_);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, width, height);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, storage_);
}

Canvas::~Canvas() {
  glDeleteFramebuffers(1, &frame_);
  glDeleteRenderbuffers(1, &storage_);
}

void Canvas::draw_into() const { glBindFramebuffer(GL_FRAMEBUFFER, frame_); }

void Canvas::show() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void Canvas::take(const Canvas& from) const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, from.frame_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, frame_);
  const bool same = width_ == from.width_ && height_ == from.height_;
  glBlitFramebuffer(0, 0, from.width_, from.height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT,
                    same ? GL_NEAREST : GL_LINEAR);
}

Pixels Canvas::pixels() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, frame_);
  const auto wide = static_cast<std::size_t>(width_);
  std::vector<std::uint32_t> rows(wide * static_cast<std::size_t>(height_));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glReadPixels(0, 0, width_, height_, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, rows.data());
  Pixels pixels{width_, height_, {}};
  pixels.argb.reserve(rows.size());
  for (int y = height_; y-- > 0;)  // OpenGL counts from below
    for (std::size_t x = 0; x < wide; ++x)
      pixels.argb.push_back(rows[static_cast<std::size_t>(y) * wide + x] | 0xFF000000U);
  return pixels;
}

}  // namespace rankscope::gui
