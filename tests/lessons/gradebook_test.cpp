// Gradebooks for other systems, rosters, and statistics of questions.
#include "lessons/reports/gradebook.h"

#include <fstream>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/text.h"
#include "engine/diagrams/paint/svg.h"
#include "lessons/reports/class_rules.h"
#include "lessons/reports/csv.h"
#include "lessons/reports/statistics.h"
#include "lessons/text/foreign_text.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

// A course of two questions of 2 points and one of 4, and a class with these points.
struct MadeClass {
  explicit MadeClass(const std::vector<std::vector<double>>& points) {
    course.title = "Homework, 1";
    course.parts.push_back(
        {"Part", 8, {{"a", "x", "X", 2, ""}, {"a", "y", "Y", 2, ""}, {"b", "z", "Z", 4, ""}}});
    for (std::size_t i = 0; i < 3; ++i)
      entries.push_back(
          {&course.parts[0].items[i], &lesson, nullptr, nullptr, "1." + std::to_string(i + 1)});
    for (const auto& one : points) {
      GradebookRow row;
      row.student = row.id = "Student " + std::to_string(rows.size());
      for (const double value : one) {
        row.cells.push_back({value, value > 0 ? ItemState::right : ItemState::wrong});
        row.points += value;
      }
      row.most = 8;
      rows.push_back(std::move(row));
    }
  }
  MadeClass(const MadeClass&) = delete;

  Course course;
  Lesson lesson;
  std::vector<CourseEntry> entries;
  std::vector<GradebookRow> rows;
};

Roster roster_of(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "roster.csv", std::ios::binary) << text;
  return Roster(folder / "roster.csv");
}

std::string form_of(const MadeClass& made, std::string_view name, const Roster& roster) {
  for (const GradebookForm& form : gradebook_forms())
    if (form.name == name) return form.write(made.rows, made.entries, made.course, roster);
  return "no such form";
}

TEST_CASE("csv: rows are read as spreadsheets write them, and cells are never formulas",
          "[lessons]") {
  CHECK(csv_rows("\xEF\xBB\xBF"
                 "a,\"b,\"\"c\"\"\"\r\n\r\n\"two\nlines\",\n") ==
        std::vector<std::vector<std::string>>{{"a", "b,\"c\""}, {"two\nlines", ""}});
  CHECK(csv_cell("=1+1") == "'=1+1");
  for (const char* formula : {"＝1+1", "  =1+1", "\u3000＋1", "\u200B=1+1"})
    CHECK_THAT(csv_cell(formula), Catch::StartsWith("'") || Catch::StartsWith("\"'"));
  CHECK(csv_cell(" plain") == "\" plain\"");
  CHECK(csv_rows(csv_cell("a \"b\", c") + "\n") ==
        std::vector<std::vector<std::string>>{{"a \"b\", c"}});
}

TEST_CASE("roster: exports of Canvas, Gradescope and Moodle are read as they are", "[lessons]") {
  const Roster canvas = roster_of(
      "Student,ID,SIS User ID,SIS Login ID,Section,Lab (12)\n    Points Possible,,,,,10\n"
      "\"Müller, Anna\",71,A7,anna,S1,3\n\"Test, Student\",72,,,S1,\n");
  REQUIRE(canvas.all().size() == 2);
  const RosterStudent* anna = canvas.find("anna MÜLLER");  // ASCII letters of any size
  CHECK(anna == nullptr);
  anna = canvas.find("ANNA Müller");
  REQUIRE(anna != nullptr);
  CHECK(anna->id == "A7");
  CHECK(anna->canvas == "71");
  CHECK(canvas.find("Müller, Anna") == anna);
  CHECK(canvas.find("a7") == anna);
  const Roster other =
      roster_of("First Name,Last Name,SID,Email\nBo,Li,7,bo@x.edu\nBo,Li,8,b2@x.edu\n");
  CHECK(other.find("Bo Li") == nullptr);  // two of that name
  CHECK(other.find("B2@x.edu")->id == "8");
  CHECK(roster_of("Full name,Email address,ID number\nEva Maria Sol,e@x.edu,9\n").all()[0].last ==
        "Sol");
  CHECK_THROWS_AS(roster_of("x,y\n1,2\n"), UserError);
  CHECK_THROWS_AS(roster_of("Name,Email\n"), UserError);
  CHECK_THROWS_AS(Roster("/nowhere/roster.csv"), UserError);
}

TEST_CASE("XML of any text is valid, and directions are seen", "[lessons]") {
  CHECK(xml_escaped("a\xEF\xBF\xBE\x01<\xFF") == "a\uFFFD&lt;\uFFFD");
  CHECK(with_directions_shown("a\u202Eb\u2066") == "a[U+202E]b[U+2066]");
  CHECK(escaped("x\u202Ey") == "x\\xe2\\x80\\xaey");
}

