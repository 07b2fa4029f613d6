// Paints scenes with Cairo and writes PDF, PNG and pixels.
#include "engine/diagrams/paint/cairo_painter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numbers>
#include <stdexcept>
#include <string_view>

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/scene/arrow_head.h"
#include "engine/diagrams/scene/ruler.h"

namespace rankscope {
namespace {

[[noreturn]] void not_understood(std::string_view what) {
  throw std::runtime_error(fmt::format("PDF: {} is not where it is expected", what));
}

/// Reads the number at `at`, skipping blanks.
std::size_t number_at(std::string_view text, std::size_t at, std::string_view what) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r')) ++at;
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), out);
  if (error != std::errc() || end == text.data() + at) not_understood(what);
  return out;
}

class PdfFile {
 public:
  explicit PdfFile(std::string_view bytes) : bytes_(bytes) {
    const auto start = bytes_.rfind("startxref");
    if (start == std::string_view::npos) not_understood("startxref");
    table_ = number_at(bytes_, start + 9, "startxref");
    if (!bytes_.substr(table_).starts_with("xref")) not_understood("the cross-reference table");
    const auto trailer = bytes_.find("trailer", table_);
    if (trailer == std::string_view::npos) not_understood("the trailer");
    trailer_ = bytes_.substr(trailer, start - trailer);
    std::size_t at = table_ + 4;
    const std::size_t first = number_at(bytes_, at, "xref");
    at = bytes_.find_first_of("0123456789", at);
    at = bytes_.find(' ', at);
    const std::size_t count = number_at(bytes_, at, "xref");
    at = bytes_.find('\n', at) + 1;
    constexpr std::size_t kEntry = 20;  // bytes, by the standard
    for (std::size_t i = 0; i < count; ++i)
      offsets_[first + i] = number_at(bytes_, at + i * kEntry, "xref");
  }

  /// The dictionary of an object: from "<<" to "endobj".
  std::string_view object(std::size_t number) const {
    const auto known = offsets_.find(number);
    if (known == offsets_.end()) not_understood(fmt::format("object {}", number));
    const auto begin = bytes_.find("<<", known->second);
    const auto end = bytes_.find("endobj", known->second);
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end)
      not_understood(fmt::format("object {}", number));
    return bytes_.substr(begin, end - begin);
  }

  std::size_t reference(std::string_view dictionary, std::string_view key) const {
    const auto at = dictionary.find(key);
    if (at == std::string_view::npos) not_understood(key);
    return number_at(dictionary, at + key.size(), key);
  }

  void pages_below(std::size_t node, std::vector<std::size_t>& out) const {
    const std::string_view text = object(node);
    const auto kids = text.find("/Kids");
    if (kids == std::string_view::npos) return out.push_back(node);
    const auto end = text.find(']', kids);
    auto at = text.find('[', kids) + 1;
    for (;;) {  // "5 0 R 12 0 R"
      at = text.find_first_of("0123456789", at);
      if (at == std::string_view::npos || at > end) return;
      pages_below(number_at(text, at, "/Kids"), out);
      at = text.find('R', at);
    }
  }

  std::size_t table() const noexcept { return table_; }
  std::string_view trailer() const noexcept { return trailer_; }

 private:
  std::string_view bytes_, trailer_;
  std::size_t table_ = 0;
  std::map<std::size_t, std::size_t> offsets_;
};

/// Returns UTF-16 with a byte-order mark, in hexadecimal digits.
std::string pdf_text(std::string_view text) {
  std::string out = "<FEFF";
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c < 0x10000) out += fmt::format("{:04X}", static_cast<unsigned>(c));
    else
      out += fmt::format("{:04X}{:04X}", 0xD7C0 + static_cast<unsigned>(c >> 10),
                         0xDC00 + static_cast<unsigned>(c & 0x3FF));
  }
  return out + ">";
}

