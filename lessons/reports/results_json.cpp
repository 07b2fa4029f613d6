// Writes results as Gradescope's JSON, which it also reads back, and as JUnit's XML.
#include "lessons/reports/results_json.h"

#include <fmt/format.h>

#include "engine/core/base/files.h"
#include "engine/core/base/json_text.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/report_html.h"
#include "lessons/text/date_time.h"
#include "lessons/text/encodings.h"
#include "lessons/text/foreign_text.h"
#include "lessons/text/sealing.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json extra_of(const ItemReport& item) {
  json out = {{"state", item.state()}};
  if (!item.later()) out["exercise"] = item.entry->item->key();
  else out["later"] = item.entry->item->later;
  if (!item.points && !item.later()) out["not_scored_points"] = item.most;
  if (!item.verdict.misconception.empty()) out["misconception"] = item.verdict.misconception;
  if (item.by_ta) out["automatic_points"] = item.verdict.points;
  if (item.rubric.empty()) return out;
  out["rubric"] = json::array();
  for (std::size_t i = 0; i < item.rubric.size(); ++i) {
    json row = {{"text", item.rubric[i].text}, {"max_points", item.rubric[i].points}};
    if (i < item.rubric_points.size()) row["points"] = item.rubric_points[i];
    out["rubric"].push_back(std::move(row));
  }
  return out;
}

// Gradescope's staff see a hidden test whole.
json test_of(ItemReport item, const Course& course) {
  const auto shown = time_of(item.hidden_until);
  const char* const visibility = !shown                             ? "visible"
                                 : course.hand_in.deadline == shown ? "after_due_date"
                                                                    : "hidden";
  item.hidden_until.clear();
  json out = {{"name", title_of(item)},   {"number", item.entry->number},
              {"visibility", visibility}, {"output", feedback_text(item)},
              {"output_format", "text"},  {"extra_data", extra_of(item)}};
  if (!item.points) return out;
  out["score"] = *item.points;
  out["max_score"] = item.most;
  out["status"] = *item.points >= item.most ? "passed" : "failed";
  return out;
}

json row_json(const GradebookRow& row) {
  json cells = json::array();
  for (const auto& cell : row.cells) {
    cells.push_back(
        {{"points", cell.points ? json(*cell.points) : json()}, {"state", to_string(cell.state)}});
    if (!cell.misconception.empty()) cells.back()["misconception"] = cell.misconception;
    if (!cell.comment.empty()) cells.back()["comment"] = cell.comment;
    if (!cell.why.empty()) cells.back()["why"] = cell.why;
  }
  json out = {{"id", row.id},     {"student", row.student},      {"submission", row.submission},
              {"cells", cells},   {"points", row.points},        {"most", row.most},
              {"open", row.open}, {"complaints", row.complaints}};
  if (!row.comment.empty()) out["comment"] = row.comment;
  const HandIn& when = row.hand_in;
  if (when.time)
    out["hand_in"] = {{"time", *when.time},
                      {"late_seconds", when.late},
                      {"penalty_percent", when.percent},
                      {"penalty", row.penalty},
                      {"extension", when.extension}};
  return out;
}

/// Returns the reason for a program's zero points; empty if it has some, and for questions.
std::string why_nothing(const ItemReport& item) {
  constexpr std::size_t kLongest = 160;
  return item.points && *item.points <= 0
             ? shortened(item.why.substr(0, item.why.find('\n')), kLongest)
             : "";
}

}  // namespace

GradebookRow row_of(const StudentReport& report) {
  GradebookRow out{report.id,       report.student, report.submission, {},
                   report.points(), report.most(),  report.open(),     report.complaints,
                   report.comment};
  out.hand_in = report.hand_in;
  double sum = 0;
  for (const ItemReport& item : report.items) sum += item.points.value_or(0);
  out.penalty = sum - out.points;
  for (const ItemReport& item : report.items)
    out.cells.push_back({item.points, item.item_state(), item.verdict.misconception, item.comment,
                         why_nothing(item)});
  return out;
}

json results_json(const StudentReport& report, const Course& course) {
  json tests = json::array();
  for (const ItemReport& item : report.items) tests.push_back(test_of(item, course));
  return {{"score", report.points()},
          {"output", summary_text(report.shown(), course)},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"stdout_visibility", "hidden"},
          {"tests", std::move(tests)},
          {"extra_data",
           {{"rankscope",
             {{"version", RANKSCOPE_VERSION},
              {"course", course.slug},
              {"seed", report.seed},
              {"inputs", report.inputs},
              {"digest", report.digest},
              {"programs", kept_programs_json(report.programs)},
              {"row", row_json(row_of(report))}}}}}};
}

namespace {

/// The place of the seal in a results.json, which it does not cover.
json& seal_in(json& results) { return results.at("extra_data").at("rankscope")["seal"]; }

std::string seal_of(json results, std::string_view key) {
  seal_in(results) = "";
  return hex_of(keyed_hash(key, "results " + dump_json(results)));
}

}  // namespace

std::string results_text(const StudentReport& report, const Course& course, std::string_view key) {
  json results = results_json(report, course);
  seal_in(results) = seal_of(results, key);
  return dump_json(results, 1) + "\n";
}

