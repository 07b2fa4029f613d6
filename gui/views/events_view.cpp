// All events, with search and filters.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "gui/state/model/inspection.h"
#include "gui/state/search/event_query.h"
#include "gui/views/base/context_popup.h"
#include "gui/views/base/view_makers.h"

namespace rankscope::gui {
namespace {

class EventsView final : public View {
 public:
  void draw(ViewContext& context) override {
    if (!context.state.has_trace()) return draw_empty(context, "No events yet", kStartOrOpen);
    take_filter(context);
    if (search_.take() && context.unfinished != nullptr) *context.unfinished = true;
    filters(context);
    table(context);
  }

 private:
  // Typed text takes effect at once here, and becomes a command (for recordings and scripts) when the
  // field is left.
  void take_filter(const ViewContext& context) {
    const auto& state = context.state;
    focus_ = focus_ || asked_ != state.filter_asked;
    asked_ = state.filter_asked;
    if (shown_filter_ != state.event_filter) {
      shown_filter_ = state.event_filter;
      text_ = shown_filter_;
      ++edited_;
    }
    if (state.document->id() == made_for_ && text_ == made_with_) return;
    // With the same filter, the run has mostly only grown: the list stays where it is.
    const bool same_filter = made_with_ == text_;
    made_for_ = state.document->id();
    made_with_ = text_;
    if (!same_filter) top_ = 0;
    complaint_.clear();
    try {
      EventQuery query(text_, state.document->trace());
      filtered_ = !query.none();
      search_.start(state.document, std::move(query));
    } catch (const UserError& e) {
      complaint_ = e.what();  // what was found before stays in sight while a word is being typed
    }
  }

  void filters(ViewContext& context) {
    const Look& look = context.look;
    const auto all = context.state.document->trace().size();
    const std::string count = !filtered_
                                  ? fmt::format("{} events", grouped(all))
                                  : fmt::format("{} of {}", grouped(search_.size()), grouped(all));
    const float buttons = ImGui::CalcTextSize("filters").x + look.px(28);
    const float room = ImGui::GetContentRegionAvail().x - buttons -
                       ImGui::CalcTextSize(count.c_str()).x - look.px(24);
    ImGui::SetNextItemWidth(std::clamp(room, look.px(140), look.px(520)));
    field(context);
    ImGui::SameLine();
    if (ImGui::Button("filters")) ImGui::OpenPopup("filters");
    hover_text("Ranks, phases, operations, peers and sizes to choose from");
    menu(context);
    ImGui::SameLine();
    colored_text(look.palette().muted, count);
    if (ImGui::IsItemHovered() && filtered_) ImGui::SetTooltip("%s", text_.c_str());
    if (complaint_.empty() || !hints_.empty())
      return;  // a word that can be completed is not wrong yet
    colored_lines(look.palette().error, complaint_);
  }

  void field(ViewContext& context) {
    std::array<char, 256> buffer{};
    text_.copy(buffer.data(), buffer.size() - 1);
    ImGui::PushID(edited_);  // a new ID, since ImGui keeps an active field's text
    if (std::exchange(focus_, false)) {
      ImGui::SetKeyboardFocusHere();
      if (context.unfinished != nullptr) *context.unfinished = true;
    }
    trace_ = &context.state.document->trace();
    const auto complete = [](ImGuiInputTextCallbackData* data) {
      const auto& self = *static_cast<const EventsView*>(data->UserData);
      // The text of this frame counts: the hints in sight are those of the frame before.
      const std::string_view typed(data->Buf, static_cast<std::size_t>(data->BufTextLen));
      const auto hints = query_hints(typed, *self.trace_);
      if (hints.empty()) return 0;
      const std::string whole = with_last_word(typed, hints.front().word);
      data->DeleteChars(0, data->BufTextLen);
      data->InsertChars(0, whole.c_str());
      return 0;
    };
    ImGui::InputTextWithHint(
        "##search", "rank:2 phase:allgather size:>1KiB, or a word (Ctrl+F)", buffer.data(),
        buffer.size(), ImGuiInputTextFlags_CallbackCompletion | ImGuiInputTextFlags_AutoSelectAll,
        complete, this);
    const bool active = ImGui::IsItemActive();
    const bool left = ImGui::IsItemDeactivatedAfterEdit();
    // ImGui takes the keyboard a frame later.
    if (active && !context.state.typing && context.unfinished != nullptr)
      *context.unfinished = true;
    const ImVec2 below{ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y};
    ImGui::PopID();
    text_ = buffer.data();
    if (left && text_ != shown_filter_) set_filter(context, text_);
    hints_.clear();
    if (!active) return;
    hints_ = query_hints(text_, context.state.document->trace());
    show_hints(context, below);
  }