/// Adds a text annotation to each page that has a note (ISO 32000-1:2008, 12.5.6.4), as an incremental update
/// (7.5.6): the file as it was, and behind it the changed objects. For files with a cross-reference table,
/// as Cairo writes them for PDF 1.4; throws std::runtime_error for others.
std::string with_page_notes(std::string pdf, const std::vector<std::string>& notes) {
  const std::string original = pdf;
  const PdfFile file(original);
  const auto root = file.reference(file.trailer(), "/Root");
  std::vector<std::size_t> pages;
  file.pages_below(file.reference(file.object(root), "/Pages"), pages);
  std::size_t next = file.reference(file.trailer(), "/Size");
  std::map<std::size_t, std::size_t> offsets;
  const auto add = [&](std::size_t number, std::string_view dictionary) {
    offsets[number] = pdf.size();
    pdf += fmt::format("{} 0 obj\n{}\nendobj\n", number, dictionary);
  };
  if (!pdf.ends_with('\n')) pdf += '\n';
  for (std::size_t i = 0; i < pages.size() && i < notes.size(); ++i) {
    if (notes[i].empty()) continue;
    std::string page(file.object(pages[i]));
    while (page.ends_with('\n')) page.pop_back();
    page.insert(2, fmt::format(" /Annots [ {} 0 R ]", next));
    add(pages[i], page);
    // Flag 6, NoView: only programs that ask for notes show it (table 165).
    add(next++, fmt::format("<< /Type /Annot /Subtype /Text /Rect [ 8 8 28 28 ] /F 32 /Name /Note\n"
                            "   /Open false /Contents {} >>",
                            pdf_text(notes[i])));
  }
  const std::size_t table = pdf.size();
  pdf += "xref\n";
  for (const auto& [number, offset] : offsets)
    pdf += fmt::format("{} 1\n{:010} 00000 n \n", number, offset);
  pdf += fmt::format(
      "trailer\n<< /Size {} /Root {} 0 R /Info {} 0 R /Prev {} >>\nstartxref\n{}\n%%EOF\n", next,
      root, file.reference(file.trailer(), "/Info"), file.table(), table);
  return pdf;
}

using std::numbers::pi;
constexpr double kPointsPerPixel = 0.75;
constexpr double kMostPixels = 2e8;
constexpr double kLongestSide = 32000;  // Cairo: 32767
// Cairo counts in 1/256 of a unit, in 32 bits; readers of PDF differ in what they can show of less.
constexpr double kLongestPage = 8e6;

template <auto Destroy>
struct Deleter {
  template <typename T>
  void operator()(T* object) const noexcept {
    Destroy(object);
  }
};
using Surface = std::unique_ptr<cairo_surface_t, Deleter<&cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Deleter<&cairo_destroy>>;

void check(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error(fmt::format("Cairo: {}", cairo_status_to_string(status)));
}

[[noreturn]] void refuse_size(double width, double height, std::string_view why) {
  throw UserError(
      fmt::format("an image of {:.0f} x {:.0f} pixels {}: use a lower --dpi, a smaller --size or "
                  "fewer --steps, or PDF or SVG",
                  width, height, why));
}

cairo_status_t append(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// Returns Cairo's face of one of the ruler's files; keeps the few that there are for ever.
cairo_font_face_t* face_of(int face) {
  static std::mutex mutex;
  static std::map<int, cairo_font_face_t*> faces;
  const std::lock_guard lock(mutex);
  auto& known = faces[face];
  if (known == nullptr) {
    const auto& file = system_ruler().face_file(face);
    FcPattern* pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FILE, reinterpret_cast<const FcChar8*>(file.path.c_str()));
    FcPatternAddInteger(pattern, FC_INDEX, file.index);
    known = cairo_ft_font_face_create_for_pattern(pattern);
    FcPatternDestroy(pattern);
  }
  return known;
}

class Painter {
 public:
  Painter(cairo_t* to, const Theme& theme, double now) : to_(to), theme_(theme), now_(now) {
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(to_, options);
    cairo_font_options_destroy(options);
  }

