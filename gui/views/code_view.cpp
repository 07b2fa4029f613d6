// Shows a run's source or pseudocode with each rank at its line; takes breakpoints, and lines as answers.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/collectives/algorithm.h"
#include "engine/core/base/line_break.h"
#include "engine/core/base/ranges.h"
#include "engine/core/base/text.h"
#include "engine/core/base/types.h"
#include "gui/state/code/code_rows.h"
#include "gui/views/base/compat.h"
#include "gui/views/base/look.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/pseudocode_panel.h"
#include "gui/views/scene/answer_row.h"
#include "lessons/handout/giveaways.h"
#include "lessons/text/code_spans.h"

namespace rankscope::gui {
namespace {

inline ImU32 code_color(const Look& look, CodeInk ink) {
  // Quieter than the colours of pictures, and none of their hues.
  const bool light = look.kind() == ThemeKind::light;
  switch (ink) {
    case CodeInk::comment: return look.palette().muted;
    case CodeInk::keyword: return light ? IM_COL32(72, 62, 122, 255) : IM_COL32(190, 182, 230, 255);
    case CodeInk::text: return light ? IM_COL32(48, 92, 66, 255) : IM_COL32(170, 208, 182, 255);
    case CodeInk::number: return light ? IM_COL32(116, 78, 32, 255) : IM_COL32(222, 196, 156, 255);
    case CodeInk::plain: break;
  }
  return look.palette().text;
}

/// Draws a line that may be clicked as an answer. `over`: the mouse is on it; `answers`: it was clicked; `begins`: this is the
/// line's first row.
void draw_line_answer(const Look& look, ImVec2 low, ImVec2 to, bool over, bool answers,
                      bool begins) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 color = look.palette().accent;
  if (over) list.AddRectFilled(low, to, with_alpha(color, 0x1C));
  if (!answers) return;
  list.AddRectFilled(low, to, with_alpha(color, 0x38));
  const float y = (low.y + to.y) / 2, size = look.px(5);
  if (begins)
    list.AddTriangleFilled({low.x + look.px(3), y - size}, {low.x + look.px(3), y + size},
                           {low.x + look.px(11), y}, color);
}

class CodeView final : public View {
 public:
  // Buttons: the file's name, which shows the next file; source or pseudocode; the editor; breakpoints.
  void controls(ViewContext& context) override {
    const auto& document = context.state.document;
    if (is_kept(context.state)) return;
    const bool pseudocode = shows_pseudocode(context);
    if (pseudocode) {
      if (head_button(context, "source", false, "The program itself, with each rank at its line"))
        context.commands.push(cmd::pseudocode(Turn::off));
    } else if (document && !document->trace().meta().sources.empty()) {
      choose_source(context.state);
      const auto& sources = document->trace().meta().sources;
      const std::string name = file_name(sources[source_].first);
      const std::string tip =
          sources.size() < 2 ? sources[source_].first
                             : fmt::format("{}: file {} of {}; shows the next one",
                                           sources[source_].first, source_ + 1, sources.size());
      if (head_button(context, name.c_str(), false, tip.c_str()))
        source_ = (source_ + 1) % sources.size();
      if (!asks_line(context) && pseudocode_.has(context.state) &&
          head_button(context, "pseudocode", false, "The algorithm in the notation of a textbook"))
        context.commands.push(cmd::pseudocode(Turn::on));
      if (!lines_.empty() && head_button(context, "editor", false, "Opens the line in your editor"))
        context.commands.push(cmd::editor());
    }
    if (!context.state.breakpoints.empty() &&
        head_button(context, "clear breakpoints", false, "Removes all breakpoints"))
      context.commands.push(cmd::clear_breakpoints());
  }

