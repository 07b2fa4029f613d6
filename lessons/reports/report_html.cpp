// Writes a student's report as HTML.
#include "lessons/reports/report_html.h"

#include <map>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/lesson/expand.h"
#include "lessons/text/list_text.h"
#include "lessons/text/markdown.h"

namespace rankscope {
namespace {

constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--page:#fff;--text:#15181d;--muted:#5b626c;--line:#d9dde3;--panel:#f5f6f8;
--right:#1b7a3d;--partly:#9a5b00;--wrong:#b3261e;--open:#0b5cad}
@media(prefers-color-scheme:dark){:root{--page:#15181d;--text:#e8eaee;--muted:#a2a9b4;--line:#343a43;
--panel:#1f242b;--right:#6fcf8e;--partly:#f0b354;--wrong:#ff8a80;--open:#7db8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:52rem;padding:2rem 1.25rem 4rem;background:var(--page);color:var(--text);
font:16px/1.55 Inter,system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line);
display:flex;justify-content:space-between;gap:1rem}
h3{font-size:1rem;margin:0;display:flex;justify-content:space-between;gap:1rem}
h3 span+span,h2 span+span,td.n{white-space:nowrap;font-variant-numeric:tabular-nums}
h2 span+span{font-weight:400;color:var(--muted)}
.who{color:var(--muted);margin:0 0 1.25rem}
.score{font-size:1.15rem;font-weight:600}
.box{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.75rem 1rem;margin:1rem 0}
.box>:first-child{margin-top:0}.box>:last-child{margin-bottom:0}
.item{padding:1rem 0;border-bottom:1px solid var(--line)}
.right{color:var(--right)}.partly{color:var(--partly)}.wrong{color:var(--wrong)}.open{color:var(--open)}
.muted{color:var(--muted)}
.prompt{margin:.5rem 0}.prompt p{margin:.4rem 0}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.5rem 0}
dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.answer{font-family:"JetBrains Mono",ui-monospace,monospace;font-size:.9rem;white-space:pre-wrap}
.prose{white-space:pre-wrap}
figure{margin:1rem 0}figure img{display:block;max-width:100%;height:auto;background:#fff;border-radius:8px;
border:1px solid var(--line)}figcaption{color:var(--muted);font-size:.9rem;margin-top:.35rem}
table{border-collapse:collapse;font-size:.95rem;margin:.5rem 0}
th,td{border-bottom:1px solid var(--line);padding:.3rem .75rem .3rem 0;text-align:left;vertical-align:top}
td.n,th.n{text-align:right}
pre{background:var(--panel);padding:.6rem .8rem;border-radius:6px;overflow:auto;font-size:.9rem}
a{color:var(--open)}
.wide{overflow-x:auto}
@media print{:root{color-scheme:light;--page:#fff;--text:#000;--muted:#444;--line:#bbb;--panel:#fff;
--right:#1b7a3d;--partly:#7a4800;--wrong:#a01c14;--open:#0b4a8d}
body{max-width:none;padding:0;font-size:10.5pt}.item,figure,.box,tr{break-inside:avoid}h2,h3{break-after:avoid}}
)";

std::string_view class_of(const ItemReport& item) {
  if (item.later()) return "muted";
  if (!item.points) return item.open() ? "open" : "muted";
  if (*item.points >= item.most) return "right";
  return *item.points > 0 ? "partly" : "wrong";
}

void row(std::string& out, std::string_view name, std::string_view html,
         std::string_view style = "") {
  if (html.empty()) return;
  out += fmt::format("<dt>{}</dt><dd{}>{}</dd>\n", name,
                     style.empty() ? "" : fmt::format(" class=\"{}\"", style), html);
}

std::string rubric_table(const ItemReport& item) {
  if (item.rubric_points.empty()) return "";
  std::string out = "<table>\n";
  for (std::size_t i = 0; i < item.rubric.size() && i < item.rubric_points.size(); ++i)
    out += fmt::format("<tr><td>{}</td><td class=\"n\">{} of {}</td></tr>\n",
                       xml_escaped(item.rubric[i].text), number_text(item.rubric_points[i]),
                       number_text(item.rubric[i].points));
  return out + "</table>\n";
}

class ReportWriter {
 public:
  ReportWriter(const StudentReport& report, const Course& course, ReportPictures* pictures)
      : report_(report), course_(course), pictures_(pictures) {}

