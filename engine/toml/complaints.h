// Mistakes in a file that a person wrote, with file and line.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

struct Complaint {
  std::string file;
  int line = 0;  ///< 0: the file as a whole.
  std::string text;
  bool operator==(const Complaint&) const = default;
  /// "file:12: text"
  std::string to_string() const;
};

/// Collects mistakes, so that an author sees all of them at once.
class Complaints {
 public:
  void add(std::string file, int line, std::string text) {
    all_.push_back({std::move(file), line, std::move(text)});
  }
  bool empty() const noexcept { return all_.empty(); }
  const std::vector<Complaint>& all() const noexcept { return all_; }
  /// Returns one complaint per line.
  std::string to_string() const;
  /// Returns the first `most`, and one about `file` that counts the others: a hostile file may have very many.
  Complaints first(std::size_t most, const std::string& file) const;

 private:
  std::vector<Complaint> all_;
};

}  // namespace rankscope
