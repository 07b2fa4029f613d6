// A command's options. The library that parses them (CLI11) is seen by few files only: it is all
// templates, and costs seconds wherever it is included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rankscope::cli {

/// An option that was added. Calls chain: `options.add_option(...).required().expected(0, 1)`.
class OptionHandle {
 public:
  OptionHandle() = default;
  explicit OptionHandle(CLI::Option* option) : option_(option) {}

  /// Instead of the help that it was added with.
  OptionHandle description(const std::string& text) const;
  OptionHandle required() const;
  OptionHandle default_str(const std::string& text) const;
  OptionHandle capture_default_str() const;
  OptionHandle excludes(OptionHandle other) const;
  OptionHandle allow_extra_args(bool allow) const;
  OptionHandle expected(int least, int most) const;
  /// How often it was given; after parsing.
  std::size_t count() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// Cheap to copy; lives as long as the program's table of commands.
class OptionList {
 public:
  OptionList() = default;
  explicit OptionList(CLI::App& app) : app_(&app) {}

  /// The same command; what is added stands under this heading in the help, under "" nowhere.
  OptionList in_group(const std::string& heading) const;

  /// `into`: a std::string, a vector of them, an int, a std::uint64_t or a double. For the placeholder in the help see
  /// CommandEntry::define.
  template <class T>
  OptionHandle add_option(const std::string& names, const std::string& placeholder, T& into,
                          const std::string& help) const;
  OptionHandle add_flag(const std::string& names, bool& into, const std::string& help) const;
  /// One that was added. Throws what the library throws for an unknown one: a bug.
  OptionHandle get_option(const std::string& name) const;
  /// How often an option ("--output") was given; after parsing.
  std::size_t count(const std::string& name) const;
  /// What the commands belong to.
  const CLI::App& program() const;

 private:
  OptionHandle added(CLI::Option* option) const;

  CLI::App* app_ = nullptr;
  std::optional<std::string> group_;
};

}  // namespace rankscope::cli
