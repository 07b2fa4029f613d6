// Draws the pictures of lessons by name, and embeds SVG in pages.
#include "lessons/lesson/picture.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/embedded_sources.h"
#include "engine/core/base/error.h"
#include "engine/diagrams/catalogue.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// Null: a figure cannot be it.
const DiagramKind* figure_named(std::string_view name) {
  const DiagramKind* kind = find_diagram(name);
  return kind != nullptr && kind->name == name && kind->figure != nullptr ? kind : nullptr;
}

}  // namespace

std::string picture_problem(std::string_view name) {
  if (figure_named(name) != nullptr) return {};
  std::vector<std::string> known;
  for (const DiagramKind& kind : diagrams())
    if (kind.figure != nullptr) known.emplace_back(kind.name);
  return fmt::format(
      "there is no diagram '{}'{}", name,
      nearest_hint(name, known, fmt::format("there are {}", fmt::join(known, ", "))));
}

Scene picture_of(const TraceAnalysis& analysis, std::string_view name, double width) {
  const DiagramKind* kind = figure_named(name);
  if (kind == nullptr) throw UserError(picture_problem(name));
  DiagramRequest request;
  request.width = width;
  request.heading = width <= 0;
  return kind->figure(analysis, request);
}

std::string svg_data_url(std::string_view svg) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "data:image/svg+xml;base64,";
  out.reserve(out.size() + svg.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < svg.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < svg.size() ? static_cast<unsigned char>(svg[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > svg.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63U];
  }
  return out;
}

std::string_view picture_for_view(std::string_view view) {
  if (view == "code") return "";
  const DiagramKind* kind = find_diagram(view);
  if (kind != nullptr && kind->view == "buffers") return "strip";  // what changes: all of it
  return kind == nullptr || kind->figure == nullptr ? "spacetime" : kind->name;
}

std::string_view program_text(std::string_view algorithm) {
  std::string stem(algorithm);
  std::ranges::replace(stem, '.', '_');
  const EmbeddedSource* source = find_embedded_source(stem);
  return source == nullptr ? std::string_view{} : source->text;
}

}  // namespace rankscope
