// Shows the ranks' buffers as numbers: recorded values, and figures of each rank.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "gui/state/command/made_later.h"
#include "gui/state/model/inspection.h"
#include "gui/state/search/buffer_values.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

class TableView final : public View {
 public:
  void draw(ViewContext& context) override {
    const auto& state = context.state;
    if (!state.has_trace()) return draw_empty(context, "No values yet", kStartOrOpen);
    refresh(context);
    if (!shown_) return draw_empty(context, "Reading the buffers …", "");
    if (!shown_->why_none.empty())
      return draw_empty(context, "The trace holds no contents", shown_->why_none);
    choose_buffer(context);
    table(context);
  }

 private:
  struct Made {
    BufferValues values;
    std::string why_none;
  };

  void refresh(ViewContext& context) {
    const auto& document = context.state.document;
    const auto& play = context.state.playback;
    auto cursors = document->cursors(play.clock, play.moment);
    const auto key = fmt::format("{}", fmt::join(cursors, " "));
    shown_ = made_.get(document->id(), key, [document, cursors = std::move(cursors)] {
      return Made{buffer_values(*document, cursors), why_no_values(document->trace())};
    });
    if (made_.busy() && context.unfinished != nullptr) *context.unfinished = true;
  }

  void choose() {
    const auto& names = shown_->values.names;
    if (ranges::find(names, chosen_) != names.end()) return;
    const bool data = ranges::find(names, "data") != names.end();
    chosen_ = data ? "data" : names.empty() ? "" : names.front();
  }

  void choose_buffer(ViewContext& context) {
    choose();
    const Look& look = context.look;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("buffer");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(std::min(look.px(140), ImGui::GetContentRegionAvail().x * 0.6F));
    if (ImGui::BeginCombo("##buffer", chosen_.c_str())) {
      for (const auto& name : shown_->values.names)
        if (ImGui::Selectable(name.c_str(), name == chosen_)) chosen_ = name;
      ImGui::EndCombo();
    }
    const auto [elements, samples] = extent();
    const Count columns = std::min(samples, kMostColumns);
    ImGui::SameLine();
    const std::string shown =
        columns == elements ? counted(static_cast<std::uint64_t>(elements), "element")
                            : fmt::format("{} of {} elements; figures of {}", columns,
                                          grouped(static_cast<std::uint64_t>(elements)), samples);
    ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
    elided(shown);
    ImGui::PopStyleColor();
  }

  /// Returns the elements of the longest chosen buffer, and how many of them are recorded.
  std::pair<Count, Count> extent() const {
    Count elements = 0, samples = 0;
    for (const auto& row : shown_->values.rows) {
      if (row.buffer.name != chosen_) continue;
      elements = std::max(elements, count_of(row.buffer));
      samples = std::max(samples, static_cast<Count>(row.now.known.size()));
    }
    return {elements, samples};
  }

  void table(ViewContext& context) const {
    const auto [elements, samples] = extent();
    const Count shown = std::min(samples, kMostColumns);
    const auto flags =
        ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoBordersInBody;
    context.look.push(14, Font::Weight::regular, true);
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {context.look.px(7), context.look.px(3)});
    // Columns never get narrower, so each size of letters has a table of its own.
    const std::string id = fmt::format("values {}", context.look.scale());
    if (ImGui::BeginTable(id.c_str(), static_cast<int>(shown) + 5, flags)) {
      ImGui::TableSetupScrollFreeze(1, 1);
      const Sampling sampling(elements);
      heads(context, sampling, shown);
      for (const auto& row : shown_->values.rows)
        if (row.buffer.name == chosen_)
          draw_row(context, row, shown, sampling, chosen_elements(context.state, elements));
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    Look::pop();
  }

  static void heads(const ViewContext& context, const Sampling& sampling, Count shown) {
    for (Count i = 0; i < shown + 5; ++i)
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
    // Not ImGui's headers, which are left-aligned and do not widen their columns.
    ImGui::TableNextRow();
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, context.look.palette().bar);
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.palette().muted);
    for (const char* title : {"rank", "known", "min", "max", "mean"}) {
      ImGui::TableNextColumn();
      right_aligned(title);
    }
    for (Count i = 0; i < shown; ++i) {
      ImGui::TableNextColumn();
      right_aligned(fmt::format("[{}]", sampling.position(i)));
    }
    ImGui::PopStyleColor();
  }

  static void draw_row(const ViewContext& context, const BufferValues::Row& row, Count shown,
                       const Sampling& sampling, Range chunk) {
    ImGui::TableNextRow();
    const ImU32 mark = context.look.palette().selection;
    if (is_chosen_rank(context.state, row.rank))
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, mark);
    ImGui::TableNextColumn();
    right_aligned(fmt::format("{}", row.rank));
    const auto& f = row.figures;
    const auto cell = [](const std::string& text) {
      ImGui::TableNextColumn();
      right_aligned(text);
    };
    cell(fmt::format("{}", f.known));
    const bool any = f.finite() > 0;
    cell(any ? fmt::format("{:g}", f.least) : "");
    cell(any ? fmt::format("{:g}", f.most) : "");
    cell(any ? fmt::format("{:g}", f.sum / static_cast<double>(f.finite())) : "");
    for (Count i = 0; i < shown; ++i) {
      cell(row.text(i));
      const Count at = sampling.position(i);
      if (at >= chunk.offset && at < chunk.end())
        ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg, mark);
    }
  }

  static constexpr Count kMostColumns = 48;
  MadeLater<Made> made_;
  const Made* shown_ = nullptr;  ///< In this frame.
  std::string chosen_;
};

}  // namespace

std::unique_ptr<View> make_table_view() { return std::make_unique<TableView>(); }

}  // namespace rankscope::gui
