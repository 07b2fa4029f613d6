// Draws the cards of the first page, each with its run made in the background, and the ways to begin below them.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gui/views/base/compat.h"
#include "gui/views/lesson/lesson_widgets.h"
#include "gui/views/panels.h"

namespace rankscope::gui {
namespace {

constexpr double kWidest = 1680, kThreeColumns = 900, kTwoColumns = 560;
constexpr double kCardGap = 12, kLeastCard = 180, kTallest = 400, kWords = 54;
/// In a low window the head is smaller.
constexpr double kLow = 600, kHead = 50, kLowHead = 36, kFoot = 40, kLectures = 40;
/// Rounds per second, and seconds of rest at the start and at the end of a run.
constexpr double kPace = 0.55, kRestBefore = 0.8, kRestAfter = 2.2;
/// The place in a step at which a still picture is taken.
constexpr double kStill = 0.4;
constexpr std::size_t kRecent = 4;

}  // namespace

void FirstPage::leave() {
  seconds_ = 0;
  moves_ = by_keys_ = false;
}

bool FirstPage::takes_key(CommandQueue& commands, std::string_view key) {
  const int by = key == "Right"  ? 1
                 : key == "Left" ? -1
                 : key == "Down" ? columns_
                 : key == "Up"   ? -columns_
                                 : 0;
  if (by != 0) {
    const int to = chosen_ + by;
    if (std::exchange(by_keys_, true) && to >= 0 && to < static_cast<int>(kSampleCards))
      chosen_ = to;
    return true;
  }
  if (key != "Enter" || !by_keys_) return false;
  commands.push(cmd::sample(sample_cards()[static_cast<std::size_t>(chosen_)].name));
  return true;
}

void FirstPage::draw(ViewContext& context, ImVec2 size) {
  const Look& look = context.look;
  moves_ = context.state.settings.motion && context.state.focused;
  if (moves_) seconds_ += std::min(static_cast<double>(ImGui::GetIO().DeltaTime), 0.1);
  compat::begin_child("first page", size);
  const float inner = ImGui::GetContentRegionAvail().x;
  const float width = std::min(inner - look.px(16), look.px(kWidest));
  Grid grid;
  grid.gap = look.px(kCardGap);
  grid.columns = width >= look.px(kThreeColumns) ? 3 : width >= look.px(kTwoColumns) ? 2 : 1;
  columns_ = grid.columns;
  const int rows = static_cast<int>(kSampleCards) / grid.columns;
  head_height_ = look.px(size.y < look.px(kLow) ? kLowHead : kHead);
  const bool lectures = !context.state.lecture.cards.empty() || context.state.lecture.stopped;
  const float around = head_height_ + look.px(kFoot) + (lectures ? look.px(kLectures) : 0);
  const auto columns = static_cast<float>(grid.columns), lines = static_cast<float>(rows);
  grid.card = {
      (width - (columns - 1) * grid.gap) / columns,
      std::clamp((size.y - around) / lines - grid.gap, look.px(kLeastCard), look.px(kTallest))};
  const float left = (inner - width) / 2, high = around + lines * (grid.card.y + grid.gap);
  ImGui::SetCursorPos({left, std::max(0.0F, (size.y - high) * 0.4F)});
  ImGui::BeginGroup();
  head(context, width);
  cards(context, grid);
  foot(context, width);
  if (lectures) this->lectures(context, width);
  ImGui::EndGroup();
  ImGui::EndChild();
}

void FirstPage::head(const ViewContext& context, float width) {
  const Look& look = context.look;
  const ImVec2 at = ImGui::GetCursorPos();
  const bool low = head_height_ < look.px(kHead);
  look.push(low ? 21 : 28, Font::Weight::bold);
  ImGui::TextUnformatted("Watch collectives run");
  const float beside = ImGui::GetItemRectSize().x + look.px(20);
  Look::pop();
  constexpr const char* kSays =
      "Every rank is a real process, and every arrow a message that one sent to another.";
  if (beside + ImGui::CalcTextSize(kSays).x < width) {
    ImGui::SetCursorPos({at.x + beside, at.y + look.px(low ? 8 : 14)});
    colored_text(look.palette().muted, kSays);
  }
  ImGui::SetCursorPos({at.x, at.y + head_height_});
}

void FirstPage::cards(ViewContext& context, const Grid& grid) {
  const ImVec2 from = ImGui::GetCursorPos();
  for (std::size_t i = 0; i < kSampleCards; ++i) {
    const auto column = static_cast<float>(static_cast<int>(i) % grid.columns),
               row = static_cast<float>(static_cast<int>(i) / grid.columns);
    ImGui::SetCursorPos(
        {from.x + column * (grid.card.x + grid.gap), from.y + row * (grid.card.y + grid.gap)});
    ImGui::PushID(static_cast<int>(i));
    card(context, i, grid.card);
    ImGui::PopID();
  }
  const int rows = static_cast<int>(kSampleCards) / grid.columns;
  ImGui::SetCursorPos({from.x, from.y + static_cast<float>(rows) * (grid.card.y + grid.gap)});
}

void FirstPage::card(ViewContext& context, std::size_t which, ImVec2 size) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const Sample& sample = sample_cards()[which];
  const ImVec2 low = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton(sample.name.data(), size))
    context.commands.push(cmd::sample(sample.name));
  const bool hovered = ImGui::IsItemHovered();
  const bool chosen = by_keys_ && chosen_ == static_cast<int>(which);
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high{low.x + size.x, low.y + size.y};
  list.AddRectFilled(low, high, p.panel, look.px(8));
  const float words = look.px(kWords), edge = look.px(8);
  list.PushClipRect(low, high, true);
  picture(context, which, {low.x + edge, low.y + edge}, {size.x - 2 * edge, size.y - words - edge});
  const auto line = [&](double letters, Font::Weight weight, ImU32 color, std::string_view text,
                        double y) {
    look.push(letters, weight);
    const std::string shown = fitted_text(std::string(text), size.x - look.px(28));
    list.AddText({low.x + look.px(14), high.y - words + look.px(y)}, color, shown.c_str());
    Look::pop();
  };
  line(16, Font::Weight::semibold, p.text, sample.title, 2);
  line(14, Font::Weight::regular, p.muted, sample.what, 26);
  list.PopClipRect();
  const bool strong = hovered || chosen;
  list.AddRect(low, high, strong ? p.accent : p.panel_edge, look.px(8), 0,
               strong ? look.px(2) : 1.0F);
}

