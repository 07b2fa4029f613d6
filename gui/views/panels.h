// The parts of the window around the panes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/state/run/sentence.h"
#include "gui/views/base/view.h"
#include "gui/views/file_dialog.h"

namespace rankscope::gui {

/// Begins a box over the window, which is dimmed and does not get the pointer. With `height` 0 the box is as high as its content.
/// Returns false if somebody clicked beside it. Call end_box() in any case.
bool begin_box(const ViewContext& context, const char* id, double width, double height);
void end_box();
void box_heading(const Look& look, const char* text);
/// Returns whether the field just drawn has the keyboard for which it asked; if not, keys are kept for it.
bool has_keyboard(const ViewContext& context);

/// The job as a sentence whose words open their alternatives; start, stop and step; and the state of the run.
class SentenceBar {
 public:
  void draw(ViewContext& context);

 private:
  /// What a pressed word opens: a part of the job, the parts without a word, how a student's program is run.
  enum class Opens : std::uint8_t { part, more, program };
  void sentence(ViewContext& context, float room);
  void word(ViewContext& context, const char* id, const std::string& text, JobPart part,
            Opens opens);
  void program(ViewContext& context, float room);
  void program_form(ViewContext& context);
  void popover(ViewContext& context, JobPart part);
  void ranks(ViewContext& context);
  void data(ViewContext& context);
  void more(ViewContext& context);
  void delays(ViewContext& context);
  void transports(ViewContext& context);

  std::array<char, 32> count_{};
  std::string count_of_;
  int ranks_ = 4;
  bool dragging_ = false;
  /// By field of a program's form: the text before typing, and the typed text.
  std::map<std::string, std::pair<std::string, std::array<char, 256>>> fields_;
  /// The opened document whose headline "Another run" replaced by the job's sentence.
  std::uint64_t form_for_ = 0;
};

/// Play, step, speed, scrubber: the bar at the bottom.
void draw_transport_bar(ViewContext& context);
/// Buttons, moment and speed, beside a small time × rank that is the scrubber.
void draw_transport_buttons(ViewContext& context);

/// Title, menus, what is shown, live state: the bar at the top.
void draw_menu_bar(ViewContext& context);

/// The boxes over everything: palette, shortcut sheet, settings, choice of a file.
class Dialogs {
 public:
  void draw(ViewContext& context);
  /// Asks for the name of a file or of a layout: "open", "save", "export", "layout" ...
  void ask_file(const std::string& command);
  bool open() const noexcept { return !asking_.empty() || files_.open() || asks_to_quit_; }

 private:
  void palette(ViewContext& context);
  void carry_out(ViewContext& context, const Command& command, bool is_whole,
                 const std::string& typed);
  void shortcuts(ViewContext& context);
  void settings(ViewContext& context);
  void name(ViewContext& context);
  void quit(ViewContext& context);
  /// Marks the word of a sentence that is not understood, and offers the nearest ones.
  void unknown_word(ViewContext& context);

  bool asks_to_quit_ = false;
  /// The number of errors before the typed command; if it has changed, the command failed, and the text stays.
  std::optional<std::uint64_t> errors_before_;
  std::string not_done_;  ///< Why it failed.
  std::array<char, 200> words_{};
  int chosen_ = 0;
  bool palette_was_open_ = false;
  bool awaiting_ = false;  ///< The box's field waits for the keyboard.
  bool to_end_ = false;    ///< The next letter does not replace the field's text.
  FileDialog files_;
  std::string asking_;
  std::array<char, 1024> file_{};
  bool file_just_opened_ = false;
};

/// Vector icons: the same on every system.
enum class Icon : std::uint8_t { play, pause, step, step_back, first, last };
bool icon_button(const ViewContext& context, Icon icon, const char* tooltip, bool primary,
                 double size);

}  // namespace rankscope::gui
