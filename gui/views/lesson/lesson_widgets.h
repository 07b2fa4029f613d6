// What questions are made of: fields, choices, buttons, boxes, icons.
#pragma once

#include <map>
#include <string>

#include "gui/views/lesson/lesson_focus.h"
#include "gui/views/lesson/lesson_text.h"
#include "lessons/grading/grade.h"

namespace rankscope::gui {

/// Everything that the parts of a lesson share while it is drawn.
struct LessonContext {
  ViewContext& context;
  FocusRing& ring;
  MarkdownCache& markdown;
  std::map<ImGuiID, float>& heights;  ///< Of boxes, in the last frame.
  float width = 0;                    ///< Of the text column, pixels.
  float right = 0;                    ///< Its right edge, where buttons flow.

  const Look& look() const { return context.look; }
  const LessonState& lesson() const { return context.state.lesson; }
  void text(const std::string& markdown_text, float room, const TextStyle& style = {}) const {
    draw_markdown(look(), markdown.of(markdown_text), room, style);
  }
};

/// A card: what is drawn inside stands on it. end_card() closes it.
struct Card {
  ImVec2 low;
  float pad = 0, inner = 0;
  ImGuiID id = 0;
};
Card begin_card(LessonContext& lesson, const char* id, ImU32 fill, ImU32 edge, ImU32 stripe = 0,
                double pad = 14);
void end_card(LessonContext& lesson, const Card& card);

/// A field of text. True when it was changed; `entered`: Enter came.
bool text_field(LessonContext& lesson, const char* id, std::string& text, float width,
                const char* hint, bool& entered, bool mono = true);
bool long_text_field(LessonContext& lesson, const char* id, std::string& text, float width);
/// A button; `primary` in the accent's colour.
bool ring_button(LessonContext& lesson, const char* label, bool primary = false, float width = 0,
                 bool enabled = true);
/// The next button stands beside the last one where there is room, else below it.
void next_button(const LessonContext& lesson, const char* label);
/// One of several (round) or any of several (square), with a text. True when it was chosen.
/// `mark`: beside it, once the answer is known: right or wrong.
struct OptionLook {
  bool round = true, on = false, enabled = true;
  int mark = 0;  ///< 1: right; -1: wrong.
};
bool option_row(LessonContext& lesson, const char* id, const std::string& text, float width,
                const OptionLook& how);

/// Check mark, half disc, cross, exclamation mark: words stand beside it.
void verdict_icon(const Look& look, ImVec2 center, double radius, Verdict::State state);
/// Calm: a tinted box with an icon, a word, and what there is to say.
void verdict_box(LessonContext& lesson, Verdict::State state, const std::string& title,
                 const std::string& says, const std::string& last);
ImU32 verdict_color(const Look& look, Verdict::State state);
/// How far something is: 0 to 1.
void share_bar(const Look& look, ImVec2 at, ImVec2 size, double share, ImU32 color);
void vertical_gap(const Look& look, double height);
/// At most two decimals.
std::string short_number(double value);
std::string points_text(double points);

}  // namespace rankscope::gui
