// Writes a question bank in Moodle XML (docs.moodle.org, "Moodle XML format"; README.md).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/bank/bank.h"
#include "lessons/text/encodings.h"
#include "lessons/text/list_text.h"

namespace rankscope {
namespace {

// In our XHTML only tags have a ">", so it cannot contain "]]>".
std::string html_text(const std::string& xhtml) {
  return xhtml.empty() ? "<text></text>" : "<text><![CDATA[" + xhtml + "]]></text>";
}

std::string html_element(std::string_view name, const std::string& xhtml) {
  return fmt::format("    <{0} format=\"html\">{1}</{0}>\n", name, html_text(xhtml));
}

/// Escapes the characters that mark parts of a cloze text.
std::string cloze_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("}#~/\"\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string cloze_blank(const BankBlank& blank) {
  if (!blank.text.empty())
    return fmt::format("{{1:SHORTANSWER:={}}}", xml_escaped(cloze_escaped(blank.text)));
  return fmt::format("{{1:NUMERICAL:={}:{}}}", bank_number(blank.value),
                     bank_number(blank.tolerance));
}

bool is_number_item(const BankItem& item) {
  return item.kind == BankItem::Kind::blanks && item.blanks.size() == 1 &&
         item.blanks[0].text.empty();
}

std::string_view moodle_type(const BankItem& item) {
  switch (item.kind) {
    case BankItem::Kind::choice: return "multichoice";
    case BankItem::Kind::order: return "matching";
    case BankItem::Kind::essay: return "essay";
    case BankItem::Kind::blanks: break;
  }
  return is_number_item(item) ? "numerical" : "cloze";
}

std::string question_text(const BankItem& item) {
  const bool cloze = moodle_type(item) == "cloze";
  std::string prompt = item.prompt;
  if (cloze) replace_all(prompt, "{", "&#123;");  // braces of the text are no blanks
  if (item.kind == BankItem::Kind::order)
    prompt += "<p>Give each step its number, beginning with 1.</p>";
  const std::string text = with_marks(
      prompt,
      [&](std::size_t i) { return cloze ? cloze_blank(item.blanks[i]) : std::string("______"); },
      [](const std::string& name) { return "@@PLUGINFILE@@/" + name; });
  std::string out = "    <questiontext format=\"html\">" + html_text(text);
  for (const BankPicture& one : item.pictures)
    out += fmt::format("<file name=\"{}\" path=\"/\" encoding=\"base64\">{}</file>",
                       xml_escaped(one.name), base64(one.bytes));
  return out + "</questiontext>\n";
}

std::string answer_element(double fraction, const std::string& text, const std::string& more,
                           const std::string& feedback, bool html) {
  return fmt::format(
      "    <answer fraction=\"{}\" format=\"{}\">{}{}<feedback "
      "format=\"html\">{}</feedback></answer>\n",
      fmt::format("{:.7g}", fraction), html ? "html" : "moodle_auto_format",
      html ? html_text(text) : "<text>" + text + "</text>", more, html_text(feedback));
}

std::string combined_feedback() {
  return html_element("correctfeedback", "") + html_element("partiallycorrectfeedback", "") +
         html_element("incorrectfeedback", "");
}

// All right options together give the points, and all wrong ones together cost them.
std::string choice_parts(const BankItem& item) {
  const auto right = ranges::count_if(item.options, &BankAnswer::is_right);
  const auto wrong = static_cast<std::ptrdiff_t>(item.options.size()) - right;
  std::string out = fmt::format(
      "    <single>{}</single>\n    <shuffleanswers>true</shuffleanswers>\n"
      "    <answernumbering>abc</answernumbering>\n",
      !item.multiple);
  out += combined_feedback();
  for (const BankAnswer& one : item.options) {
    double fraction = one.is_right ? 100 : 0;
    if (item.multiple)
      fraction = one.is_right ? 100.0 / static_cast<double>(right)
                              : -100.0 / static_cast<double>(std::max<std::ptrdiff_t>(wrong, 1));
    fraction = std::round(fraction * 1e5) / 1e5;
    out += answer_element(fraction, one.text, "", one.feedback, true);
  }
  return out;
}

std::string number_parts(const BankItem& item) {
  const BankBlank& blank = item.blanks[0];
  const auto tolerance = [&](double value) {
    return fmt::format("<tolerance>{}</tolerance>", bank_number(value));
  };
  std::string out =
      answer_element(100, bank_number(blank.value), tolerance(blank.tolerance), "", false);
  for (const double also : blank.also)
    out += answer_element(100, bank_number(also), tolerance(blank.tolerance), "", false);
  for (const BankAnswer& one : item.known)
    out += answer_element(0, one.text,
                          tolerance(std::min(blank.tolerance, std::abs(one.value) * 1e-6)),
                          one.feedback, false);
  return out +
         "    <unitgradingtype>0</unitgradingtype>\n    <unitpenalty>0.1</unitpenalty>\n"
         "    <showunits>3</showunits>\n    <unitsleft>0</unitsleft>\n";
}

std::string order_parts(const BankItem& item) {
  std::string out = "    <shuffleanswers>true</shuffleanswers>\n" + combined_feedback();
  int number = 0;
  for (const std::string& step : item.steps)
    out += fmt::format(
        "    <subquestion format=\"html\">{}<answer><text>{}</text></answer></subquestion>\n",
        html_text(step), ++number);
  return out;
}

std::string essay_parts(const BankItem& item) {
  return fmt::format(
             "    <responseformat>{}</responseformat>\n    "
             "<responserequired>{}</responserequired>\n"
             "    <responsefieldlines>15</responsefieldlines>\n    <attachments>{}</attachments>\n"
             "    <attachmentsrequired>{}</attachmentsrequired>\n",
             item.program ? "noinline" : "editor", item.program ? 0 : 1, item.program ? 1 : 0,
             item.program ? 1 : 0) +
         html_element("graderinfo", item.for_marker) + html_element("responsetemplate", "");
}

std::string question_element(const BankItem& item) {
  const std::string_view type = moodle_type(item);
  std::string out = fmt::format("  <question type=\"{}\">\n    <name><text>{}</text></name>\n",
                                type, xml_escaped(item.title));
  out += question_text(item) + html_element("generalfeedback", item.explanation);
  if (type != "cloze")
    out += fmt::format("    <defaultgrade>{}</defaultgrade>\n", bank_number(item.points));
  out += fmt::format(
      "    <penalty>{}</penalty>\n    <hidden>0</hidden>\n    <idnumber>{}</idnumber>\n",
      type == "essay" ? "0" : "0.3333333", xml_escaped(item.id));
  if (type == "multichoice") out += choice_parts(item);
  if (type == "numerical") out += number_parts(item);
  if (type == "matching") out += order_parts(item);
  if (type == "essay") out += essay_parts(item);
  if (type != "essay")
    for (const std::string& hint : item.hints) out += html_element("hint", hint);
  return out + "  </question>\n";
}

// A slash separates a category from its subcategory.
std::string category_name(std::string_view title) {
  std::string out;
  for (const char c : title) out += c == '/' ? std::string("//") : std::string(1, c);
  return out;
}

}  // namespace

std::string moodle_xml(const QuestionBank& bank) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n";
  for (const BankSection& section : bank.sections) {
    if (section.items.empty()) continue;
    out += fmt::format(
        "  <question type=\"category\">\n    <category><text>$course$/top/rankscope/{}</text>"
        "</category>\n  </question>\n",
        xml_escaped(category_name(section.title)));
    for (const BankItem& item : section.items) out += question_element(item);
  }
  return out + "</quiz>\n";
}

}  // namespace rankscope
