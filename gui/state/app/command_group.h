// The base of the groups of commands, and the parts of their rows. A group owns the state that only its commands use.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gui/state/app/app.h"
#include "gui/state/command/arguments.h"
#include "gui/state/command/commands.h"
#include "gui/state/command/made_later.h"

namespace rankscope::gui {

/// A group may have its own update() and busy(). Its commands are public functions, each beside its row.
class CommandGroup {
 public:
  CommandGroup(const CommandGroup&) = delete;
  CommandGroup& operator=(const CommandGroup&) = delete;
  /// Takes in what has happened since the last call, `seconds` ago, and sets `news` if there is something to show.
  void update(double /*seconds*/, bool& /*news*/) {}
  /// Returns whether something is being done in the background.
  bool busy() const { return false; }

 protected:
  explicit CommandGroup(App& app) : app_(app), state_(app.mutable_state()) {}
  ~CommandGroup() = default;
  void show_message(std::string message, bool is_error = false) {
    app_.show_message(std::move(message), is_error);
  }
  /// Throws UserError with the advice.
  void require_trace(const char* otherwise) const {
    if (!state_.has_trace()) throw UserError(otherwise);
  }

  App& app_;
  AppState& state_;
};

namespace detail {
template <class Member>
struct Parts;
template <class Member, class Class>
struct Parts<Member Class::*> {
  using Owner = Class;
};
template <class Class, class... Parameters>
struct Parts<void (Class::*)(Parameters...)> {
  using Owner = Class;
  /// Each word as the parameter's type.
  static void call(Class& group, void (Class::*function)(Parameters...), const Arguments& words) {
    [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
      (group.*function)(words.as<std::decay_t<Parameters>>(kAt)...);
    }(std::index_sequence_for<Parameters...>());
  }
};
template <auto kMember>
using OwnerOf = typename Parts<decltype(kMember)>::Owner;

template <auto kMember, class State>
auto& member(State& state) {
  if constexpr (std::is_same_v<OwnerOf<kMember>, AppState>) return state.*kMember;
  else if constexpr (std::is_same_v<OwnerOf<kMember>, Settings>) return state.settings.*kMember;
  else return state.settings.layout.*kMember;
}
}  // namespace detail

/// Carries a command out by a group's function: of the bound values alone, of the words and these, or of each word as a
/// parameter.
template <auto kFunction, auto... kBound>
void does(App& app, const Arguments& words) {
  using Function = decltype(kFunction);
  auto& group = app.group<detail::OwnerOf<kFunction>>();
  if constexpr (std::is_invocable_v<Function, decltype(group), decltype(kBound)...>)
    (group.*kFunction)(kBound...);
  else if constexpr (std::is_invocable_v<Function, decltype(group), const Arguments&,
                                         decltype(kBound)...>)
    (group.*kFunction)(words, kBound...);
  else detail::Parts<Function>::call(group, kFunction, words);
}
/// A word that a command begins with, and the function for the words behind it.
template <class Group>
struct CommandPart {
  std::string_view word;
  void (Group::*run)(const Arguments& words);
};
/// Carries out the part of `command` that the first word names. Throws UserError that lists the parts.
template <class Group, class Parts>
void run_part(Group& group, const CommandInfo& command, const Parts& parts,
              const Arguments& words) {
  for (const auto& part : parts)
    if (part.word == words[0])
      return (group.*part.run)(Arguments({words.all().begin() + 1, words.all().end()}));
  std::vector<std::string_view> names;
  for (const auto& part : parts) names.push_back(part.word);
  throw UserError(fmt::format("{} {}, not \"{}\"", command.name, fmt::join(names, ", "), words[0]));
}
/// Turns a switch of the state, of the settings or of the layout on, off or over.
template <auto kSwitch>
void turns(App& app, const Arguments& words) {
  bool& on = detail::member<kSwitch>(app.mutable_state());
  on = words.switched(on);
}
// Parts of rows.
constexpr MenuItem item(Menu menu, int section, const char* label, std::string_view words = {},
                        bool (*enabled)(const AppState&) = nullptr,
                        bool (*on)(const AppState&) = nullptr, bool hides = false) {
  return {menu, section, label, words, enabled, on, hides};
}
template <class... Items>
constexpr MenuItems menu(const Items&... items) {
  static_assert(sizeof...(Items) <= MenuItems::kMost);
  return {{items...}, sizeof...(Items)};
}
constexpr NameBox box(const char* title, const char* hint, const char* advice,
                      const char* first = nullptr, NameBox::Files files = NameBox::Files::none) {
  return {title, hint, advice, first, files};
}
constexpr NameBox file_box(NameBox::Files files, const char* title, const char* hint,
                           const char* advice) {
  return {title, hint, advice, nullptr, files};
}
constexpr CommonWords also(std::string_view words) { return {words}; }
/// For menus: a switch is on.
template <auto kSwitch>
bool is_on(const AppState& state) {
  return detail::member<kSwitch>(state);
}
inline bool has_trace(const AppState& state) { return state.has_trace(); }
inline bool has_other(const AppState& state) { return state.other != nullptr; }

}  // namespace rankscope::gui
