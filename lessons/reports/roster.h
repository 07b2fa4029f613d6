// A class's list: who is who for other systems.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct RosterStudent {
  std::string first, last;  ///< A name in one column is divided at its last blank, or at its comma.
  std::string id;           ///< Student number: SIS User ID, SID, ID number.
  std::string login;        ///< SIS Login ID.
  std::string canvas;       ///< Canvas's own ID.
  std::string email, section;

  std::string name() const;  ///< "Anna Müller"
};

class Roster {
 public:
  Roster() = default;
  /// A CSV file with a heading: the exports of Canvas and Gradescope and Moodle's list of participants are
  /// read as they are. Throws UserError that names the columns when it has none of them, or no student.
  explicit Roster(const std::filesystem::path& file);

  bool empty() const noexcept { return all_.empty(); }
  const std::vector<RosterStudent>& all() const noexcept { return all_; }
  /// By name, number, login or e-mail address, whichever an answer file or folder has; letters of any size.
  /// Null: nobody, or several of that name.
  const RosterStudent* find(std::string_view student) const;

 private:
  std::vector<RosterStudent> all_;
};

}  // namespace rankscope
