// Handouts as one HTML file: our pictures inline, files of the lesson as data, nothing from the network.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/handout/handout.h"
#include "lessons/lesson/picture.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

using Kind = HandoutItem::Kind;

constexpr std::string_view kCss = R"CSS(
:root{color-scheme:light}
body{font:16px/1.5 Inter,"DejaVu Sans",sans-serif;color:#1b1f24;background:#fff;max-width:46rem;
margin:2.5rem auto;padding:0 1.25rem}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .4rem}
h2{font-size:1.35rem;margin:2.4rem 0 .6rem;border-bottom:1px solid #d5dae0;padding-bottom:.25rem}
h3{font-size:1.05rem;margin:1.4rem 0 .4rem}
.facts,figcaption,.how{color:#57606a;font-size:.9rem}
.who{margin:1.2rem 0;display:flex;gap:2rem}.who span{flex:1;border-bottom:1px solid #8c959f}
code,pre{font-family:"JetBrains Mono","DejaVu Sans Mono",monospace;font-size:.86em}
code{background:#f2f4f6;border-radius:3px;padding:.1em .3em}
pre{background:#f6f8fa;border:1px solid #e2e6ea;border-radius:6px;padding:.7rem .9rem;overflow-x:auto;
line-height:1.35;white-space:pre-wrap;font-variant-ligatures:none}
pre code{background:none;padding:0;font-size:1em}
pre .n{color:#8c959f;user-select:none}
table{border-collapse:collapse;margin:.8rem 0}
th,td{border:1px solid #d5dae0;padding:.25rem .6rem;text-align:left}
th{background:#f6f8fa}
figure{margin:1.2rem 0}figure svg,figure img{max-width:100%;height:auto;display:block}
section.q{border:1px solid #c9d1d9;border-left:4px solid #0072b2;border-radius:6px;
padding:.5rem 1rem .8rem;margin:1.2rem 0}
section.q h3{margin-top:.4rem}
ol.options{list-style:lower-alpha}ol.options p{margin:.1rem 0}
.line{border-bottom:1px solid #8c959f;height:1.9rem}
aside{background:#fff8e1;border:1px solid #e6d9a8;border-radius:6px;padding:.3rem 1rem;margin:1.2rem 0}
details{border:1px solid #d5dae0;border-radius:6px;padding:.4rem 1rem;margin:1.2rem 0}
summary{font-weight:600;cursor:pointer}
a.word{color:inherit;text-decoration:underline dotted #8c959f}
@media print{body{margin:0;max-width:none;font-size:11pt}section.q,figure,pre{break-inside:avoid}
h2,h3{break-after:avoid}}
)CSS";

std::string listing_html(const HandoutItem& item) {
  std::string out = "<figure><pre>";
  int number = 0;
  for (const std::string_view line : lines_of(item.text))
    out += fmt::format("<span class=\"n\">{:>3}</span>  {}\n", ++number, xml_escaped(line));
  return out + "</pre><figcaption>" + xml_escaped(item.caption) + "</figcaption></figure>\n";
}

std::string figure_html(const HandoutItem& item) {
  SvgOptions options;
  options.fragment = true;
  options.groups = false;
  const std::string picture = item.scene
                                  ? to_svg(*item.scene, Theme(Theme::Kind::print), options)
                                  : fmt::format("<img alt=\"{}\" src=\"{}\">",
                                                xml_escaped(item.caption), svg_data_url(item.svg));
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture,
                     xml_escaped(item.caption));
}

std::string question_html(const HandoutItem& item, const Handout& handout) {
  std::string out = fmt::format("<section class=\"q\"><h3>{}</h3>\n{}", xml_escaped(item.title),
                                markdown_html(item.text));
  if (!item.options.empty()) {
    out += "<ol class=\"options\">\n";
    for (const std::string& option : item.options)
      out += "<li>" + markdown_html(option) + "</li>\n";
    out += "</ol>\n";
  }
  out += fmt::format("<p class=\"how\">{}: {}</p>\n", xml_escaped(handout.fixed("Answer")),
                     xml_escaped(item.how));
  for (int i = 0; i < item.lines; ++i) out += "<div class=\"line\"></div>\n";
  return out + "</section>\n";
}

std::string item_html(const HandoutItem& item, const Handout& handout) {
  switch (item.kind) {
    case Kind::heading:
      return fmt::format("<h{0}>{1}</h{0}>\n", item.level, xml_escaped(item.title));
    case Kind::text: return markdown_html(item.text);
    case Kind::figure: return figure_html(item);
    case Kind::listing: return listing_html(item);
    case Kind::question: return question_html(item, handout);
    case Kind::coding:
      return fmt::format("<section class=\"q\"><h3>{}</h3>\n{}<p class=\"how\">{}</p></section>\n",
                         xml_escaped(item.title), markdown_html(item.text), xml_escaped(item.how));
    case Kind::note:
      return fmt::format("<aside><h3>{}</h3>\n{}</aside>\n",
                         xml_escaped(handout.fixed("For the lecturer")), markdown_html(item.text));
    case Kind::reveal:
      return fmt::format("<details><summary>{}</summary>\n{}</details>\n", xml_escaped(item.title),
                         markdown_html(item.text));
    case Kind::answer: break;
  }
  return fmt::format("<h3>{}</h3>\n{}{}", xml_escaped(item.title),
                     item.how.empty() ? "" : "<p><code>" + xml_escaped(item.how) + "</code></p>\n",
                     markdown_html(item.text));
}

/// The language as pages name it: "zh-CN" for "zh_CN".
std::string html_language(std::string language) {
  if (language.empty()) return "en";
  ranges::replace(language, '_', '-');
  return xml_escaped(language);
}

/// The meanings of the linked words.
std::string words_html(std::vector<const GlossaryWord*> used) {
  if (used.empty()) return {};
  ranges::sort(used, {}, [](const GlossaryWord* one) { return one->name; });
  std::string out = "<h2>Words</h2>\n<dl>\n";
  for (const GlossaryWord* one : used)
    out += fmt::format("<dt id=\"word-{}\"><b>{}</b></dt><dd>{}</dd>\n", one->line,
                       xml_escaped(one->name), xml_escaped(one->says));
  return out + "</dl>\n";
}

}  // namespace

std::string to_html(const Handout& handout) {
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{2}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      xml_escaped(handout.title), kCss, html_language(handout.language));
  if (!handout.summary.empty()) out += fmt::format("<p>{}</p>\n", xml_escaped(handout.summary));
  out += fmt::format("<p class=\"facts\">{}</p>\n",
                     xml_escaped(fmt::format("{}", fmt::join(handout.facts, " · "))));
  out += fmt::format("<p class=\"who\"><span>{}:</span><span>{}:</span></p>\n",
                     xml_escaped(handout.fixed("Name")), xml_escaped(handout.fixed("Date")));
  std::vector<const GlossaryWord*> used;
  for (const HandoutItem& item : handout.items) {
    std::string html = item_html(item, handout);
    const bool of_text = item.kind == Kind::text || item.kind == Kind::note;
    out += of_text ? link_words(std::move(html), handout.glossary, used) : html;
  }
  return out + words_html(used) + "</body>\n</html>\n";
}

}  // namespace rankscope