  std::string body() {
    out_ = fmt::format("<h1>{}</h1>\n<p class=\"who\">{}{}</p>\n", xml_escaped(course_.title),
                       xml_escaped(report_.student),
                       report_.seed != 0 ? fmt::format(" · numbers of seed {}", report_.seed) : "");
    head();
    for (std::size_t part = 0; part < course_.parts.size(); ++part) {
      double points = 0, most = 0;
      for (const ItemReport& item : report_.items)
        if (item.entry->part == part && item.points) points += *item.points, most += item.most;
      out_ += fmt::format("<section>\n<h2><span>{}. {}</span><span>{}</span></h2>\n", part + 1,
                          xml_escaped(course_.parts[part].title),
                          most > 0 ? score_text(points, most) : "");
      for (const ItemReport& item : report_.items)
        if (item.entry->part == part) item_section(item);
      out_ += "</section>\n";
    }
    return std::move(out_);
  }

 private:
  void head() {
    out_ +=
        fmt::format("<p class=\"score\">{}</p>\n", score_text(report_.points(), report_.most()));
    if (report_.hides_items())
      out_ += "<p class=\"muted\">Some items are shown later, and do not count here yet.</p>\n";
    if (report_.open() > 0)
      out_ += fmt::format("<p class=\"open\">To be marked by hand: {} more points.</p>\n",
                          number_text(report_.open()));
    out_ += complaints_html("About the file that was handed in", report_.complaints);
    if (!report_.comment.empty())
      out_ += fmt::format("<div class=\"box\">{}</div>\n", html_lines(report_.comment));
  }

  void item_section(const ItemReport& item) {
    out_ += fmt::format(
        "<article class=\"item\" id=\"i{}\">\n<h3><span>{} {}</span><span "
        "class=\"{}\">{}</span></h3>\n",
        item.entry->number, item.entry->number, xml_escaped(title_of(item)), class_of(item),
        xml_escaped(points_text(item)));
    if (item.entry->question != nullptr)
      out_ +=
          fmt::format("<div class=\"prompt\">{}</div>\n",
                      markdown_html(fill_in(item.entry->question->prompt, item.variant.values)));
    if (!item.later()) {
      out_ += "<dl>\n";
      const bool prose =
          item.entry->question != nullptr && item.entry->question->kind->marked_by_hand();
      if (item.answer.empty()) row(out_, "Answer", "<span class=\"muted\">none</span>");
      else row(out_, "Answer", xml_escaped(item.answer), prose ? "prose" : "answer");
      smallest_run(item);
      row(out_, "Result", html_lines(remarks_text(item)));
      if (!item.printed.empty())
        row(out_, "Printed", fmt::format("<pre>{}</pre>", xml_escaped(item.printed)));
      out_ += "</dl>\n";
      out_ += rubric_table(item);
    } else {
      out_ += fmt::format("<p class=\"muted\">{}</p>\n", html_lines(remarks_text(item)));
    }
    if (pictures_ != nullptr) explain(item);
    out_ += "</article>\n";
  }

  // Stands above the result, so that the student looks at the run before reading the mistake.
  void smallest_run(const ItemReport& item) {
    if (item.smallest.text.empty()) return;
    std::string html = fmt::format("<pre style=\"white-space:pre-wrap\">{}</pre>\n",
                                   xml_escaped(item.smallest.text));
    if (!item.smallest.picture.empty())
      html += fmt::format("<figure><img src=\"{}\" alt=\"its messages\"></figure>\n",
                          item.smallest.picture);
    if (!item.smallest.explains.empty())
      html += fmt::format("<details><summary>Answer</summary><p>{}</p></details>\n",
                          html_lines(item.smallest.explains));
    row(out_, "Look here first", html);
  }

  // A right answer needs no explanation.
  void explain(const ItemReport& item) {
    if (item.entry->question == nullptr || !item.points || *item.points >= item.most) return;
    if (!item.entry->question->explanation.empty())
      out_ += fmt::format(
          "<div class=\"box\">{}</div>\n",
          markdown_html(fill_in(item.entry->question->explanation, item.variant.values)));
    const auto picture = pictures_->of(item);
    if (!picture) return;
    const auto [at, fresh] = shown_.emplace(picture.get(), item.entry->number);
    if (!fresh) {
      out_ += fmt::format("<p class=\"muted\">The run is drawn at <a href=\"#i{0}\">{0}</a>.</p>\n",
                          at->second);
      return;
    }
    out_ += fmt::format(
        "<figure><img src=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\" alt=\"{}\"><figcaption>{}"
        "</figcaption></figure>\n",
        picture->data_url, picture->scene.width, picture->scene.height,
        xml_escaped(picture->scene.description), xml_escaped(ReportPictures::caption_of(item)));
  }