  void paint(const Scene& scene) {
    set(theme_.color({Tone::page}));
    cairo_rectangle(to_, 0, 0, scene.width, scene.height);
    cairo_fill(to_);
    for (std::size_t i = 0; i < scene.marks.size();) {
      const std::int32_t group = scene.marks[i].group;
      const bool faded = group >= 0 && scene.groups[static_cast<std::size_t>(group)].ahead(now_);
      const std::size_t begin = i;
      for (++i; i < scene.marks.size() && scene.marks[i].group == group;) ++i;
      const std::span marks(scene.marks.data() + begin, i - begin);
      if (faded) paint_faded(marks);
      else paint_marks(marks);
    }
    check(cairo_status(to_));
  }

 private:
  void paint_marks(std::span<const Mark> marks) {
    for (const Mark& mark : marks) {
      if (mark.kind == Mark::Kind::text) text(mark, theme_.color(mark.fill.value_or(Ink{})));
      else shape(mark);
    }
  }

  // Fades the marks as one picture, as SVG fades a group: a pill hides its arrow. Words stay legible.
  void paint_faded(std::span<const Mark> marks) {
    Box bounds = marks.front().box;
    double reach = 2;
    for (const Mark& mark : marks) {
      bounds = united(bounds, mark.box);
      reach = std::max(reach, mark.line_width + (mark.arrow ? head_length(mark.line_width) : 0));
    }
    bounds = bounds.grown(reach);
    cairo_save(to_);
    cairo_rectangle(to_, bounds.x, bounds.y, bounds.width, bounds.height);
    cairo_clip(to_);
    cairo_push_group(to_);
    for (const Mark& mark : marks)
      if (mark.kind != Mark::Kind::text) shape(mark);
    cairo_pop_group_to_source(to_);
    cairo_paint_with_alpha(to_, theme_.future());
    cairo_restore(to_);
    for (const Mark& mark : marks)
      if (mark.kind == Mark::Kind::text) text(mark, theme_.pale_text(mark.fill.value_or(Ink{})));
  }

  void set(const Rgba& c) { cairo_set_source_rgba(to_, c.red, c.green, c.blue, c.alpha); }

  void outline(const std::vector<Point>& points, bool closed) {
    cairo_new_path(to_);
    cairo_move_to(to_, points[0].x, points[0].y);
    for (std::size_t i = 1; i + 2 < points.size(); i += 3) {
      if (is_straight(points, i)) cairo_line_to(to_, points[i + 2].x, points[i + 2].y);
      else
        cairo_curve_to(to_, points[i].x, points[i].y, points[i + 1].x, points[i + 1].y,
                       points[i + 2].x, points[i + 2].y);
    }
    if (closed) cairo_close_path(to_);
  }

  void rounded(const Box& b, double radius) {
    cairo_new_path(to_);
    const double r = std::min({radius, b.width / 2, b.height / 2});
    if (r <= 0) return cairo_rectangle(to_, b.x, b.y, b.width, b.height);
    cairo_arc(to_, b.right() - r, b.y + r, r, -pi / 2, 0);
    cairo_arc(to_, b.right() - r, b.bottom() - r, r, 0, pi / 2);
    cairo_arc(to_, b.x + r, b.bottom() - r, r, pi / 2, pi);
    cairo_arc(to_, b.x + r, b.y + r, r, pi, 1.5 * pi);
    cairo_close_path(to_);
  }

  void hatch(const Mark& mark) {
    cairo_save(to_);
    rounded(mark.box, mark.radius);
    cairo_clip(to_);
    Rgba line = theme_.color({Tone::text});
    line.alpha = 0.45;
    set(line);
    const Box& b = mark.box;
    constexpr double kStep = 5;
    cairo_set_line_width(to_, 1.4);
    for (double x = b.x - b.height; x < b.right(); x += kStep * 1.41) {
      cairo_move_to(to_, x, b.bottom());
      cairo_line_to(to_, x + b.height, b.y);
    }
    cairo_stroke(to_);
    cairo_restore(to_);
  }

