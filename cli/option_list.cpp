// Implements options and actions on CLI11.
#include "cli/option_list.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/sizes.h"
#include "engine/collectives/algorithm.h"
#include "engine/core/base/error.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/network/files/topology_file.h"
#include "engine/run/job/job_fields.h"
#include "engine/training/parallel/parallel_form.h"

namespace rankscope::cli {

OptionHandle OptionHandle::description(const std::string& text) const {
  return OptionHandle(option_->description(text));
}
OptionHandle OptionHandle::type_name(const std::string& text) const {
  return OptionHandle(option_->type_name(text));
}
OptionHandle OptionHandle::required() const { return OptionHandle(option_->required()); }
OptionHandle OptionHandle::default_str(const std::string& text) const {
  return OptionHandle(option_->default_str(text));
}
OptionHandle OptionHandle::capture_default_str() const {
  return OptionHandle(option_->capture_default_str());
}
OptionHandle OptionHandle::excludes(OptionHandle other) const {
  return OptionHandle(option_->excludes(other.option_));
}
OptionHandle OptionHandle::allow_extra_args(bool allow) const {
  return OptionHandle(option_->allow_extra_args(allow));
}
OptionHandle OptionHandle::expected(int least, int most) const {
  return OptionHandle(option_->expected(least, most));
}
std::size_t OptionHandle::count() const { return option_->count(); }

OptionList OptionList::in_group(const std::string& heading) const {
  OptionList list = *this;
  list.group_ = heading;
  return list;
}

OptionHandle OptionList::added(CLI::Option* option) const {
  if (!actions_.empty()) limited_->emplace_back(option, actions_);
  return OptionHandle(group_ ? option->group(*group_) : option);
}

template <class T>
OptionHandle OptionList::add_option(const std::string& names, const std::string& placeholder,
                                    T& into, const std::string& help) const {
  return added(app_->add_option(names, into, help)->type_name(placeholder));
}
using Text = const std::string&;
template OptionHandle OptionList::add_option(Text, Text, std::string&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, std::vector<std::string>&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, int&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, std::uint64_t&, Text) const;
template OptionHandle OptionList::add_option(Text, Text, double&, Text) const;

OptionHandle OptionList::add_flag(const std::string& names, bool& into,
                                  const std::string& help) const {
  return added(app_->add_flag(names, into, help));
}
OptionHandle OptionList::get_option(const std::string& name) const {
  return OptionHandle(app_->get_option(name));
}
const CLI::App& OptionList::program() const { return *app_->get_parent(); }
std::size_t OptionList::count(const std::string& name) const { return app_->count(name); }

ActionList::ActionList(OptionList app) : app_(std::move(app)) {
  app_.limited_ = std::make_shared<std::vector<std::pair<CLI::Option*, std::string_view>>>();
  app_.app_->require_subcommand(0, 1);
}

void ActionList::add(const std::string& word, const std::string& summary, Names names, Action run) {
  CLI::App* const command = app_.app_->add_subcommand(word, summary);
  command->group("")->fallthrough()->set_help_flag();
  entries_.push_back({word, names, std::move(run)});
}

OptionList ActionList::only(std::string_view actions) const {
  OptionList list = app_;
  list.actions_ = actions;
  return list;
}

namespace {

std::vector<std::string> actions_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(one->get_name());
  return names;
}

}  // namespace

std::string unknown_action(const CLI::App& command, const std::string& word) {
  const auto known = actions_of(command);
  return fmt::format("'{}' is no action of `rankscope {}`: {}{}", word, command.get_name(),
                     fmt::join(known, ", "), nearest_hint(word, known));
}

std::string ActionList::chosen() const {
  const auto parsed = app_.app_->get_subcommands();
  return parsed.empty() ? "" : parsed.front()->get_name();
}

int ActionList::run(const Console& console, std::span<const std::string> names) const {
  const std::string word = chosen();
  const auto entry = ranges::find(entries_, word, &Entry::word);
  if (entry == entries_.end())
    throw UserError(names.empty() ? fmt::format("ACTION is required: {}",
                                                fmt::join(actions_of(*app_.app_), ", "))
                                  : unknown_action(*app_.app_, names.front()));
  const std::string command = fmt::format("`rankscope {} {}`", app_.app_->get_name(), word);
  if (names.size() < entry->names.least || names.size() > entry->names.most)
    throw UserError(fmt::format("{} takes {}, not {}", command, entry->names.what, names.size()));
  std::string taken;
  const CLI::Option* refused = nullptr;
  for (const auto& [option, actions] : *app_.limited_) {
    const auto words = split_at(actions, " ");
    if (ranges::find(words, word) != words.end()) taken += " " + option->get_name();
    else if (option->count() > 0 && refused == nullptr) refused = option;
  }
  if (refused != nullptr)
    throw UserError(fmt::format("{} takes no {}; it takes{}", command, refused->get_name(),
                                taken.empty() ? " no options" : taken));
  return entry->run(console);
}

namespace {

constexpr std::string_view kTopology = "TOPOLOGY";

// Returns none where topologies are not installed; the option then completes files only.
std::vector<std::string> known_topologies() {
  try {
    return topology_names();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

std::vector<std::string> words_for(std::string_view placeholder) {
  if (placeholder.starts_with(kTopology)) return known_topologies();
  if (placeholder.find('|') != std::string_view::npos) {
    const auto words = split_at(placeholder, "|");
    return {words.begin(), words.end()};
  }
  std::vector<std::string> names;
  if (placeholder == "COLLECTIVE")
    for (const auto& collective : collectives()) names.emplace_back(collective.name);
  else if (placeholder == "ALGORITHM")
    for (const auto& algorithm : algorithms()) names.emplace_back(algorithm.name);
  else if (placeholder == "FORM")
    for (const auto& form : training::parallel_forms()) names.emplace_back(form.name);
  else if (const auto field = ranges::find(job_fields(), placeholder, &JobField::placeholder);
           field != job_fields().end())
    return choices_of(*field);
  names.erase(std::ranges::unique(names).begin(), names.end());  // three are called p2p
  return names;
}

bool is_file_placeholder(std::string_view placeholder) {
  return placeholder.starts_with("FILE") || placeholder == "FOLDER" ||
         placeholder.starts_with(kTopology);
}

}  // namespace rankscope::cli
