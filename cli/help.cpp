// Collects the options and commands of a CLI::App as plain data and formats `--help` from it.
#include "cli/help.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/terminal/text.h"
#include "engine/core/base/ranges.h"

namespace rankscope::cli {
namespace {

OptionDoc option_doc(const CLI::Option& option) {
  OptionDoc doc;
  for (const auto& name : option.get_snames()) doc.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) doc.names.push_back("--" + name);
  if (option.get_expected_max() > 0) doc.placeholder = option.get_type_name();
  if (doc.names.empty() && doc.placeholder.empty()) doc.placeholder = option.get_name(true);
  doc.description = option.get_description();
  doc.default_value = option.get_default_str();
  doc.group = option.get_group();
  doc.required = option.get_required();
  doc.repeatable = option.get_expected_max() > 1;
  return doc;
}

std::vector<ExampleDoc> parse_examples(std::string_view text) {
  std::vector<ExampleDoc> examples;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    const auto comment = line.find("  # ");
    if (!line.empty())
      examples.push_back(
          {std::string(line.substr(0, comment)),
           comment == std::string_view::npos ? "" : std::string(line.substr(comment + 4))});
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return examples;
}

std::string left_column(const OptionDoc& option) {
  std::string left;
  for (const auto& name : option.names) left += (left.empty() ? "" : ", ") + name;
  // So that "--ranks", which has a short name, stands under "--dtype".
  if (!option.names.empty() && option.names.front().starts_with("--")) left = "    " + left;
  if (!option.flag()) left += (left.empty() ? "" : " ") + option.placeholder;
  if (option.repeatable) left += " ...";
  return left;
}

constexpr int kLeftColumn = 34;

std::string two_columns(const std::string& left, const std::string& right, int width) {
  std::string line = "  " + left;
  const int used = display_width(line);
  const bool own_line = used + 2 > kLeftColumn;
  line += own_line ? "\n" + std::string(kLeftColumn, ' ')
                   : std::string(static_cast<std::size_t>(kLeftColumn - used), ' ');
  return line + wrap(right, std::max(width, kLeftColumn + 30), kLeftColumn) + "\n";
}

std::string action_lines(const CommandDoc& doc, int width) {
  std::string text = doc.actions.empty() ? "" : "\nActions:\n";
  std::size_t longest = 0;
  for (const auto& action : doc.actions) longest = std::max(longest, action.name.size());
  const auto column = static_cast<int>(longest) + 4;
  for (const auto& [name, summary] : doc.actions)
    text += fmt::format("  {:{}}  {}\n", name, longest, wrap(summary, width, column));
  return text;
}

// Empty for the actions, which action_lines() lists.
std::string group_of(const OptionDoc& option) {
  if (option.action) return {};
  return option.positional() ? "Arguments" : option.group;
}

std::string option_lines(const CommandDoc& doc, int width) {
  std::string text;
  std::vector<std::string> groups;
  for (const auto& option : doc.options) {
    const std::string group = group_of(option);
    if (!group.empty() && ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  std::stable_partition(groups.begin(), groups.end(),
                        [](const auto& group) { return group == "Arguments"; });
  std::stable_partition(groups.begin(), groups.end(),
                        [](const auto& group) { return group != kGlobalGroup; });
  for (const auto& group : groups) {
    text += "\n" + group + ":\n";
    for (const auto& option : doc.options) {
      if (group_of(option) != group) continue;
      std::string right = option.description;
      if (!option.default_value.empty())
        right += fmt::format(" (default: {})", option.default_value);
      text += two_columns(left_column(option), right, width);
    }
  }
  return text;
}

// Lists commands by group, in the order in which the groups first appear.
std::string command_lines(const CommandDoc& doc, int width) {
  std::vector<std::pair<std::string_view, std::string>> groups;
  for (const auto& command : doc.commands) {
    auto group = ranges::find(groups, command.group, &decltype(groups)::value_type::first);
    if (group == groups.end()) group = groups.insert(group, {command.group, {}});
    std::string line = "  " + command.name;
    line.resize(std::max<std::size_t>(line.size() + 2, 16), ' ');
    group->second += line + wrap(command.summary, width, 16) + "\n";
  }
  std::string text;
  for (const auto& [name, lines] : groups) text += fmt::format("\n{}:\n{}", name, lines);
  return text;
}

}  // namespace

std::string CommandDoc::usage() const {
  std::string text = path;
  if (!options.empty()) text += " [OPTIONS]";
  for (const auto& option : options) {
    if (!option.positional()) continue;
    std::string word = option.action ? "ACTION" : option.placeholder;
    if (option.repeatable) word += " ...";
    text += option.required ? " " + word : " [" + word + "]";
  }
  if (!commands.empty()) text += " COMMAND ...";
  return text;
}

CommandDoc describe(const CLI::App& app) {
  CommandDoc doc;
  doc.name = app.get_name();
  doc.group = app.get_group();
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent())
    doc.path = at->get_name() + (doc.path.empty() ? "" : " ") + doc.path;
  const std::string description = app.get_description();
  const auto end = description.find("\n\n");
  doc.summary = description.substr(0, end);
  if (end != std::string::npos) doc.details = description.substr(end + 2);
  for (const auto* option : app.get_options([](const CLI::Option*) { return true; }))
    if (!option->get_group().empty()) doc.options.push_back(option_doc(*option));
  doc.examples = parse_examples(app.get_footer());
  OptionDoc action;
  action.required = action.action = true;
  action.description = "What to do";
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) {
      doc.commands.push_back(describe(*command));
    } else if (command->get_help_ptr() == nullptr) {
      action.placeholder += (action.placeholder.empty() ? "" : "|") + command->get_name();
      doc.actions.push_back({command->get_name(), command->get_description()});
    }
  if (!action.placeholder.empty()) doc.options.insert(doc.options.begin() + 1, action);
  return doc;
}

std::string help_text(const CLI::App& app, int width) {
  const auto doc = describe(app);
  width = std::min(width, 100);
  std::string text = fmt::format("{}: {}\n\nUsage: {}\n", doc.path, doc.summary, doc.usage());
  if (!doc.details.empty()) text += "\n" + wrap(doc.details, width) + "\n";
  text += command_lines(doc, width) + action_lines(doc, width) + option_lines(doc, width);
  if (!doc.examples.empty()) text += "\nExamples:\n";
  for (const auto& example : doc.examples) {
    text += "  " + example.command + "\n";
    if (!example.comment.empty()) text += "      " + wrap(example.comment, width, 6) + "\n";
  }
  if (!doc.commands.empty())
    text += fmt::format("\n`{} COMMAND --help` explains a command.\n", doc.path);
  return text;
}

}  // namespace rankscope::cli
