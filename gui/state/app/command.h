// Everything that can be done, as text: what keys, menus, scripts, tests and recordings have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::gui {

struct AppState;
class App;
class Arguments;

struct Command {
  std::string name;
  std::vector<std::string> words;
  /// More of the same will follow, as from a slider that is dragged: all of it is one change.
  bool more = false;
  /// Of a field that is being typed into: all that is typed there is one change. Each is recorded.
  bool typed = false;

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

enum class Menu : std::uint8_t { run, edit, lesson, file, compare, view, zoom, help };

/// A command in a menu. What belongs to another section stands behind a line.
struct MenuItem {
  Menu menu;
  int section;
  const char* label;
  std::string_view words = {};                       ///< Of the command: "page next".
  bool (*enabled)(const AppState& state) = nullptr;  ///< Null: always.
  bool (*on)(const AppState& state) = nullptr;       ///< It is a switch.
  bool hides = false;                                ///< Left out while it is not enabled.
};

/// The box that asks for the name of a file or of a layout.
struct NameBox {
  /// Which files it asks for.
  enum class Files : std::uint8_t {
    none,  ///< It asks for a name or for words.
    open_any,
    open_trace,
    open_script,
    save_trace,
    save_script,
    save_picture,
    open_topology,
    save_topology,
    open_schedule,
    save_schedule
  };
  const char *title = nullptr, *hint = nullptr, *advice = nullptr;
  const char* first = nullptr;  ///< A word before the name.
  Files files = Files::none;
};

/// What a command is to undo, recordings and the rest; joined by |.
enum CommandTraits : unsigned {
  kPlain = 0,
  kUndoable = 1,
  kMovesCursor = 2,
  kKeepsMessage = 4,  ///< It looks at the message, or only queues something.
  kUnrecorded = 8,
  kAtPane = 16,  ///< Without a word it means the pane under the pointer.
};

/// One row a command: all that the palette, menus, keys, `--commands`, scripts and the application know of it. The
/// shortcut of a command that needs a name opens its box; no other command that needs words has one. A switch
/// without a word is toggled.
struct CommandInfo {
  using Run = void (*)(App& app, const Arguments& words);
  CommandInfo(std::string_view usage_, std::string_view summary_, std::string_view shortcut_,
              int least_, int most_, Run run_, unsigned traits_ = kPlain,
              std::vector<MenuItem> menu_ = {}, NameBox box_ = {});

  std::string_view name;
  std::string_view usage;     ///< "open FILE"
  std::string_view summary;   ///< "Opens a trace"
  std::string_view shortcut;  ///< "Ctrl+O", or several: "Right, PageDown"; empty: none.
  int least, most;            ///< Number of words; most -1: any.
  Run run;
  unsigned traits;
  std::vector<MenuItem> menu;
  NameBox box;
  bool is(CommandTraits trait) const noexcept { return (traits & trait) != 0; }
};
constexpr int kAnyNumber = -1;

std::span<const CommandInfo> command_infos();
const CommandInfo* find_command_info(std::string_view name) noexcept;
/// The keys of a shortcut, one by one.
std::vector<std::string> keys_of(const CommandInfo& info);

/// The command of a key ("Ctrl+O", "Space"); empty: it has none.
std::string_view command_of_key(std::string_view key) noexcept;
/// Whether a key may be typed text: with such a key nothing else happens where text is being typed.
bool may_be_typed(std::string_view key) noexcept;
/// Words are still to be asked for.
bool lacks_arguments(const Command& command) noexcept;

/// The commands that a mistyped name most likely meant, best first.
std::vector<std::string> nearest_commands(std::string_view name);
/// Why this cannot be carried out whatever there is to see: no such command (with the nearest names),
/// too few or too many words (with the usage). Empty: nothing is wrong.
std::string command_problem(const Command& command);

}  // namespace rankscope::gui
