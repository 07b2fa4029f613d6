// Deadlines, penalties, extensions and resubmissions.
#include "lessons/reports/class_rules.h"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "engine/toml/toml_source.h"
#include "lessons/text/date_time.h"
#include "tests/support/catch.h"
#include "tests/support/process.h"

namespace rankscope {
namespace {

HandInRules rules_of(const std::string& toml, std::string* complaints = nullptr) {
  Complaints wrong;
  const auto source = parse_toml(toml, "c.toml", wrong);
  REQUIRE(source);
  TomlNode root(source, wrong);
  HandInRules out = read_hand_in(root.at("hand_in"));
  if (complaints != nullptr) *complaints = wrong.to_string();
  else CHECK(wrong.to_string() == "");
  return out;
}

const std::string kDeadline = "[hand_in]\ndeadline = 2026-11-20T12:00:00Z\n";

double percent(const std::string& more, const char* time, const char* student = "anna") {
  return ClassRules(rules_of(kDeadline + more), Roster()).judge(student, time_of(time)).percent;
}

TEST_CASE("hand in: times are read as lecturers and other systems write them", "[lessons]") {
  const auto noon = time_of("2026-11-20T12:00:00Z");
  REQUIRE(noon);
  CHECK(noon->time_since_epoch().count() == 1795176000);  // date -d 2026-11-20T12:00:00Z +%s
  for (const char* same : {"2026-11-20T13:00:00+01:00", "2026-11-20 05:00:00 -0700",
                           "2026-11-20 12:00Z", "2026-11-20t12:00:00.75Z"}) {
    INFO(same);
    CHECK(time_of(same) == noon);
  }
  CHECK(time_of(time_text(*noon)) == noon);
  for (const char* none : {"", "soon", "2026-13-01", "2026-02-30", "2026-11-20 24:00",
                           "2026-11-20 12:00 UTC+1", "20.11.2026", "2026-11-20T12:00:00+1"}) {
    INFO(none);
    CHECK_FALSE(time_of(none));
  }
  CHECK(duration_text(std::chrono::seconds(90061)) == "1 day 1 hour");
  CHECK(duration_text(std::chrono::seconds(59)) == "59 seconds");
}

TEST_CASE("hand in: a local time is as clocks show it on days on which they change", "[lessons]") {
  const char* const kept = std::getenv("TZ");
  const std::string before = kept == nullptr ? "" : kept;
  ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  ::tzset();
  for (const char* local : {"2026-10-25 23:59", "2026-03-29 23:59", "2026-10-25 01:30",
                            "2026-03-29 03:00", "2026-07-01 12:00"})
    CHECK(time_text(time_of(local).value()) == local);
  CHECK(time_of("2026-10-25 23:59") == time_of("2026-10-25T23:59:00+01:00"));
  kept == nullptr ? ::unsetenv("TZ") : ::setenv("TZ", before.c_str(), 1);
  ::tzset();
}

TEST_CASE("hand in: a penalty for each day, hour, or once, up to its limit", "[lessons]") {
  const std::string day = "penalty = 10\n";
  CHECK(percent(day, "2026-11-20T12:00:00Z") == 0);
  CHECK(percent(day, "2026-11-20T12:00:01Z") == 10);
  CHECK(percent(day, "2026-11-21T12:00:00Z") == 10);
  CHECK(percent(day, "2026-11-21T12:00:01Z") == 20);
  CHECK(percent(day + "most = 35\n", "2026-12-24T12:00:00Z") == 35);
  CHECK(percent(day, "2026-12-24T12:00:00Z") == 100);
  CHECK(percent(day + "per = \"hour\"\n", "2026-11-20T14:30:00Z") == 30);
  CHECK(percent(day + "per = \"once\"\n", "2026-11-24T14:30:00Z") == 10);
  CHECK(percent(day + "grace = 15\n", "2026-11-20T12:15:00Z") == 0);
  CHECK(percent(day + "grace = 15\n", "2026-11-20T12:15:01Z") == 10);
  const std::string closes = "closes = 2026-11-22T12:00:00Z\n";
  CHECK(percent(closes, "2026-11-22T12:00:00Z") == 0);
  CHECK(percent(closes, "2026-11-22T12:00:01Z") == 100);
  const HandIn unknown = ClassRules(rules_of(kDeadline + day), Roster()).judge("anna", {});
  CHECK(unknown.percent == 0);
  CHECK_FALSE(unknown.time);
}

TEST_CASE("hand in: an extension is for its student, by any of the names", "[lessons]") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "r.csv") << "Name,SID,Email\nAnna A,s1,a@x\nBen B,s2,b@x\n";
  const Roster roster(folder / "r.csv");
  const ClassRules rules(rules_of(kDeadline + "penalty = 10\ncloses = 2026-11-21T12:00:00Z\n"
                                              "[[hand_in.extension]]\nstudent = \"s1\"\n"
                                              "until = 2026-11-24T12:00:00Z\n"),
                         roster);
  const auto time = time_of("2026-11-24T11:00:00Z");
  CHECK(rules.judge("a@x", time).late == 0);
  CHECK(rules.judge("Anna A", time).extension == time_text(*time_of("2026-11-24T12:00:00Z")));
  CHECK(rules.judge("s2", time).percent == 100);
  CHECK(rules.judge("a@x", time_of("2026-11-24T12:00:01Z")).percent == 100);  // closed by then
}

