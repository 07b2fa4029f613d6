// Draws the boxes over the window: palette, shortcuts, a command's argument, settings, quitting.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "engine/core/base/text.h"
#include "gui/state/files/settings.h"
#include "gui/state/run/question_parser.h"
#include "gui/views/base/compat.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

void muted(const Look& look, const std::string& text) { colored_lines(look.palette().muted, text); }

}  // namespace

void Dialogs::ask_for(const std::string& command) {
  const auto* info = find_command_info(command);
  const bool for_file = info != nullptr && info->box.files != NameBox::Files::none;
  files_.ask(for_file ? command : "");
  asking_ = for_file ? "" : command;
  just_opened_ = true;
  typed_[0] = 0;
  errors_before_.reset();
  not_done_.clear();
}

void Dialogs::name(ViewContext& context) {
  const auto* info = find_command_info(asking_);
  if (info == nullptr || info->box.title == nullptr) return asking_.clear();
  if (const auto before = std::exchange(errors_before_, std::nullopt)) {
    if (context.state.errors == *before) return asking_.clear();
    not_done_ = context.state.error;
    read_.clear();
    just_opened_ = to_end_ = true;  // keep typing in the same field
  }
  const NameBox& box = info->box;
  const bool stay = begin_box(context, "##name", 520, 0);
  box_heading(context.look, box.title);
  if (std::exchange(just_opened_, false)) {
    awaiting_ = true;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint(
      "##path", box.hint, typed_.data(), typed_.size(),
      ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways, to_end_once,
      &to_end_);
  if (awaiting_) awaiting_ = !has_keyboard(context);
  if (asking_ == cmd::say.name) unknown_word(context);
  muted(context.look, box.advice);
  if (!not_done_.empty()) {
    context.look.push(21, Font::Weight::semibold);
    colored_lines(context.look.palette().error, not_done_);
    Look::pop();
  }
  const bool ok = ImGui::Button("OK", {context.look.px(90), 0});
  ImGui::SameLine();
  const bool cancel = ImGui::Button("Cancel", {context.look.px(90), 0});
  if ((entered || ok) && typed_[0] != 0) {
    std::vector<std::string> words{typed_.data()};
    if (box.first != nullptr) words.insert(words.begin(), box.first);
    context.commands.push(Command(*info, std::move(words)));
    errors_before_ = context.state.errors;
  } else if (cancel || !stay) {
    asking_.clear();
  }
  end_box();
}

void Dialogs::unknown_word(ViewContext& context) {
  const std::string typed = typed_.data();
  if (not_done_.empty() || typed.starts_with("race ")) return;
  const std::string before = std::exchange(read_, typed);
  if (before != typed) try {
      unknown_.reset();
      (void)parse_job(context.state.settings.job, typed);
      if (!before.empty()) not_done_.clear();  // corrected meanwhile
      return;
    } catch (const UnknownWord& unknown) {
      unknown_ = unknown;
    } catch (const UserError&) {  // `not_done_` says it
    }
  if (!unknown_) return;
  const Look& look = context.look;
  const auto at = (" " + ascii_lower(typed) + " ").find(" " + unknown_->word + " ");
  if (at == std::string::npos) return;
  const float pad = ImGui::GetStyle().FramePadding.x;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const auto x_of = [&](std::size_t letters) {
    return low.x + pad + ImGui::CalcTextSize(typed.substr(0, letters).c_str()).x;
  };
  const float y = high.y - look.px(3), to = x_of(at + unknown_->word.size());
  // In a longer text the field has scrolled, and the word's place is not known.
  if (x_of(typed.size()) < high.x)
    ImGui::GetWindowDrawList()->AddLine({x_of(at), y}, {to, y}, look.palette().error, look.px(2));
  for (const std::string& word : unknown_->nearest) {
    if (ImGui::Button(word.c_str())) {
      const std::string mended = std::string(typed).replace(at, unknown_->word.size(), word);
      std::snprintf(typed_.data(), typed_.size(), "%s", mended.c_str());
      just_opened_ = to_end_ = true;
    }
    ImGui::SameLine();
  }
  if (!unknown_->nearest.empty()) ImGui::NewLine();
}

// Carries the command out, or writes its name into the palette's field if it lacks arguments.
void Dialogs::carry_out(ViewContext& context, const Command& command, bool is_whole,
                        const std::string& typed) {
  // Otherwise the text was only searched for, and has no arguments.
  const bool has_words = typed.starts_with(command.name + " ");
  if (is_whole || has_words || !lacks_arguments(command)) {
    std::optional<Command> said;
    try {
      said = has_words && !is_whole ? parse_command(typed) : command;
    } catch (const std::exception&) {  // such as a quote that is not closed yet
    }
    context.commands.push(
        cmd::palette());  // first, so that closing it does not remove the next command's error
    if (said) context.commands.push(std::move(*said));
  } else {
    std::snprintf(words_.data(), words_.size(), "%s ", command.name.c_str());
    palette_was_open_ = true;
    awaiting_ = to_end_ = true;
    ImGui::SetKeyboardFocusHere(-1);
  }
}

void Dialogs::find_lines(const AppState& state, const std::string& typed) {
  auto now = std::tuple(typed, state.settings.job, state.asked.base, state.asked.any);
  if (palette_was_open_ && now == found_of_) return;
  found_of_ = std::move(now);
  found_ = palette_lines(state.settings, state.asked, typed);
  not_found_.clear();
  if (found_.empty()) try {
      (void)parse_job(state.settings.job, typed);
    } catch (const UserError& e) {
      not_found_ = e.what();
    }
}

void Dialogs::palette(ViewContext& context) {
  const bool opened = !palette_was_open_;
  const bool stay = begin_box(context, "##palette", 720, 420);
  if (opened) {
    words_[0] = 0;
    chosen_ = 0;
    awaiting_ = true;
    ImGui::SetKeyboardFocusHere();
  }
  ImGui::SetNextItemWidth(-1);
  const bool entered = ImGui::InputTextWithHint(
      "##words", "type a command, what to run (ring 16), or what if (rank 2 slow)", words_.data(),
      words_.size(), ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackAlways,
      to_end_once, &to_end_);
  if (awaiting_) awaiting_ = !has_keyboard(context);
  const std::string typed = words_.data();
  find_lines(context.state, typed);
  const auto& found = found_;
  if (compat::key_pressed(ImGuiKey_DownArrow)) ++chosen_;
  if (compat::key_pressed(ImGuiKey_UpArrow)) --chosen_;
  chosen_ = std::clamp(chosen_, 0, std::max(0, static_cast<int>(found.size()) - 1));
  compat::begin_child("found");
  int at = 0;
  const PaletteLine* clicked = nullptr;
  for (const auto& one : found) {
    ImGui::PushID(at);
    if (ImGui::Selectable("##line", at == chosen_)) clicked = &one;
    if (at == chosen_ && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    ImGui::SameLine(context.look.px(4));
    ImGui::TextUnformatted(fitted_text(one.usage, context.look.px(255)).c_str());
    // Beside a long name, not over it.
    ImGui::SameLine();
    ImGui::SetCursorPosX(
        std::max(ImGui::GetCursorPosX() + context.look.px(8), context.look.px(270)));
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.palette().muted);
    const float keys = one.shortcut.empty() ? 0 : ImGui::CalcTextSize(one.shortcut.c_str()).x;
    const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - keys;
    const std::string what =
        fitted_text(one.summary, right - ImGui::GetCursorPosX() - context.look.px(12));
    ImGui::TextUnformatted(what.c_str());
    if (what != one.summary) hover_text(one.summary);
    ImGui::PopStyleColor();
    if (keys > 0) {
      ImGui::SameLine(right);
      ImGui::TextUnformatted(one.shortcut.c_str());
    }
    ImGui::PopID();
    ++at;
  }
  if (found.empty() && !not_found_.empty()) muted(context.look, not_found_);
  ImGui::EndChild();
  if (entered && !found.empty() && clicked == nullptr)
    clicked = &found[static_cast<std::size_t>(chosen_)];
  if (clicked != nullptr) carry_out(context, clicked->command, clicked->whole, typed);
  if (!stay && !opened) context.commands.push(cmd::palette());
  end_box();
}

void Dialogs::shortcuts(ViewContext& context) {
  const bool stay = begin_box(context, "##shortcuts", 1180, 660);
  box_heading(context.look, "Keys");
  muted(context.look, "Everything else: Ctrl+P. Escape closes this.");
  if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_ScrollY)) {
    for (int side = 0; side < 2; ++side) {
      ImGui::TableSetupColumn("key", ImGuiTableColumnFlags_WidthFixed, context.look.px(130));
      ImGui::TableSetupColumn("what");
    }
    for (const CommandInfo* info : command_infos()) {
      if (info->shortcut.empty()) continue;
      ImGui::TableNextColumn();
      context.look.push(12, Font::Weight::semibold, true);
      ImGui::TextUnformatted(std::string(info->shortcut).c_str());
      Look::pop();
      ImGui::TableNextColumn();
      ImGui::TextWrapped("%s", std::string(info->summary).c_str());
    }
    ImGui::EndTable();
  }
  if (!stay) context.commands.push(cmd::shortcuts());
  end_box();
}

