// Commands: what keys, menus, views, scripts, tests and recordings have in common. Each has one row, its CommandInfo,
// which stands beside the function that carries it out. Code makes commands of the rows' values in commands.h; text
// becomes a command only where somebody typed it: in the palette, in scripts, in the table of keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/state/command/words.h"

namespace rankscope::gui {

struct AppState;
class App;
class Arguments;
struct CommandInfo;

struct Command {
  std::string name;
  std::vector<std::string> words;
  /// More of the same follow, as from a dragged slider; undo takes them as one change.
  bool more = false;
  /// Comes from a field that is typed into; undo takes all typing there as one change, recordings keep each command.
  bool typed = false;

  explicit Command(const CommandInfo& row, std::vector<std::string> arguments = {});
  /// Returns the command as a line, such as `open "my trace.rankscope"`: parse_command() reads it back.
  std::string text() const;
  bool is(const CommandInfo& row) const noexcept;
  bool operator==(const Command&) const = default;

 private:
  Command() = default;
  friend Command parse_command(std::string_view line);
};

/// Spaces separate words; double quotes hold a word together, a backslash takes the next character as it is. Throws UserError
/// for an open quote or an empty line.
Command parse_command(std::string_view line);
std::vector<std::string> parse_words(std::string_view line);

/// The commands of views and keys, which the application carries out between two frames.
class CommandQueue {
 public:
  void push(Command command) { waiting_.push_back(std::move(command)); }
  std::vector<Command> take() { return std::exchange(waiting_, {}); }
  bool empty() const noexcept { return waiting_.empty(); }

 private:
  std::vector<Command> waiting_;
};

enum class Menu : std::uint8_t { run, edit, lesson, file, compare, view, zoom, help };

/// A command in a menu. A line separates sections.
struct MenuItem {
  Menu menu = Menu::run;
  int section = 0;
  const char* label = "";
  std::string_view words = {};                       ///< The command's words: "page next".
  bool (*enabled)(const AppState& state) = nullptr;  ///< Null if it always is.
  bool (*on)(const AppState& state) = nullptr;       ///< Makes it a switch.
  bool hides = false;                                ///< Left out while it is not enabled.
};
struct MenuItems {
  static constexpr std::size_t kMost = 5;
  std::array<MenuItem, kMost> items{};
  std::size_t count = 0;
  constexpr const MenuItem* begin() const noexcept { return items.data(); }
  constexpr const MenuItem* end() const noexcept { return items.data() + count; }
};

/// The box that asks for the name of a file or of a layout.
struct NameBox {
  enum class Files : std::uint8_t {
    none,  ///< It asks for a name or for words.
    open_any,
    open_program,
    open_trace,
    open_script,
    save_trace,
    save_script,
    save_lecture,
    save_picture,
    open_topology,
    save_topology,
    open_schedule,
    save_schedule,
    open_plugin
  };
  const char *title = nullptr, *hint = nullptr, *advice = nullptr;
  const char* first = nullptr;  ///< A word before the name.
  Files files = Files::none;
};

/// Flags for undo, recordings and the rest.
enum CommandTraits : unsigned {
  kPlain = 0,
  kUndoable = 1,
  kMovesCursor = 2,
  kKeepsMessage = 4,  ///< Leaves a shown error in place.
  kUnrecorded = 8,    ///< Recordings have the commands that it carries out instead.
};

/// Other names under which the palette finds a command: "start, go, execute".
struct CommonWords {
  std::string_view words = {};
};

/// The row of a command: all that the palette, menus, keys, `--commands`, scripts and the application know of it. The shortcut of
/// a command that needs a name opens its box; no other command that needs words has a shortcut. A switch without a word toggles.
struct CommandInfo {
  using Run = void (*)(App& app, const Arguments& words);
  /// `extras`, in any order: traits, menu(), box(), also().
  template <class... Extras>
  constexpr CommandInfo(std::string_view usage_, std::string_view summary_,
                        std::string_view shortcut_, int least_, int most_, Curtain curtain_,
                        Run run_, const Extras&... extras)
      : name(usage_.substr(0, usage_.find(' '))),
        usage(usage_),
        summary(summary_),
        shortcut(shortcut_),
        least(least_),
        most(most_),
        curtain(curtain_),
        run(run_) {
    (take(extras), ...);
  }

  std::string_view name;
  std::string_view usage;     ///< "open FILE"
  std::string_view summary;   ///< "Opens a trace"
  std::string_view shortcut;  ///< "Ctrl+O", or several: "Right, PageDown".
  int least, most;            ///< Number of words; `most` may be kAnyNumber.
  Curtain curtain;
  Run run;
  unsigned traits = kPlain;
  MenuItems menu;
  NameBox box;
  CommonWords common;
  constexpr bool is(CommandTraits trait) const noexcept { return (traits & trait) != 0; }

 private:
  constexpr void take(unsigned some) { traits |= some; }
  constexpr void take(const MenuItems& some) { menu = some; }
  constexpr void take(const NameBox& some) { box = some; }
  constexpr void take(const CommonWords& some) { common = some; }
};
constexpr int kAnyNumber = -1;

/// Returns all rows, in the order in which they are listed.
std::span<const CommandInfo* const> command_infos();
const CommandInfo* find_command_info(std::string_view name) noexcept;
/// Returns the keys of a shortcut, one by one.
std::vector<std::string> keys_of(const CommandInfo& info);

/// Returns the command of a key ("Ctrl+O", "Space"), or null.
const CommandInfo* command_of_key(std::string_view key) noexcept;
/// Returns whether a key may be typed text; such a key does nothing else where text is being typed.
bool may_be_typed(std::string_view key) noexcept;
/// Returns whether words must still be asked for.
bool lacks_arguments(const Command& command) noexcept;

/// Returns the most likely commands for a mistyped name, best first.
std::vector<std::string> nearest_commands(std::string_view name);
/// Returns why this cannot be carried out in any state: an unknown command (with the nearest names), too few or too many words
/// (with the usage). Empty if nothing is wrong.
std::string command_problem(const Command& command);

}  // namespace rankscope::gui