TEST_CASE("hand in: the last or the best of several submissions counts", "[lessons]") {
  const auto row = [](const char* id, const char* student, double points, const char* time) {
    GradebookRow out;
    out.id = id;
    out.student = student;
    out.submission = id;
    out.points = points;
    const ClassRules rules(rules_of(kDeadline + "closes = 2026-11-25T12:00:00Z\n"), Roster());
    out.hand_in = rules.judge(student, time_of(time));
    return out;
  };
  const std::vector<GradebookRow> rows = {
      row("a1", "Anna", 5, "2026-11-19T12:00:00Z"), row("b1", "Ben", 1, "2026-11-19T12:00:00Z"),
      row("a2", "anna", 3, "2026-11-20T12:00:00Z"), row("a3", "Anna", 0, "2026-11-26T12:00:00Z")};
  const auto left = [&](const std::string& counts, std::vector<GradebookRow> from) {
    std::vector<std::string> lines;
    std::string out;
    const ClassRules rules(rules_of(kDeadline + counts), Roster());
    for (const GradebookRow& one : rules.counting(std::move(from), lines)) out += one.id + " ";
    return out + std::to_string(lines.size());
  };
  CHECK(left("", rows) == "a1 b1 a2 a3 0");
  CHECK(left("counts = \"best\"\n", rows) == "a1 b1 1");
  CHECK(left("counts = \"last\"\n", rows) == "b1 a2 1");  // a3 came when nothing was accepted
  auto unknown = rows;
  unknown[0].hand_in.time.reset();
  CHECK(left("counts = \"last\"\n", unknown) == "a1 b1 a2 a3 1");
}

TEST_CASE("hand in: what is wrong with the rules is said with its line", "[lessons]") {
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"[hand_in]\npenalty = 10\n", "without a 'deadline'"},
           {kDeadline + "penalty = 120\n", "'penalty' is a percentage"},
           {kDeadline + "per = \"week\"\n", "'per' is \"day\" or \"hour\" or \"once\""},
           {kDeadline + "counts = \"first\"\n", "'counts' is"},
           {kDeadline + "closes = 2026-11-19T12:00:00Z\n", "before the deadline"},
           {kDeadline + "columns = [\"age\"]\n", "'columns' are"},
           {"[hand_in]\ndeadline = \"tomorrow\"\n", "is a date and time such as"},
           {kDeadline + "[[hand_in.extension]]\nstudent = \"x\"\n", "says 'until' when"},
           {kDeadline + "penality = 3\n", "did you mean 'penalty'"}}) {
    std::string complaints;
    rules_of(text, &complaints);
    INFO(text << complaints);
    CHECK(complaints.find(says) != std::string::npos);
  }
}

}  // namespace
}  // namespace rankscope