  void show_hints(const ViewContext& context, ImVec2 below) const {
    constexpr std::size_t kMost = 9;
    if (hints_.empty()) return;
    const Look& look = context.look;
    ImGui::SetNextWindowPos({below.x, below.y + look.px(2)});
    ImGui::BeginTooltip();
    float widest = 0;
    for (const auto& hint : hints_)
      widest = std::max(widest, ImGui::CalcTextSize(hint.word.c_str()).x);
    for (std::size_t i = 0; i < std::min(kMost, hints_.size()); ++i) {
      ImGui::TextUnformatted(hints_[i].word.c_str());
      ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
      ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + widest + look.px(16));
      ImGui::TextUnformatted(hints_[i].meaning.empty() && i == 0 ? "Tab"
                                                                 : hints_[i].meaning.c_str());
      ImGui::PopStyleColor();
    }
    if (hints_.size() > kMost)
      ImGui::TextUnformatted(fmt::format("and {} more", hints_.size() - kMost).c_str());
    ImGui::EndTooltip();
  }

  void set_filter(ViewContext& context, std::string query) {
    while (query.ends_with(' ')) query.pop_back();
    shown_filter_ = query;  // as the state will have it
    context.commands.push(query.empty() ? cmd::filter_off() : cmd::filter(query));
  }

  void menu(ViewContext& context) {
    if (!ImGui::BeginPopup("filters")) return;
    const auto& trace = context.state.document->trace();
    const auto choices = [&](const char* title, const char* key,
                             const std::vector<std::string>& values) {
      if (values.empty() || !ImGui::BeginMenu(title)) return;
      const std::string now = filter_of(text_, key);
      const auto choose = [&](const std::string& value) {
        text_ = with_filter(text_, key, value);
        ++edited_;
        set_filter(context, text_);
      };
      if (ImGui::MenuItem("any", nullptr, now.empty())) choose("");
      for (const auto& value : values)
        if (ImGui::MenuItem(value.c_str(), nullptr, now == value)) choose(value);
      ImGui::EndMenu();
    };
    std::vector<std::string> ranks;
    for (Rank r = 0; r < trace.world_size(); ++r) ranks.push_back(fmt::format("{}", r));
    choices("rank", "rank", ranks);
    choices("phase", "phase", phase_names(trace));
    choices("operation", "op",
            {"messages", "work", "phases", "buffers", "send", "recv", "recv_reduce", "reduce",
             "copy", "wait"});
    choices("peer", "peer", ranks);
    choices("size", "size", {">0", "<1KiB", "1KiB-64KiB", ">64KiB", ">=1MiB"});
    ImGui::Separator();
    if (ImGui::MenuItem("clear", nullptr, false, !text_.empty())) {
      text_.clear();
      ++edited_;
      set_filter(context, text_);
    }
    ImGui::EndPopup();
  }

  // Writes a time with enough digits to tell neighbours apart.
  static std::string moment_text(std::int64_t ns) {
    const double us = static_cast<double>(ns) / 1e3;
    return Unit::of_moments(us).named(us * 1e3, us < 1e3 ? 1 : us < 1e6 ? 4 : 6);
  }

  // Draws the rows in sight, and scrolls by itself, because ImGui counts pixels as floats, too coarse
  // for millions of rows.
  void table(ViewContext& context) {
    const auto& document = *context.state.document;
    const auto& trace = document.trace();
    const auto count = filtered_ ? search_.size() : trace.size();
    const Cursor now = document.cursor(context.state.playback.clock, context.state.playback.moment);
    const ImVec2 low = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    const float bar = context.look.px(12),
                high = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    // One row is the head.
    const auto shown = static_cast<std::uint64_t>(std::max(1.0F, std::floor(size.y / high) - 1));
    follow(count, now, shown);
    scroll(count, shown, size);
    const auto flags = ImGuiTableFlags_NoBordersInBody | ImGuiTableFlags_Resizable;
    if (ImGui::BeginTable("events", 5, flags, {size.x - bar - context.look.px(4), 0})) {
      const auto column = [&](const char* title, double width) {
        ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, context.look.px(width));
      };
      column("time", 80);
      column("rank", 38);
      column("what", 160);
      column("bytes", 66);
      ImGui::TableSetupColumn("with whom, where");
      ImGui::TableHeadersRow();
      const auto first = static_cast<std::uint64_t>(top_);
      for (std::uint64_t i = first; i < std::min(count, first + shown); ++i) {
        const std::uint64_t k = filtered_ ? search_[i] : i;
        row(context, trace, k, k < now);
      }
      ImGui::EndTable();
    }
    scroll_bar(context, count, shown, {low.x + size.x - bar, low.y}, {bar, size.y});
    popup_.draw(context);
  }