std::optional<KeptResults> kept_results(std::string_view results, std::string_view key) {
  try {
    json all = parse_shallow_json(results);
    const json& ours = all.at("extra_data").at("rankscope");
    const json& row = ours.at("row");
    KeptResults out{ours.at("course"),
                    ours.value("inputs", ""),
                    ours.at("digest"),
                    {row.at("id"),
                     row.at("student"),
                     row.at("submission"),
                     {},
                     row.at("points"),
                     row.at("most"),
                     row.at("open"),
                     row.at("complaints").get<std::vector<std::string>>(),
                     row.value("comment", "")}};
    if (const auto when = row.find("hand_in"); when != row.end()) {
      out.row.hand_in = {when->at("time").get<std::int64_t>(),
                         when->at("late_seconds").get<std::int64_t>(),
                         when->at("penalty_percent").get<double>(), when->value("extension", "")};
      out.row.penalty = when->at("penalty").get<double>();
    }
    for (const json& cell : row.at("cells")) {
      const json& points = cell.at("points");
      out.row.cells.push_back(
          {points.is_null() ? std::nullopt : std::optional(points.get<double>()),
           item_state_of(cell.at("state").get<std::string>()), cell.value("misconception", ""),
           cell.value("comment", ""), cell.value("why", "")});
    }
    const std::string seal = ours.value("seal", "");
    if (seal.empty()) out.fault = "was written by an earlier version, or by somebody else";
    else if (seal != seal_of(all, key))
      out.fault = "was edited, or written with the secret of another course or user";
    else out.programs = KeptPrograms(ours.at("programs"));
    return out;
  } catch (const std::exception&) {
    return {};
  }
}

std::vector<EarlierResults> earlier_results(const fs::path& out, std::string_view key) {
  std::vector<EarlierResults> all;
  std::error_code error;
  for (auto it = fs::directory_iterator(out, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code status;
    if (!fs::is_directory(it->symlink_status(status))) continue;
    std::string fault;
    const std::string text =
        read_whole(it->path() / "results.json", kMostResults, fault, LinkRule::refuse);
    if (!fault.empty()) continue;
    if (auto kept = kept_results(text, key))
      all.push_back({it->path().filename().string(), std::move(*kept)});
  }
  ranges::sort(all, {}, &EarlierResults::folder);
  return all;
}

namespace {

struct Counts {
  int tests = 0, failures = 0, skipped = 0;
};

void property(std::string& out, std::string_view name, std::string_view value) {
  out += fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, xml_escaped(value));
}

void test_case(std::string& out, const ItemReport& item, const std::string& suite, Counts& counts) {
  ++counts.tests;
  out += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n      <properties>\n",
                     xml_escaped(suite), xml_escaped(item.entry->number + " " + title_of(item)));
  property(out, "state", item.state());
  if (!item.later()) {
    property(out, "exercise", item.entry->item->key());
    if (item.points) property(out, "points", number_text(*item.points));
    property(out, "max_points", number_text(item.most));
  }
  out += "      </properties>\n";
  const std::string says = feedback_text(item);
  if (!item.points) {
    ++counts.skipped;
    out += fmt::format("      <skipped message=\"{}\"/>\n", xml_escaped(points_text(item)));
  } else if (*item.points < item.most) {
    ++counts.failures;
    out += fmt::format("      <failure message=\"{}\">{}</failure>\n",
                       xml_escaped(points_text(item)), xml_escaped(says));
  }
  if (item.points && *item.points >= item.most)
    out += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(says));
  out += "    </testcase>\n";
}

std::string suite_xml(const StudentReport& report, std::size_t part, const std::string& title,
                      Counts& all) {
  Counts counts;
  std::string cases;
  const std::string name = fmt::format("{}. {}", part + 1, title);
  for (const ItemReport& item : report.items)
    if (item.entry->part == part) test_case(cases, item, name, counts);
  all.tests += counts.tests;
  all.failures += counts.failures;
  all.skipped += counts.skipped;
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}"
      "  </testsuite>\n",
      xml_escaped(name), counts.tests, counts.failures, counts.skipped, cases);
}

}  // namespace

std::string junit_xml(const StudentReport& report, const Course& course) {
  Counts all;
  std::string suites;
  // A fault of the whole file becomes an error of its own; else all items would look unanswered.
  if (!report.complaints.empty()) {
    std::string lines;
    for (const std::string& complaint : report.complaints) lines += complaint + "\n";
    suites += fmt::format(
        "  <testsuite name=\"The submission\" tests=\"1\" failures=\"0\" errors=\"1\" "
        "skipped=\"0\">\n"
        "    <testcase classname=\"The submission\" name=\"{}\">\n"
        "      <error message=\"{}\">{}</error>\n    </testcase>\n  </testsuite>\n",
        xml_escaped(report.submission), xml_escaped(report.complaints.front()), xml_escaped(lines));
    ++all.tests;
  }
  for (std::size_t part = 0; part < course.parts.size(); ++part)
    suites += suite_xml(report, part, course.parts[part].title, all);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"{}: {}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}"
      "</testsuites>\n",
      xml_escaped(course.title), xml_escaped(report.student), all.tests, all.failures,
      report.complaints.empty() ? 0 : 1, all.skipped, suites);
}

}  // namespace rankscope
