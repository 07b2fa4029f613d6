// Parses, prints and checks commands, and suggests the nearest ones.
#include "gui/state/command/command.h"

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"

namespace rankscope::gui {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
bool is_blank(char c) noexcept { return kBlanks.find(c) != std::string_view::npos; }

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" \t\r\n\"\\#") == std::string::npos;
  if (plain) return word;
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

/// The words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool next(std::string& word) {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty()) return false;
    word.clear();
    bool in_quotes = false;
    while (!rest_.empty() && (in_quotes || !is_blank(rest_.front()))) {
      const char c = take();
      if (c == '"') in_quotes = !in_quotes;
      else if (c != '\\') word += c;
      else if (rest_.empty()) throw UserError("the line ends with a backslash: double it");
      else word += take();
    }
    if (in_quotes) throw UserError("a quote is not closed: put \" at the end of the word");
    return true;
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  std::string_view rest_;
};

}  // namespace

Command::Command(const CommandInfo& row, std::vector<std::string> arguments)
    : name(row.name), words(std::move(arguments)) {}

std::string Command::text() const {
  std::string line = quoted(name);
  for (const auto& word : words) line += " " + quoted(word);
  return line;
}

bool Command::is(const CommandInfo& row) const noexcept { return name == row.name; }

std::vector<std::string> parse_words(std::string_view line) {
  Words rest(line);
  std::vector<std::string> words;
  for (std::string word; rest.next(word);) words.push_back(word);
  return words;
}

Command parse_command(std::string_view line) {
  auto words = parse_words(line);
  if (words.empty()) throw UserError("there is no command on this line");
  Command command;
  command.name = std::move(words.front());
  command.words.assign(std::next(words.begin()), words.end());
  return command;
}

const CommandInfo* find_command_info(std::string_view name) noexcept {
  const auto infos = command_infos();
  const auto found = ranges::find(infos, name, &CommandInfo::name);
  return found == infos.end() ? nullptr : *found;
}

std::vector<std::string> keys_of(const CommandInfo& info) {
  std::vector<std::string> keys;
  for (auto rest = info.shortcut; !rest.empty();) {
    const auto end = rest.find(", ");
    keys.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  }
  return keys;
}

const CommandInfo* command_of_key(std::string_view key) noexcept {
  for (const auto* info : command_infos())
    for (const auto& one : keys_of(*info))
      if (one == key) return info;
  return nullptr;
}

bool may_be_typed(std::string_view key) noexcept {
  if (key.find("Ctrl+") != std::string_view::npos) return false;
  if (key.starts_with("Shift+")) key.remove_prefix(6);
  return key.size() < 2 || key.front() != 'F';  // F1 to F12
}

bool lacks_arguments(const Command& command) noexcept {
  const auto* info = find_command_info(command.name);
  return info != nullptr && static_cast<int>(command.words.size()) < info->least;
}

std::vector<std::string> nearest_commands(std::string_view name) {
  std::vector<std::string> names;
  for (const auto* info : command_infos()) names.emplace_back(info->name);
  return nearest(name, names);
}

std::string command_problem(const Command& command) {
  const auto* info = find_command_info(command.name);
  if (info == nullptr)
    return fmt::format("there is no command '{}'{}", command.name,
                       nearest_hint(command.name, nearest_commands(command.name),
                                    "the palette (Ctrl+P) lists all"));
  const int words = static_cast<int>(command.words.size());
  if (words < info->least) return fmt::format("'{}' needs more: {}", info->name, info->usage);
  if (info->most >= 0 && words > info->most)
    return fmt::format("'{}' takes fewer words: {}", info->name, info->usage);
  return {};
}

}  // namespace rankscope::gui
