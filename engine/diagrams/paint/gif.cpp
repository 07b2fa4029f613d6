// Chooses palettes and writes changed rectangles as GIF frames.
#include "engine/diagrams/paint/gif.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <gif_lib.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"

namespace rankscope {
namespace {

constexpr int kColors = 256;

int append(GifFileType* file, const GifByteType* data, int length) {
  static_cast<std::string*>(file->UserData)
      ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(length));
  return length;
}

void check(int result, int error) {
  if (result == GIF_ERROR)
    throw std::runtime_error(fmt::format("giflib: {}", GifErrorString(error)));
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
    ranges::sort(ranked, [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (std::size_t i = 0; i < ranked.size() && i < kColors; ++i) {
      known_[ranked[i].first] = static_cast<GifByteType>(i);
      colors_[i] = {red(ranked[i].first), green(ranked[i].first), blue(ranked[i].first)};
    }
    used_ = std::min<std::size_t>(ranked.size(), kColors);
  }

  GifByteType index(std::uint32_t pixel) {
    if (pixel == last_) return last_index_;
    last_ = pixel;
    return last_index_ = find(pixel);
  }

  const GifColorType* colors() const noexcept { return colors_.data(); }

 private:
  GifByteType find(std::uint32_t pixel) {
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

  static GifByteType red(std::uint32_t p) noexcept { return static_cast<GifByteType>(p >> 16); }
  static GifByteType green(std::uint32_t p) noexcept { return static_cast<GifByteType>(p >> 8); }
  static GifByteType blue(std::uint32_t p) noexcept { return static_cast<GifByteType>(p); }
  std::array<GifColorType, kColors> colors_{};
  std::size_t used_ = 0;
  std::uint32_t last_ = 0;  // no pixel of ours: they are opaque
  GifByteType last_index_ = 0;
  std::unordered_map<std::uint32_t, GifByteType> known_;
};

void put_loop(GifFileType* file, int& error) {
  const unsigned char forever[] = {1, 0, 0};
  check(EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE), error = file->Error);
  check(EGifPutExtensionBlock(file, 11, "NETSCAPE2.0"), error = file->Error);
  check(EGifPutExtensionBlock(file, 3, forever), error = file->Error);
  check(EGifPutExtensionTrailer(file), error = file->Error);
}

struct Rect {
  int x = 0, y = 0, width = 0, height = 0;
};

// Returns the rectangle in which two frames differ; at least one pixel, since an image cannot be empty.
Rect changed(const Pixels& before, const Pixels& now) {
  int left = now.width, right = -1, top = -1, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    const auto offset = static_cast<std::ptrdiff_t>(y) * now.width;
    const auto a = before.argb.begin() + offset, b = now.argb.begin() + offset;
    const auto first = std::mismatch(a, a + now.width, b);
    if (first.first == a + now.width) continue;
    if (top < 0) top = y;
    bottom = y;
    left = std::min(left, static_cast<int>(first.first - a));
    int x = now.width - 1;
    while (a[x] == b[x]) --x;
    right = std::max(right, x);
  }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

}  // namespace

struct GifWriter::State {
  explicit State(const std::vector<Pixels>& colors_of) : palette(colors_of) {}
  ~State() {
    int ignored = 0;
    if (file != nullptr) EGifCloseFile(file, &ignored);
    if (map != nullptr) GifFreeMapObject(map);
  }

  std::string bytes;
  Palette palette;
  GifFileType* file = nullptr;
  ColorMapObject* map = nullptr;
  int width = 0, height = 0;
  Pixels before;  // empty at first
  int error = 0;
};

GifWriter::GifWriter(const std::vector<Pixels>& colors_of) {
  if (colors_of.empty()) throw UserError("an animation needs at least one frame");
  constexpr int kLargest = 65535;
  const Pixels& first = colors_of.front();
  if (first.width > kLargest || first.height > kLargest)
    throw UserError("a GIF has at most 65535 x 65535 pixels: use a lower --dpi");
  state_ = std::make_unique<State>(colors_of);
  auto& s = *state_;
  s.width = first.width;
  s.height = first.height;
  s.file = EGifOpen(&s.bytes, &append, &s.error);
  if (s.file == nullptr) check(GIF_ERROR, s.error);
  s.map = GifMakeMapObject(kColors, s.palette.colors());
  EGifSetGifVersion(s.file, true);
  check(EGifPutScreenDesc(s.file, first.width, first.height, 8, 0, s.map), s.file->Error);
  put_loop(s.file, s.error);
}

GifWriter::~GifWriter() = default;

void GifWriter::add(const Pixels& frame, int delay_ms) {
  auto& s = *state_;
  if (frame.width != s.width || frame.height != s.height ||
      frame.argb.size() != static_cast<std::size_t>(s.width) * static_cast<std::size_t>(s.height))
    throw std::invalid_argument(fmt::format("a frame of {} x {} pixels in a GIF of {} x {}",
                                            frame.width, frame.height, s.width, s.height));
  const Rect rect =
      s.before.argb.empty() ? Rect{0, 0, frame.width, frame.height} : changed(s.before, frame);
  GraphicsControlBlock control{};
  control.DisposalMode = DISPOSE_DO_NOT;
  control.DelayTime = std::clamp(delay_ms / 10, 2, 60000);
  control.TransparentColor = NO_TRANSPARENT_COLOR;
  GifByteType extension[4];
  EGifGCBToExtension(&control, extension);
  check(EGifPutExtension(s.file, GRAPHICS_EXT_FUNC_CODE, 4, extension), s.file->Error);
  check(EGifPutImageDesc(s.file, rect.x, rect.y, rect.width, rect.height, false, nullptr),
        s.file->Error);
  std::vector<GifByteType> row(static_cast<std::size_t>(rect.width));
  for (int y = rect.y; y < rect.y + rect.height; ++y) {
    const auto* from = frame.argb.data() + static_cast<std::ptrdiff_t>(y) * frame.width + rect.x;
    for (std::size_t x = 0; x < row.size(); ++x) row[x] = s.palette.index(from[x]);
    check(EGifPutLine(s.file, row.data(), rect.width), s.file->Error);
  }
  s.before = frame;
}

std::string GifWriter::finish() {
  auto& s = *state_;
  GifFileType* file = std::exchange(s.file, nullptr);  // closed even when closing fails
  check(EGifCloseFile(file, &s.error), s.error);
  return std::move(s.bytes);
}

}  // namespace rankscope
