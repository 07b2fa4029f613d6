// All events, with search and filters.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/core/quantity.h"
#include "gui/views/list_views.h"

namespace rankscope::gui {
namespace {

class EventsView final : public View {
 public:
  std::string_view name() const override { return "events"; }
  std::string_view title() const override { return "Events"; }

  void draw(ViewContext& context) override {
    if (!context.state.has_trace())
      return draw_empty(context, "No events yet", "Start a run (F5), or open a trace (Ctrl+O).");
    filters(context);
    refresh(context);
    table(context);
  }

 private:
  struct Filter {
    std::array<char, 64> words{};
    int rank = -1;
    int kind = 0;  // of kKinds
    bool selected_only = false;
    bool operator==(const Filter&) const = default;
    bool none() const { return *this == Filter{}; }
  };
  struct Alike {
    std::uint64_t what = 0, where = 0;
    bool operator==(const Alike&) const = default;
  };
  struct Mixed {
    std::size_t operator()(const Alike& a) const noexcept {
      return (a.what * 0x9e3779b97f4a7c15ULL) ^ ((a.where + 1) * 0xc2b2ae3d27d4eb4fULL);
    }
  };
  static constexpr std::array<const char*, 5> kKinds = {"all kinds", "messages", "local work",
                                                        "phases", "buffers"};

  void filters(ViewContext& context) {
    const Look& look = context.look;
    ImGui::SetNextItemWidth(look.px(190));
    ImGui::InputTextWithHint("##search", "search: send, chunk, line …", filter_.words.data(),
                             filter_.words.size());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(110));
    const std::string rank = filter_.rank < 0 ? "all ranks" : fmt::format("rank {}", filter_.rank);
    if (ImGui::BeginCombo("##rank", rank.c_str())) {
      if (ImGui::Selectable("all ranks", filter_.rank < 0)) filter_.rank = -1;
      for (Rank r = 0; r < context.state.document->world_size(); ++r)
        if (ImGui::Selectable(fmt::format("rank {}", r).c_str(), filter_.rank == r))
          filter_.rank = r;
      ImGui::EndCombo();
    }
    ImGui::SameLine();
    ImGui::SetNextItemWidth(look.px(120));
    ImGui::Combo("##kind", &filter_.kind, kKinds.data(), static_cast<int>(kKinds.size()));
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, look.palette().muted);
    const auto all = context.state.document->trace().size();
    const std::string count = filter_.none()
                                  ? fmt::format("{} events", grouped(all))
                                  : fmt::format("{} of {}", grouped(rows_.size()), grouped(all));
    ImGui::TextUnformatted(count.c_str());
    ImGui::PopStyleColor();
  }

  bool passes(const Trace& trace, std::uint64_t k) {
    const StepEvent& e = trace[k];
    if (filter_.rank >= 0 && e.rank != filter_.rank) return false;
    const bool message = e.kind == EventKind::posted || e.kind == EventKind::matched ||
                         e.kind == EventKind::completed;
    if (filter_.kind == 1 && !message) return false;
    if (filter_.kind == 2 && e.kind != EventKind::local) return false;
    if (filter_.kind == 3 && e.kind != EventKind::phase && e.kind != EventKind::job) return false;
    if (filter_.kind == 4 && e.kind != EventKind::watch) return false;
    if (filter_.words[0] == 0) return true;
    return says_it(trace, e);
  }

  // Events that look alike are put into words, and searched, once.
  bool says_it(const Trace& trace, const StepEvent& e) {
    const auto number = [](auto value) { return std::uint64_t{static_cast<std::uint32_t>(value)}; };
    const Alike key{number(e.kind) << 40 | number(e.verb) << 32 | number(e.peer),
                    number(e.site) << 32 | number(e.phase)};
    const auto [verdict, fresh] = verdicts_.try_emplace(key, false);
    if (fresh)
      verdict->second =
          (what(e) + " " + detail(trace, e)).find(filter_.words.data()) != std::string::npos;
    return verdict->second;
  }

  // Goes on where it stopped, for a few milliseconds of each frame.
  void refresh(ViewContext& context) {
    constexpr std::uint64_t kAtOnce = 256;
    constexpr std::chrono::microseconds kLongest{3000};
    const auto& document = *context.state.document;
    if (document.id() != made_for_ || filter_ != made_with_) {
      made_for_ = document.id();
      made_with_ = filter_;
      rows_.clear();
      verdicts_.clear();
      searched_ = 0;
    }
    if (filter_.none()) return;
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (searched_ < document.trace().size() && std::chrono::steady_clock::now() < until) {
      const std::uint64_t end = std::min(document.trace().size(), searched_ + kAtOnce);
      for (; searched_ < end; ++searched_)
        if (passes(document.trace(), searched_))
          rows_.push_back(static_cast<std::uint32_t>(searched_));
    }
    if (searched_ < document.trace().size() && context.unfinished != nullptr)
      *context.unfinished = true;
  }