  void shape(const Mark& mark) {
    if (mark.kind == Mark::Kind::path) {
      if (mark.points.size() < 4) return;
      outline(mark.arrow ? shortened_for_head(mark.points, mark.line_width) : mark.points,
              mark.closed);
    } else {
      rounded(mark.box, mark.radius);
    }
    if (mark.fill) {
      set(theme_.color(*mark.fill));
      cairo_fill_preserve(to_);
    }
    if (mark.stroke) stroke(mark);
    cairo_new_path(to_);
    if (mark.hatched && mark.kind == Mark::Kind::box) hatch(mark);
  }

  void stroke(const Mark& mark) {
    set(theme_.color(*mark.stroke));
    cairo_set_line_width(to_, mark.line_width);
    const double dots[] = {mark.line_width * 0.1, mark.line_width * 3.5};
    cairo_set_dash(to_, dots, mark.dotted ? 2 : 0, 0);
    cairo_set_line_cap(to_, mark.dotted ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    cairo_stroke(to_);
    if (!mark.arrow) return;
    const auto head = arrow_head(mark.points, mark.line_width);
    cairo_move_to(to_, head[0].x, head[0].y);
    cairo_line_to(to_, head[1].x, head[1].y);
    cairo_line_to(to_, head[2].x, head[2].y);
    cairo_close_path(to_);
    cairo_fill(to_);
  }

  // Glyphs at the ruler's positions, with the text beside them: a PDF's text can be searched.
  void text(const Mark& mark, const Rgba& color) {
    if (mark.text.empty()) return;
    set(color);
    cairo_save(to_);
    cairo_translate(to_, mark.origin.x, mark.origin.y);
    if (mark.rotated != 0) cairo_rotate(to_, mark.rotated * pi / 180);
    const double width = system_ruler().width(mark.text, mark.font);
    double x = mark.anchor == Anchor::start    ? 0
               : mark.anchor == Anchor::middle ? -width / 2
                                               : -width;
    for (const GlyphRun& run : system_ruler().shape(mark.text, mark.font)) {
      cairo_set_font_face(to_, face_of(run.face));
      cairo_set_font_size(to_, mark.font.size);
      std::vector<cairo_glyph_t> glyphs;
      for (std::size_t i = 0; i < run.glyphs.size(); ++i) {
        glyphs.push_back({run.glyphs[i], x, 0});
        x += run.advances[i];
      }
      show(std::string_view(mark.text).substr(run.text_begin, run.text_size), glyphs);
    }
    cairo_restore(to_);
  }

  void show(std::string_view text, const std::vector<cairo_glyph_t>& glyphs) {
    std::vector<cairo_text_cluster_t> clusters;
    for (const char c : text) {
      if ((static_cast<unsigned char>(c) & 0xC0) == 0x80 && !clusters.empty())
        ++clusters.back().num_bytes;
      else clusters.push_back({1, 1});
    }
    if (clusters.size() != glyphs.size())  // invalid UTF-8
      return cairo_show_glyphs(to_, glyphs.data(), static_cast<int>(glyphs.size()));
    cairo_show_text_glyphs(to_, text.data(), static_cast<int>(text.size()), glyphs.data(),
                           static_cast<int>(glyphs.size()), clusters.data(),
                           static_cast<int>(clusters.size()), {});
  }

  cairo_t* to_;
  const Theme& theme_;
  double now_;
};

Surface image(const Scene& scene, const Theme& theme, double scale, double now) {
  const double width = std::ceil(scene.width * scale), height = std::ceil(scene.height * scale);
  // Negated comparisons, so that NaN is refused, too.
  if (!(width * height <= kMostPixels) || !(width <= kLongestSide) || !(height <= kLongestSide))
    refuse_size(width, height,
                fmt::format("is too large (at most {:.0f} on a side, and {:.0f} million in all)",
                            kLongestSide, kMostPixels / 1e6));
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                             static_cast<int>(height)));
  if (const auto status = cairo_surface_status(surface.get());
      status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_INVALID_SIZE)
    refuse_size(width, height, "does not fit into this machine's memory");
  else check(status);
  const Context context(cairo_create(surface.get()));
  const Rgba page = theme.color({Tone::page});  // also of the last, partly covered row and column
  cairo_set_source_rgb(context.get(), page.red, page.green, page.blue);
  cairo_paint(context.get());
  cairo_scale(context.get(), scale, scale);
  Painter(context.get(), theme, now).paint(scene);
  cairo_surface_flush(surface.get());
  return surface;
}

