// Draws the answer to "what if".
#include "gui/views/what_if_strip.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/quantity.h"
#include "engine/diagrams/run/run_difference.h"

namespace rankscope::gui {
namespace {

constexpr double kChip = 28, kPad = 10, kBar = 9, kReading = 14;
constexpr std::size_t kMostLikely = 4;

struct Letters {
  double size;
  Font::Weight weight;
};
constexpr Letters kOneLine[] = {{28, Font::Weight::bold},
                                {24, Font::Weight::bold},
                                {21, Font::Weight::semibold},
                                {19, Font::Weight::semibold}};
constexpr Letters kTwoLines{21, Font::Weight::semibold}, kMoreLines{16, Font::Weight::semibold};

/// Returns whether the answer would spoil a prediction.
bool is_covered(const AppState& state) {
  return state.curtain() && state.asked.run != 0 && !state.at_present();
}

std::string headline(const AppState& state) {
  const WhatIfRun& asked = state.asked;
  if (is_covered(state))
    return asked.model.empty() ? fmt::format("{} …?", asked.words) : asked.model;
  if (!asked.answer.empty()) return asked.answer;
  if (!asked.model.empty()) return asked.model;
  return fmt::format("{} …", asked.words);
}

float room_for(const Look& look, float width) { return width - look.px(2 * 20); }

/// The largest letters in which the headline takes one line; else those in which it takes two.
Letters letters_for(const Look& look, const std::string& text, float width) {
  const auto lines = [&](const Letters& letters) {
    const float high = look.text_size(text, letters.size, letters.weight, room_for(look, width)).y;
    return static_cast<int>(std::lround(high / look.text_size("", letters.size, letters.weight).y));
  };
  for (const Letters& letters : kOneLine)
    if (lines(letters) <= 1) return letters;
  return lines(kTwoLines) <= 2 ? kTwoLines : kMoreLines;
}

float headline_height(const Look& look, const std::string& text, float width) {
  const Letters letters = letters_for(look, text, width);
  return look.text_size(text, letters.size, letters.weight, room_for(look, width)).y;
}

/// Returns the height of the line above the headline that says how the question was read; 0 without one.
float reading_height(const Look& look, const AppState& state) {
  return state.asked.read_as.empty() ? 0 : look.px(kReading + 8);
}

struct Span {
  std::string label;
  double length = 0;
};

/// Returns the lengths of both runs on one scale: time where it can be compared, else steps.
std::vector<Span> spans_of(const AppState& state) {
  const WhatIfRun& asked = state.asked;
  if (asked.of_program) return {};  // a program's time says nothing about the edit
  if (!asked.before || asked.run == 0 || !state.has_trace() || is_covered(state)) return {};
  const Document &then = *asked.before, &now = *state.document;
  if (is_repetition(then, now)) return {};
  const bool timed =
      then.simulated() == now.simulated() &&
      (then.large() || now.large() || !has_varying_times(then.analysis(), now.analysis()));
  const auto clock = timed ? ClockBase::measured : ClockBase::rounds;
  if (clock == ClockBase::rounds && (then.large() || now.large())) return {};
  const auto text = [&](const Document& run) {
    return clock == ClockBase::measured
               ? microseconds_text(run.end(clock))
               : counted(static_cast<std::uint64_t>(run.end(clock)), "step");
  };
  if (clock == ClockBase::rounds && then.end(clock) == now.end(clock)) return {};
  return {{"before " + text(then), then.end(clock)}, {"now " + text(now), now.end(clock)}};
}

float spans_width(const Look& look, const std::vector<Span>& spans, float width) {
  return spans.empty() ? 0 : std::clamp(width * 0.34F, look.px(240), look.px(460));
}

// Draws the run before as an outline, the new one filled.
void draw_spans(const Look& look, const std::vector<Span>& spans, ImVec2 low, ImVec2 size) {
  const auto& p = look.palette();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto face = look.face({12, Font::Weight::semibold, false});
  float words = 0;
  double longest = 0;
  for (const Span& one : spans) {
    words = std::max(words, face.extent(one.label).x);
    longest = std::max(longest, one.length);
  }
  const float bar = size.x - words - look.px(8), high = look.px(kBar);
  if (bar < look.px(40) || longest <= 0) return;
  float y = low.y + (size.y / 2 - high) / 2;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const float wide = std::max(bar * static_cast<float>(spans[i].length / longest), look.px(2));
    const ImVec2 from{low.x, y}, to{low.x + wide, y + high};
    if (i == 0) list.AddRect(from, to, p.muted, look.px(2), 0, look.px(1));
    else list.AddRectFilled(from, to, p.text, look.px(2));
    face.draw(list, {low.x + bar + look.px(8), y + high / 2 - face.extent("0").y / 2},
              i == 0 ? p.muted : p.text, spans[i].label);
    y += size.y / 2;
  }
}

/// Draws the changes as chips from left to right; returns where the next one would begin.
float draw_made(ViewContext& context, ImVec2 at, float end) {
  const Look& look = context.look;
  const WhatIfRun& asked = context.state.asked;
  float x = at.x;
  for (const JobChange& one : changes_between(asked.base, asked.job)) {
    const std::string text = one.label + " \u00D7";
    if (x + chip_width(look, text) > end) break;
    ImGui::PushID(one.name.data());
    if (chip(look, {x, at.y}, text, true, "Takes this change off, and runs again"))
      context.commands.push(cmd::take_off(std::string(one.name)));
    ImGui::PopID();
    x += chip_width(look, text) + look.px(8);
  }
  return x;
}

/// Draws as many offers as fit, the likeliest first.
void draw_offers(ViewContext& context, const std::vector<std::string>& offers, ImVec2 at,
                 float end) {
  const Look& look = context.look;
  float x = at.x;
  for (const std::string& words : offers) {
    const std::string text = words + "?";
    if (x + chip_width(look, text) > end) return;
    if (chip(look, {x, at.y}, text, false, "What if? Ctrl+K asks anything else"))
      context.commands.push(cmd::say(words));
    x += chip_width(look, text) + look.px(8);
  }
}

/// Returns likely_changes() of the last jobs again: they read a topology's file, which takes too long for each frame.
const std::vector<std::string>& offers_of(const JobSpec& base, const JobSpec& job,
                                          const std::vector<std::string>& racers = {}) {
  static std::tuple<JobSpec, JobSpec, std::vector<std::string>> of;
  static std::vector<std::string> offers;
  auto now = std::tuple(base, job, racers);
  if (!offers.empty() && now == of) return offers;
  of = std::move(now);
  return offers = likely_changes(base, job, kMostLikely, racers);
}

std::string note_of(const AppState& state) {
  const WhatIfRun& asked = state.asked;
  // A question without a run has only the model's answer.
  if (is_covered(state) && (asked.model.empty() || asked.model != asked.answer))
    return "the answer comes at the end of the run";
  if (!asked.waits) return asked.note;
  if (state.holds()) return "held: each press releases a round";
  return asked.model.empty() ? "running" : "the real run goes on";
}

/// Offers what can be done with an edited program's run.
void draw_edit(ViewContext& context, ImVec2 at, float end) {
  const Look& look = context.look;
  const AppState& state = context.state;
  float x = at.x;
  const auto offer = [&](const char* text, const char* tip, const Command& command) {
    if (x + chip_width(look, text) > end) return;
    if (chip(look, {x, at.y}, text, false, tip)) context.commands.push(command);
    x += chip_width(look, text) + look.px(8);
  };
  if (state.asked.waits) return offer("Stop", "Ends the program (Shift+F5)", cmd::stop());
  if (state.asked.before && !is_covered(state))
    offer("Compare", "Both runs side by side", cmd::view(Slot::main, "compare"));
  offer("Output", "What it printed", cmd::view(Slot::side, "output"));
  look.push(14);
  const std::string note = fitted_text(note_of(state), end - x);
  ImGui::SetCursorPos({x, at.y + (look.px(kChip) - ImGui::GetTextLineHeight()) / 2});
  colored_text(look.palette().muted, note);
  Look::pop();
}

/// Draws the chips, or the step's sentence while somebody steps through the run.
void draw_second_row(ViewContext& context, ImVec2 at, float end, const std::string& step) {
  const Look& look = context.look;
  const float high = look.px(kChip);
  const auto write = [&](double letters, float x, const std::string& text, ImU32 color) {
    look.push(letters);
    const std::string shown = fitted_text(text, end - x);
    ImGui::SetCursorPos({x, at.y + (high - ImGui::GetTextLineHeight()) / 2});
    colored_text(color, shown);
    const float wide = ImGui::CalcTextSize(shown.c_str()).x;
    Look::pop();
    return wide;
  };
  if (!step.empty()) {
    write(look.size_in_line(step, end - at.x), at.x, step, look.palette().text);
    return;
  }
  if (context.state.asked.of_program) return draw_edit(context, at, end);
  float x = draw_made(context, at, end);
  if (const std::string note = note_of(context.state); !note.empty() && end - x > look.px(120))
    x += look.px(4) + write(14, x + look.px(4), note, look.palette().muted) + look.px(16);
  const WhatIfRun& asked = context.state.asked;
  std::vector<std::string> racers;
  if (asked.of_race)
    for (const DocumentPtr& run : context.state.race.runs)
      racers.push_back(run->trace().meta().job->call.algorithm);
  auto offers = offers_of(asked.base, asked.job, racers);
  if (!asked.near.empty()) offers.insert(offers.begin(), asked.near);
  draw_offers(context, offers, {x, at.y}, end);
}

}  // namespace