void Dialogs::settings(ViewContext& context) {
  const auto& s = context.state.settings;
  const bool stay = begin_box(context, "##settings", 420, 0);
  box_heading(context.look, "Settings");
  for (const ThemeKind kind : kThemes) {
    const std::string name(to_string(kind));
    if (ImGui::RadioButton(name.c_str(), s.theme == kind)) context.commands.push(cmd::theme(kind));
    ImGui::SameLine();
  }
  ImGui::NewLine();
  auto scale = static_cast<float>(s.ui_scale);
  ImGui::SliderFloat("size", &scale, static_cast<float>(Settings::kLeastScale),
                     static_cast<float>(Settings::kMostScale), "%.2f");
  if (ImGui::IsItemDeactivatedAfterEdit()) context.commands.push(cmd::scale({scale, 2}));
  bool motion = s.motion;
  if (ImGui::Checkbox("messages move along their arrows", &motion))
    context.commands.push(cmd::motion(turned(motion)));
  if (ImGui::Button("Close")) context.commands.push(cmd::settings());
  if (!stay) context.commands.push(cmd::settings());
  end_box();
}

void Dialogs::quit(ViewContext& context) {
  const bool stay = begin_box(context, "##quit", 460, 0);
  box_heading(context.look, "Quit?");
  ImGui::TextWrapped("%s.", capitalized(context.state.quit_question).c_str());
  const ImVec2 size{context.look.px(110), 0};
  if (ImGui::Button("Quit", size)) context.commands.push(cmd::quit());
  ImGui::SameLine();
  if (ImGui::Button("Stay", size) || !stay) context.commands.push(cmd::quit_off());
  end_box();
}

