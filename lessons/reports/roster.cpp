// Reads a class's list from the tables that other systems write.
#include "lessons/reports/roster.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/utf8.h"
#include "lessons/reports/csv.h"
#include "lessons/text/whole_file.h"

namespace rankscope {
namespace {

constexpr std::uintmax_t kMostRoster = std::uintmax_t{8} << 20;

struct RosterColumn {
  std::string_view heading;
  std::string RosterStudent::*field;  ///< Null: a whole name.
};
// As Canvas, Gradescope and Moodle head them.
constexpr std::array<RosterColumn, 22> kRosterColumns = {{
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
}};

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

Roster::Roster(const std::filesystem::path& file) {
  std::string fault;
  const std::string text = read_whole(file, kMostRoster, fault);
  if (!fault.empty())
    throw UserError(fmt::format("--roster: {} {}", escaped(file.string()), fault));
  const auto rows = csv_rows(text);
  std::vector<const RosterColumn*> columns;
  if (!rows.empty())
    for (const std::string& heading : rows.front()) {
      const std::string word = ascii_lower(trimmed(heading));
      const auto found = std::ranges::find(kRosterColumns, word, &RosterColumn::heading);
      columns.push_back(found == kRosterColumns.end() ? nullptr : &*found);
    }
  if (std::ranges::all_of(columns, [](auto* one) { return one == nullptr; }))
    throw UserError(
        fmt::format("--roster: {} has no column that is known; its first line should head columns "
                    "such as Name (or First Name and Last Name), SID, Email, Section",
                    escaped(file.string())));
  for (std::size_t r = 1; r < rows.size(); ++r) {
    RosterStudent student;
    for (std::size_t c = 0; c < rows[r].size() && c < columns.size(); ++c) {
      const std::string value(trimmed(rows[r][c]));
      if (columns[c] == nullptr || value.empty()) continue;
      if (columns[c]->field == nullptr) set_name(student, value);
      else student.*columns[c]->field = value;
    }
    // The line of Canvas that says how many points there are is no student.
    if (student.name().empty() && student.email.empty() && student.id.empty()) continue;
    if (student.name() == "Points Possible") continue;
    all_.push_back(std::move(student));
  }
  if (all_.empty())
    throw UserError(fmt::format("--roster: {} lists no student", escaped(file.string())));
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
