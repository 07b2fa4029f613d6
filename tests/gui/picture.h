// PNG files, looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::test {

struct Picture {
  explicit Picture(const std::string& file);  ///< A test fails when it is no PNG.
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;  ///< 0xFFrrggbb, row by row.

  std::uint32_t at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  /// Number of different colours.
  int colors() const;
  /// Pixels of nearly this colour (0xrrggbb).
  int count(std::uint32_t color) const;
  /// 0 (black) to 255.
  double brightness() const;
  /// Pixels that differ from another picture's; all of them when the sizes differ.
  int differences(const Picture& other) const;

  struct Box {
    int x = 0, y = 0, width = 0, height = 0;
  };
  /// The largest area of nearly this colour, among those that begin left of `right`: where a person
  /// would look for a button.
  Box largest(std::uint32_t color, int right) const;
};

}  // namespace rankscope::test
