// Reads a class's list from the tables that other systems write.
#include "lessons/reports/roster.h"

#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/error.h"
#include "engine/core/base/files.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "lessons/reports/csv.h"
#include "lessons/text/foreign_text.h"

namespace rankscope {

struct RosterColumn {
  std::string_view heading;
  std::string RosterStudent::*field;  ///< Null for a whole name.
};

namespace {

constexpr std::uintmax_t kMostRoster = std::uintmax_t{8} << 20;
constexpr std::size_t kMostRosterLines = 20;

// The headings of Canvas, Gradescope and Moodle.
constexpr std::array<RosterColumn, 23> kRosterColumns = {{
    {"first name", &RosterStudent::first},
    {"last name", &RosterStudent::last},
    {"surname", &RosterStudent::last},
    {"student", nullptr},
    {"student name", nullptr},
    {"name", nullptr},
    {"full name", nullptr},
    {"id", &RosterStudent::canvas},
    {"sis user id", &RosterStudent::id},
    {"sid", &RosterStudent::id},
    {"student id", &RosterStudent::id},
    {"id number", &RosterStudent::id},
    {"sis login id", &RosterStudent::login},
    {"login", &RosterStudent::login},
    {"username", &RosterStudent::login},
    {"email", &RosterStudent::email},
    {"e-mail", &RosterStudent::email},
    {"email address", &RosterStudent::email},
    {"e-mail address", &RosterStudent::email},
    {"section", &RosterStudent::section},
    {"sections", &RosterStudent::section},
    {"group", &RosterStudent::section},
    {"team", &RosterStudent::team},
}};

// Columns of exports that are skipped without a complaint; other unknown ones may hold names or numbers.
constexpr std::string_view kPassedOver[] = {"role",
                                            "roles",
                                            "groups",
                                            "section_name",
                                            "total score",
                                            "max points",
                                            "status",
                                            "submission id",
                                            "submission time",
                                            "lateness (h:m:s)",
                                            "view count",
                                            "submission count",
                                            "last access to course",
                                            "last access",
                                            "notes",
                                            "root account",
                                            "final score",
                                            "final grade",
                                            "current score",
                                            "current grade"};

/// "Matrikel, Vorname" of headings that are not known.
std::string unknown_headings(const CsvRow& head, const std::vector<const RosterColumn*>& columns) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string word = ascii_lower(trimmed(head.cells[i]));
    const bool scores =
        word.find('(') != std::string::npos || word.find(" - ") != std::string::npos;
    if (columns[i] != nullptr || word.empty() || scores ||
        ranges::find(kPassedOver, word) != std::end(kPassedOver))
      continue;
    out.push_back(escaped(shortened(std::string(trimmed(head.cells[i])), 40)));
  }
  if (out.size() > kMostNamed) out.resize(kMostNamed), out.emplace_back("...");
  return fmt::format("{}", fmt::join(out, ", "));
}

void set_name(RosterStudent& student, const std::string& name) {
  if (const auto comma = name.find(','); comma != std::string::npos) {
    student.last = trimmed(name.substr(0, comma));
    student.first = trimmed(name.substr(comma + 1));
    return;
  }
  const auto blank = name.rfind(' ');
  student.last = blank == std::string::npos ? name : name.substr(blank + 1);
  student.first = blank == std::string::npos ? "" : name.substr(0, blank);
}

}  // namespace

std::string RosterStudent::name() const {
  return first.empty() ? last : last.empty() ? first : first + " " + last;
}

std::string RosterStudent::key() const {
  return !id.empty() ? id : !login.empty() ? login : !email.empty() ? email : name();
}

