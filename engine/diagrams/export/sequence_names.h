// Names of the files of a numbered sequence.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope {

/// a.png becomes a-001.png, a-002.png ...
class SequenceNames {
 public:
  SequenceNames(const std::string& output, std::size_t count);

  std::string at(std::size_t number) const;
  /// Throws UserError when a longer sequence of this name has left files that would be played with
  /// this one's. They may be somebody's work, so they are not removed. `how`: see TraceExport.
  void check_no_others(std::string_view how) const;

 private:
  static constexpr int kDigits = 3, kMostDigits = 6;  // more is a date, say
  std::string stem() const { return path_.stem().string() + "-"; }
  std::string ending() const { return path_.extension().string(); }
  bool is_other(std::string_view name) const;

  std::filesystem::path path_;
  std::size_t count_;
  int digits_;
};

}  // namespace rankscope