  void draw(ViewContext& context) override {
    if (!context.state.has_trace()) return draw_empty(context, "No code yet", kStartOrOpen);
    if (is_kept(context.state))
      return draw_empty(context, "Part of your assignment",
                        "You are asked how this collective works, so its listing is shown when the "
                        "course closes.");
    if (shows_pseudocode(context)) return pseudocode_.draw(context);
    choose_source(context.state);
    split(*context.state.document);
    if (lines_.empty())
      return draw_empty(context, "The trace does not hold the program's source", "");
    const Places& places = places_of(context);
    // A narrow pane has smaller letters, so that fewer lines break.
    narrow_ = ImGui::GetContentRegionAvail().x < context.look.px(kNarrow);
    const bool answers = asks_line(context);
    const ImVec2 low = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    foot_ = answers ? answer_row_height(context, room.x, AnswerPlace::code) : 0;
    context.look.push(narrow_ ? 12 : 14, Font::Weight::regular, true);
    draw_lines(context, places);
    Look::pop();
    if (!answers) return;
    ImGui::SetCursorScreenPos({low.x, low.y + room.y - foot_});
    draw_answer_row(context, room.x, AnswerPlace::code);
  }

 private:
  using Places = std::map<unsigned, std::vector<Rank>>;

  /// Returns whether the listing of the shown algorithm would be an answer of the student's course.
  bool is_kept(const AppState& state) {
    return state.document != nullptr && keeps_listing(state.document->trace().meta().algorithm);
  }
  // A question may ask for a line of the source.
  static bool asks_line(const ViewContext& context) {
    return context.state.lesson.in_picture(AnswerPicture::Is::line) != nullptr;
  }
  bool shows_pseudocode(const ViewContext& context) {
    return context.state.settings.pseudocode && !asks_line(context) &&
           pseudocode_.has(context.state);
  }

  // Shows the file of a new selection; then the reader chooses.
  void choose_source(const AppState& state) {
    const Document& document = *state.document;
    const std::size_t count = document.trace().meta().sources.size();
    if (chosen_for_ == document.id() && state.selection.event == selected_) return;
    // A growing run makes one document after the other: its file stays.
    if (chosen_for_ != document.id() && (source_ >= count || source_name(document) != file_))
      source_ = document.main_source();
    chosen_for_ = document.id();
    selected_ = state.selection.event;
    const unsigned before = std::exchange(selected_line_, 0);
    if (selected_ < 0) return;
    const auto at = document.source_line(static_cast<std::uint64_t>(selected_));
    if (!at) return;
    source_ = selected_source_ = at->source;
    selected_line_ = at->line;
    show_selected_ = selected_line_ != before;
  }
  std::string_view source_name(const Document& document) const {
    const auto& sources = document.trace().meta().sources;
    return source_ < sources.size() ? std::string_view(sources[source_].first) : "";
  }
  /// Returns the selected line of the shown file; 0 if it has none.
  unsigned selected_line() const { return selected_source_ == source_ ? selected_line_ : 0; }

  void split(const Document& document) {
    if (document.id() == made_for_ && source_ == made_of_) return;
    made_for_ = document.id();
    made_of_ = source_;
    placed_for_ = cursors_of_ = 0;
    lines_.clear();
    scrolled_to_ = 0;
    scrolls_.clear();
    const auto& sources = document.trace().meta().sources;
    if (sources.empty()) return;
    file_ = sources[source_].first;
    for (const std::string_view line : lines_of(sources[source_].second))
      lines_.emplace_back(line.substr(0, line.size() - (line.ends_with('\r') ? 1 : 0)));
    spans_ = code_spans(lines_, language_of(file_));
    folds_ = code_folds(lines_, language_of(file_));
    opened_.assign(folds_.size(), 0);
    columns_ = 0;
  }

  /// A part of a line that fits into the pane, or a fold.
  struct Row {
    std::size_t line = 0, begin = 0, end = 0;
    std::size_t indent = 0;  ///< In columns; deeper where a line continues.
    int fold = -1;           ///< Index of a fold; -1 for a line.
  };