  // With as many digits as tell neighbours apart.
  static std::string moment_text(std::int64_t ns) {
    const double us = static_cast<double>(ns) / 1e3;
    return us < 1e3   ? fmt::format("{:.1f} µs", us)
           : us < 1e6 ? fmt::format("{:.4f} ms", us / 1e3)
                      : fmt::format("{:.6f} s", us / 1e6);
  }

  static std::string what(const StepEvent& e) {
    const bool local = e.kind == EventKind::local || e.kind == EventKind::phase ||
                       e.kind == EventKind::watch || e.kind == EventKind::job;
    return local ? std::string(to_string(e.verb))
                 : fmt::format("{} {}", to_string(e.verb), to_string(e.kind));
  }

  static std::string detail(const Trace& trace, const StepEvent& e) {
    if (e.kind == EventKind::phase) {
      const auto* phase = trace.definition(Definition::Kind::phase, e.phase);
      return phase == nullptr ? "" : phase->name;
    }
    std::string text;
    if (e.peer >= 0) text = fmt::format("{} rank {}", is_send(e.verb) ? "to" : "from", e.peer);
    const auto* site = trace.definition(Definition::Kind::site, e.site);
    if (site == nullptr) return text;
    const auto slash = site->file.rfind('/');
    const auto file = slash == std::string::npos ? site->file : site->file.substr(slash + 1);
    return fmt::format("{}{}{}:{}", text, text.empty() ? "" : "  ", file, site->line);
  }

  // A window into the rows that scrolls by itself: ImGui's own scrolling counts pixels as floats, which
  // are too few for millions of rows.
  void table(ViewContext& context) {
    const auto& document = *context.state.document;
    const auto& trace = document.trace();
    const auto count = filter_.none() ? trace.size() : rows_.size();
    const Cursor now = document.cursor(context.state.playback.clock, context.state.playback.moment);
    const ImVec2 low = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    const float bar = context.look.px(12),
                high = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    // One for the head.
    const auto shown = static_cast<std::uint64_t>(std::max(1.0F, std::floor(size.y / high) - 1));
    follow(count, now, shown);
    scroll(count, shown, size);
    const auto flags = ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable;
    if (ImGui::BeginTable("events", 5, flags, {size.x - bar - context.look.px(4), 0})) {
      const auto column = [&](const char* title, double width) {
        ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, context.look.px(width));
      };
      column("time", 96);
      column("rank", 44);
      column("what", 150);
      column("bytes", 74);
      ImGui::TableSetupColumn("with whom, where");
      ImGui::TableHeadersRow();
      const auto first = static_cast<std::uint64_t>(top_);
      for (std::uint64_t i = first; i < std::min(count, first + shown); ++i) {
        const std::uint64_t k = filter_.none() ? i : rows_[static_cast<std::size_t>(i)];
        row(context, trace, k, k < now);
      }
      ImGui::EndTable();
    }
    scroll_bar(context, count, shown, {low.x + size.x - bar, low.y}, {bar, size.y});
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

  // The cursor's place stays in sight while it moves.
  void follow(std::uint64_t count, Cursor now, std::uint64_t shown) {
    if (now == followed_ || count == 0) return;
    followed_ = now;
    const auto at = static_cast<double>(
        filter_.none() ? now
                       : static_cast<Cursor>(std::ranges::lower_bound(rows_, now) - rows_.begin()));
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
    if (ImGui::Selectable(time.c_str(), selected, ImGuiSelectableFlags_SpanAllColumns))
      context.commands.push("select", {"event", fmt::format("{}", k)});
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, look.color({Tone::rank, e.rank}));
    ImGui::TextUnformatted("\xE2\x97\x8F");
    ImGui::PopStyleColor();
    ImGui::SameLine();
    ImGui::Text("%d", e.rank);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(what(e).c_str());
    ImGui::TableNextColumn();
    if (e.bytes > 0) ImGui::TextUnformatted(amount_text(e.bytes).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(detail(trace, e).c_str());
    ImGui::PopStyleColor();
    ImGui::PopID();
  }

  Filter filter_, made_with_;
  std::deque<std::uint32_t> rows_;  // grows without being copied
  std::unordered_map<Alike, bool, Mixed> verdicts_;
  double top_ = 0;  // The first row in sight.
  std::uint64_t searched_ = 0, made_for_ = 0;
  Cursor followed_ = 0;
};

}  // namespace

std::unique_ptr<View> make_events_view() { return std::make_unique<EventsView>(); }

}  // namespace rankscope::gui
