// Everything that can be done, as text: what keys, menus, scripts, tests and recordings have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::gui {

struct Command {
  std::string name;
  std::vector<std::string> words;
  /// More of the same will follow, as from a slider that is dragged: all of it is one change.
  bool more = false;

  Command(std::string command, std::vector<std::string> arguments = {})
      : name(std::move(command)), words(std::move(arguments)) {}
  /// `open "my trace.rankscope"`: parse_command() reads it back.
  std::string text() const;
  bool operator==(const Command&) const = default;
};

/// Words are separated by spaces; double quotes hold a word together, a backslash takes the next
/// character as it is. Throws UserError for a quote that is not closed and for an empty line.
Command parse_command(std::string_view line);

/// What views and keys push, and the application carries out between two frames.
class CommandQueue {
 public:
  void push(Command command) { waiting_.push_back(std::move(command)); }
  void push(std::string name, std::vector<std::string> words = {}) {
    waiting_.emplace_back(std::move(name), std::move(words));
  }
  std::vector<Command> take() { return std::exchange(waiting_, {}); }
  bool empty() const noexcept { return waiting_.empty(); }

 private:
  std::vector<Command> waiting_;
};

/// For the palette, the shortcut sheet and `--help`. The shortcut of a command that needs a
/// name opens the dialog that asks for it; no other command that needs words has one. A switch without a word is toggled.
struct CommandInfo {
  std::string_view name;
  std::string_view usage;     ///< "open FILE"
  std::string_view summary;   ///< "Opens a trace"
  std::string_view shortcut;  ///< "Ctrl+O", or several: "Right, PageDown"; empty: none.
  int least = 0, most = 0;    ///< Number of words; most -1: any.
};
std::span<const CommandInfo> command_infos();
const CommandInfo* find_command_info(std::string_view name) noexcept;

/// The command of a key ("Ctrl+O", "Space"); empty: it has none.
std::string_view command_of_key(std::string_view key) noexcept;
/// Whether a key may be typed text: with such a key nothing else happens where text is being typed.
bool may_be_typed(std::string_view key) noexcept;
/// Words are still to be asked for.
bool lacks_words(const Command& command) noexcept;

/// The commands that a mistyped name most likely meant, best first.
std::vector<std::string> nearest_commands(std::string_view name);
/// Why this cannot be carried out whatever there is to see: no such command (with the nearest names),
/// too few or too many words (with the usage). Empty: nothing is wrong.
std::string command_problem(const Command& command);

}  // namespace rankscope::gui
