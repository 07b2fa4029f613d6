// Stands in for cairo_painter.cpp and gif.cpp in a build without Cairo: all that would draw throws.
#include "engine/core/base/error.h"
#include "engine/diagrams/paint/cairo_painter.h"
#include "engine/diagrams/paint/gif.h"

namespace rankscope {
namespace {
[[noreturn]] void missing() {
  throw UserError(
      "this rankscope was built without Cairo (RANKSCOPE_CAIRO=OFF), so it writes SVG and HTML, "
      "but no PDF, PNG, GIF or video");
}
}  // namespace

bool has_cairo() noexcept { return false; }
Pixels to_pixels(const Scene&, const Theme&, double, double) { missing(); }
std::string to_png(const Scene&, const Theme&, double, double) { missing(); }
std::string to_png(const Pixels&) { missing(); }
std::string to_pdf(const std::vector<const Scene*>&, const Theme&,
                   const std::vector<std::string>&) {
  missing();
}
struct GifWriter::State {};
GifWriter::GifWriter(const std::vector<Pixels>&) { missing(); }
GifWriter::~GifWriter() = default;
void GifWriter::add(const Pixels&, int) { missing(); }
std::string GifWriter::finish() { missing(); }

}  // namespace rankscope
