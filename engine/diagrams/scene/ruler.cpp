// Measures and shortens text, by the system's fonts or with fixed widths.
#include "engine/diagrams/scene/ruler.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope {

Box Ruler::extent(std::string_view text, const Font& font, Point origin, Anchor anchor) const {
  const double wide = width(text, font);
  const double left = anchor == Anchor::start    ? origin.x
                      : anchor == Anchor::middle ? origin.x - wide / 2
                                                 : origin.x - wide;
  return {left, origin.y - ascent(font), wide, height(font)};
}

std::string fitted_text(std::string_view text, double limit, const TextWidth& width) {
  std::string cut(text);
  if (width(cut) <= limit) return cut;
  while (!cut.empty()) {
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty()) cut.pop_back();
    while (!cut.empty() && cut.back() == ' ') cut.pop_back();
    if (!cut.empty() && width(cut + "…") <= limit) return cut + "…";
  }
  return {};
}

std::string fitted_parts(std::string_view text, double limit, const TextWidth& width) {
  for (auto end = text.size(); end != std::string_view::npos && end > 0;
       end = text.rfind(" · ", end - 1))
    if (std::string part(text.substr(0, end)); width(part) <= limit) return part;
  return fitted_text(text.substr(0, text.find(" · ")), limit, width);
}

std::string fitted_phase(std::string_view name, double limit, const TextWidth& width) {
  if (width(name) <= limit) return std::string(name);
  if (const auto inner = name.rfind(" / "); inner != std::string_view::npos) {
    const auto outer = name.find(" / ");
    name = name.size() - inner - 3 > outer ? name.substr(inner + 3) : name.substr(0, outer);
  }
  for (const auto end :
       {name.size(), std::min(name.find(" to "), name.find(" from ")), name.find(':')})
    if (end <= name.size())
      if (std::string part(name.substr(0, end)); width(part) <= limit) return part;
  return fitted_text(name, limit, width);
}

TextWidth Ruler::measure(const Font& font) const {
  return [this, font](std::string_view words) { return width(words, font); };
}

std::string Ruler::fitted(std::string_view text, const Font& font, double limit) const {
  return fitted_text(text, limit, measure(font));
}

double PlainRuler::width(std::string_view text, const Font& font) const {
  const auto characters =
      ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<double>(characters) * font.size * (font.mono ? 0.6 : 0.55);
}

std::string_view css_families(bool mono) noexcept {
  return mono ? "'JetBrains Mono','DejaVu Sans Mono',monospace" : "Inter,'DejaVu Sans',sans-serif";
}

namespace {

struct Face {
  SystemRuler::FaceFile file;
  FT_Face face = nullptr;
  std::unordered_map<char32_t, std::pair<unsigned, double>> known;  // glyph, advance in em
};

constexpr int kStyles = 6;             // three weights, proportional and monospaced
constexpr std::size_t kQuick = 0x180;  // characters whose widths are looked up by number: Latin

int style_of(const Font& font) noexcept {
  return static_cast<int>(font.weight) + (font.mono ? 3 : 0);
}

constexpr std::size_t kFamilies = 3;
constexpr char32_t kFirstWide = 0x2E80;

// Returns fontconfig's best font for a family, or a substitute; with a character, one of any family that has it, if
// there is one.
std::optional<SystemRuler::FaceFile> find_file(int style, std::size_t family,
                                               char32_t character = 0) {
  static constexpr std::array<int, 3> kWeights = {FC_WEIGHT_REGULAR, FC_WEIGHT_DEMIBOLD,
                                                  FC_WEIGHT_BOLD};
  static constexpr std::array<const char*, kFamilies> kMono = {"JetBrains Mono", "DejaVu Sans Mono",
                                                               "monospace"},
                                                      kPlain = {"Inter", "DejaVu Sans",
                                                                "sans-serif"};
  const char* const name = (style >= 3 ? kMono : kPlain)[family];
  FcPattern* pattern = FcPatternCreate();
  FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(name));
  FcPatternAddInteger(pattern, FC_WEIGHT, kWeights[static_cast<std::size_t>(style % 3)]);
  FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(pattern, FC_VARIABLE, FcFalse);
  FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
  if (character != 0) {
    FcCharSet* characters = FcCharSetCreate();
    FcCharSetAddChar(characters, character);
    FcPatternAddCharSet(pattern, FC_CHARSET, characters);
    FcCharSetDestroy(characters);
  }
  FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  FcPattern* found = FcFontMatch(nullptr, pattern, &result);
  FcPatternDestroy(pattern);
  if (found == nullptr) return std::nullopt;
  std::optional<SystemRuler::FaceFile> file;
  FcChar8* path = nullptr;
  int index = 0;
  FcPatternGetInteger(found, FC_INDEX, 0, &index);
  if (FcPatternGetString(found, FC_FILE, 0, &path) == FcResultMatch)
    file = SystemRuler::FaceFile{reinterpret_cast<const char*>(path), index};
  FcPatternDestroy(found);
  return file;
}

}  // namespace

struct SystemRuler::Faces {
  /// Fonts of a style in order of preference. Each is looked for when a character needs it, because fontconfig is slow.
  struct Style {
    std::vector<int> faces;
    std::size_t families = 0;             ///< Number of families that were looked for.
    bool asked_for_wide = false;          ///< Looked for Chinese, Japanese or Korean letters.
    std::array<double, kQuick> advances;  ///< In em, by character; negative if not known yet.
    Style() { advances.fill(-1); }
  };
  std::mutex mutex;
  FT_Library library = nullptr;
  std::deque<Face> all;  ///< They stay where they are: others keep references to them.
  std::array<Style, kStyles> styles;

