// Writes a Markdown tree as HTML or plain text.
#include "lessons/text/markdown_html.h"

#include <md4c-html.h>

namespace rankscope {
namespace {

void append(const MD_CHAR* text, MD_SIZE size, void* into) {
  static_cast<std::string*>(into)->append(text, size);
}

}  // namespace

std::string markdown_html(std::string_view markdown) {
  std::string out;
  md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), append, &out,
          MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML, 0);
  return out;
}

std::string markdown_plain(std::string_view markdown) {
  const std::string html = markdown_html(markdown);
  std::string out;
  bool tag = false;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const std::string_view rest = std::string_view(html).substr(i);
    if (rest.starts_with("<li>")) out += "- ";
    if (rest.starts_with("</td>") || rest.starts_with("</th>")) out += "  ";
    if (html[i] == '<') tag = true;
    else if (html[i] == '>') tag = false;
    else if (!tag && html[i] == '&') {
      for (const auto& [entity, sign] : {std::pair{"&lt;", '<'}, std::pair{"&gt;", '>'},
                                         std::pair{"&amp;", '&'}, std::pair{"&quot;", '"'}}) {
        if (!rest.starts_with(entity)) continue;
        out += sign;
        i += std::string_view(entity).size() - 1;
        break;
      }
    } else if (!tag) out += html[i];
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace rankscope