void FirstPage::picture(ViewContext& context, std::size_t which, ImVec2 low, ImVec2 size) {
  SmallStage& card = cards_[which];
  double moment = card.stuck() ? card.end() : std::floor(card.end() / 2) + kStill;
  if (context.state.settings.motion && (moves_ || seconds_ > 0)) {
    const double whole = kRestBefore + card.end() / kPace + kRestAfter;
    const double now = std::fmod(seconds_, whole) - kRestBefore;
    moment = std::clamp(now * kPace, 0.0, card.end());
  }
  card.draw(
      context, [job = job_of(sample_cards()[which])] { return small_run_of(job); }, moment, low,
      size, !moves_);
}

// Lectures that come with rankscope, and the one that was open last.
void FirstPage::lectures(ViewContext& context, float width) {
  const Look& look = context.look;
  const auto& lecture = context.state.lecture;
  ImGui::NewLine();  // below the buttons
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(2));
  const float left = ImGui::GetCursorPosX();
  look.push(14, Font::Weight::semibold);
  if (const auto& stopped = lecture.stopped) {
    const std::string label = fitted_text(fmt::format("Go on: {}, scene {} of {}", stopped->title,
                                                      stopped->place + 1, stopped->scenes),
                                          width * 0.45F);
    if (accent_button(look, (label + "###lecture").c_str(), {0, look.px(34)}, 14))
      context.commands.push(cmd::resume_lecture());
    hover_text("At the moment and the time where it was left (Ctrl+Shift+T)");
    ImGui::SameLine();
  }
  const float top = ImGui::GetCursorPosY();
  if (!lecture.cards.empty()) {
    ImGui::SetCursorPosY(top + look.px(8));
    colored_text(look.palette().muted, "Lectures:");
  }
  for (std::size_t i = 0; i < lecture.cards.size(); ++i) {
    const LectureCard& card = lecture.cards[i];
    ImGui::SameLine();
    ImGui::SetCursorPosY(top);
    const float used = ImGui::GetCursorPosX() - left;
    if (used + ImGui::CalcTextSize(card.title.c_str()).x + look.px(24) > width) break;
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Button(card.title.c_str(), {0, look.px(34)}))
      context.commands.push(cmd::scenes(card.file));
    ImGui::PopID();
    hover_text(fmt::format("{} ({:g} min)", card.summary, card.minutes));
  }
  Look::pop();
}

