// Writes the page of programs that are too alike: side by side, with what they have in common marked.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "engine/diagrams/paint/svg.h"
#include "lessons/reports/alike.h"
#include "lessons/reports/report_html.h"

namespace rankscope {
namespace {

constexpr std::size_t kMostPairsShown = 100;

// Okabe and Ito's colours, which people who do not see all colours tell apart; each passage also has its number.
constexpr std::array<std::string_view, 6> kMarks = {"230,159,0",   "86,180,233", "0,158,115",
                                                    "204,121,167", "240,228,66", "213,94,0"};

constexpr std::string_view kAlikeStyle = R"(<style>
body{max-width:100rem}
.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}
.code{font:12px/1.45 "JetBrains Mono",ui-monospace,monospace;font-variant-ligatures:none;overflow-x:auto;background:var(--panel);
border:1px solid var(--line);border-radius:8px;padding:.5rem 0;margin:.25rem 0}
.code div{white-space:pre;min-height:1.45em;padding-right:.75rem;border-left:4px solid transparent}
.code i{display:inline-block;width:3rem;padding-right:.6rem;text-align:right;color:var(--muted);font-style:normal;
user-select:none}
.code b{display:inline-block;width:2.2rem;user-select:none}
@media print{.code div{white-space:pre-wrap}}
</style>
)";

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string name_of(const AlikeProgram& program) {
  return program.student.empty() ? program.folder : program.student;
}

/// By line: the number of the passage that it is in, from 1; of the first program or the other.
std::map<std::size_t, std::size_t> passages_by_line(const AlikePair& pair, bool first) {
  std::map<std::size_t, std::size_t> out;
  for (std::size_t i = 0; i < pair.passages.size(); ++i) {
    const AlikePassage& one = pair.passages[i];
    for (std::size_t line = first ? one.first_a : one.first_b;
         line <= (first ? one.last_a : one.last_b); ++line)
      out.emplace(line, i + 1);  // the longest has the lines that two share
  }
  return out;
}

std::string program_html(const AlikeProgram& program, double share,
                         const std::map<std::size_t, std::size_t>& passages) {
  std::string out =
      fmt::format("<div><p><strong>{}</strong> · {} · {} in common</p>\n<div class=\"code\">\n",
                  xml_escaped(name_of(program)), xml_escaped(program.file), percent(share));
  std::size_t before = 0;
  for (std::size_t i = 0; i < program.lines.size(); ++i) {
    const auto found = passages.find(i);
    const std::size_t number = found == passages.end() ? 0 : found->second;
    std::string style;
    if (number > 0) {
      const std::string_view color = kMarks[(number - 1) % kMarks.size()];
      style = fmt::format(" style=\"background:rgba({0},.22);border-color:rgb({0})\"", color);
    }
    const bool begins = number > 0 && number != before;
    out += fmt::format("<div{}><i>{}</i><b>{}</b>{}</div>\n", style, i + 1,
                       begins ? fmt::format("[{}]", number) : "", xml_escaped(program.lines[i]));
    before = number;
  }
  return out + "</div></div>\n";
}

std::string pair_html(const AlikeExercise& exercise, const AlikePair& pair, std::size_t number) {
  const AlikeProgram& a = exercise.programs[pair.a];
  const AlikeProgram& b = exercise.programs[pair.b];
  return fmt::format(
      "<h3 id=\"p{0}\"><span>{0}. {1} and {2}</span><span>{3}</span></h3>\n<div class=\"two\">\n"
      "{4}{5}</div>\n",
      number, xml_escaped(name_of(a)), xml_escaped(name_of(b)), xml_escaped(exercise.title),
      program_html(a, pair.share_a, passages_by_line(pair, true)),
      program_html(b, pair.share_b, passages_by_line(pair, false)));
}

}  // namespace

std::string alike_html(const std::vector<AlikeExercise>& exercises, std::string_view course) {
  std::string table, pairs;
  std::size_t number = 0, left_out = 0;
  for (const AlikeExercise& exercise : exercises)
    for (const AlikePair& pair : exercise.pairs) {
      if (number >= kMostPairsShown) {
        ++left_out;
        continue;
      }
      ++number;
      table += fmt::format(
          "<tr><td><a href=\"#p{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td class=\"n\">{3}</td>"
          "<td>{4}</td><td class=\"n\">{5}</td><td class=\"n\">{6}</td></tr>\n",
          number, xml_escaped(exercise.title), xml_escaped(name_of(exercise.programs[pair.a])),
          percent(pair.share_a), xml_escaped(name_of(exercise.programs[pair.b])),
          percent(pair.share_b), pair.tokens);
      pairs += pair_html(exercise, pair, number);
    }
  std::string out = fmt::format(
      "{}<h1>{}: programs that are alike</h1>\n"
      "<p>This is a list to look at, and no verdict. Two people who follow the same book write "
      "similar programs, and a short program leaves little choice. Names, numbers, texts, "
      "comments and layout do not count; what the starter has and what more than half of the class "
      "has is left out. Marked lines are in both programs; a number in brackets names the same "
      "passage on both sides.</p>\n",
      kAlikeStyle, xml_escaped(course));
  if (number == 0) return html_page(course, out + "<p>No pair is as alike as that.</p>\n");
  out +=
      "<div class=\"wide\"><table>\n<tr><th></th><th>exercise</th><th>program</th><th "
      "class=\"n\">in common</th><th>program</th><th class=\"n\">in common</th><th "
      "class=\"n\">words</th></tr>\n" +
      table + "</table></div>\n";
  if (left_out > 0) out += fmt::format("<p>{} more pairs are not shown.</p>\n", left_out);
  return html_page(course, out + pairs);
}

}  // namespace rankscope