TEST_CASE("roster: headings that are not known are named", "[lessons]") {
  const Roster some = roster_of("Name,Matrikel,Total Score,HW1 (123)\nAnna A,7,3,2\n");
  REQUIRE(some.complaints().all().size() == 1);
  const std::string says = some.complaints().all()[0].text;
  CHECK(says.find("not read: Matrikel. Known are") != std::string::npos);
}

TEST_CASE("roster: a team's members get the points of the one who handed in", "[lessons]") {
  const Roster roster = roster_of(
      "Name,SID,Team\nAnna A,1,red\nBen B,2,red\nCem C,3,\nDora D,4,blue\nEve E,5,Blue\n");
  const ClassRules rules({}, roster);
  std::vector<GradebookRow> rows(3);
  rows[0].student = "Anna A", rows[0].points = 5, rows[0].id = "Anna A";
  rows[1].student = "4", rows[1].points = 3, rows[1].id = "4";
  rows[2].student = "eve e", rows[2].points = 2, rows[2].id = "eve e";
  std::vector<std::string> lines;
  const auto all = rules.with_teams(rows, lines);
  REQUIRE(all.size() == 4);
  CHECK(all[3].student == "Ben B");
  CHECK(all[3].points == 5);
  CHECK(all[3].complaints.back() == "handed in by Anna A, of the team red");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("both handed in") != std::string::npos);
}

TEST_CASE("roster: saved by a spreadsheet of any country", "[lessons]") {
  const std::string rows = "Name;SID;Email\r\nMüller, Anna;A7;anna@x.edu\r\nBo Li;A8;b@x.edu\r\n";
  const auto reads_anna = [](const Roster& roster) {
    REQUIRE(roster.all().size() == 2);
    const RosterStudent* anna = roster.find("Anna Müller");
    return anna != nullptr && anna->id == "A7" && anna->email == "anna@x.edu";
  };
  CHECK(reads_anna(roster_of(rows)));
  CHECK(reads_anna(roster_of("sep=;\r\n" + rows)));
  std::string tabs = rows;
  std::ranges::replace(tabs, ';', '\t');
  CHECK(reads_anna(roster_of(tabs)));
  // Windows-1252, and what "Unicode text" of a spreadsheet is: UTF-16 with tabs.
  std::string windows = rows, wide = "\xff\xfe";
  windows.replace(windows.find("ü"), 2, "\xfc");
  for (std::size_t at = 0; at < tabs.size(); ++at) {
    const bool umlaut = tabs[at] == '\xC3';
    wide += umlaut ? '\xfc' : tabs[at];
    wide += '\0';
    at += umlaut;
  }
  const Roster from_windows = roster_of(windows), from_wide = roster_of(wide);
  CHECK(reads_anna(from_windows));
  CHECK(from_windows.complaints().all().at(0).line == 2);
  CHECK(reads_anna(from_wide));
  CHECK(from_wide.complaints().all().at(0).text.find("UTF-16") != std::string::npos);
  CHECK(decoded_text("caf\xe9 \x93x\x94").text == "café “x”");
  CHECK(decoded_text("\xff\xfe\x41\x00\x00\xd8").fault.find("damaged") != std::string::npos);
}

TEST_CASE("roster: a line that is left out has a number and a reason", "[lessons]") {
  const Roster roster = roster_of(
      "Student,SID,Email,Section\n\"Müller,\nAnna\",A7,a@x.edu,S1\nLi, "
      "Bo,A8,b@x.edu,S1\n,,,\n,,,S1\n"
      "Cy Doe,a7,c@x.edu,S1\n\"Di,A9,d@x.edu\nEve,A10,e@x.edu\n");
  CHECK(roster.all().size() == 2);
  std::string lines;
  for (const Complaint& one : roster.complaints().all())
    lines += fmt::format("{} {}\n", one.line, one.text.substr(0, 26));
  INFO(lines);
  CHECK(lines ==
        "4 left out: 5 cells, but 4 c\n"
        "6 left out: no name, student\n"
        "8 left out: a quote begins h\n"
        "7 has the student number a7 \n");
  CHECK(roster.find("A7") == nullptr);
  CHECK(roster.find("Cy Doe") != nullptr);
}