  const StudentReport& report_;
  const Course& course_;
  ReportPictures* pictures_;
  std::map<const ReportPicture*, std::string> shown_;  // with the number of the item
  std::string out_;
};

}  // namespace

std::string html_lines(std::string_view text) {
  std::string out = xml_escaped(text);
  replace_all(out, "\n", "<br>\n");
  return out;
}

std::string complaints_html(std::string_view title, const std::vector<std::string>& complaints) {
  if (complaints.empty()) return {};
  return fmt::format("<div class=\"box\"><strong class=\"wrong\">{}</strong><ul>\n{}</ul></div>\n",
                     title, joined(complaints, "", [](const std::string& one) {
                       return fmt::format("<li>{}</li>\n", html_lines(one));
                     }));
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "</body>\n</html>\n",
      xml_escaped(title), kStyle, body);
}

std::string report_html(const StudentReport& report, const Course& course,
                        ReportPictures* pictures) {
  return html_page(fmt::format("{}: {}", course.title, report.student),
                   ReportWriter(report, course, pictures).body());
}

namespace {

void add_line(std::string& text, const std::string& line) {
  if (line.empty()) return;
  if (!text.empty()) text += '\n';
  text += line;
}

/// Returns the most points of the items in this state that have no points yet.
double sum_of(const StudentReport& report, Verdict::State state) {
  double out = 0;
  for (const ItemReport& item : report.items)
    if (!item.points && !item.later() && item.hidden_until.empty() && item.verdict.state == state)
      out += item.most;
  return out;
}

}  // namespace

std::string score_text(double points, double most) {
  return fmt::format("{} of {}", number_text(points), points_text(most));
}

std::string title_of(const CourseEntry& entry) {
  return entry.item->title.empty() ? entry.item->key() : entry.item->title;
}

std::string points_text(const ItemReport& item) {
  if (item.later()) return fmt::format("not yet here ({})", item.entry->item->later);
  if (!item.hidden_until.empty()) return fmt::format("shown from {}", item.hidden_until);
  if (!item.points) return fmt::format("{} ({})", item.state(), points_text(item.most));
  return score_text(*item.points, item.most);
}

std::string remarks_text(const ItemReport& item) {
  std::string out;
  if (item.later())
    return "This exercise is not yet here; it has no points and is not part of the score.";
  if (!item.hidden_until.empty())
    return fmt::format("Points and remarks are shown from {}.", item.hidden_until);
  if (item.by_ta) add_line(out, "Marked by hand.");
  else if (item.verdict.state == Verdict::State::by_hand) add_line(out, "To be marked by hand.");
  else if (item.verdict.state == Verdict::State::right) add_line(out, "Right.");
  else if (item.verdict.state == Verdict::State::unanswered) add_line(out, "Not answered.");
  else if (item.verdict.state == Verdict::State::partly) add_line(out, "Partly right.");
  else if (item.verdict.state == Verdict::State::wrong && item.verdict.says.empty())
    add_line(out, "Wrong.");
  if (item.verdict.state != Verdict::State::by_hand) add_line(out, item.verdict.says);
  for (std::size_t i = 0; i < item.rubric_points.size() && i < item.rubric.size(); ++i)
    add_line(out, fmt::format("{}: {}", item.rubric[i].text,
                              score_text(item.rubric_points[i], item.rubric[i].points)));
  if (!item.comment.empty()) add_line(out, "Comment: " + item.comment);
  return out;
}

std::string feedback_text(const ItemReport& item) {
  std::string out;
  if (!item.answer.empty()) add_line(out, "Your answer: " + item.answer);
  add_line(out, remarks_text(item));
  if (!item.printed.empty()) add_line(out, "It printed, with " + item.printed);
  return out;
}

std::string summary_text(const StudentReport& report, const Course& course) {
  std::string out = fmt::format("{}: {}", course.title, score_text(report.points(), report.most()));
  const double open = report.open(), code = sum_of(report, Verdict::State::not_graded);
  if (open > 0)
    add_line(out, fmt::format("To be marked by hand: {} more point{}.", number_text(open),
                              open == 1 ? "" : "s"));
  if (code > 0) add_line(out, fmt::format("Not graded here: {}.", points_text(code)));
  if (report.hides_items()) add_line(out, "Some items are shown later, and do not count here yet.");
  if (report.seed != 0) add_line(out, fmt::format("Numbers of seed {}.", report.seed));
  for (const std::string& complaint : report.complaints) add_line(out, complaint);
  if (!report.comment.empty()) add_line(out, "Comment: " + report.comment);
  return out;
}

}  // namespace rankscope
