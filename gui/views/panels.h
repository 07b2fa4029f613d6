// The parts of the window around the panes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gui/state/files/file_choice.h"
#include "gui/state/files/samples.h"
#include "gui/state/lecture/lecture_state.h"
#include "gui/state/model/state_chip.h"
#include "gui/state/run/plain_words.h"
#include "gui/state/run/sentence.h"
#include "gui/state/search/palette.h"
#include "gui/views/base/view.h"
#include "gui/views/scene/small_stage.h"

namespace rankscope::gui {

/// Begins a box over the window, which is dimmed and does not get the pointer. With `height` 0 the box is as high as its content.
/// Returns false after a click beside it. Call end_box() in any case.
bool begin_box(const ViewContext& context, const char* id, double width, double height);
void end_box();
void box_heading(const Look& look, const char* text);
/// Returns whether the field just drawn has the keyboard for which it asked; if not, keys are kept for it.
bool has_keyboard(const ViewContext& context);
/// A callback of fields that moves the cursor to the end once, while the bool in `UserData` is true: a field that gets the keyboard
/// has all its text selected, and the next letter would replace it.
int to_end_once(ImGuiInputTextCallbackData* data);

/// The job as a sentence whose words open their alternatives; start, stop and step; and the state of the run.
class SentenceBar {
 public:
  void draw(ViewContext& context);

 private:
  /// A pressed word opens a part of the job, the parts without a word, or the settings of a student's program.
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
ImU32 chip_color(const Look& look, StateChip::Kind kind);

/// The box that asks for a file: places, a folder's files, a preview of traces, and the kind to save as.
class FileDialog {
 public:
  FileDialog();
  ~FileDialog();
  /// Opens the box of a command that asks for a file; "" closes it.
  void ask(const std::string& command);
  bool open() const noexcept { return !command_.empty(); }
  void draw(ViewContext& context);

 private:
  struct Made;
  void begin(const ViewContext& context, NameBox::Files use);
  void field(ViewContext& context, const NameBox& box);
  void places(ViewContext& context, float width, float height);
  void list(ViewContext& context, float width, float height);
  void row(ViewContext& context, const FileRow& row, bool chosen);
  void preview(ViewContext& context, float width, float height);
  void foot(ViewContext& context, const NameBox& box);
  void question(ViewContext& context);
  /// Goes into a folder, asks before a file is replaced, or carries the command out.
  void accept(ViewContext& context);
  void carry_out(ViewContext& context, const std::string& path);
  void go_to(const std::string& folder);
  void type(const std::string& text);
  std::string typed() const { return text_.data(); }
  const FileKind& kind() const { return kinds_[kind_]; }

  std::string command_, folder_, replaces_;
  NameBox::Files use_ = NameBox::Files::none;
  std::vector<FileKind> kinds_;
  std::size_t kind_ = 0;
  std::vector<FilePlace> places_;
  std::array<char, 1024> text_{};
  std::uint64_t opened_ = 0;  ///< How often it was opened.
  int marked_ = -1;           ///< A row chosen by the arrow keys.
  bool just_opened_ = false, awaiting_ = false, to_end_ = false;
  std::unique_ptr<Made> made_;
};

/// The boxes over the window: palette, shortcuts, a command's argument, settings, quitting.
class Dialogs {
 public:
  void draw(ViewContext& context);
  /// Opens the box that asks for a command's argument ("open", "save", "layout", "say" ...); "" closes it.
  void ask_for(const std::string& command);
  bool open() const noexcept { return !asking_.empty() || files_.open() || asks_to_quit_; }

 private:
  void palette(ViewContext& context);
  /// Finds the palette's lines if the text or the run has changed: parsing the text as a question takes too long for each frame.
  void find_lines(const AppState& state, const std::string& typed);
  void carry_out(ViewContext& context, const Command& command, bool is_whole,
                 const std::string& typed);
  void shortcuts(ViewContext& context);
  void settings(ViewContext& context);
  void name(ViewContext& context);
  void quit(ViewContext& context);
  /// Underlines the word that is not understood, and offers the nearest ones.
  void unknown_word(ViewContext& context);

  bool asks_to_quit_ = false;
  /// The number of errors before the typed command; if it grows, the command failed, and the text stays.
  std::optional<std::uint64_t> errors_before_;
  std::string not_done_;  ///< Why it failed.
  /// The text that was read last, and its word that is not understood.
  std::string read_;
  std::optional<UnknownWord> unknown_;
  std::array<char, 200> words_{};
  std::vector<PaletteLine> found_;
  std::tuple<std::string, JobSpec, JobSpec, bool> found_of_;
  std::string not_found_;  ///< Why there are no lines.
  int chosen_ = 0;
  bool palette_was_open_ = false;
  bool awaiting_ = false;  ///< The box's field waits for the keyboard.
  bool to_end_ = false;    ///< The next letter does not replace the field's text.
  FileDialog files_;
  std::string asking_;
  std::array<char, 1024> typed_{};
  bool just_opened_ = false;
};

/// The first page: six small runs that move, each a card that opens it, and the other ways to begin.
class FirstPage {
 public:
  /// Draws the page at ImGui's cursor, in this size.
  void draw(ViewContext& context, ImVec2 size);
  /// Call it when the page is not shown: its runs go back to their start.
  void leave();
  /// Arrows choose a card, Enter opens it; true if the key was used.
  bool takes_key(CommandQueue& commands, std::string_view key);
  bool moves() const noexcept { return moves_; }

 private:
  struct Grid {
    int columns = 3;
    ImVec2 card;
    float gap = 0;
  };
  void head(const ViewContext& context, float width);
  void cards(ViewContext& context, const Grid& grid);
  void card(ViewContext& context, std::size_t which, ImVec2 size);
  void picture(ViewContext& context, std::size_t which, ImVec2 low, ImVec2 size);
  void foot(ViewContext& context, float width);
  static void lectures(ViewContext& context, float width);

  std::array<SmallStage, kSampleCards> cards_;
  int columns_ = 3, chosen_ = 0;
  float head_height_ = 0;
  double seconds_ = 0;  ///< For how long the page has moved.
  bool moves_ = false, by_keys_ = false;
};

/// Overlays of the window in a lecture: spotlight, the pen's lines, a countdown, a black screen.
class LectureOverlays {
 public:
  /// Draws the overlays, after everything else. `covered`: a dialog lies over the window and gets the mouse.
  void draw(ViewContext& context, bool covered);

 private:
  void spotlight(ViewContext& context);
  void canvas(ViewContext& context);
  void tools(ViewContext& context);
  void follow(ViewContext& context, ImVec2 room);
  void strokes(const ViewContext& context) const;
  static void countdown(ViewContext& context);
  static void small_countdown(ViewContext& context, const std::string& text);
  static void countdown_button(ViewContext& context, ImVec2 low, ImVec2 size);
  void black(ViewContext& context);

  PenStroke drawn_;       ///< The line that is being drawn; without points if there is none.
  ImVec2 light_{-1, -1};  ///< Where the mouse was last.
};

}  // namespace rankscope::gui
