// The options and actions of a command. They hide CLI11, which parses them, since its templates cost seconds in each
// file that includes them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rankscope::cli {

class Console;
/// Runs a command with the options that were parsed and returns an ExitCode. Throws UserError for bad input.
using Action = std::function<int(const Console&)>;

/// An option that was added. Calls chain: `options.add_option(...).required().expected(0, 1)`.
class OptionHandle {
 public:
  OptionHandle() = default;
  explicit OptionHandle(CLI::Option* option) : option_(option) {}

  /// Replaces the help that it was added with.
  OptionHandle description(const std::string& text) const;
  /// Replaces its placeholder in the help ("ipc|tcp").
  OptionHandle type_name(const std::string& text) const;
  OptionHandle required() const;
  OptionHandle default_str(const std::string& text) const;
  OptionHandle capture_default_str() const;
  OptionHandle excludes(OptionHandle other) const;
  OptionHandle allow_extra_args(bool allow) const;
  OptionHandle expected(int least, int most) const;
  /// Returns how often the option was given, once the command line is parsed.
  std::size_t count() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// Adds options to a command. Cheap to copy; lives as long as the program's commands.
class OptionList {
 public:
  OptionList() = default;
  explicit OptionList(CLI::App& app) : app_(&app) {}

  /// Returns the same command, whose further options stand under this heading in the help; with "" they are hidden.
  OptionList in_group(const std::string& heading) const;

  /// `into` is a std::string, a vector of them, an int, a std::uint64_t or a double; `placeholder` stands for the value in
  /// the help and says what completes it (CommandEntry::define).
  template <class T>
  OptionHandle add_option(const std::string& names, const std::string& placeholder, T& into,
                          const std::string& help) const;
  /// Adds an option whose help shows the value of `into` as the default.
  template <class T>
  OptionHandle add_with_default(const std::string& names, const std::string& placeholder, T& into,
                                const std::string& help) const {
    return add_option(names, placeholder, into, help).capture_default_str();
  }
  OptionHandle add_flag(const std::string& names, bool& into, const std::string& help) const;
  /// Returns an option that was added; the library throws for an unknown one, which is a bug.
  OptionHandle get_option(const std::string& name) const;
  /// Returns how often an option ("--output") was given, once the command line is parsed.
  std::size_t count(const std::string& name) const;
  /// Returns the command line as a whole.
  const CLI::App& program() const;

 private:
  friend class ActionList;
  OptionHandle added(CLI::Option* option) const;

  CLI::App* app_ = nullptr;
  std::optional<std::string> group_;
  /// The options that only some actions take, with the names of these.
  std::shared_ptr<std::vector<std::pair<CLI::Option*, std::string_view>>> limited_;
  std::string_view actions_;
};

/// The actions of a command, such as `list` and `show` of `rankscope lesson`. Each is a subcommand without options; the
/// options are the command's, so that they may stand before the action, too. The help lists the actions.
class ActionList {
 public:
  explicit ActionList(OptionList app);

  /// The number of names that an action takes, and the words for them in messages: "a LESSON".
  struct Names {
    std::size_t least, most;
    std::string_view what;
  };
  /// `summary` is the action's line in the help.
  void add(const std::string& word, const std::string& summary, Names names, Action run);

  /// Returns the command for options that only these actions take: "show run".
  OptionList only(std::string_view actions) const;

  /// Returns the action of the command line; "" where it has none.
  std::string chosen() const;
  /// Runs the action of the command line, which has these names. Throws UserError for an unknown or missing action, for
  /// too many or few names, and for options that the action does not take.
  int run(const Console& console, std::span<const std::string> names) const;

 private:
  struct Entry {
    std::string word;
    Names names;
    Action run;
  };

  OptionList app_;
  std::vector<Entry> entries_;
};

/// Returns the error for a first word that is no action of a command.
std::string unknown_action(const CLI::App& command, const std::string& word);

/// The words that complete an option, by its placeholder in the help; none where anything may be typed.
std::vector<std::string> words_for(std::string_view placeholder);
bool is_file_placeholder(std::string_view placeholder);

}  // namespace rankscope::cli