float chip_width(const Look& look, const std::string& text) {
  return look.text_size(text, 14, Font::Weight::semibold).x + look.px(20);
}

bool chip(const Look& look, ImVec2 at, const std::string& text, bool made, const char* tip,
          float sign) {
  const auto& p = look.palette();
  look.push(14, Font::Weight::semibold);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, look.px(kChip / 2));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, look.px(1));
  ImGui::PushStyleColor(ImGuiCol_Button, made ? p.control : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, made ? p.text : p.muted);
  ImGui::PushStyleColor(ImGuiCol_Text, p.text);
  ImGui::SetCursorPos(at);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(10), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {1, 0.5F});
  const bool pressed = ImGui::Button(text.c_str(), {chip_width(look, text) + sign, look.px(kChip)});
  ImGui::PopStyleColor(3);
  ImGui::PopStyleVar(4);
  Look::pop();
  if (*tip != 0) hover_text(tip);
  return pressed;
}

float what_if_height(const ViewContext& context, float width) {
  if (!context.state.asked.any || context.state.first_page()) return 0;
  const Look& look = context.look;
  return headline_height(look, headline(context.state), width) +
         reading_height(look, context.state) + look.px(kChip + 2 * kPad + 6);
}

void draw_what_if(ViewContext& context, ImVec2 low, ImVec2 size, const std::string& step) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const AppState& state = context.state;
  const WhatIfRun& asked = state.asked;
  ImGui::SetCursorPos(low);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_ground(look, at, size, p.bar);
  const std::string text = headline(state);
  const Letters letters = letters_for(look, text, size.x);
  const bool final = !asked.answer.empty() && !is_covered(state);
  const float left = low.x + look.px(20);
  const float above = reading_height(look, state);
  if (above > 0) {
    look.push(kReading);
    ImGui::SetCursorPos({left, low.y + look.px(kPad) - look.px(2)});
    colored_text(p.muted, fitted_text(asked.read_as, room_for(look, size.x)));
    Look::pop();
  }
  look.push(letters.size, letters.weight);
  ImGui::SetCursorPos({left, low.y + look.px(kPad) + above});
  colored_lines(asked.failed ? p.error
                : final      ? p.text
                             : p.muted,
                text, low.x + size.x - look.px(20));
  Look::pop();
  const float y = low.y + size.y - look.px(kChip + kPad);
  const auto spans = step.empty() ? spans_of(state) : std::vector<Span>();
  const float wide = spans_width(look, spans, size.x);
  const float end = low.x + size.x - look.px(20) - (wide > 0 ? wide + look.px(16) : 0);
  draw_second_row(context, {left, y}, end, step);
  if (wide > 0) {
    ImGui::SetCursorPos({low.x + size.x - look.px(20) - wide, y});
    if (ImGui::InvisibleButton("both runs", {wide, look.px(kChip)}))
      context.commands.push(cmd::view(Slot::main, "compare"));
    hover_text("Both runs side by side (the view Compare)");
    draw_spans(look, spans, {at.x + size.x - look.px(20) - wide, at.y + y - low.y},
               {wide, look.px(kChip)});
  }
}

void draw_likely_changes(ViewContext& context, ImVec2 low, ImVec2 size, float taken) {
  const AppState& state = context.state;
  if (state.asked.any || !state.result || !state.result->ok() || state.live.running ||
      !state.has_trace() || !state.at_present() || state.lesson.lesson || !state.race.runs.empty())
    return;
  const auto& job = state.document->trace().meta().job;
  if (!job || job->is_program() || find_algorithm(job->call.algorithm) == nullptr) return;
  const Look& look = context.look;
  const float y = low.y + (size.y - look.px(kChip)) / 2;
  const float room = size.x - look.px(20) - taken - look.px(40);
  std::vector<std::string> offers;
  float wide = 0;
  for (const std::string& words : offers_of(*job, *job)) {
    const float more = chip_width(look, words + "?") + look.px(8);
    if (wide + more > room) break;
    wide += more;
    offers.push_back(words);
  }
  const float end = low.x + size.x - look.px(20);
  draw_offers(context, offers, {end - wide + look.px(8), y}, end + look.px(1));
}

}  // namespace rankscope::gui
