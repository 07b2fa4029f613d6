// Draws a row a link: names at the left, time to the right.
#include "gui/views/scene/load_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"

namespace rankscope::gui {
namespace {

constexpr double kRow = 15, kRowsHead = 20, kCell = 4, kMostNames = 180, kNamesShare = 0.24;
constexpr int kMostRows = 12, kLeastRows = 2;

int rows_in(const ViewContext& context, float room) {
  const NetworkTraffic* const traffic = context.state.network.traffic_shown();
  if (traffic == nullptr || !context.state.has_trace()) return 0;
  const int all = std::min(static_cast<int>(traffic->busiest.size()), kMostRows);
  const int fit = static_cast<int>((room - context.look.px(kRowsHead)) / context.look.px(kRow));
  const int rows = std::min(all, fit);
  return rows < std::min(all, kLeastRows) ? 0 : rows;
}

/// Of the rows' axis: that of the other views.
double rows_end(const AppState& state) {
  return std::max(state.document->end(state.playback.clock), 1e-9);
}

void elided_caption(const Look& look, const std::string& text, float width) {
  look.push(12);
  const std::string fits = fitted_text(text, width);
  Look::pop();
  caption(look, fits);
  if (fits != text) hover_text(text);
}

std::string cell_moment(const AppState& state, double moment) {
  return state.playback.clock == ClockBase::rounds
             ? fmt::format("step {:.0f}", std::floor(moment) + 1)
             : microseconds_text(moment);
}

}  // namespace

float LoadRows::height(const ViewContext& context, float room) {
  const int rows = rows_in(context, room);
  return rows == 0 ? 0 : context.look.px(kRowsHead + rows * kRow);
}

void LoadRows::make(const AppState& state, int rows, int columns) {
  const NetworkTraffic& traffic = *state.network.traffic_shown();
  const ClockBase clock = state.playback.clock;
  std::string of = fmt::format("{} {} {} {}", traffic.document, rows, columns, to_string(clock));
  if (of == of_) return;
  of_ = std::move(of);
  columns_ = columns;
  loads_.clear();
  const double each = rows_end(state) / columns;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      loads_.push_back(
          static_cast<float>(load_between(traffic, traffic.busiest[static_cast<std::size_t>(row)],
                                          clock, column * each, (column + 1) * each)));
}

void LoadRows::draw(ViewContext& context, float width, float high) {
  const AppState& state = context.state;
  const Look& look = context.look;
  const int rows = rows_in(context, high + 1);
  if (rows == 0) return;
  const float names = std::min(look.px(kMostNames), width * static_cast<float>(kNamesShare));
  const float wide = width - names;
  const auto fit = static_cast<int>(wide / look.px(kCell));
  // On the clock of rounds a cell is a step, or a whole number of them, as far as there is room.
  const int steps = static_cast<int>(std::lround(rows_end(state)));
  const bool by_step = state.playback.clock == ClockBase::rounds && steps >= 1 && steps <= fit;
  make(state, rows, std::max(1, by_step ? steps : fit));
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const auto all = state.network.traffic_shown()->busiest.size();
  const std::string which = all > static_cast<std::size_t>(rows)
                                ? fmt::format("the busiest {} of {} links in use", rows, all)
                                : "the busiest link first";
  const bool measured = state.playback.clock == ClockBase::measured;
  elided_caption(look,
                 measured ? "Loads over time and their mean, " + which
                          : "Parts of the bottleneck's time by step, " + which,
                 width);
  const float top = low.y + look.px(kRowsHead);
  for (int row = 0; row < rows; ++row)
    draw_row(context, row, {low.x, top + static_cast<float>(row) * look.px(kRow)}, names, wide);
  draw_time(context, {low.x + names, top}, {wide, static_cast<float>(rows) * look.px(kRow)});
}

void LoadRows::draw_row(ViewContext& context, int row, ImVec2 low, float names, float width) {
  const AppState& state = context.state;
  const Look& look = context.look;
  const NetworkTraffic& traffic = *state.network.traffic_shown();
  const int link = traffic.busiest[static_cast<std::size_t>(row)];
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float high = look.px(kRow) - look.px(2);
  const bool chosen = link == state.network.link;
  look.push(12, chosen ? Font::Weight::semibold : Font::Weight::regular);
  const bool measured = state.playback.clock == ClockBase::measured;
  const std::string mean =
      measured ? fmt::format("{:.0f} %", 100 * traffic.mean[static_cast<std::size_t>(link)]) : "";
  const float figures = ImGui::CalcTextSize("100 %").x;
  const ImU32 ink = chosen ? look.palette().accent : look.palette().text;
  list.AddText(
      {low.x, low.y - look.px(1)}, ink,
      fitted_text(state.network.shown()->link_name(link), names - figures - look.px(16)).c_str());
  list.AddText(
      {low.x + names - look.px(8) - ImGui::CalcTextSize(mean.c_str()).x, low.y - look.px(1)},
      look.palette().muted, mean.c_str());
  Look::pop();
  const float x = low.x + names, each = width / static_cast<float>(columns_);
  // What is to come stays covered.
  const double seen = state.curtain() ? state.playback.moment / rows_end(state) : 1;
  list.AddRectFilled({x, low.y}, {x + width, low.y + high}, look.color({Tone::lane}));
  for (int column = 0; column < columns_; ++column) {
    const float load = loads_[static_cast<std::size_t>(row * columns_ + column)];
    if (load <= 0 || static_cast<double>(column + 1) / columns_ > seen + 1e-9) continue;
    const float gap = each > look.px(10) ? look.px(1) : 0;
    list.AddRectFilled(
        {x + each * static_cast<float>(column), low.y},
        {x + each * static_cast<float>(column + 1) - gap, low.y + high},
        look.color({Tone::load, std::clamp(static_cast<int>(std::lround(load * 100)), 1, 100)}));
  }
}

// The cursor's line, what the pointer is on, and seeking.
void LoadRows::draw_time(ViewContext& context, ImVec2 low, ImVec2 size) {
  const AppState& state = context.state;
  const Look& look = context.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const double end = rows_end(state);
  const float at =
      low.x + size.x * static_cast<float>(std::clamp(state.playback.moment / end, 0.0, 1.0));
  list.AddLine({at, low.y - look.px(2)}, {at, low.y + size.y}, look.palette().accent, look.px(1.5));
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("load-rows", size);
  const ImVec2 mouse = ImGui::GetMousePos();
  const double share = std::clamp(static_cast<double>((mouse.x - low.x) / size.x), 0.0, 1.0);
  if (ImGui::IsItemActive()) {
    Command seek = cmd::seek({share * end, 3});
    seek.more = true;
    context.commands.push(std::move(seek));
  } else if (ImGui::IsItemHovered() && (!state.curtain() || share * end <= state.playback.moment)) {
    const int column = std::min(static_cast<int>(share * columns_), columns_ - 1);
    const auto row = static_cast<int>((mouse.y - low.y) / look.px(kRow));
    const auto cell = static_cast<std::size_t>(row * columns_ + column);
    if (cell >= loads_.size()) return;
    const NetworkTraffic& traffic = *state.network.traffic_shown();
    hover_text(fmt::format(
        "{}\n{}: {:.0f} % of its bandwidth used",
        state.network.shown()->link_name(traffic.busiest[static_cast<std::size_t>(row)]),
        cell_moment(state, column * end / columns_), 100 * static_cast<double>(loads_[cell]),
        state.playback.clock == ClockBase::measured ? "of its bandwidth used"
                                                    : "of the bottleneck's time"));
  }
}

}  // namespace rankscope::gui