// The other ways to begin.
void FirstPage::foot(ViewContext& context, float width) {
  const Look& look = context.look;
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(2));
  const ImVec2 at = ImGui::GetCursorPos();
  const auto button = [&](const char* label, const char* hint, bool accent = false) {
    const ImVec2 size{0, look.px(34)};
    const bool pressed = accent ? accent_button(look, label, size, 14) : ImGui::Button(label, size);
    hover_text(hint);
    ImGui::SameLine();
    return pressed;
  };
  look.push(14, Font::Weight::semibold);
  const LessonState& lesson = context.state.lesson;
  const CourseCard* const course = lesson.course();
  const CourseCard::Item* const item = lesson.item_to_go_on();
  if (!lesson.stopped.slug.empty() || item != nullptr) {
    const std::string label =
        fitted_text((lesson.stopped.slug.empty() ? "Begin: " : "Go on: ") +
                        (item != nullptr ? item->title : lesson.stopped.title),
                    std::max(width - look.px(course != nullptr ? 780 : 420), look.px(120)));
    if (button((label + "###go-on").c_str(),
               item != nullptr ? "The next question or program of your course"
                               : "The lesson where you stopped last",
               true))
      context.commands.push(cmd::lesson_go_on());
  }
  const std::string lessons =
      course == nullptr
          ? std::string("Lessons")
          : fitted_text(fmt::format("{}: {}", course->title, course->score()), look.px(360));
  const std::string due = course != nullptr ? course->due() : "";
  if (button((lessons + "###lessons").c_str(),
             course == nullptr ? "Learn it step by step, or open your course (Ctrl+L)"
                               : ("All items of your course, and its lessons (Ctrl+L)" +
                                  (due.empty() ? "" : "; " + due))
                                     .c_str()))
    context.commands.push(cmd::lesson_list());
  if (button("Open a file …", "A trace, a lesson, a script or a program (Ctrl+O)"))
    context.commands.push(cmd::open());
  if (button("Take the tour", "Shows the window step by step (Shift+F1)"))
    context.commands.push(cmd::tour());
  if (context.state.has_trace() && button("Back to the run", "Closes this page (Escape)"))
    context.commands.push(cmd::welcome(Turn::off));
  Look::pop();
  const auto& recent = context.state.settings.recent;
  if (recent.empty()) return;
  ImGui::SetCursorPosY(at.y + look.px(8));
  colored_text(look.palette().muted, "  Recent:");
  for (std::size_t i = 0; i < std::min(recent.size(), kRecent); ++i) {
    const std::string name = std::filesystem::path(recent[i]).filename().string();
    ImGui::SameLine();
    const float used = ImGui::GetCursorPosX() - at.x;
    if (used + ImGui::CalcTextSize(name.c_str()).x + look.px(24) > width) break;
    ImGui::PushID(static_cast<int>(i));
    ImGui::SetCursorPosY(at.y + look.px(4));
    if (ImGui::SmallButton(name.c_str())) context.commands.push(cmd::open(recent[i]));
    hover_text(recent[i]);
    ImGui::PopID();
  }
}

}  // namespace rankscope::gui
