// Draws the open lesson's page and its navigation.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/core/base/text.h"
#include "engine/run/job/job_fields.h"
#include "gui/views/base/view_makers.h"
#include "gui/views/lesson/lesson_figure.h"
#include "gui/views/lesson/lesson_parts.h"
#include "lessons/lesson/expand.h"

namespace rankscope::gui {
namespace {

constexpr double kMostWidth = 620;  ///< Longer lines are hard to read.
constexpr double kMostWithoutRun =
    720;  ///< Where a page has the window, its cards need fewer lines.
constexpr int kSettles = 3;

class LessonView final : public View {
 public:
  bool takes_key(std::string_view key) override {
    if ((key == "Down" || key == "Up") && (hovered_ || ring_.any()) &&
        !compat::field_has_keyboard())
      return scroll(key == "Down" ? kLine : -kLine);
    if (key == "PageDown" || key == "PageUp") return scroll(key == "PageDown" ? kPage : -kPage);
    if (key == "Tab" || key == "Shift+Tab") return ring_.tab(key != "Tab");
    if (compat::field_has_keyboard() || !ring_.any()) return false;
    return key == "Space" || key == "Enter";
  }

  void controls(ViewContext& context) override {
    const auto& lesson = context.state.lesson;
    if (head_button(context, "all lessons", false, "All lessons and courses (Ctrl+L)"))
      context.commands.push(cmd::lesson_list());
    if (!lesson.lesson || lesson.lesson->student_copy) return;
    if (head_button(context, "lecture", lesson.lecture,
                    "On the projector: answers are hidden, nothing is graded"))
      context.commands.push(cmd::lecture(Turn::toggle));
    if (head_button(context, "notes", lesson.lecturer, "Notes for the lecturer"))
      context.commands.push(cmd::lecturer(Turn::toggle));
  }

  void draw(ViewContext& context) override {
    const auto& lesson = context.state.lesson;
    if (!lesson.lesson) {
      draw_empty(context, "No lesson is open", "Ctrl+L shows all lessons.");
      return;
    }
    forget_other_lessons(lesson);
    const Look& look = context.look;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float foot = look.px(44);
    const auto& s = context.state;
    ring_.begin(!s.show_palette && !s.show_welcome && !s.show_settings && !lesson.browser);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) ring_.clear();
    const float head = course_head(context, room.x);
    compat::begin_child(lesson.list_open ? "list" : "page", {room.x, room.y - foot - head},
                        ImGuiWindowFlags_NoNav);
    const std::pair shown{lesson.openings, lesson.page()};
    if (std::exchange(shown_, shown) != shown) {
      ring_.restart();
      ImGui::SetScrollY(0);
    }
    if (const float by = std::exchange(scroll_by_, 0.0F); by != 0)
      ImGui::SetScrollY(ImGui::GetScrollY() + by * ImGui::GetWindowHeight());
    hovered_ = ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows);
    const float inner = ImGui::GetContentRegionAvail().x - look.px(10);
    LessonContext shared{
        context, ring_, markdown_, heights_,
        std::min(inner, look.px(s.stage_is_free() ? kMostWithoutRun : kMostWidth))};
    // In a wide pane the column stands in the middle.
    const float margin = std::max((inner - shared.width) / 2, look.px(3));
    shared.width -= look.px(3);
    ImGui::Indent(margin);
    // When lines become longer or shorter, the question in view stays in view until all heights are known.
    const bool other_lines = std::exchange(width_, shared.width) != shared.width;
    const bool other_height = std::exchange(high_, ImGui::GetScrollMaxY()) != high_;
    const bool refits = other_lines && seeks_ == 0 && !lesson.in_view.empty();
    refits_ = refits || (refits_ && seeks_ > 0);
    if (refits || (other_height && seeks_ > 0)) seeks_ = kSettles + 1;
    if (std::exchange(asked_, lesson.asked.question) != lesson.asked.question &&
        lesson.asked.question != lesson.in_view)
      scrolls_to_asked_ = kSettles;
    if (std::exchange(listed_, lesson.list_open) != lesson.list_open) list_seeks_ = kSettles;
    if (lesson.list_open && lesson.course() != nullptr) {
      draw_course_items(shared, *lesson.course(), list_seeks_ > 0);
      list_seeks_ = std::max(list_seeks_ - 1, 0);
      if (list_seeks_ > 0) settle(shared);
    } else {
      step(shared);
    }
    if (shared.looks_at_verdict) refits_ = false, seeks_ = 0;
    above_ = ImGui::GetScrollY();
    below_ = ImGui::GetScrollMaxY() - above_;
    scrolls_to_asked_ = std::max(scrolls_to_asked_ - 1, 0);
    if (scrolls_to_asked_ > 0) settle(shared);
    ImGui::Unindent(margin);
    ring_.scroll_to_focus(look.px(24));
    if (ring_.awaiting() && context.keeps_keys != nullptr) *context.keeps_keys = true;
    ImGui::EndChild();
    footer(context, room.x);
  }

