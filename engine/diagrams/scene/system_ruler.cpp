// Finds the system's fonts with fontconfig and measures text with FreeType.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <unordered_map>

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "engine/diagrams/scene/ruler.h"

namespace rankscope {
namespace {

struct Face {
  SystemRuler::FaceFile file;
  FT_Face face = nullptr;
  std::unordered_map<char32_t, std::pair<unsigned, double>> known;  // glyph, advance in em
};

constexpr int kStyles = 6;  // three weights, proportional and monospaced

int style_of(const Font& font) noexcept {
  return static_cast<int>(font.weight) + (font.mono ? 3 : 0);
}

// The best font for each family in turn, as fontconfig orders them; substitutes come by themselves.
std::vector<SystemRuler::FaceFile> find_files(int style) {
  static constexpr std::array<int, 3> kWeights = {FC_WEIGHT_REGULAR, FC_WEIGHT_DEMIBOLD,
                                                  FC_WEIGHT_BOLD};
  const bool mono = style >= 3;
  const std::array<const char*, 3> families =
      mono ? std::array<const char*, 3>{"JetBrains Mono", "DejaVu Sans Mono", "monospace"}
           : std::array<const char*, 3>{"Inter", "DejaVu Sans", "sans-serif"};
  std::vector<SystemRuler::FaceFile> files;
  for (const char* family : families) {
    FcPattern* pattern = FcPatternCreate();
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddInteger(pattern, FC_WEIGHT, kWeights[static_cast<std::size_t>(style % 3)]);
    FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN);
    FcPatternAddBool(pattern, FC_VARIABLE, FcFalse);
    FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
    FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcResult result = FcResultNoMatch;
    FcPattern* found = FcFontMatch(nullptr, pattern, &result);
    FcPatternDestroy(pattern);
    if (found == nullptr) continue;
    FcChar8* path = nullptr;
    int index = 0;
    FcPatternGetInteger(found, FC_INDEX, 0, &index);
    if (FcPatternGetString(found, FC_FILE, 0, &path) == FcResultMatch) {
      SystemRuler::FaceFile file{reinterpret_cast<const char*>(path), index};
      if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
    }
    FcPatternDestroy(found);
  }
  return files;
}

}  // namespace

struct SystemRuler::Faces {
  std::mutex mutex;
  FT_Library library = nullptr;
  std::vector<Face> all;
  std::array<std::vector<int>, kStyles> of_style;  // in the order of preference

  int add(const FaceFile& file) {
    if (const auto known = std::ranges::find(all, file, &Face::file); known != all.end())
      return static_cast<int>(known - all.begin());
    Face face;
    face.file = file;
    if (FT_New_Face(library, file.path.c_str(), file.index, &face.face) != 0) return -1;
    all.push_back(std::move(face));
    return static_cast<int>(all.size()) - 1;
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

  // The first font that has it; the first of all when none has.
  int face_for(int style, char32_t character) {
    const auto& faces = of_style[static_cast<std::size_t>(style)];
    for (const int face : faces)
      if (glyph(at(face), character).first != 0) return face;
    return faces.front();
  }

  double line(const Font& font, bool above) {
    const FT_Face face = at(of_style[static_cast<std::size_t>(style_of(font))].front()).face;
    const double units = above ? face->ascender : -face->descender;
    return font.size * units / face->units_per_EM;
  }
};

SystemRuler::SystemRuler() : faces_(std::make_unique<Faces>()) {
  if (FT_Init_FreeType(&faces_->library) != 0 || FcInit() == FcFalse)
    throw UserError("the font libraries (FreeType, fontconfig) do not start");
  for (int style = 0; style < kStyles; ++style) {
    auto& faces = faces_->of_style[static_cast<std::size_t>(style)];
    for (const auto& file : find_files(style))
      if (const int face = faces_->add(file); face >= 0) faces.push_back(face);
    if (faces.empty())
      throw UserError(
          "no font was found on this system: install one (apt install fonts-inter "
          "fonts-jetbrains-mono, or fonts-dejavu-core)");
  }
}

SystemRuler::~SystemRuler() {
  for (Face& face : faces_->all) FT_Done_Face(face.face);
  FT_Done_FreeType(faces_->library);
}

double SystemRuler::width(std::string_view text, const Font& font) const {
  const std::lock_guard lock(faces_->mutex);
  double sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    sum += faces_->glyph(faces_->at(faces_->face_for(style_of(font), character)), character).second;
  }
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

const SystemRuler::FaceFile& SystemRuler::face_file(int face) const {
  const std::lock_guard lock(faces_->mutex);
  return faces_->at(face).file;
}

const SystemRuler& system_ruler() {
  static const SystemRuler kRuler;
  return kRuler;
}

}  // namespace rankscope
