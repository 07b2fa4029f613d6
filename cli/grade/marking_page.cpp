// Writes the page for marking by hand.
#include "cli/grade/marking_page.h"

#include <set>

#include <nlohmann/json.hpp>

#include "engine/core/base/json_text.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/text/encodings.h"

namespace rankscope::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestAnswer = 20'000;

/// Returns whether a line is the head of one of these tables: ["Anna"."complexity/why"]. Keys may stand without quotes or
/// between single ones.
bool is_head_of(std::string_view line, const std::set<std::string>& tables) {
  std::string plain;
  for (const char one : trimmed(line.substr(0, line.find('#'))))
    if (one != '"' && one != '\'' && one != ' ' && one != '\t') plain += one;
  return plain.size() > 2 && plain.front() == '[' && plain[1] != '[' &&
         tables.contains(plain.substr(1, plain.size() - 2));
}

std::string table_of(const std::string& student, const std::string& key) {
  std::string out = student + "." + key;
  std::erase_if(out,
                [](char one) { return one == '"' || one == '\'' || one == ' ' || one == '\t'; });
  return out;
}

/// The text without these tables.
std::string without_tables(std::string_view text, const std::set<std::string>& tables) {
  std::string out;
  bool dropped = false;
  for (const std::string_view line : rankscope::lines_of(text)) {
    if (trimmed(line).starts_with('[')) dropped = is_head_of(line, tables);
    if (!dropped) out += std::string(line) + "\n";
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

constexpr std::string_view kPage = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Marking: @title@</title>
<style>
:root{color-scheme:light dark;--page:#fff;--text:#15181d;--muted:#5b626c;--line:#d9dde3;--panel:#f5f6f8;--now:#0b5cad}
@media(prefers-color-scheme:dark){:root{--page:#15181d;--text:#e8eaee;--muted:#a2a9b4;--line:#343a43;--panel:#1f242b;--now:#7db8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:56rem;padding:1.25rem;background:var(--page);color:var(--text);font:16px/1.55 Inter,system-ui,sans-serif}
header{display:flex;gap:1rem;align-items:baseline;flex-wrap:wrap;border-bottom:1px solid var(--line);padding-bottom:.6rem}
h1{font-size:1.15rem;margin:0}#where{color:var(--muted);margin-left:auto;font-variant-numeric:tabular-nums}
button,select,textarea{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:.25rem .6rem}
button:focus-visible,textarea:focus-visible,select:focus-visible{outline:2px solid var(--now);outline-offset:1px}
#prompt{color:var(--muted);white-space:pre-wrap;margin:1rem 0 .5rem}
#answer{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;min-height:5rem}
ol{list-style:none;padding:0;margin:1rem 0}
li{display:flex;gap:.75rem;align-items:baseline;padding:.35rem .5rem;border-left:3px solid transparent}
li.now{border-color:var(--now);background:var(--panel)}li span:first-child{flex:1}
li b{font-variant-numeric:tabular-nums;min-width:5.5rem;text-align:right}
textarea{width:100%;min-height:3.2rem}
kbd{border:1px solid var(--line);border-radius:4px;padding:0 .35rem;font-size:.85em}
footer{color:var(--muted);font-size:.9rem;margin-top:1rem}
</style>
</head>
<body>
<header><h1>@title@</h1><select id="question" aria-label="Question"></select><button id="save">Download marks.toml</button><span id="where"></span></header>
<main>
<p id="who"></p>
<div id="prompt"></div>
<div id="answer" tabindex="-1"></div>
<ol id="rows"></ol>
<label>Comment<textarea id="comment"></textarea></label>
</main>
<footer><kbd>0</kbd>…<kbd>9</kbd> points of the row, <kbd>f</kbd> all of them, <kbd>h</kbd> half a point more, <kbd>x</kbd> none yet; <kbd>↑</kbd> <kbd>↓</kbd> row;
<kbd>j</kbd> <kbd>k</kbd> next and previous student, <kbd>n</kbd> the next one without marks; <kbd>q</kbd> question; <kbd>c</kbd> comment, <kbd>Esc</kbd> leaves it; <kbd>s</kbd> saves.
Marks are kept in this browser until you download the file. Put it in place of the marks.toml of your results, and grade again.</footer>
<script type="application/json" id="data">@data@</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const store = "rankscope marking " + data.course + " " + data.id;
let kept = {};
try { kept = JSON.parse(localStorage.getItem(store)) || {}; } catch { kept = {}; }
for (const q of data.questions)
  for (const a of q.answers) {
    const one = kept[q.key + "\n" + a.student];
    if (one && one.points.length === q.rubric.length) { a.points = one.points; a.comment = one.comment; }
  }
let question = 0, at = 0, row = 0;
const now = () => data.questions[question].answers[at];
const marked = a => a.points.length > 0 && a.points.every(p => p !== null);
const begun = a => !marked(a) && a.points.some(p => p !== null);
function keep() {
  const a = now();
  kept[data.questions[question].key + "\n" + a.student] = {points: a.points, comment: a.comment};
  try { localStorage.setItem(store, JSON.stringify(kept)); } catch { /* private windows have none */ }
}
function show() {
  const q = data.questions[question], a = now();
  $("question").value = question;
  $("who").textContent = a.student + (a.answer ? "" : ": no answer");
  $("prompt").textContent = q.prompt;
  $("answer").textContent = a.answer || "—";
  $("rows").replaceChildren(...q.rubric.map((r, i) => {
    const li = document.createElement("li"), text = document.createElement("span"), points = document.createElement("b");
    li.className = i === row ? "now" : "";
    text.textContent = r.text;
    points.textContent = (a.points[i] === null ? "–" : a.points[i]) + " of " + r.points;
    li.append(text, points);
    li.onclick = () => { row = i; show(); };
    return li;
  }));
  $("comment").value = a.comment;
  $("where").textContent = `${at + 1} of ${q.answers.length}, ${q.answers.filter(marked).length} marked` +
    (q.answers.some(begun) ? `, ${q.answers.filter(begun).length} in part (not counted)` : "");
}
function set(points, stay) {
  const q = data.questions[question], a = now();
  a.points[row] = points === null ? null : Math.min(Math.max(points, 0), q.rubric[row].points);
  keep();
  if (!stay && row + 1 < q.rubric.length) row++;
  show();
}
function go(to) { at = Math.min(Math.max(to, 0), data.questions[question].answers.length - 1); row = 0; show(); }
function unmarked() {
  const all = data.questions[question].answers;
  for (let i = 1; i <= all.length; i++) if (!marked(all[(at + i) % all.length])) return go((at + i) % all.length);
}
function choose(to) { question = (to + data.questions.length) % data.questions.length; go(0); }
const text = value => JSON.stringify(value).replace(/\u007f/g, "\\u007F");
function toml() {
  let out = data.rest;
  for (const q of data.questions)
    for (const a of q.answers) {
      if (begun(a)) out += `\n# Not counted: ${text(a.student)}, ${text(q.key)} has ${a.points.map(p => p ?? "none").join(", ")}\n`;
      if (!marked(a) && !a.comment && a.override === null) continue;
      out += `\n[${text(a.student)}.${text(q.key)}]\n`;
      if (marked(a)) out += `rubric = [${a.points.join(", ")}]\n`;
      if (a.override !== null) out += `override = ${a.override}\n`;
      if (a.comment) out += `comment = ${text(a.comment)}\n`;
    }
  return out;
}
function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([toml()], {type: "application/toml"}));
  link.download = "marks.toml";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
data.questions.forEach((q, i) => $("question").append(new Option(q.title, i)));
$("question").onchange = e => { choose(Number(e.target.value)); e.target.blur(); };
$("save").onclick = save;
$("comment").oninput = e => { now().comment = e.target.value; keep(); };
addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.id === "comment") { if (e.key === "Escape") e.target.blur(); return; }
  if (e.target.tagName === "SELECT") return;
  const rows = data.questions[question].rubric;
  const keys = {
    ArrowDown: () => { row = Math.min(row + 1, rows.length - 1); show(); }, ArrowUp: () => { row = Math.max(row - 1, 0); show(); },
    j: () => go(at + 1), k: () => go(at - 1), n: unmarked, q: () => choose(question + 1), s: save,
    f: () => set(rows[row].points), h: () => set((now().points[row] ?? 0) + 0.5, true),
    x: () => set(null, true), c: () => $("comment").focus(),
  };
  if (/^[0-9]$/.test(e.key)) set(Number(e.key));
  else if (keys[e.key]) keys[e.key]();
  else return;
  e.preventDefault();
});
if (data.questions.length) show();
else $("who").textContent = "No question of this course is marked by hand.";
</script>
</body>
</html>
)html";

