// Draws pseudocode, its source, and the step at the cursor.
#include "gui/views/pseudocode_panel.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/ranges.h"
#include "gui/state/model/live_marks.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

void line(const Look& look, const PseudocodeLine& one, bool now, float marks) {
  const auto& p = look.palette();
  const float pad = look.px(14), letter = ImGui::CalcTextSize("x").x;
  const auto indent = std::min(one.text.find_first_not_of(' '), one.text.size());
  const char* const words = one.text.c_str() + indent;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float left = pad + letter * static_cast<float>(indent);
  const float room = std::max(ImGui::GetContentRegionAvail().x - left - pad - marks, letter * 12);
  const ImVec2 size = ImGui::CalcTextSize(words, nullptr, false, room);
  const float high = size.y + look.px(6);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (now) {
    const float width = ImGui::GetContentRegionAvail().x;
    list.AddRectFilled(low, {low.x + width, low.y + high}, p.selection);
    list.AddRectFilled(low, {low.x + look.px(3), low.y + high}, p.accent);
  }
  list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {low.x + left, low.y + look.px(3)}, p.text,
               words, nullptr, room);
  ImGui::Dummy({left + size.x, high});
}

constexpr int kMostMarks = 4;

/// Returns the distance from one rank's mark to the next.
float step_of_marks(const Look& look, float high, bool narrow) {
  return narrow ? look.px(13) : 2 * std::min(high / 2, look.px(9)) + look.px(2);
}

}  // namespace

float rank_marks_room(const Look& look, float high, bool narrow, int ranks) {
  const float many = ranks > kMostMarks ? look.px(16) : 0;  // "+12"
  return step_of_marks(look, high, narrow) * static_cast<float>(std::min(ranks, kMostMarks)) + many;
}

void draw_rank_marks(const Look& look, ImDrawList& list, const std::vector<Rank>& ranks, ImVec2 low,
                     float high, bool narrow) {
  const float radius = std::min(high / 2, look.px(9)), gap = look.px(1);
  const float least = step_of_marks(look, high, narrow) - gap;
  const auto face = look.face({12, Font::Weight::semibold, false});
  const std::size_t shown = ranks.size() > kMostMarks ? kMostMarks - 1 : ranks.size();
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < shown; ++i) texts.push_back(fmt::format("{}", ranks[i]));
  if (shown < ranks.size()) texts.push_back(fmt::format("+{}", ranks.size() - shown));
  const auto width_of = [&](const std::string& text) {
    return std::max(least, face.extent(text).x + look.px(narrow ? 4 : 8));
  };
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - look.px(18);
  float x = right;
  for (const std::string& text : texts) x -= width_of(text) + gap;
  // Hides the text below the marks.
  const ImVec2 from{x - look.px(6), low.y}, to{right + look.px(18), low.y + high};
  list.AddRectFilled(from, to, look.palette().panel);
  list.AddRectFilled(from, to, look.palette().selection);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const ImVec2 size = face.extent(texts[i]);
    const float wide = width_of(texts[i]), middle = low.y + high / 2;
    list.AddRectFilled({x, middle - radius}, {x + wide, middle + radius},
                       look.color({i < shown ? Tone::rank : Tone::muted}), radius);
    face.draw(list, {x + (wide - size.x) / 2, low.y + (high - size.y) / 2},
              look.color({i < shown ? Tone::text : Tone::page}), texts[i]);
    x += wide + gap;
  }
}

bool PseudocodePanel::has(const AppState& state) {
  if (!state.has_trace()) return false;
  find_lines(*state.document);
  return !lines_.empty();
}

void PseudocodePanel::find_lines(const Document& document) {
  if (document_ == document.id()) return;
  document_ = document.id();
  lines_ = pseudocode_of(document.trace().meta().algorithm);
  step_ = -1;
}

// Does nothing while the cursor stays in the same step.
void PseudocodePanel::find_step(const AppState& state) {
  find_lines(*state.document);
  const int step = code_step_number(state);
  const Rank chosen = state.selection.message >= 0 ? -1 : state.selection.rank;
  if (!state.live.stepping && step == step_ && chosen == chosen_) return;
  const CodeStep found = code_step(state);
  step_ = state.live.stepping ? -1 : step;  // they go on without the cursor
  chosen_ = chosen;
  done_.clear();
  ranks_.clear();
  std::vector<Rank> before;
  for (const PseudocodeLine& one : lines_) {
    done_.push_back(
        ranges::any_of(found.phases, [&](const std::string& phase) { return one.done_in(phase); }));
    std::vector<Rank> here;
    for (const auto& [rank, phase] : found.places)
      if (one.done_in(phase) && ranges::find(here, rank) == here.end()) here.push_back(rank);
    ranges::sort(here);
    ranks_.push_back(here == before ? std::vector<Rank>{} : here);
    before = std::move(here);
  }
  below_ =
      "p ranks; r is this one; numbers of ranks and chunks modulo p; + is the operator of a "
      "reduction.";
  const Algorithm* const algorithm = find_algorithm(state.document->trace().meta().algorithm);
  if (algorithm != nullptr && !algorithm->source.empty())
    below_ += fmt::format("\nAfter {}.", algorithm->source);
  std::vector<std::string> names = found.phases;
  std::erase(names, "");
  if (found.step > 0)
    below_ = fmt::format("Step {} of {}{}{}\n{}", found.step, found.steps,
                         names.empty() ? "" : ": ", fmt::join(names, ", "), below_);
}

void PseudocodePanel::draw(ViewContext& context) {
  const Look& look = context.look;
  find_step(context.state);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
  compat::begin_child("pseudocode", {0, 0});
  ImGui::Dummy({0, look.px(6)});
  look.push(15, Font::Weight::regular, true);
  const float text = ImGui::GetTextLineHeight();
  const bool narrow = ImGui::GetContentRegionAvail().x < look.px(480);
  const float marks = rank_marks_room(look, text, narrow, context.state.document->world_size());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    line(look, lines_[i], done_[i] != 0, marks);
    if (!ranks_[i].empty())
      draw_rank_marks(look, *ImGui::GetWindowDrawList(), ranks_[i], {low.x, low.y + look.px(3)},
                      text, narrow);
  }
  Look::pop();
  ImGui::Dummy({0, look.px(10)});
  ImGui::Indent(look.px(14));
  look.push(12);
  colored_lines(look.palette().muted, below_);
  Look::pop();
  ImGui::Unindent(look.px(14));
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace rankscope::gui
