// Measures the text of all outputs: by the fonts' own tables (FreeType, unhinted, so that widths scale; fontconfig
// finds the fonts), or in tests with fixed widths.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/base/line_break.h"
#include "engine/diagrams/scene/scene.h"

namespace rankscope {

/// A stretch of text in one font file.
struct GlyphRun {
  int face = 0;                               ///< See Ruler::face_file().
  std::size_t text_begin = 0, text_size = 0;  ///< Bytes of the text.
  std::vector<unsigned> glyphs;
  std::vector<double> advances;  ///< Advance of each glyph, in pixels.
};

class Ruler {
 public:
  virtual ~Ruler() = default;
  /// Returns pixels. Invalid UTF-8 counts as U+FFFD, a character that no font has as a box.
  virtual double width(std::string_view text, const Font& font) const = 0;
  /// Above and below the baseline.
  virtual double ascent(const Font& font) const = 0;
  virtual double descent(const Font& font) const = 0;

  double height(const Font& font) const { return ascent(font) + descent(font); }
  /// Returns the extent of a line of text whose baseline is anchored at `origin`.
  Box extent(std::string_view text, const Font& font, Point origin, Anchor anchor) const;
  /// Returns as much of `text` as fits into `width`, with an ellipsis if it was cut; may be empty.
  std::string fitted(std::string_view text, const Font& font, double width) const;
  /// The widths of texts in one font.
  TextWidth measure(const Font& font) const;
};

/// Returns as much of a line as fits into `limit`, with an ellipsis if it was cut; may be empty.
std::string fitted_text(std::string_view text, double limit, const TextWidth& width);
/// The same for "one · two · three", leaving out whole parts first, from the end.
std::string fitted_parts(std::string_view text, double limit, const TextWidth& width);
/// The same for a phase's name, leaving out whole words first: "II: broadcast from the root" becomes "II: broadcast",
/// then "II"; "group reduce / reduce" becomes its longer part.
std::string fitted_phase(std::string_view name, double limit, const TextWidth& width);

/// The system's fonts: Inter (else DejaVu Sans, else any sans-serif), and JetBrains Mono (else DejaVu
/// Sans Mono, else any monospace); for Chinese, Japanese and Korean letters the first that has them. Throws UserError
/// if the system has no font at all. Thread-safe.
class SystemRuler final : public Ruler {
 public:
  SystemRuler();
  ~SystemRuler() override;
  double width(std::string_view text, const Font& font) const override;
  double ascent(const Font& font) const override;
  double descent(const Font& font) const override;

  std::vector<GlyphRun> shape(std::string_view text, const Font& font) const;
  /// Returns whether some font has each character; others are drawn as boxes.
  bool shows(std::string_view text, const Font& font) const;
  struct FaceFile {
    std::string path;
    int index = 0;
    bool operator==(const FaceFile&) const = default;
  };
  const FaceFile& face_file(int face) const;

 private:
  struct Faces;
  std::unique_ptr<Faces> faces_;
};

/// Loaded at first use.
const SystemRuler& system_ruler();

/// Every character is 0.55 em wide (0.6 in a monospaced font), so that golden tests do not depend on fonts.
class PlainRuler final : public Ruler {
 public:
  double width(std::string_view text, const Font& font) const override;
  double ascent(const Font& font) const override { return 0.97 * font.size; }
  double descent(const Font& font) const override { return 0.24 * font.size; }
};

/// Returns the font families for SVG and HTML, in order of preference.
std::string_view css_families(bool mono) noexcept;

}  // namespace rankscope
