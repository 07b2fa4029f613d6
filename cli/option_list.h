// A command's options. The library that parses them (CLI11) is seen by few files only: it is all
// templates, and costs seconds wherever it is included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rankscope::cli {

/// An option that was added. Calls chain: `options.add_option(...)->type_name("FILE")->required()`.
class OptionHandle {
 public:
  OptionHandle() = default;
  explicit OptionHandle(CLI::Option* option) : option_(option) {}
  const OptionHandle* operator->() const noexcept { return this; }

  /// Instead of the help that it was added with.
  OptionHandle description(const std::string& text) const;
  /// The placeholder in the help; see CommandEntry::define.
  OptionHandle type_name(const std::string& name) const;
  OptionHandle required() const;
  OptionHandle group(const std::string& name) const;
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

  OptionHandle add_option(const std::string& names, std::string& into, const std::string& help);
  OptionHandle add_option(const std::string& names, std::vector<std::string>& into,
                          const std::string& help);
  OptionHandle add_option(const std::string& names, int& into, const std::string& help);
  OptionHandle add_option(const std::string& names, std::uint64_t& into, const std::string& help);
  OptionHandle add_option(const std::string& names, double& into, const std::string& help);
  OptionHandle add_flag(const std::string& names, bool& into, const std::string& help);
  /// One that was added. Throws what the library throws for an unknown one: a bug.
  OptionHandle get_option(const std::string& name) const;
  /// How often an option ("--output") was given; after parsing.
  std::size_t count(const std::string& name) const;
  /// What the commands belong to.
  const CLI::App& program() const;

 private:
  CLI::App* app_ = nullptr;
};

}  // namespace rankscope::cli