  // Marked lines are never folded.
  std::vector<char> folded(const ViewContext& context, const Places& places) const {
    std::vector<char> all(folds_.size(), 0);
    for (std::size_t i = 0; i < folds_.size(); ++i) {
      const auto within = [&](unsigned line) {
        return line > folds_[i].first && line <= folds_[i].last + 1;
      };
      const bool marked =
          within(selected_line()) ||
          ranges::any_of(places, [&](const auto& one) { return within(one.first); }) ||
          ranges::any_of(context.state.breakpoints,
                         [&](const auto& b) { return b.first == file_ && within(b.second); });
      all[i] = context.state.settings.fold_code && opened_[i] == 0 && !marked ? 1 : 0;
    }
    return all;
  }

  // Breaks long lines, so that reading needs no sideways scrolling.
  void wrap(std::size_t columns, std::vector<char> folded) {
    if (columns == columns_ && folded == folded_) return;
    columns_ = columns;
    folded_ = std::move(folded);
    std::size_t fold = 0;
    rows_.clear();
    first_row_.clear();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      while (fold < folds_.size() && folds_[fold].last < i) ++fold;
      const bool hidden = fold < folds_.size() && folds_[fold].first <= i && folded_[fold] != 0;
      if (hidden && folds_[fold].first == i) rows_.push_back({i, 0, 0, 0, static_cast<int>(fold)});
      first_row_.push_back(hidden ? rows_.size() - 1 : rows_.size());
      if (hidden) continue;
      for (const CodePart& part : code_parts(lines_[i], columns))
        rows_.push_back({i, part.begin, part.end, part.indent});
    }
    first_row_.push_back(rows_.size());
  }
  float row_of(unsigned line) const {
    return static_cast<float>(first_row_[std::min<std::size_t>(line, first_row_.size() - 1)]);
  }

  // Finds ranks by line again only when the cursor has moved.
  const Places& places_of(const ViewContext& context) {
    const auto& state = context.state;
    const bool at_end = state.playback.moment >= state.document->end(state.playback.clock);
    if (!state.live.places.empty() && (state.live.stepping || (!state.live.running && at_end))) {
      places_.clear();
      placed_for_ = cursors_of_ = 0;
      for (const auto& view : state.live.places)
        if (view.line > 0 && (file_.ends_with(view.file) || view.file.ends_with(file_)))
          places_[view.line].push_back(view.rank);
      return places_;
    }
    const auto& document = *state.document;
    if (placed_for_ == document.id() && placed_clock_ == state.playback.clock &&
        placed_at_ == state.playback.moment)
      return places_;
    placed_for_ = document.id();
    placed_clock_ = state.playback.clock;
    placed_at_ = state.playback.moment;
    auto cursors = document.cursors(placed_clock_, placed_at_);
    if (cursors == cursors_ && cursors_of_ == document.id()) return places_;
    cursors_ = std::move(cursors);
    cursors_of_ = document.id();
    places_.clear();
    for (std::size_t rank = 0; rank < std::min<std::size_t>(cursors_.size(), 64); ++rank)
      if (const unsigned line =
              document.code(source_).line(static_cast<Rank>(rank), cursors_[rank]);
          line > 0)
        places_[line].push_back(static_cast<Rank>(rank));
    return places_;
  }