 private:
  static constexpr double kStops = 0.4, kScrolled = 30;
  static constexpr float kLine = 0.12F, kPage = 0.85F;  ///< Shares of the page's height.

  /// Scrolls by a share of the page's height; false at its end.
  bool scroll(float by) {
    const float left = by > 0 ? below_ : above_;
    if (left <= 1) return false;
    scroll_by_ = by;
    return true;
  }

  /// The line of the course, which opens its check list. Returns its height.
  float course_head(ViewContext& context, float width) {
    const LessonState& lesson = context.state.lesson;
    const CourseCard::Item* const item = lesson.item_here();
    if (item == nullptr || lesson.lecture) return 0;
    const Look& look = context.look;
    const auto& p = look.palette();
    const float from = ImGui::GetCursorPosY(), left = look.px(20);
    const ImVec2 at = ImGui::GetCursorPos(), low = ImGui::GetCursorScreenPos();
    ImGui::SetCursorPos({at.x + left, at.y + look.px(5)});
    // One line: the course's name gives way to the points, then the date to the item's name.
    CourseLine line = course_line(*lesson.course(), *item);
    look.push(13, Font::Weight::semibold);
    const auto wide = [](const std::string& text) { return ImGui::CalcTextSize(text.c_str()).x; };
    if (left + wide(line.item) + wide(line.points) + look.px(20) > width) line.points = line.scored;
    const float points = wide(line.points), room = width - left - points - look.px(20);
    const bool whole = wide(line.place) <= room;
    colored_text(lesson.list_open ? p.accent : p.text,
                 whole ? line.place : fitted_text(line.item, room));
    ImGui::SetCursorPos({at.x + width - points - look.px(8), at.y + look.px(5)});
    colored_text(p.muted, line.points);
    const float high = ImGui::GetTextLineHeight() + look.px(10);
    Look::pop();
    ImGui::SetCursorPos(at);
    if (ImGui::InvisibleButton("course", {width, high})) context.commands.push(cmd::check_list());
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!lesson.list_open)
      hover_text(line.place + "\nThe course's questions and programs, with your points (Q)");
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (ImGui::IsItemHovered())
      list.AddRectFilled(low, {low.x + width, low.y + high}, with_alpha(p.accent, 0x18),
                         look.px(5));
    const float r = look.px(4), x = low.x + look.px(10), y = low.y + look.px(14);
    if (lesson.list_open)
      list.AddTriangleFilled({x - r, y - r * 0.6F}, {x + r, y - r * 0.6F}, {x, y + r}, p.accent);
    else list.AddTriangleFilled({x - r * 0.6F, y - r}, {x + r, y}, {x - r * 0.6F, y + r}, p.muted);
    list.AddLine({low.x, low.y + high}, {low.x + width, low.y + high}, p.panel_edge);
    ImGui::SetCursorPos({at.x, at.y + high});
    vertical_gap(look, 4);
    return ImGui::GetCursorPosY() - from;
  }

  void forget_other_lessons(const LessonState& lesson) {
    const std::string now =
        fmt::format("{} {} {}", lesson.lesson->slug, lesson.student, lesson.progress.seed);
    if (of_ == now) return;
    of_ = now;
    memory_ = {};
    figures_.clear();
    heights_.clear();
    jobs_.clear();
    typed_programs_.clear();
  }

  void step(LessonContext& lesson) {
    const Look& look = lesson.look();
    const LessonState& state = lesson.lesson();
    const Lesson& whole = *state.lesson;
    caption(look, ascii_upper(whole.title), look.palette().accent, true);
    if (whole.steps.empty()) return;
    const Step& step = whole.steps[static_cast<std::size_t>(state.page())];
    draw_words(look, step.title, lesson.width, {21, 0, true});
    vertical_gap(look, 6);
    if (state.page() == 0) goals(lesson, whole);
    std::string in_view;
    // The line that one reads at: it goes from the page's top to its end with what is scrolled.
    const float all = ImGui::GetScrollMaxY(), high = ImGui::GetWindowHeight();
    const float read = ImGui::GetWindowPos().y +
                       high * (all <= 0 ? 0.5F : 0.15F + 0.7F * ImGui::GetScrollY() / all);
    for (std::size_t i = 0; i < step.blocks.size(); ++i) {
      ImGui::PushID(static_cast<int>(i));
      seek(lesson, step.blocks[i]);
      const float from = ImGui::GetCursorScreenPos().y;
      const Block& one = step.blocks[i];
      if (const LockedBlocks closed = locked(state, step, i); !closed.questions.empty()) {
        i += static_cast<std::size_t>(std::max(closed.runs + closed.figures, 1)) - 1;
        draw_locked(lesson, memory_, closed);
        vertical_gap(look, 14);
      } else if (block(lesson, step.blocks[i], reveal_name(state.page(), i))) {
        vertical_gap(look, 14);
      }
      lesson.ring.offer_to_text(false);
      if (is_exercise(one) && from <= read && read < ImGui::GetCursorScreenPos().y)
        in_view = one.id;
      ImGui::PopID();
    }
    report_view(lesson, in_view);
    unfinished_ = figures_.take_unfinished();
  }

  // Says which question stands before the student, once he has stopped there. What he went to stays it until he scrolls.
  void report_view(LessonContext& lesson, const std::string& id) {
    const LessonState& state = lesson.lesson();
    const float at = ImGui::GetScrollY();
    const double now = ImGui::GetTime();
    if (std::exchange(viewed_, id) != id || seeks_ > 0) viewed_since_ = now;
    if (std::exchange(known_, state.in_view) != state.in_view || seeks_ > 0) known_at_ = at;
    const bool scrolled = std::abs(at - known_at_) > lesson.look().px(kScrolled);
    if (id.empty() || id == state.in_view || state.lecture || (!state.in_view.empty() && !scrolled))
      return;
    if (now - viewed_since_ >= kStops) lesson.context.commands.push(cmd::look_at(id));
    else settle(lesson);
  }

  /// Runs and figures one below the other that wait for the same answers, from this block on.
  static LockedBlocks locked(const LessonState& state, const Step& step, std::size_t from) {
    LockedBlocks out{step.blocks[from].id, 0, 0, state.locking(step.blocks[from])};
    for (std::size_t i = from; !out.questions.empty() && i < step.blocks.size(); ++i) {
      const Block& one = step.blocks[i];
      if (one.kind == Block::Kind::reveal || state.locking(one) != out.questions) break;
      ++(one.kind == Block::Kind::run ? out.runs : out.figures);
    }
    return out;
  }

  // Scrolls the block to the pane's top, and holds it there until the heights above it are known.
  void seek(LessonContext& lesson, const Block& block) {
    const LessonState& state = lesson.lesson();
    refits_ = refits_ && sought_ == state.sought.times;
    if (refits_ ? !is_exercise(block) || block.id != state.in_view : !state.is_sought(block))
      return;
    if (std::exchange(sought_, state.sought.times) != state.sought.times) {
      seeks_ = kSettles + 1;
      takes_keys_ = lesson.ring.led() && block.kind == Block::Kind::question && !state.lecture;
    }
    if (ImGui::GetIO().MouseWheel != 0) seeks_ = 0;
    if (seeks_ == 0) return;
    const QuestionState* const asked = state.question_state(block.id);
    const bool waits = block.kind == Block::Kind::question &&
                       (asked == nullptr || (!asked->ready && asked->problem.empty()));
    if (!waits && !unfinished_) --seeks_;
    // Its answer can be typed at once; one that stands there is not to be typed over by a shortcut.
    if (!waits)
      lesson.ring.offer_to_text(std::exchange(takes_keys_, false) && asked != nullptr &&
                                blank(asked->draft));
    ImGui::SetScrollHereY(0.02F);
    settle(lesson);
  }

  void goals(LessonContext& lesson, const Lesson& whole) {
    const Look& look = lesson.look();
    if (whole.goals.empty()) return;
    std::string text = "After this lesson you can\n";
    for (const std::string& goal : whole.goals) text += "\n- " + goal;
    lesson.text(text, lesson.width, {13, look.palette().muted});
    vertical_gap(look, 14);
  }

  // Returns false if nothing was drawn.
  bool block(LessonContext& lesson, const Block& block, const std::string& name) {
    const Lesson& whole = *lesson.lesson().lesson;
    switch (block.kind) {
      case Block::Kind::text: lesson.text(block.text, lesson.width); return true;
      case Block::Kind::note:
        if (lesson.lesson().lecturer) note(lesson, block);
        return lesson.lesson().lecturer;
      case Block::Kind::reveal: reveal(lesson, block, name); return true;
      case Block::Kind::run:
        if (const LessonRun* found = whole.find_run(block.id)) run(lesson, *found);
        return true;
      case Block::Kind::figure:
        if (const LessonFigure* found = whole.find_figure(block.id)) figure(lesson, *found);
        return true;
      case Block::Kind::question:
        if (const Question* found = whole.find_question(block.id)) {
          if (scrolls_to_asked_ > 0 && found->id == asked_) ImGui::SetScrollHereY(0.04F);
          draw_question(lesson, memory_, *found);
        }
        return true;
      case Block::Kind::coding:
        if (const CodingExercise* found = whole.find_coding(block.id))
          draw_coding(lesson, typed_programs_, *found);
        return true;
    }
    return false;
  }

  static void note(LessonContext& lesson, const Block& block) {
    const auto& p = lesson.look().palette();
    const Card card = begin_card(lesson, "note", with_alpha(p.warning, 0x14), 0, p.warning, 12);
    caption(lesson.look(), block.title.empty() ? "For the lecturer" : block.title, p.warning, true);
    lesson.text(block.text, card.inner);
    end_card(lesson, card);
  }

  static void reveal(LessonContext& lesson, const Block& block, const std::string& name) {
    const Look& look = lesson.look();
    const bool open = lesson.lesson().revealed.contains(name);
    const ImGuiID id = ImGui::GetID("open");
    const bool focused = lesson.ring.item(id);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    MarkdownSpan title;
    title.text = block.title.empty() ? "More about it" : block.title;
    const TextStyle style{14, look.palette().accent, true};
    const float left = look.px(18);
    const float high = flow(look, {title}, {at.x + left, at.y}, lesson.width - left, style);
    const float r = look.px(4.5), y = at.y + look.px(10);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (open)
      list.AddTriangleFilled({at.x + r - r, y - r * 0.6F}, {at.x + 2 * r, y - r * 0.6F},
                             {at.x + r, y + r}, style.color);
    else
      list.AddTriangleFilled({at.x + r * 0.4F, y - r}, {at.x + 2 * r, y}, {at.x + r * 0.4F, y + r},
                             style.color);
    const bool clicked = ImGui::InvisibleButton("open", {lesson.width, high});
    if (focused)
      list.AddRect({at.x - look.px(3), at.y}, {at.x + lesson.width, at.y + high}, style.color,
                   look.px(5), 0, look.px(2));
    lesson.ring.after(focused);
    if (clicked || lesson.ring.activated(focused)) lesson.context.commands.push(cmd::reveal(name));
    if (!open) return;
    vertical_gap(look, 4);
    ImGui::Indent(left);
    lesson.text(block.text, lesson.width - left);
    ImGui::Unindent(left);
  }

  // "allreduce.flat · 4 ranks"
  const std::string& facts(const LessonRun& run) {
    auto [at, fresh] = jobs_.try_emplace(run.id);
    if (!fresh) return at->second;
    try {
      const JobSpec job = LessonRuns::job_of(run.job, {});
      at->second = fmt::format("{} · {} ranks · {} × {}", job.call.algorithm, job.world.size,
                               job.input_shape().count(), to_string(job.call.dtype));
      if (job.transport.mode == SendMode::rendezvous) at->second += " · rendezvous";
      if (job.is_simulated()) at->second += " · " + network_text(job);
    } catch (const std::exception&) {  // of a run with a question's numbers
      at->second = run.id;
    }
    return at->second;
  }

  void run(LessonContext& lesson, const LessonRun& run) {
    const Look& look = lesson.look();
    const auto& p = look.palette();
    const bool shown = lesson.lesson().shown_run == run.id;
    const Card card = begin_card(lesson, "run", p.bar, shown ? p.accent : p.panel_edge, 0, 12);
    const float button = look.px(104);
    const ImVec2 at = ImGui::GetCursorPos();
    const float room = card.inner - button - look.px(12);
    ImGui::BeginGroup();
    draw_words(look, facts(run), room, {12, p.muted});
    if (!run.caption.empty()) lesson.text(run.caption, room);
    ImGui::EndGroup();
    const float bottom = ImGui::GetCursorPosY();
    ImGui::SetCursorPos({at.x + card.inner - button, at.y});
    ImGui::PushID(run.id.c_str());
    if (ring_button(lesson, shown ? "Show again###show" : "Show me###show", !shown, button))
      lesson.context.commands.push(cmd::show_run(run.id));
    ImGui::PopID();
    hover_text(
        "Runs it in the views beside the text: in real processes, or simulated where it says so");
    ImGui::SetCursorPosY(std::max(bottom, ImGui::GetCursorPosY()) -
                         ImGui::GetStyle().ItemSpacing.y);
    ImGui::Dummy({0, 0});
    end_card(lesson, card);
  }

  void figure(LessonContext& lesson, const LessonFigure& figure) {
    ImGui::PushID(figure.id.c_str());
    // Tab goes from field to field; E enlarges by the keyboard.
    const bool clicked = figures_.draw(lesson.context, figure, {lesson.width, 0});
    ImGui::PopID();
    if (clicked) lesson.context.commands.push(cmd::figure(figure.id));
    if (figure.caption.empty()) return;
    vertical_gap(lesson.look(), 4);
    lesson.text(figure.caption, lesson.width, {12, lesson.look().palette().muted});
  }

  void footer(ViewContext& context, float width) {
    const Look& look = context.look;
    const auto& lesson = context.state.lesson;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddLine(at, {at.x + width, at.y}, look.palette().panel_edge);
    vertical_gap(look, 8);
    LessonContext shared{context, ring_, markdown_, heights_, width};
    const ImVec2 from = ImGui::GetCursorPos();
    const bool last = lesson.page() + 1 >= lesson.pages();
    const float button = look.px(76);
    ImGui::SetCursorPosX(from.x + look.px(3));
    if (ring_button(shared, "Back", false, button, lesson.page() > 0))
      context.commands.push(cmd::lesson_page_before());
    const std::string where = fmt::format("page {} of {}", lesson.page() + 1, lesson.pages());
    std::string whose = fmt::format("{} of {}", short_number(lesson.progress.points()),
                                    points_text(lesson.lesson->points()));
    // With a course chosen, its points stand above the page.
    whose = lesson.lecture                  ? "lecture"
            : lesson.item_here() != nullptr ? lesson.student
                                            : fmt::format("{} · {}", whose, lesson.student);
    look.push(12);
    const auto middle = [&](const std::string& text, float y) {
      const float wide = ImGui::CalcTextSize(text.c_str()).x;
      if (wide > width - 2 * button - look.px(12)) return;
      ImGui::SetCursorPos({from.x + (width - wide) / 2, from.y + y});
      colored_text(look.palette().muted, text);
    };
    middle(where, -look.px(1));
    middle(whose, look.px(15));
    Look::pop();
    ImGui::SetCursorPos({from.x + width - button - look.px(3), from.y});
    if (!last && ring_button(shared, "Next", true, button))
      context.commands.push(cmd::lesson_next_page());
    if (last && ring_button(shared, "Lessons", false, button))
      context.commands.push(cmd::lesson_list());
  }

  std::string of_;
  float width_ = 0;                              ///< Of the column.
  float high_ = 0;                               ///< As far as the page scrolls.
  bool unfinished_ = false;                      ///< A figure of the last frame was being made.
  std::pair<std::uint64_t, int> shown_{0, -1};   ///< The opening and the page.
  float scroll_by_ = 0, above_ = 0, below_ = 0;  ///< What a key asks for; what is out of sight.
  bool hovered_ = false;
  std::string viewed_;        ///< The question in view,
  double viewed_since_ = 0;   ///< and since when.
  std::string known_;         ///< The question in view that the state had in the last frame,
  float known_at_ = 0;        ///< and where the page was scrolled to when it changed.
  bool takes_keys_ = false;   ///< The question sought last gets the keyboard once it is ready.
  int sought_ = 0;            ///< The number of the last search that was followed.
  int seeks_ = 0;             ///< Frames for which the page still scrolls to the block sought,
  bool refits_ = false;       ///< or to the question in view, where lines have changed.
  bool listed_ = false;       ///< The list was open in the last frame.
  int list_seeks_ = 0;        ///< Frames for which the list still scrolls to the page's item.
  std::string asked_;         ///< The question that is answered in the picture.
  int scrolls_to_asked_ = 0;  ///< Frames for which the page still scrolls to it.
  FocusRing ring_;
  MarkdownCache markdown_;
  QuestionMemory memory_;
  std::map<ImGuiID, float> heights_;
  FigurePainter figures_;
  std::map<std::string, std::string, std::less<>> jobs_;
  TypedPrograms typed_programs_;
};

}  // namespace

std::unique_ptr<View> make_lesson_view() { return std::make_unique<LessonView>(); }

}  // namespace rankscope::gui
