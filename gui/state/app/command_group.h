// What the groups of commands have in common; each group owns the part of the state that only its commands use.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gui/state/app/app.h"
#include "gui/state/app/arguments.h"
#include "gui/state/app/command.h"
#include "gui/state/app/ready.h"

namespace rankscope::gui {

/// A group has `static std::vector<CommandInfo> commands()` and may have its own update().
class CommandGroup {
 public:
  CommandGroup(const CommandGroup&) = delete;
  CommandGroup& operator=(const CommandGroup&) = delete;
  /// What has happened by itself since the last call, `seconds` ago; `news`: there is something to show.
  void update(double /*seconds*/, bool& /*news*/) {}
  /// Something is being done in the background.
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
struct Owner;
template <class Member, class Class>
struct Owner<Member Class::*> {
  using Type = Class;
};
template <auto kMember>
using OwnerOf = typename Owner<decltype(kMember)>::Type;

template <auto kMember, class State>
auto& member(State& state) {
  if constexpr (std::is_same_v<OwnerOf<kMember>, AppState>) return state.*kMember;
  else if constexpr (std::is_same_v<OwnerOf<kMember>, Settings>) return state.settings.*kMember;
  else return state.settings.layout.*kMember;
}
}  // namespace detail

/// Carries a command out by a group's function, of its arguments or of nothing.
template <auto kFunction>
void does(App& app, const Arguments& words) {
  auto& group = app.group<detail::OwnerOf<kFunction>>();
  if constexpr (std::is_invocable_v<decltype(kFunction), decltype(group)>) (group.*kFunction)();
  else (group.*kFunction)(words);
}
/// Turns a switch of the state, of the settings or of the layout on, off or over.
template <auto kSwitch>
void turns(App& app, const Arguments& words) {
  bool& on = detail::member<kSwitch>(app.mutable_state());
  on = words.switched(on);
}
// For rows of commands.
inline MenuItem item(Menu menu, int section, const char* label, std::string_view words = {},
                     bool (*enabled)(const AppState&) = nullptr,
                     bool (*on)(const AppState&) = nullptr, bool hides = false) {
  return {menu, section, label, words, enabled, on, hides};
}
template <class... Items>
std::vector<MenuItem> menu(const Items&... items) {
  return {items...};
}
inline NameBox box(const char* title, const char* hint, const char* advice,
                   const char* first = nullptr) {
  return {title, hint, advice, first};
}
inline NameBox file_box(NameBox::Files files, const char* title, const char* hint,
                        const char* advice) {
  return {title, hint, advice, nullptr, files};
}
/// For menus: a switch is on.
template <auto kSwitch>
bool is_on(const AppState& state) {
  return detail::member<kSwitch>(state);
}
inline bool has_trace(const AppState& state) { return state.has_trace(); }
inline bool has_other(const AppState& state) { return state.other != nullptr; }

}  // namespace rankscope::gui
