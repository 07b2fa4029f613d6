// The ranks' buffers as numbers: exact values where the trace has them, and figures of each chunk.
#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/quantity.h"
#include "gui/state/search/buffer_values.h"
#include "gui/views/view_makers.h"

namespace rankscope::gui {
namespace {

class TableView final : public View {
 public:
  ~TableView() override {
    if (pending_.valid()) pending_.wait();
  }

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
    std::uint64_t document = 0;
    std::vector<Cursor> cursors;
    BufferValues values;
    std::string why_none;
    std::chrono::duration<double> took{0};
  };
  using MadePtr = std::shared_ptr<const Made>;

  static MadePtr make(const DocumentPtr& document, std::vector<Cursor> cursors) {
    const auto began = std::chrono::steady_clock::now();
    auto made = std::make_shared<Made>();
    made->document = document->id();
    made->values = buffer_values(*document, cursors);
    made->cursors = std::move(cursors);
    made->why_none = why_no_values(document->trace());
    made->took = std::chrono::steady_clock::now() - began;
    return made;
  }

  // What takes longer than a part of a frame is made in the background, and the older values stay.
  void refresh(ViewContext& context) {
    using namespace std::chrono_literals;
    constexpr std::chrono::microseconds kShort{500};
    const auto& state = context.state;
    const auto& document = state.document;
    if (pending_.valid() && pending_.wait_for(0s) == std::future_status::ready)
      shown_ = pending_.get();
    if (shown_ && shown_->document != document->id() && document->id() != asked_for_)
      shown_.reset();
    asked_for_ = document->id();
    auto cursors = document->cursors(state.playback.clock, state.playback.moment);
    if (shown_ && shown_->document == document->id() && shown_->cursors == cursors) return;
    if (!pending_.valid()) {
      const bool quick = shown_ && shown_->document == document->id() && shown_->took < kShort;
      if (quick) shown_ = make(document, std::move(cursors));
      else
        pending_ = std::async(std::launch::async, &TableView::make, document, std::move(cursors));
    }
    if (pending_.valid() && context.unfinished != nullptr) *context.unfinished = true;
    if (shown_) choose();
  }

  void choose() {
    const auto& names = shown_->values.names;
    if (std::ranges::find(names, chosen_) != names.end()) return;
    const bool data = std::ranges::find(names, "data") != names.end();
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

  /// Elements of the longest of these buffers, and how many of them are recorded.
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
    // Columns that fit their right-aligned numbers never get narrower: another size of letters is another
    // table.
    const std::string id = fmt::format("values {}", context.look.scale());
    if (ImGui::BeginTable(id.c_str(), static_cast<int>(shown) + 5, flags)) {
      ImGui::TableSetupScrollFreeze(1, 1);
      const Sampling sampling(elements);
      heads(context, sampling, shown);
      for (const auto& row : shown_->values.rows)
        if (row.buffer.name == chosen_) draw_row(context, row, shown);
      ImGui::EndTable();
    }
    ImGui::PopStyleVar();
    Look::pop();
  }

  static void heads(const ViewContext& context, const Sampling& sampling, Count shown) {
    for (Count i = 0; i < shown + 5; ++i)
      ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed);
    // Not ImGui's headers: those are to the left, and their widths do not count.
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

  static void draw_row(const ViewContext& context, const BufferValues::Row& row, Count shown) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, context.look.color({Tone::rank, row.rank}));
    ImGui::TextUnformatted("\xE2\x97\x8F");
    ImGui::PopStyleColor();
    ImGui::SameLine();
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
    for (Count i = 0; i < shown; ++i) cell(row.text(i));
  }

  static constexpr Count kMostColumns = 48;
  MadePtr shown_;
  std::future<MadePtr> pending_;
  std::uint64_t asked_for_ = 0;
  std::string chosen_;
};

}  // namespace

std::unique_ptr<View> make_table_view() { return std::make_unique<TableView>(); }

}  // namespace rankscope::gui
