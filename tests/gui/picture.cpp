// Finds colours, differences and areas in screenshots.
#include "tests/gui/picture.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <cairo.h>

#include "tests/support/catch.h"

namespace rankscope::test {
namespace {

int channel(std::uint32_t color, int shift) { return static_cast<int>(color >> shift & 0xFF); }

bool near(std::uint32_t a, std::uint32_t b) {
  constexpr int kNear = 6;
  return std::abs(channel(a, 0) - channel(b, 0)) <= kNear &&
         std::abs(channel(a, 8) - channel(b, 8)) <= kNear &&
         std::abs(channel(a, 16) - channel(b, 16)) <= kNear;
}

}  // namespace

Picture::Picture(const std::string& file) {
  cairo_surface_t* surface = cairo_image_surface_create_from_png(file.c_str());
  INFO(file);
  REQUIRE(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS);
  width = cairo_image_surface_get_width(surface);
  height = cairo_image_surface_get_height(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  for (int y = 0; y < height; ++y) {
    const auto* row =
        reinterpret_cast<const std::uint32_t*>(data + static_cast<std::ptrdiff_t>(y) * stride);
    pixels.insert(pixels.end(), row, row + width);
  }
  cairo_surface_destroy(surface);
}

int Picture::colors() const {
  return static_cast<int>(std::set(pixels.begin(), pixels.end()).size());
}

int Picture::count(std::uint32_t color) const {
  return static_cast<int>(
      std::ranges::count_if(pixels, [&](std::uint32_t p) { return near(p, color); }));
}

double Picture::brightness() const {
  double sum = 0;
  for (const auto p : pixels) sum += channel(p, 0) + channel(p, 8) + channel(p, 16);
  return sum / 3 / static_cast<double>(pixels.size());
}

int Picture::differences(const Picture& other) const {
  if (width != other.width || height != other.height) return static_cast<int>(pixels.size());
  int count = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) count += pixels[i] == other.pixels[i] ? 0 : 1;
  return count;
}

// Runs of a row that lie over each other, with the same left edge, are one area.
Picture::Box Picture::largest(std::uint32_t color, int right) const {
  Box best, open;
  const auto area = [](const Box& box) { return box.width * box.height; };
  for (int y = 0; y < height; ++y) {
    Box widest;
    for (int x = 0; x < std::min(right, width);) {
      int end = x;
      while (end < width && near(at(end, y), color)) ++end;
      if (end - x > widest.width) widest = {x, y, end - x, 1};
      x = std::max(end, x + 1);
    }
    const bool goes_on =
        widest.width > 0 && std::abs(widest.x - open.x) <= 6 && open.y + open.height == y;
    if (goes_on) {
      ++open.height;
      open.width = std::max(open.width, widest.width);
    } else {
      open = widest;
    }
    if (area(open) > area(best)) best = open;
  }
  return best;
}

}  // namespace rankscope::test
