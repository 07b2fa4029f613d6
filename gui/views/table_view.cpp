// The ranks' buffers as numbers: exact values where the trace has them, and figures of each chunk.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/core/value_text.h"
#include "gui/views/list_views.h"

namespace rankscope::gui {
namespace {

struct Figures {
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  Count known = 0, not_finite = 0;
};

class TableView final : public View {
 public:
  std::string_view name() const override { return "table"; }
  std::string_view title() const override { return "Values"; }

  void draw(ViewContext& context) override {
    const auto& state = context.state;
    if (!state.has_trace())
      return draw_empty(context, "No values yet", "Start a run (F5), or open a trace (Ctrl+O).");
    refresh(state);
    if (names_.empty())
      return draw_empty(context, "The trace holds no contents",
                        "Record with trace=full to see values.");
    choose_buffer(context);
    table(context);
  }

 private:
  struct Row {
    Rank rank = -1;
    Definition buffer;
    BufferState now;
    std::vector<bool> changed;
    Figures figures;
  };

  void refresh(const AppState& state) {
    const auto& document = *state.document;
    const auto cursors = document.cursors(state.playback.clock, state.playback.moment);
    if (document.id() == made_for_ && cursors == made_at_) return;
    made_for_ = document.id();
    made_at_ = cursors;
    states_.clear();
    names_.clear();
    const auto& trace = document.trace();
    // Each rank at its own moment: ranks with the same one share a seek.
    std::vector<Cursor> distinct(cursors);
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    const auto buffers = trace.definitions(Definition::Kind::buffer);
    for (const Cursor cursor : distinct) {
      const auto all = trace.seek(cursor);
      for (const auto& one : all) {
        if (one.buffer == 0 || one.buffer > buffers.size()) continue;
        const auto& buffer = buffers[one.buffer - 1];
        if (buffer.id == 0 || buffer.rank < 0 ||
            static_cast<std::size_t>(buffer.rank) >= cursors.size())
          continue;
        if (cursors[static_cast<std::size_t>(buffer.rank)] == cursor) add(buffer, one);
      }
    }
    std::ranges::sort(states_, {}, &Row::rank);
    if (std::ranges::find(names_, chosen_) == names_.end()) {
      const bool data = std::ranges::find(names_, "data") != names_.end();
      chosen_ = data ? "data" : names_.empty() ? "" : names_.front();
    }
  }

  void add(const Definition& buffer, const BufferState& state) {
    if (std::ranges::find(names_, buffer.name) == names_.end()) names_.push_back(buffer.name);
    Row row{buffer.rank, buffer, state, {}, {}};
    const auto size = dtype_size(buffer.dtype);
    for (std::size_t i = 0; i < state.known.size(); ++i) {
      if (!state.known[i] || (i + 1) * size > state.samples.size()) continue;
      const double value = value_number(buffer.dtype, state.samples.data() + i * size);
      ++row.figures.known;
      if (!std::isfinite(value)) {
        ++row.figures.not_finite;
        continue;
      }
      row.figures.least = std::min(row.figures.least, value);
      row.figures.most = std::max(row.figures.most, value);
      row.figures.sum += value;
    }
    states_.push_back(std::move(row));
  }

  void choose_buffer(ViewContext& context) {
    ImGui::SetNextItemWidth(context.look.px(140));
    if (ImGui::BeginCombo("buffer", chosen_.c_str())) {
      for (const auto& name : names_)
        if (ImGui::Selectable(name.c_str(), name == chosen_)) chosen_ = name;
      ImGui::EndCombo();
    }
  }

  void table(ViewContext& context) const {
    constexpr Count kMostColumns = 48;
    Count elements = 0;
    for (const Row& row : states_)
      if (row.buffer.name == chosen_)
        elements = std::max(elements, static_cast<Count>(row.now.known.size()));
    const Count shown = std::min(elements, kMostColumns);
    const auto flags =
        ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
    if (!ImGui::BeginTable("values", static_cast<int>(shown) + 5, flags)) return;
    ImGui::TableSetupScrollFreeze(1, 1);
    for (const char* title : {"rank", "known", "min", "max", "mean"})
      ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed);
    for (Count i = 0; i < shown; ++i)
      ImGui::TableSetupColumn(fmt::format("[{}]", Sampling(count_of_row()).position(i)).c_str(),
                              ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableHeadersRow();
    for (const Row& row : states_)
      if (row.buffer.name == chosen_) draw_row(context, row, shown);
    ImGui::EndTable();
    if (elements > shown) ImGui::Text("and %lld more", static_cast<long long>(elements - shown));
  }

  Count count_of_row() const {
    Count count = 0;
    for (const Row& row : states_) {
      if (row.buffer.name != chosen_) continue;
      Count here = 1;
      for (const auto extent : row.buffer.extents) here *= extent;
      count = std::max(count, here);
    }
    return count;
  }

  static void draw_row(const ViewContext& context, const Row& row, Count shown) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.color({Tone::rank, row.rank}));
    ImGui::TextUnformatted("\xE2\x97\x8F");
    ImGui::PopStyleColor();
    ImGui::SameLine();
    ImGui::Text("%d", row.rank);
    const auto& f = row.figures;
    const auto finite = f.known - f.not_finite;
    const auto cell = [](const std::string& text) {
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(text.c_str());
    };
    cell(fmt::format("{}", f.known));
    cell(finite > 0 ? fmt::format("{:g}", f.least) : "");
    cell(finite > 0 ? fmt::format("{:g}", f.most) : "");
    cell(finite > 0 ? fmt::format("{:g}", f.sum / static_cast<double>(finite)) : "");
    const auto size = dtype_size(row.buffer.dtype);
    for (Count i = 0; i < shown; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool known = at < row.now.known.size() && row.now.known[at] &&
                         (at + 1) * size <= row.now.samples.size();
      cell(known ? value_text(row.buffer.dtype, row.now.samples.data() + at * size, true)
                 : "\xC2\xB7");
    }
  }

  std::uint64_t made_for_ = 0;
  std::vector<Cursor> made_at_;
  std::vector<Row> states_;
  std::vector<std::string> names_;
  std::string chosen_;
};

}  // namespace

std::unique_ptr<View> make_table_view() { return std::make_unique<TableView>(); }

}  // namespace rankscope::gui