  int add(const FaceFile& file) {
    if (const auto known = ranges::find(all, file, &Face::file); known != all.end())
      return static_cast<int>(known - all.begin());
    Face face;
    face.file = file;
    if (FT_New_Face(library, file.path.c_str(), file.index, &face.face) != 0) return -1;
    all.push_back(std::move(face));
    return static_cast<int>(all.size()) - 1;
  }

  /// Adds the next font of a style; returns false if there are no more.
  bool find_another(int number) {
    Style& style = styles[static_cast<std::size_t>(number)];
    while (style.families < kFamilies) {
      const auto file = find_file(number, style.families++);
      const int face = file ? add(*file) : -1;
      if (face < 0 || ranges::find(style.faces, face) != style.faces.end()) continue;
      style.faces.push_back(face);
      return true;
    }
    return false;
  }

  Face& at(int face) { return all[static_cast<std::size_t>(face)]; }

  const std::pair<unsigned, double>& glyph(Face& face, char32_t character) {
    const auto [found, fresh] = face.known.try_emplace(character);
    if (fresh) {
      found->second.first = FT_Get_Char_Index(face.face, character);
      if (FT_Load_Glyph(face.face, found->second.first, FT_LOAD_NO_SCALE) == 0)
        found->second.second =
            static_cast<double>(face.face->glyph->metrics.horiAdvance) / face.face->units_per_EM;
    }
    return found->second;
  }

  int first_face(int style) {
    auto& faces = styles[static_cast<std::size_t>(style)].faces;
    if (faces.empty() && !find_another(style))
      throw UserError(
          "no font was found on this system: install one (apt install fonts-inter "
          "fonts-jetbrains-mono, or fonts-dejavu-core)");
    return faces.front();
  }

  // Returns the first font that has it; the first of all if none has.
  int face_for(int style, char32_t character) {
    const int first = first_face(style);
    const auto& faces = styles[static_cast<std::size_t>(style)].faces;
    for (std::size_t i = 0; i < faces.size() || find_another(style); ++i)
      if (glyph(at(faces[i]), character).first != 0) return faces[i];
    return character >= kFirstWide && find_wide(style, character) ? faces.back() : first;
  }

  /// Tried once, because fontconfig is slow, and a system without one of these letters mostly lacks all.
  bool find_wide(int number, char32_t character) {
    Style& style = styles[static_cast<std::size_t>(number)];
    if (std::exchange(style.asked_for_wide, true)) return false;
    const auto file = find_file(number, 0, character);
    const int face = file ? add(*file) : -1;
    if (face < 0 || glyph(at(face), character).first == 0) return false;
    style.faces.push_back(face);
    return true;
  }

  /// Returns a character's advance in em.
  double advance(int style, char32_t character) {
    const auto measured = [&] { return glyph(at(face_for(style, character)), character).second; };
    if (character >= kQuick) return measured();
    double& known = styles[static_cast<std::size_t>(style)].advances[character];
    if (known < 0) known = measured();
    return known;
  }

  double line(const Font& font, bool above) {
    const FT_Face face = at(first_face(style_of(font))).face;
    const double units = above ? face->ascender : -face->descender;
    return font.size * units / face->units_per_EM;
  }
};

SystemRuler::SystemRuler() : faces_(std::make_unique<Faces>()) {
  if (FT_Init_FreeType(&faces_->library) != 0 || FcInit() == FcFalse)
    throw UserError("the font libraries (FreeType, fontconfig) do not start");
  (void)faces_->first_face(style_of(Font{}));
}

SystemRuler::~SystemRuler() {
  for (Face& face : faces_->all) FT_Done_Face(face.face);
  FT_Done_FreeType(faces_->library);
}

double SystemRuler::width(std::string_view text, const Font& font) const {
  const std::lock_guard lock(faces_->mutex);
  const int style = style_of(font);
  double sum = 0;
  for (std::size_t at = 0; at < text.size();)
    sum += faces_->advance(style, next_character(text, at));
  return sum * font.size;
}

double SystemRuler::ascent(const Font& font) const {
  const std::lock_guard lock(faces_->mutex);
  return faces_->line(font, true);
}

double SystemRuler::descent(const Font& font) const {
  const std::lock_guard lock(faces_->mutex);
  return faces_->line(font, false);
}

std::vector<GlyphRun> SystemRuler::shape(std::string_view text, const Font& font) const {
  const std::lock_guard lock(faces_->mutex);
  std::vector<GlyphRun> runs;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const int face = faces_->face_for(style_of(font), character);
    if (runs.empty() || runs.back().face != face) runs.push_back({face, begin, 0, {}, {}});
    const auto& [glyph, advance] = faces_->glyph(faces_->at(face), character);
    runs.back().text_size = at - runs.back().text_begin;
    runs.back().glyphs.push_back(glyph);
    runs.back().advances.push_back(advance * font.size);
  }
  return runs;
}

bool SystemRuler::shows(std::string_view text, const Font& font) const {
  for (const GlyphRun& run : shape(text, font))
    if (ranges::find(run.glyphs, 0U) != run.glyphs.end()) return false;
  return true;
}

const SystemRuler::FaceFile& SystemRuler::face_file(int face) const {
  const std::lock_guard lock(faces_->mutex);
  return faces_->at(face).file;
}

const SystemRuler& system_ruler() {
  static const SystemRuler kRuler;
  return kRuler;
}

}  // namespace rankscope
