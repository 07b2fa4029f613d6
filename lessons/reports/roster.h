// A class's list: who is who for other systems.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/toml/complaints.h"

namespace rankscope {

struct CsvRow;
struct RosterColumn;

struct RosterStudent {
  std::string first, last;  ///< A name in one column is divided at its last blank, or at its comma.
  std::string id;           ///< Student number: SIS User ID, SID, ID number.
  std::string login;        ///< SIS Login ID.
  std::string canvas;       ///< Canvas's own ID.
  std::string email, section;
  std::string team;  ///< Its members hand in together.
  int line = 0;      ///< The student's line in the file.

  std::string name() const;  ///< "Anna Müller"
  /// The number; where there is none the login, the e-mail address, or the name.
  std::string key() const;
};

class Roster {
 public:
  Roster() = default;
  /// A CSV file with a heading: the exports of Canvas and Gradescope and Moodle's list of participants are
  /// read as they are, with commas, semicolons or tabs between the cells, in UTF-8, UTF-16 or Windows-1252. Throws
  /// UserError, which names the columns, if it has none of them, or no student.
  explicit Roster(const std::filesystem::path& file);

  bool empty() const noexcept { return all_.empty(); }
  const std::vector<RosterStudent>& all() const noexcept { return all_; }
  /// Lines that were left out or are in doubt, with their numbers and why, and the encoding when it was not UTF-8.
  const Complaints& complaints() const noexcept { return complaints_; }
  /// Finds a student by name, number, login or e-mail address, whichever an answer file or folder has, in any case.
  /// Returns null for nobody, or for several of that name.
  const RosterStudent* find(std::string_view student) const;
  /// The other members of a student's team; empty without one.
  std::vector<const RosterStudent*> teammates(const RosterStudent& of) const;

 private:
  void add(const CsvRow& row, const std::vector<const RosterColumn*>& columns,
           const std::string& name);
  void find_twins(const std::string& name);

  std::vector<RosterStudent> all_;
  Complaints complaints_;
};

}  // namespace rankscope