std::string png_of(const Surface& surface) {
  std::string bytes;
  check(cairo_surface_write_to_png_stream(surface.get(), &append, &bytes));
  return bytes;
}

}  // namespace

Pixels to_pixels(const Scene& scene, const Theme& theme, double scale, double now) {
  const Surface surface = image(scene, theme, scale, now);
  Pixels pixels;
  pixels.width = cairo_image_surface_get_width(surface.get());
  pixels.height = cairo_image_surface_get_height(surface.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const unsigned char* data = cairo_image_surface_get_data(surface.get());
  try {
    pixels.argb.reserve(static_cast<std::size_t>(pixels.width) *
                        static_cast<std::size_t>(pixels.height));
  } catch (const std::bad_alloc&) {
    refuse_size(pixels.width, pixels.height, "does not fit into this machine's memory");
  }
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row =
        reinterpret_cast<const std::uint32_t*>(data + static_cast<std::size_t>(y) * stride);
    for (int x = 0; x < pixels.width; ++x) pixels.argb.push_back(row[x] | 0xFF000000U);
  }
  return pixels;
}

std::string to_png(const Scene& scene, const Theme& theme, double dpi, double now) {
  return png_of(image(scene, theme, dpi / 96, now));
}

std::string to_png(const Pixels& pixels) {
  const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, pixels.width);
  std::vector<std::uint32_t> copy(pixels.argb);  // Cairo wants memory that it could write to
  const Surface surface(
      cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(copy.data()),
                                          CAIRO_FORMAT_RGB24, pixels.width, pixels.height, stride));
  check(cairo_surface_status(surface.get()));
  return png_of(surface);
}

bool has_cairo() noexcept { return true; }

std::string to_pdf(const std::vector<const Scene*>& pages, const Theme& theme,
                   const std::vector<std::string>& notes) {
  std::string bytes;
  Surface surface(cairo_pdf_surface_create_for_stream(&append, &bytes, 1, 1));
  check(cairo_surface_status(surface.get()));
  // Later versions of the format may hide the pages in streams, where no notes can be added.
  if (!notes.empty()) cairo_pdf_surface_restrict_to_version(surface.get(), CAIRO_PDF_VERSION_1_4);
  if (!pages.empty())
    cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE,
                                   printable(pages[0]->title).c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "rankscope");
  // Without a date, so that the same pages are the same file.
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  for (const Scene* scene : pages) {
    if (!(scene->width <= kLongestPage) || !(scene->height <= kLongestPage))
      throw UserError(fmt::format(
          "a page of {:.0f} x {:.0f} pixels is too large for a PDF (at most {:.0f}): choose fewer "
          "--steps or --ranks, or SVG",
          scene->width, scene->height, kLongestPage));
    cairo_pdf_surface_set_size(surface.get(), scene->width * kPointsPerPixel,
                               scene->height * kPointsPerPixel);
    const Context context(cairo_create(surface.get()));
    cairo_scale(context.get(), kPointsPerPixel, kPointsPerPixel);
    Painter(context.get(), theme, -1).paint(*scene);
    cairo_show_page(context.get());
  }
  cairo_surface_finish(surface.get());
  check(cairo_surface_status(surface.get()));
  return notes.empty() ? bytes : with_page_notes(std::move(bytes), notes);
}

}  // namespace rankscope
