#include "engine/diagrams/gif.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>
#include <gif_lib.h>

namespace rankscope {
namespace {

constexpr int kColors = 256;

int append(GifFileType* file, const GifByteType* data, int length) {
  static_cast<std::string*>(file->UserData)->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
  return length;
}

void check(int result, int error) {
  if (result == GIF_ERROR) throw std::runtime_error(fmt::format("giflib: {}", GifErrorString(error)));
}

// Pictures of ours have a few flat colours and their blends: the most frequent ones become the
// palette, the others take the nearest.
class Palette {
 public:
  explicit Palette(const std::vector<Pixels>& frames) {
    std::unordered_map<std::uint32_t, std::size_t> count;
    for (const Pixels& frame : frames)
      for (const std::uint32_t pixel : frame.argb) ++count[pixel];
    std::vector<std::pair<std::uint32_t, std::size_t>> ranked(count.begin(), count.end());
    std::ranges::sort(ranked, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (std::size_t i = 0; i < ranked.size() && i < kColors; ++i) {
      known_[ranked[i].first] = static_cast<GifByteType>(i);
      colors_[i] = {red(ranked[i].first), green(ranked[i].first), blue(ranked[i].first)};
    }
    used_ = std::min<std::size_t>(ranked.size(), kColors);
  }

  GifByteType index(std::uint32_t pixel) {
    const auto [found, fresh] = known_.try_emplace(pixel);
    if (!fresh) return found->second;
    long best = 1L << 30;
    for (std::size_t i = 0; i < used_; ++i) {
      const long r = colors_[i].Red - red(pixel), g = colors_[i].Green - green(pixel),
                 b = colors_[i].Blue - blue(pixel);
      const long distance = 2 * r * r + 4 * g * g + 3 * b * b;
      if (distance >= best) continue;
      best = distance;
      found->second = static_cast<GifByteType>(i);
    }
    return found->second;
  }

  const GifColorType* colors() const noexcept { return colors_.data(); }

 private:
  static GifByteType red(std::uint32_t p) noexcept { return static_cast<GifByteType>(p >> 16); }
  static GifByteType green(std::uint32_t p) noexcept { return static_cast<GifByteType>(p >> 8); }
  static GifByteType blue(std::uint32_t p) noexcept { return static_cast<GifByteType>(p); }
  std::array<GifColorType, kColors> colors_{};
  std::size_t used_ = 0;
  std::unordered_map<std::uint32_t, GifByteType> known_;
};

void put_loop(GifFileType* file, int& error) {
  const unsigned char forever[] = {1, 0, 0};
  check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE), error = file->Error);
  check(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"), error = file->Error);
  check(EGifPutExtensionBlock(file, 3, forever), error = file->Error);
  check(EGifPutExtensionTrailer(file), error = file->Error);
}

void put_frame(GifFileType* file, const Pixels& frame, Palette& palette, int delay_ms) {
  GraphicsControlBlock control{};
  control.DisposalMode = DISPOSE_DO_NOT;
  control.DelayTime = std::clamp(delay_ms / 10, 2, 60000);
  control.TransparentColor = NO_TRANSPARENT_COLOR;
  GifByteType extension[4];
  EGifGCBToExtension(&control, extension);
  check(EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, 4, extension), file->Error);
  check(EGifPutImageDesc(file, 0, 0, frame.width, frame.height, false, nullptr), file->Error);
  std::vector<GifByteType> row(static_cast<std::size_t>(frame.width));
  for (int y = 0; y < frame.height; ++y) {
    const auto* from = frame.argb.data() + static_cast<std::size_t>(y) * row.size();
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = palette.index(from[x]);
    check(EGifPutLine(file, row.data(), frame.width), file->Error);
  }
}

}  // namespace

std::string to_gif(const std::vector<Pixels>& frames, int delay_ms) {
  std::string bytes;
  if (frames.empty()) return bytes;
  Palette palette(frames);
  int error = 0;
  GifFileType* file = EGifOpen(&bytes, &append, &error);
  if (file == nullptr) check(GIF_ERROR, error);
  ColorMapObject* map = GifMakeMapObject(kColors, palette.colors());
  try {
    EGifSetGifVersion(file, true);
    check(EGifPutScreenDesc(file, frames[0].width, frames[0].height, 8, 0, map), file->Error);
    put_loop(file, error);
    for (const Pixels& frame : frames) put_frame(file, frame, palette, delay_ms);
  } catch (...) {
    GifFreeMapObject(map);
    EGifCloseFile(file, &error);
    throw;
  }
  GifFreeMapObject(map);
  check(EGifCloseFile(file, &error), error);
  return bytes;
}

}  // namespace rankscope