  void draw_lines(ViewContext& context, const Places& places) {
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {context.look.px(8), context.look.px(2)});
    compat::begin_child("lines", {0, -foot_}, ImGuiWindowFlags_AlwaysVerticalScrollbar);
    const float high = ImGui::GetTextLineHeightWithSpacing();
    // Leaves room at the right for ranks' marks, whether there are some or not.
    const float room =
        ImGui::GetContentRegionAvail().x - context.look.px(kGutter) -
        rank_marks_room(context.look, high, narrow_, context.state.document->world_size()) -
        context.look.px(18);
    wrap(static_cast<std::size_t>(std::max(16.0F, room / ImGui::CalcTextSize("x").x)),
         folded(context, places));
    follow(context, places, high);
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), high);
    while (clipper.Step())
      for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
        const Row& row = rows_[static_cast<std::size_t>(i)];
        if (row.fold >= 0) {
          draw_fold(context.look, static_cast<std::size_t>(row.fold), high);
          continue;
        }
        const auto at = places.find(static_cast<unsigned>(row.line + 1));
        draw_row(context, row, high, at == places.end() ? nullptr : &at->second);
      }
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

  // Keeps the first marked line in sight when it changes. In a pane or letters of another size, restores the place that was
  // last shown with that size.
  void follow(const ViewContext& context, const Places& places, float high) {
    const float room = ImGui::GetWindowHeight();
    const std::pair form{high, room};
    const bool moved = ImGui::IsWindowAppearing() || form != form_;
    form_ = form;
    const auto known = moved ? scrolls_.find(form) : scrolls_.end();
    float top = known == scrolls_.end() ? ImGui::GetScrollY() : known->second;
    constexpr int kFrames = 3;  // the range of scrolling is that of an earlier frame
    if (moved) settling_ = kFrames;
    else if (settling_ > 0) top = wanted_;
    else scrolls_[form] = top;
    const unsigned lead = places.empty() ? 0 : places.begin()->first;
    unsigned first = 0, last_line = 0;
    if (std::exchange(show_selected_, false) && selected_line() > 0) {
      first = last_line = selected_line();
    } else if (lead > 0 && (lead != scrolled_to_ || moved)) {
      first = lead;
      last_line = places.rbegin()->first;
    }
    if (lead > 0) scrolled_to_ = lead;
    if (first > 0) {
      // By half pages, so that a moment looks the same whichever way it is reached.
      const float y = row_of(first - 1) * high, last = row_of(last_line) * high;
      const float half = std::max(2.0F, std::floor(room / 2 / high)) * high;
      const float aim =
          std::max(0.0F, std::floor(y / half) * half - std::floor(half / 2 / high) * high);
      if (aim != aimed_ || y < top + high || last > top + room - 2 * high) {
        top = aimed_ = aim;
        settling_ = kFrames;
      }
    }
    if (settling_ == 0) return;
    --settling_;
    wanted_ = top;
    ImGui::SetScrollY(top);
    if (context.unfinished != nullptr) *context.unfinished = true;
  }

  void draw_fold(const Look& look, std::size_t fold, float high) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    ImGui::PushID(static_cast<int>(fold));
    if (ImGui::InvisibleButton("fold", {width, high})) opened_[fold] = 1;
    ImGui::PopID();
    const ImU32 ink = ImGui::IsItemHovered() ? look.palette().text : look.palette().muted;
    const std::string text = "+ " + folds_[fold].label;
    list.AddText({low.x + look.px(kGutter), low.y}, ink, text.c_str());
    hover_text("Click to read them. U folds and unfolds all");
  }

  void draw_row(ViewContext& context, const Row& row, float high, const std::vector<Rank>* ranks) {
    const Look& look = context.look;
    const unsigned number = static_cast<unsigned>(row.line + 1);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float width =
        std::max(ImGui::GetContentRegionAvail().x, ImGui::GetWindowContentRegionMax().x);
    if (ranks != nullptr)
      list.AddRectFilled(low, {low.x + width, low.y + high}, look.palette().selection);
    if (number == selected_line()) {
      if (ranks == nullptr)
        list.AddRectFilled(low, {low.x + width, low.y + high}, look.palette().selection);
      list.AddRectFilled(low, {low.x + look.px(3), low.y + high}, look.palette().accent);
    }
    const auto& breaks = context.state.breakpoints;
    const bool broken = ranges::any_of(
        breaks, [&](const auto& b) { return b.first == file_ && b.second == number; });
    ImGui::PushID(static_cast<int>(row.line));
    ImGui::PushID(static_cast<int>(row.begin));
    const bool begins = row.begin == 0;
    const bool over = gutter(context, number, low, {low.x + width, low.y + high}, begins);
    if (begins && (broken || over))
      list.AddCircleFilled({low.x + look.px(8), low.y + high / 2}, look.px(broken ? 5 : 3),
                           broken ? look.palette().error : look.palette().muted);
    const std::string label = fmt::format("{:3}", number);
    if (begins) list.AddText({low.x + look.px(14), low.y}, look.palette().muted, label.c_str());
    const std::string& text = lines_[row.line];
    const float letter = ImGui::CalcTextSize("x").x;
    float x = low.x + look.px(kGutter) + letter * static_cast<float>(row.indent);
    for (const CodeSpan& span : spans_[row.line]) {
      const auto begin = std::max(span.begin, row.begin), end = std::min(span.end, row.end);
      if (begin >= end) continue;
      const char* const from = text.data() + begin;
      list.AddText({x, low.y}, code_color(look, span.ink), from, text.data() + end);
      x += ImGui::CalcTextSize(from, text.data() + end).x;
    }
    if (ranks != nullptr && begins) draw_rank_marks(look, list, *ranks, low, high, narrow_);
    ImGui::PopID();
    ImGui::PopID();
  }

  // Sets breakpoints; if a question asks for a line, a click anywhere on it answers. Returns whether the mouse is where a
  // click sets a breakpoint.
  bool gutter(ViewContext& context, unsigned number, ImVec2 low, ImVec2 to, bool begins) {
    const Look& look = context.look;
    const auto& lesson = context.state.lesson;
    const Question* const question = lesson.in_picture(AnswerPicture::Is::line);
    const float high = to.y - low.y;
    const bool asks = question != nullptr && source_ == context.state.document->main_source();
    if (!asks) {
      if (ImGui::InvisibleButton("gutter", {look.px(34), high}))
        context.commands.push(cmd::break_at({file_, number}));
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("Breakpoint: a live run stops here");
      return ImGui::IsItemHovered();
    }
    const bool open = !lesson.closed(*question);
    const std::string marked = field_text(lesson.question_state(question->id)->draft, "/line");
    const bool pressed = ImGui::InvisibleButton("gutter", {to.x - low.x, high});
    const bool over = open && ImGui::IsItemHovered();
    if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    draw_line_answer(look, low, to, over, marked == fmt::format("{}", number), begins);
    if (pressed && open)
      context.commands.push(cmd::fill(question->id, "/line", fmt::format("{}", number)));
    return false;
  }

  PseudocodePanel pseudocode_;
  std::uint64_t made_for_ = 0, chosen_for_ = 0;
  std::size_t source_ = 0, made_of_ = 0, selected_source_ = 0;  ///< Indices in the trace's sources.
  std::int64_t selected_ = -1;
  unsigned selected_line_ = 0;
  bool show_selected_ = false, narrow_ = false;
  float foot_ = 0;                                      ///< Pixels below the lines, for a question.
  static constexpr double kNarrow = 480, kGutter = 46;  ///< Widths: a pane's, a line number's.
  std::string file_;
  std::vector<std::string> lines_;
  std::vector<std::vector<CodeSpan>> spans_;  ///< By line.
  std::vector<CodeFold> folds_;
  std::vector<char> opened_, folded_;  ///< By fold: opened by the reader; folded now.
  std::vector<Row> rows_;
  std::vector<std::size_t> first_row_;  ///< By line; then the number of all rows.
  std::size_t columns_ = 0;             ///< The rows' width.
  unsigned scrolled_to_ = 0;
  std::pair<float, float> form_;                      ///< Heights of a line and of the view.
  std::map<std::pair<float, float>, float> scrolls_;  ///< The last place by form.
  float aimed_ = -1;                                  ///< Where it has scrolled to by itself.
  float wanted_ = 0;                                  ///< Where it scrolls to until it has settled.
  int settling_ = 0;                                  ///< Frames until then.
  Places places_;
  std::uint64_t placed_for_ = 0, cursors_of_ = 0;
  ClockBase placed_clock_ = ClockBase::rounds;
  double placed_at_ = -1;
  std::vector<Cursor> cursors_;
};

}  // namespace

std::unique_ptr<View> make_code_view() { return std::make_unique<CodeView>(); }

}  // namespace rankscope::gui