  double last_top(std::uint64_t count, std::uint64_t shown) const {
    return count > shown ? static_cast<double>(count - shown) : 0;
  }

  void scroll(std::uint64_t count, std::uint64_t shown, ImVec2 size) {
    constexpr double kRowsOfWheel = 3;
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect(low, {low.x + size.x, low.y + size.y}))
      top_ -= static_cast<double>(io.MouseWheel) * kRowsOfWheel;
    top_ = std::clamp(top_, 0.0, last_top(count, shown));
  }

  void scroll_bar(const ViewContext& context, std::uint64_t count, std::uint64_t shown, ImVec2 low,
                  ImVec2 size) {
    const double last = last_top(count, shown);
    if (last <= 0 || size.y < context.look.px(30)) return;
    const float knob = std::max(
        context.look.px(18),
        size.y * static_cast<float>(static_cast<double>(shown) / static_cast<double>(count)));
    const auto room = static_cast<double>(size.y - knob);
    ImGui::SetCursorScreenPos(low);
    ImGui::InvisibleButton("scroll", size);
    if (ImGui::IsItemActive())
      top_ = std::clamp((static_cast<double>(ImGui::GetIO().MousePos.y - low.y - knob / 2)) / room,
                        0.0, 1.0) *
             last;
    const float y = low.y + static_cast<float>(room * top_ / last);
    const auto& p = context.look.palette();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {low.x + 2, y}, {low.x + size.x - 2, y + knob},
        ImGui::IsItemHovered() || ImGui::IsItemActive() ? p.muted : p.control_hovered,
        context.look.px(4));
  }

  // Keeps the cursor's place in sight while it moves.
  void follow(std::uint64_t count, Cursor now, std::uint64_t shown) {
    if (now == followed_ || count == 0) return;
    followed_ = now;
    const auto at = static_cast<double>(filtered_ ? search_.before(now) : now);
    const auto room = static_cast<double>(shown);
    if (at < top_ || at > top_ + room * 0.8) top_ = std::max(0.0, std::floor(at - room / 2));
  }

  void row(ViewContext& context, const Trace& trace, std::uint64_t k, bool past) {
    const StepEvent& e = trace[k];
    const Look& look = context.look;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(k));
    ImGui::PushStyleColor(ImGuiCol_Text, past ? look.palette().text : look.palette().muted);
    const std::string time = moment_text(trace.time_ns(k));
    const bool selected = context.state.selection.event == static_cast<std::int64_t>(k);
    if (!selected && is_chosen_event(context.state, k))
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, look.palette().selection);
    if (ImGui::Selectable(time.c_str(), selected, ImGuiSelectableFlags_SpanAllColumns))
      context.commands.push(cmd::select(Thing::event, static_cast<std::int64_t>(k)));
    if (ImGui::IsItemHovered() && ContextPopup::clicked())
      popup_.open({ContextThing::Kind::event, static_cast<std::int64_t>(k), context.slot});
    ImGui::TableNextColumn();
    ImGui::Text("%d", e.rank);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(event_words(e).c_str());
    ImGui::TableNextColumn();
    if (e.bytes > 0) right_aligned(amount_text(e.bytes));
    ImGui::TableNextColumn();
    elided(event_place(trace, e));
    ImGui::PopStyleColor();
    ImGui::PopID();
  }

  ContextPopup popup_;
  EventSearch search_;
  std::string text_, shown_filter_, made_with_;  ///< As typed; as in the state; of the search.
  std::string complaint_;
  std::vector<QueryHint> hints_;
  const Trace* trace_ = nullptr;  ///< While the field is drawn.
  bool filtered_ = false, focus_ = false;
  std::uint64_t asked_ = 0;
  int edited_ = 0;
  double top_ = 0;  // The first row in sight.
  std::uint64_t made_for_ = 0;
  Cursor followed_ = 0;
};

}  // namespace

std::unique_ptr<View> make_events_view() { return std::make_unique<EventsView>(); }

}  // namespace rankscope::gui
