// Handouts as Markdown: texts as they are, pictures in files beside it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/handout/handout.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

using Kind = HandoutItem::Kind;

std::string quoted_block(std::string_view text) {
  return joined(lines_of(text), "", [](auto line) { return fmt::format("> {}\n", line); });
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::string folder) : folder_(std::move(folder)) {}

  void add(const HandoutItem& item) {
    switch (item.kind) {
      case Kind::heading:
        return paragraph(std::string(static_cast<std::size_t>(item.level), '#') + " " + item.title);
      case Kind::text: return paragraph(item.text);
      case Kind::figure: return figure(item);
      case Kind::listing:
        paragraph("```cpp\n" + item.text + (item.text.ends_with('\n') ? "```" : "\n```"));
        return paragraph(item.caption);
      case Kind::question: return question(item);
      case Kind::coding:
        paragraph("### " + item.title);
        paragraph(item.text);
        return paragraph(item.how);
      case Kind::note:
        paragraph("> **For the lecturer**");
        return paragraph(quoted_block(item.text));
      case Kind::reveal: paragraph("### " + item.title); return paragraph(item.text);
      case Kind::answer: break;
    }
    paragraph("### " + item.title);
    if (!item.how.empty()) paragraph("`" + item.how + "`");
    paragraph(item.text);
  }

  void paragraph(std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    if (!text.empty()) out_.text += fmt::format("{}{}\n", out_.text.empty() ? "" : "\n", text);
  }
  MarkdownHandout take() { return std::move(out_); }

 private:
  void figure(const HandoutItem& item) {
    const std::string name = item.name + ".svg";
    out_.figures.push_back(
        {name, item.scene ? to_svg(*item.scene, Theme(Theme::Kind::light)) : item.svg});
    paragraph(fmt::format("![{}]({}/{})", item.caption, folder_, name));
    paragraph(item.caption);
  }

  void question(const HandoutItem& item) {
    paragraph("### " + item.title);
    paragraph(item.text);
    char letter = 'a';
    for (const std::string& option : item.options)
      paragraph(fmt::format("{}) {}", letter++, option));
    paragraph(fmt::format("Answer: {}", item.how));
    std::string lines = "```\n";
    for (int i = 0; i < item.lines; ++i) lines += "\n";
    paragraph(lines + "```");
  }

  std::string folder_;
  MarkdownHandout out_;
};

}  // namespace

MarkdownHandout to_markdown(const Handout& handout, const std::string& figures) {
  MarkdownWriter out(figures);
  out.paragraph("# " + handout.title);
  out.paragraph(handout.summary);
  out.paragraph(fmt::format("{}", fmt::join(handout.facts, " · ")));
  for (const HandoutItem& item : handout.items) out.add(item);
  return out.take();
}

}  // namespace rankscope