void Dialogs::draw(ViewContext& context) {
  const auto& s = context.state;
  if (s.show_settings) settings(context);
  if (s.show_shortcuts) shortcuts(context);
  if (s.show_palette) palette(context);
  palette_was_open_ = s.show_palette;
  asks_to_quit_ = !s.quit_question.empty();
  if (asks_to_quit_) quit(context);
  if (!asking_.empty()) name(context);
  if (files_.open()) files_.draw(context);
}

namespace {

// Dims the window, and takes the pointer from it.
void veil(const char* id) {
  ImGui::SetNextWindowPos({0, 0}, ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, IM_COL32(0, 0, 0, 96));
  ImGui::Begin((std::string(id) + " veil").c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
}

}  // namespace

bool begin_box(const ViewContext& context, const char* id, double width, double height) {
  veil(id);
  const ImVec2 room = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::min(room.x - 40, context.look.px(width)),
                    height > 0 ? std::min(room.y - 60, context.look.px(height)) : 0};
  ImGui::SetNextWindowPos({room.x / 2, room.y * 0.45F}, ImGuiCond_Always, {0.5F, 0.45F});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {context.look.px(20), context.look.px(16)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.palette().bar);
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings |
                   (height > 0 ? 0 : ImGuiWindowFlags_AlwaysAutoResize));
  const bool beside = ImGui::IsMouseClicked(ImGuiMouseButton_Left) &&
                      !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows |
                                              ImGuiHoveredFlags_AllowWhenBlockedByPopup) &&
                      !ImGui::IsWindowAppearing();
  return !beside;
}

void end_box() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

void box_heading(const Look& look, const char* text) {
  look.push(21, Font::Weight::bold);
  ImGui::TextUnformatted(text);
  Look::pop();
}

int to_end_once(ImGuiInputTextCallbackData* data) {
  if (std::exchange(*static_cast<bool*>(data->UserData), false))
    data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
  return 0;
}

bool has_keyboard(const ViewContext& context) {
  if (ImGui::IsItemActive()) return true;
  if (context.keeps_keys != nullptr) *context.keeps_keys = true;
  return false;
}

}  // namespace rankscope::gui
