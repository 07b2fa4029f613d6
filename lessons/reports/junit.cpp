// Writes results as JUnit XML.
#include "lessons/reports/junit.h"

#include <fmt/format.h>

#include "engine/diagrams/paint/svg.h"
#include "lessons/lesson/expand.h"
#include "lessons/reports/report_text.h"

namespace rankscope {
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
  // What is wrong with the file as a whole is an error of its own, else all would look unanswered.
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