TEST_CASE("gradebook forms have the columns that each system documents", "[lessons]") {
  MadeClass made({{2, 1, 0.5}, {2, 2, 4}});
  made.rows[0].student = "Anna Müller";
  made.rows[1].cells[1] = {std::nullopt, ItemState::to_be_marked};
  const Roster roster =
      roster_of("Name,SID,Email,Section,Login\nAnna Müller,A7,anna@x.edu,S1,anna\n");
  const auto canvas = csv_rows(form_of(made, "canvas", roster));
  REQUIRE(canvas.size() == 4);
  CHECK(canvas[0] == std::vector<std::string>{"Student", "ID", "SIS User ID", "SIS Login ID",
                                              "Section", "Homework, 1"});
  CHECK(canvas[1] == std::vector<std::string>{"Points Possible", "", "", "", "", "8"});
  CHECK(canvas[2] == std::vector<std::string>{"Müller, Anna", "", "A7", "anna", "S1", "3.5"});
  CHECK(canvas[3].back().empty());  // nothing is sent while something is open
  const auto moodle = csv_rows(form_of(made, "moodle", roster));
  CHECK(moodle[0][3] == "Email address");
  CHECK(moodle[1] == std::vector<std::string>{"Anna", "Müller", "A7", "anna@x.edu", "3.5"});
  const auto gradescope = csv_rows(form_of(made, "gradescope", roster));
  CHECK(gradescope[0].size() == 11);
  CHECK(gradescope[0][8] == "1.1: X (2 pts)");
  CHECK(gradescope[1] == std::vector<std::string>{"Anna", "Müller", "A7", "anna@x.edu", "S1", "3.5",
                                                  "8", "Graded", "2", "1", "0.5"});
  CHECK(gradescope[2][7] == "Ungraded");
  const auto remarks = gradebook_remarks(made.rows, made.entries, roster);
  REQUIRE(remarks.size() == 2);
  CHECK(remarks[0].find("Student 1") != std::string::npos);
  CHECK(gradebook_remarks(made.rows, made.entries, {}).size() ==
        1);  // without a roster nobody is missing in it
}

TEST_CASE("gradebook forms have no total where programs were not run", "[lessons]") {
  MadeClass made({{2, 1}, {2, 2}});
  const CodingExercise program;
  made.entries[2].coding = &program;
  for (GradebookRow& row : made.rows) {
    row.cells.push_back({std::nullopt, ItemState::not_graded});
    row.most = 4;  // of what is graded: the whole class lacks the program
  }
  const auto canvas = csv_rows(form_of(made, "canvas", {}));
  CHECK(canvas[1].back() == "8");
  CHECK(canvas[2].back().empty());
  CHECK(canvas[3].back().empty());
  CHECK(csv_rows(form_of(made, "gradescope", {}))[1][6] == "8");
  const auto remarks = gradebook_remarks(made.rows, made.entries, {});
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].find("--code") != std::string::npos);
  CHECK(remarks[0].find("Student 0, Student 1") != std::string::npos);
}

TEST_CASE("statistics: difficulty, corrected item-total correlation, best less worst",
          "[lessons]") {
  // X goes with the rest, Y against it, Z is the same for all.
  std::vector<std::vector<double>> points;
  for (int i = 0; i < 20; ++i) points.push_back({i < 10 ? 0.0 : 2.0, i < 10 ? 2.0 : 0.0, 1.0});
  points[0][0] = 2;  // so that the rest of X and of Y differ
  MadeClass made(points);
  made.rows[3].cells[0].misconception = made.rows[4].cells[0].misconception = "fifth-node";
  const auto items = item_statistics(made.rows, made.entries);
  REQUIRE(items.size() == 3);
  CHECK(items[0].students == 20);
  CHECK(items[0].difficulty == Approx(11.0 / 20));
  // By hand: x and y are 0 or 2; of the 20, (0,2) 9 times, (2,0) 10 times, (2,2) once. phi = (1·0 − 10·9)/√(…)
  CHECK(*items[0].discrimination == Approx((1 * 0 - 10 * 9) / std::sqrt(11.0 * 9 * 10 * 10)));
  CHECK(*items[1].discrimination == Approx(*items[0].discrimination));
  CHECK_FALSE(items[2].discrimination);  // all have the same
  auto late = made.rows;
  for (std::size_t i = 10; i < 15; ++i) std::swap(late[i].points, late[i].penalty);
  CHECK(*item_statistics(late, made.entries)[0].discrimination == Approx(*items[0].discrimination));
  CHECK(items[0].misconceptions.at("fifth-node") == 2);
  CHECK(items[2].upper_lower == Approx(0));
  const std::string page = statistics_html(items, made.course, made.rows.size());
  CHECK(page.find("check its key") != std::string::npos);
  CHECK(page.find("2 × <code>fifth-node</code>") != std::string::npos);
  const auto table = csv_rows(statistics_csv(items));
  REQUIRE(table.size() == 4);
  CHECK(table[1][7] == "2 x fifth-node");
  CHECK(table[3][5].empty());
}

TEST_CASE("statistics: the best and the worst 27 % are 5 of 20; few students tell nothing",
          "[lessons]") {
  std::vector<std::vector<double>> points;
  for (int i = 0; i < 20; ++i) points.push_back({i < 5 ? 0.0 : 2.0, i % 2 * 2.0, i * 0.2});
  MadeClass made(points);
  const auto items = item_statistics(made.rows, made.entries);
  // The worst five by their totals are students 0, 2, 4, 1, 3: none of them has X; the best have it all.
  CHECK(*items[0].upper_lower == Approx(1));
  CHECK(*items[0].discrimination > 0.3);
  MadeClass few({{2, 2, 4}, {0, 0, 0}});
  const auto two = item_statistics(few.rows, few.entries);
  CHECK_FALSE(two[0].discrimination);
  CHECK_FALSE(two[0].upper_lower);
  CHECK(two[0].difficulty == Approx(0.5));
}

}  // namespace
}  // namespace rankscope
