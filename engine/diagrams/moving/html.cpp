// Assembles the HTML page of a flipbook: data, script, colours and security policy.
#include "engine/diagrams/moving/html.h"

#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/base/error.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/moving/html_panel.h"

namespace rankscope {

// The files of player/, in a generated source.
std::string_view player_script() noexcept;
std::string_view player_style() noexcept;
/// HTML: buttons, scrubber, caption.
std::string_view player_controls() noexcept;
/// In hexadecimal digits.
std::string_view player_script_sha256() noexcept;

namespace {

// Returns the base64 form of a SHA-256 in hexadecimal digits, for a content security policy.
std::string base64_of_hex(std::string_view hex) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = bytes[i] << 16;
    if (i + 1 < bytes.size()) group |= bytes[i + 1] << 8;
    if (i + 2 < bytes.size()) group |= bytes[i + 2];
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63U];
  }
  return text;
}

// The player's own colours are those of the theme too.
void use_player_colors(SvgClasses& classes) {
  for (const Tone tone :
       {Tone::page, Tone::panel, Tone::frame, Tone::lane, Tone::text, Tone::muted, Tone::accent})
    classes.of(Ink{tone}, false);
  for (int i = 0; i < 6; ++i) classes.of(Ink{Tone::phase, i}, false);
}

std::string color_rules(const SvgClasses& classes) {
  const std::string light = classes.css_colors(Theme(Theme::Kind::light));
  const std::string dark = classes.css_colors(Theme(Theme::Kind::dark));
  const std::string print = classes.css_colors(Theme(Theme::Kind::print));
  std::string marks;
  for (int i = 0; i < 6; ++i) marks += fmt::format("--mark-{0}:var(--phase-{0});", i);
  return fmt::format(
      ":root{{color-scheme:light;--future:{4};{3}{0}}}\n"
      "@media "
      "(prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{1}}}}}\n"
      ":root[data-theme=dark]{{color-scheme:dark;{1}}}\n"
      "@media "
      "print{{:root,:root[data-theme],:root:not([data-theme=light]){{color-scheme:light;{2}}}}}\n",
      light, dark, print, marks, Theme(Theme::Kind::light).future());
}

// Text inside <script type="application/json">: nothing in it may end the element.
std::string script_json(const nlohmann::json& json) {
  std::string text = dump_json(json);
  replace_all(text, "<", "\\u003c");
  return text;
}

// The prefix of shapes' ids, which are written thousands of times; the player's own begin with small letters.
std::string panel_prefix(int number) {
  return number < 26 ? std::string(1, static_cast<char>('A' + number))
                     : fmt::format("Z{}-", number);
}

// Stories of a grid's cells have most of their lines in common: each is written once.
class Lines {
 public:
  /// {"cell-2-3": [[0, 4, 7], ...]}: from moment 0 on, lines 4 and 7.
  nlohmann::json numbered(const nlohmann::json& stories) {
    auto all = nlohmann::json::object();
    for (const auto& [id, changes] : stories.items())
      for (const auto& change : changes) {
        auto one = nlohmann::json::array({change[0]});
        for (const auto& number : numbers(change[1].get<std::string>())) one.push_back(number);
        all[id].push_back(one);
      }
    return all;
  }
  const nlohmann::json& all() const noexcept { return lines_; }

 private:
  std::vector<std::size_t> numbers(const std::string& text) {
    std::vector<std::size_t> found;
    for (const std::string_view line : split_at(text, "\n")) {
      const auto [known, fresh] = known_.try_emplace(std::string(line), known_.size());
      if (fresh) lines_.push_back(known->first);
      found.push_back(known->second);
    }
    return found;
  }
  std::unordered_map<std::string, std::size_t> known_;
  nlohmann::json lines_ = nlohmann::json::array();
};

nlohmann::json data_of(const Flipbook& book) {
  auto moments = nlohmann::json::array();
  for (const auto& moment : book.moments)
    moments.push_back({{"now", moment.now},
                       {"name", moment.name},
                       {"phase", moment.phase},
                       {"caption", moment.caption}});
  Lines lines;
  auto stories = nlohmann::json::array();
  for (const auto& panel : book.panels) stories.push_back(lines.numbered(panel_stories(panel)));
  const std::string& last = book.moments.back().name;
  const bool steps = last.starts_with("step ");
  return {{"moments", moments},
          {"lines", lines.all()},
          {"stories", stories},
          {"unit", steps ? "step" : "time"},
          {"lastName", steps ? last.substr(5) : last},
          {"pace", book.pace},
          {"summary", book.description}};
}

}  // namespace

std::string to_html(const Flipbook& book, std::string_view theme) {
  if (book.moments.empty() || book.panels.empty()) throw UserError("there is nothing to play");
  SvgClasses classes;
  use_player_colors(classes);
  std::string figures;
  int number = 0;
  for (const auto& panel : book.panels)
    figures += fmt::format("<figure style=\"--share:{}\">\n{}</figure>\n",
                           svg_number(panel.scenes.front().height),
                           panel_svg(panel, classes, panel_prefix(number++)));
  const std::string opens_with =
      theme.empty() ? "" : fmt::format(" data-theme=\"{}\"", xml_escaped(theme));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "script-src 'sha256-{}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"rankscope\">\n<title>{}</title>\n"
      "<style>\n{}{}{}</style>\n</head>\n<body>\n<h1 class=\"unseen\">{}</h1>\n"
      "<svg width=\"0\" height=\"0\" class=\"unseen\" aria-hidden=\"true\">{}</svg>\n"
      "<main>\n{}</main>\n{}"
      "<script type=\"application/json\" id=\"flipbook\">{}</script>\n<script>{}</script>\n"
      "</body>\n</html>\n",
      opens_with, base64_of_hex(player_script_sha256()), xml_escaped(book.title),
      color_rules(classes), classes.css(), player_style(), xml_escaped(book.title),
      svg_defs("var(--text)"), figures, player_controls(), script_json(data_of(book)),
      player_script());
}

}  // namespace rankscope