/// The answer as its student wrote it.
std::string answer_text(const SubmissionHead& head, const std::string& key) {
  if (!head.answers) return "";
  const auto found = head.answers->answers.find(key);
  if (found == head.answers->answers.end()) return "";
  const std::string text =
      found->second.is_string() ? found->second.get<std::string>() : dump_json(found->second);
  return with_directions_shown(shortened(std::string(trimmed(text)), kLongestAnswer));
}

json answer_json(const SubmissionHead& head, const std::string& key, std::size_t rows,
                 const ItemMarks* marks) {
  json points = json::array();
  for (std::size_t i = 0; i < rows; ++i)
    points.push_back(marks != nullptr && marks->rubric.size() == rows ? json(marks->rubric[i])
                                                                      : json());
  return {{"student", head.id},
          {"answer", answer_text(head, key)},
          {"points", points},
          {"override",
           marks != nullptr && marks->override_points ? json(*marks->override_points) : json()},
          {"comment", marks != nullptr ? marks->comment : ""}};
}

}  // namespace

std::string marking_page(const CourseGrader& grader, const std::vector<SubmissionHead>& heads,
                         const Marks& marks, std::string_view marks_text) {
  json questions = json::array();
  std::set<std::string> tables;
  for (const CourseEntry& entry : grader.entries()) {
    if (entry.question == nullptr || !entry.question->kind->marked_by_hand()) continue;
    const std::string key = entry.item->key();
    json rubric = json::array(), answers = json::array();
    for (const RubricRow& row : rubric_of(*entry.question))
      rubric.push_back({{"text", row.text}, {"points", row.points}});
    if (rubric.empty()) continue;
    for (const SubmissionHead& head : heads) {
      const StudentMarks* const of = marks.find(head.id);
      answers.push_back(
          answer_json(head, key, rubric.size(), of == nullptr ? nullptr : of->find(key)));
      tables.insert(table_of(head.id, key));
    }
    questions.push_back(
        {{"key", key},
         {"title", entry.number + " " + (entry.item->title.empty() ? key : entry.item->title)},
         {"prompt", entry.question->prompt},
         {"rubric", rubric},
         {"answers", answers}});
  }
  const json data = {{"course", grader.course().slug},
                     {"id", hash_text(marks_text)},
                     {"rest", without_tables(marks_text, tables)},
                     {"questions", questions}};
  std::string text = dump_json(data);
  replace_all(text, "<", "\\u003c");  // nothing in it ends the script
  std::string page(kPage);
  replace_all(page, "@title@", xml_escaped(grader.course().title));
  replace_all(page, "@data@", text);
  return page;
}

}  // namespace rankscope::cli