Roster::Roster(const std::filesystem::path& file) {
  const std::string name = escaped(file.string());
  std::string fault;
  const std::string bytes = read_whole(file, kMostRoster, fault);
  const DecodedText decoded = decoded_text(bytes);
  if (fault.empty()) fault = decoded.fault;
  if (!fault.empty()) throw UserError(fmt::format("--roster: {} {}", name, fault));
  if (!decoded.read_as.empty())
    complaints_.add(name, decoded.line,
                    fmt::format("is not UTF-8 and was read as {}; look at the names with accents",
                                decoded.read_as));
  const auto rows = csv_lines(decoded.text, csv_separator(decoded.text));
  std::vector<const RosterColumn*> columns;
  if (!rows.empty())
    for (const std::string& heading : rows.front().cells) {
      const std::string word = ascii_lower(trimmed(heading));
      const auto found = ranges::find(kRosterColumns, word, &RosterColumn::heading);
      columns.push_back(found == kRosterColumns.end() ? nullptr : &*found);
    }
  if (ranges::all_of(columns, [](auto* one) { return one == nullptr; }))
    throw UserError(
        fmt::format("--roster: {} has no column that is known; its first line should head columns "
                    "such as Name (or First Name and Last Name), SID, Email, Section, with commas, "
                    "semicolons or tabs between them",
                    name));
  if (const std::string unknown = unknown_headings(rows.front(), columns); !unknown.empty())
    complaints_.add(name, rows.front().line,
                    fmt::format("columns that are not known and were not read: {}. Known are Name, "
                                "First Name, Last Name, SID, Login, Email, Section and Team",
                                unknown));
  for (std::size_t r = 1; r < rows.size(); ++r) add(rows[r], columns, name);
  if (all_.empty())
    throw UserError(fmt::format("--roster: {} lists no student{}", name,
                                complaints_.empty() ? "" : ": " + complaints_.all().back().text));
  find_twins(name);
  complaints_ = complaints_.first(kMostRosterLines, name);
}

void Roster::add(const CsvRow& row, const std::vector<const RosterColumn*>& columns,
                 const std::string& name) {
  const auto leave_out = [&](std::string why) {
    complaints_.add(name, row.line, fmt::format("left out: {}", why));
  };
  if (ranges::all_of(row.cells, [](auto& cell) { return trimmed(cell).empty(); })) return;
  if (row.is_open) return leave_out("a quote begins here and is never closed");
  RosterStudent student;
  student.line = row.line;
  for (std::size_t c = 0; c < row.cells.size(); ++c) {
    const std::string value(trimmed(row.cells[c]));
    if (c >= columns.size() && !value.empty())
      return leave_out(fmt::format(
          "{} cells, but {} columns have a heading; a name such as Müller, Anna needs quotes",
          row.cells.size(), columns.size()));
    if (c >= columns.size() || columns[c] == nullptr || value.empty()) continue;
    if (columns[c]->field == nullptr) set_name(student, value);
    else student.*columns[c]->field = value;
  }
  // Canvas's line of possible points is no student.
  if (student.name() == "Points Possible") return;
  if (student.name().empty() && student.email.empty() && student.id.empty())
    return leave_out("no name, student number or e-mail address");
  all_.push_back(std::move(student));
}

// Reports students who share a number, login or address, by which find() then finds none of them.
void Roster::find_twins(const std::string& name) {
  struct Unique {
    std::string_view what;
    std::string RosterStudent::*field;
  };
  constexpr Unique kUnique[] = {{"student number", &RosterStudent::id},
                                {"login", &RosterStudent::login},
                                {"e-mail address", &RosterStudent::email}};
  for (const auto& [what, field] : kUnique) {
    std::map<std::string, int> first;
    for (const RosterStudent& one : all_) {
      if ((one.*field).empty()) continue;
      const auto [known, is_new] = first.emplace(ascii_lower(one.*field), one.line);
      if (!is_new)
        complaints_.add(name, one.line,
                        fmt::format("has the {} {} of line {}, too; neither is found by it", what,
                                    escaped(one.*field), known->second));
    }
  }
}

std::vector<const RosterStudent*> Roster::teammates(const RosterStudent& of) const {
  std::vector<const RosterStudent*> out;
  for (const RosterStudent& one : all_)
    if (&one != &of && !of.team.empty() && ascii_lower(one.team) == ascii_lower(of.team))
      out.push_back(&one);
  return out;
}

const RosterStudent* Roster::find(std::string_view student) const {
  const std::string wanted = ascii_lower(trimmed(student));
  if (wanted.empty()) return nullptr;
  const auto is = [&](const std::string& text) { return ascii_lower(text) == wanted; };
  const RosterStudent* out = nullptr;
  for (const RosterStudent& one : all_) {
    const bool reversed = is(one.last + ", " + one.first);
    if (!is(one.name()) && !reversed && !is(one.id) && !is(one.login) && !is(one.email)) continue;
    if (out != nullptr) return nullptr;  // two of that name
    out = &one;
  }
  return out;
}

}  // namespace rankscope
