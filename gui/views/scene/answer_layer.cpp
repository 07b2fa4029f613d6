// Handles the gestures of answers on the stage, and draws what they have made.
#include "gui/views/scene/answer_layer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "engine/core/base/ranges.h"
#include "gui/views/base/compat.h"

namespace rankscope::gui {
namespace {

constexpr int kNoArrow = -2;
constexpr double kNear = 8;        // pixels around an arrow in which the mouse is on it
constexpr double kRoomyCard = 48;  // of smaller cards arrows have no words
constexpr double kLeastSlot = 14;  // below it slots are no targets for a mouse
constexpr double kWidestSlot = 26;

PixelBox pixels(const ScenePlace& place, const Box& box) {
  return {place.at({box.x, box.y}), place.at({box.right(), box.bottom()})};
}

/// Returns the question that such a gesture answers now; null if there is none, or it is closed.
const Question* open_question(const ViewContext& context, AnswerPicture::Is is) {
  const auto& lesson = context.state.lesson;
  const Question* const question = lesson.in_picture(is);
  return question != nullptr && !lesson.closed(*question) ? question : nullptr;
}
const QuestionState& state_of(const ViewContext& context, const Question& question) {
  return *context.state.lesson.question_state(question.id);
}

std::string label_of(const PredictedMessage& message) {
  const std::string what = message.chunk.empty() ? "which chunk?"
                           : message.whole       ? "all"
                                                 : what_is_sent(message);
  return message.receiver.empty() ? what : fmt::format("{} · {}", what, message.receiver);
}

void outline(const Look& look, ImDrawList& list, const PixelBox& box, ImU32 color) {
  list.AddRect({box.low.x - look.px(2), box.low.y - look.px(2)},
               {box.high.x + look.px(2), box.high.y + look.px(2)}, color, look.px(8), 0,
               look.px(2));
}

}  // namespace

// ---- Arrows -------------------------------------------------------------------------------------

AnswerLayer::Grip AnswerLayer::grip_at(const ViewContext& context, const StageNow& stage,
                                       const ScenePlace& place, ImVec2 at) {
  for (Rank rank = 0; rank < context.state.document->world_size(); ++rank) {
    if (!pixels(place, stage.card(rank)).holds(at)) continue;
    for (int chunk = 0; chunk < stage.chunks(); ++chunk)
      if (pixels(place, stage.row(rank, chunk)).holds(at)) return {rank, chunk};
    return {rank, -1};
  }
  return {};
}

std::vector<AnswerLayer::Drawn> AnswerLayer::arrows(const ViewContext& context,
                                                    const StageNow& stage,
                                                    const ScenePlace& place) const {
  std::vector<Drawn> all;
  const auto& lesson = context.state.lesson;
  const Question* const question = open_question(context, AnswerPicture::Is::messages);
  // A prediction that was wrong is a ghost, until another one is drawn.
  if (question == nullptr || lesson.prediction.parting) return all;
  const QuestionState& asked = state_of(context, *question);
  const int world = context.state.document->world_size();
  std::map<std::pair<Rank, Rank>, int> numbers;
  std::vector<PixelBox> labels = texts_;
  for (const auto& one : predicted_messages(asked.form, asked.draft)) {
    if (asked.form.rows && one.step != lesson.asked.step) continue;
    if (std::min(one.from, one.to) < 0 || std::max(one.from, one.to) >= world || one.from == one.to)
      continue;
    const int number = numbers[{one.from, one.to}]++;
    all.push_back({one, arrow_between(context.look, pixels(place, stage.card(one.from)),
                                      pixels(place, stage.card(one.to)), number, label_of(one))});
    settle_label(*ImGui::GetWindowDrawList(), all.back().arrow, labels);
  }
  return all;
}

void AnswerLayer::press_arrow(ViewContext& context, const Drawn& arrow, bool remove) const {
  const std::string& question = context.state.lesson.asked.question;
  const PredictedMessage& message = arrow.message;
  if (message.row < 0) return context.commands.push(cmd::answer(question, ""));
  const std::string row = fmt::format("/{}", message.row);
  if (remove || message.receiver.empty())
    return context.commands.push(cmd::fill(question, row, ""));
  for (const AnswerField& field : context.state.lesson.question_state(question)->form.fields) {
    if (field.options.empty()) continue;
    const auto now = ranges::find(field.options, message.receiver);
    const bool last = now == field.options.end() || now + 1 == field.options.end();
    context.commands.push(
        cmd::fill(question, row + field.name, last ? field.options.front() : *(now + 1)));
  }
}

void AnswerLayer::drop(ViewContext& context, const StageNow& stage, Grip to) {
  const Grip from = *std::exchange(from_, std::nullopt);
  if (to.rank < 0 || to.rank == from.rank) return;
  // A rank with a single piece can only send that.
  const std::string chunk = stage.chunks() == 1 ? "all"
                            : from.chunk < 0    ? ""
                                                : fmt::format("{}", from.chunk);
  const auto& asked = context.state.lesson.asked;
  context.commands.push(
      context.state.lesson.question_state(asked.question)->form.rows
          ? cmd::draw_in_step(asked.question, from.rank, to.rank, chunk, asked.step)
          : cmd::draw(asked.question, from.rank, to.rank, chunk));
}

bool AnswerLayer::takes_arrows(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                               bool hovered) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  hovered_row_ = kNoArrow;
  over_ = hovered || from_ ? grip_at(context, stage, place, mouse) : Grip{};
  if (from_) {
    const bool cancelled = compat::key_pressed(ImGuiKey_Escape, false) ||
                           ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    if (cancelled) from_.reset();
    else if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) drop(context, stage, over_);
    return true;
  }
  if (!hovered) return false;
  const auto drawn = arrows(context, stage, place);
  const Drawn* under = nullptr;
  for (const Drawn& one : drawn)
    if (one.arrow.label_holds(mouse) ||
        (over_.rank < 0 && one.arrow.away(mouse) < context.look.px(kNear)))
      under = &one;
  if (under != nullptr) {
    const bool turns = !under->message.receiver.empty() && under->arrow.label_holds(mouse);
    hovered_row_ = under->message.row;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::SetTooltip("%s", turns ? "Click: the receiver adds what comes, or keeps it.\n"
                                    "Right-click: takes the message away."
                                  : "Click: takes the message away.");
    const ImGuiIO& io = ImGui::GetIO();  // a right button that was dragged has moved the picture
    const bool right =
        ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
        io.MouseDragMaxDistanceSqr[1] < io.MouseDragThreshold * io.MouseDragThreshold;
    if (right || ImGui::IsMouseClicked(ImGuiMouseButton_Left))
      press_arrow(context, *under, right || !turns);
    return true;
  }
  if (over_.rank < 0) return false;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) from_ = over_;
  return true;
}

void AnswerLayer::draw_drag(const ViewContext& context, ImDrawList& list, const StageNow& stage,
                            const ScenePlace& place) const {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto part = [&](Grip grip) {
    return pixels(place, grip.chunk >= 0 && stage.chunks() > 1 ? stage.row(grip.rank, grip.chunk)
                                                               : stage.card(grip.rank));
  };
  if (!from_) {
    if (over_.rank >= 0 && hovered_row_ == kNoArrow) outline(look, list, part(over_), p.accent);
    return;
  }
  outline(look, list, part(*from_), p.accent);
  const bool lands = over_.rank >= 0 && over_.rank != from_->rank;
  const PixelBox from = pixels(place, stage.card(from_->rank));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (lands) outline(look, list, pixels(place, stage.card(over_.rank)), p.accent);
  else if (from.holds(mouse)) return;
  PredictedMessage message;
  if (from_->chunk >= 0 && stage.chunks() > 1) message.first = message.last = from_->chunk;
  message.whole = stage.chunks() == 1;
  const bool known = message.whole || message.first >= 0;
  const AnswerArrow arrow =
      lands ? arrow_between(look, from, pixels(place, stage.card(over_.rank)), 0,
                            known ? what_is_sent(message) : "")
            : arrow_between(look, from, {mouse, mouse}, 0, known ? what_is_sent(message) : "");
  draw_answer_arrow(look, list, arrow, ArrowStyle::drawn);
}

// ---- Slots --------------------------------------------------------------------------------------

PixelBox AnswerLayer::SlotGrid::slot(const Slot& which) const {
  const PixelBox& card = cards[static_cast<std::size_t>(which.rank)];
  const float x = card.low.x + names + size * static_cast<float>(which.of),
              y = card.low.y + head + size * static_cast<float>(which.chunk);
  return {{x + 1, y + 1}, {x + size - 1, y + size - 1}};
}

// Returns the largest grid about the cards' middles whose slots do not overlap.
AnswerLayer::SlotGrid AnswerLayer::grid_of(const ViewContext& context, const ImDrawList& list,
                                           const StageNow& stage, const ScenePlace& place) {
  const Look& look = context.look;
  const int world = context.state.document->world_size();
  const ImVec2 low = list.GetClipRectMin(), high = list.GetClipRectMax();
  SlotGrid grid;
  grid.names = look.px(34);
  grid.head = look.px(26);
  const float pad = look.px(8);
  for (double size = kWidestSlot; size >= kLeastSlot; size -= 1) {
    grid.size = look.px(size);
    grid.cards.clear();
    const float wide = grid.names + grid.size * static_cast<float>(world) + pad,
                tall = grid.head + grid.size * static_cast<float>(stage.chunks()) + pad;
    bool fits = wide <= high.x - low.x && tall <= high.y - low.y;
    for (Rank rank = 0; rank < world && fits; ++rank) {
      const ImVec2 middle = pixels(place, stage.card(rank)).center();
      const ImVec2 corner{std::round(std::clamp(middle.x - wide / 2, low.x, high.x - wide)),
                          std::round(std::clamp(middle.y - tall / 2, low.y, high.y - tall))};
      const PixelBox card{corner, {corner.x + wide, corner.y + tall}};
      for (const PixelBox& other : grid.cards)
        fits = fits && (card.high.x <= other.low.x || other.high.x <= card.low.x ||
                        card.high.y <= other.low.y || other.high.y <= card.low.y);
      grid.cards.push_back(card);
    }
    if (fits) return grid;
  }
  grid.size = 0;
  return grid;
}

bool AnswerLayer::takes_slots(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                              bool hovered) {
  hovered_slot_ = {};
  if (!hovered) return false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const SlotGrid grid = grid_of(context, *ImGui::GetWindowDrawList(), stage, place);
  const auto& asked = context.state.lesson.asked;
  const QuestionState& answered = *context.state.lesson.question_state(asked.question);
  const int world = context.state.document->world_size();
  // The cards' stories are what the question asks for.
  if (grid.size <= 0) return grip_at(context, stage, place, mouse).rank >= 0;
  const auto over = ranges::find_if(grid.cards, [&](const auto& c) { return c.holds(mouse); });
  if (over == grid.cards.end()) return false;
  Slot slot{static_cast<Rank>(over - grid.cards.begin()), 0, 0};
  for (slot.chunk = 0; slot.chunk < stage.chunks(); ++slot.chunk)
    for (slot.of = 0; slot.of < world; ++slot.of)
      if (grid.slot(slot).holds(mouse)) hovered_slot_ = slot;
  if (hovered_slot_.rank < 0) return true;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return true;
  const std::string field = fmt::format("/{}/{}", hovered_slot_.rank, hovered_slot_.chunk);
  context.commands.push(
      cmd::fill(asked.question, field,
                with_rank_toggled(field_text(answered.draft, field), hovered_slot_.of, world)));
  return true;
}

void AnswerLayer::draw_slots(const ViewContext& context, ImDrawList& list, const StageNow& stage,
                             const ScenePlace& place) {
  const Look& look = context.look;
  const auto& p = look.palette();
  const auto& asked = context.state.lesson.asked;
  const QuestionState& answered = *context.state.lesson.question_state(asked.question);
  const int world = context.state.document->world_size();
  const SlotGrid grid = grid_of(context, list, stage, place);
  too_small_ = grid.size <= 0;
  if (too_small_) return;
  // Nothing of the run is seen meanwhile: it would be the answer, or in the way.
  list.AddRectFilled(list.GetClipRectMin(), list.GetClipRectMax(), p.panel);
  const auto face = look.face({12, Font::Weight::semibold, false}),
             title = look.face({14, Font::Weight::semibold, false});
  const auto level = [&](const Look::Face& with, ImVec2 middle, ImU32 color,
                         const std::string& text) {
    const ImVec2 size = with.extent(text);
    with.draw(list, {middle.x - size.x / 2, middle.y - size.y / 2}, color, text);
  };
  for (Slot slot{0, 0, 0}; slot.rank < world; ++slot.rank) {
    const PixelBox& card = grid.cards[static_cast<std::size_t>(slot.rank)];
    list.AddRectFilled(card.low, card.high, p.panel, look.px(8));
    list.AddRect(card.low, card.high, p.accent, look.px(8), 0, look.px(1));
    title.draw(list, {card.low.x + look.px(8), card.low.y + look.px(4)}, p.text,
               fmt::format("rank {}", slot.rank));
    for (slot.chunk = 0; slot.chunk < stage.chunks(); ++slot.chunk) {
      slot.of = 0;
      level(face, {card.low.x + grid.names / 2, grid.slot(slot).center().y}, p.muted,
            fmt::format("c{}", slot.chunk));
      const auto held = ranks_in_cell(
          field_text(answered.draft, fmt::format("/{}/{}", slot.rank, slot.chunk)), world);
      for (slot.of = 0; slot.of < world; ++slot.of) {
        const PixelBox box = grid.slot(slot);
        const auto times = ranges::count(held, slot.of);
        const bool over = hovered_slot_ == slot;
        if (times > 0) list.AddRectFilled(box.low, box.high, look.color({Tone::whole}), look.px(4));
        list.AddRect(box.low, box.high, over ? p.accent : p.muted, look.px(4), 0,
                     look.px(over ? 2 : 1));
        level(face, box.center(), times > 0 ? look.color({Tone::on_whole}) : p.muted,
              times > 1 ? fmt::format("{}×", times) : fmt::format("{}", slot.of));
      }
    }
  }
}

// ---- Both ---------------------------------------------------------------------------------------

// Beside the run's own messages, in their step, until they part.
void AnswerLayer::draw_ghosts(const ViewContext& context, ImDrawList& list, const Scene& scene,
                              const StageNow& stage, const ScenePlace& place) {
  const auto& prediction = context.state.lesson.prediction;
  if (!prediction.any()) return;
  const int world = context.state.document->world_size();
  const int end = prediction.parting            ? prediction.parting->step
                  : prediction.messages.empty() ? 0
                                                : prediction.messages.back().step;
  const int last = std::max(context.state.document->rounds().count, end);
  int step = std::min(static_cast<int>(std::floor(stage.moment + 1e-6)) + 1, last);
  // When the step in which they part has just ended, it still is the one to look at.
  if (step == end + 1 && stage.moment < end + 1e-6) --step;
  if (step > end) return;
  std::vector<PixelBox> labels = texts_of(scene, place);
  for (Rank rank = 0; rank < world; ++rank) labels.push_back(pixels(place, stage.card(rank)));
  const PixelBox card = pixels(place, stage.card(0));
  const bool roomy = card.high.x - card.low.x >= context.look.px(kRoomyCard);
  for (const PredictedMessage& one : prediction.messages) {
    if (one.step != step || std::min(one.from, one.to) < 0 || std::max(one.from, one.to) >= world ||
        one.from == one.to)
      continue;
    // On the other side than the run's own messages.
    AnswerArrow arrow =
        arrow_between(context.look, pixels(place, stage.card(one.from)),
                      pixels(place, stage.card(one.to)), -1, roomy ? ghost_label(one) : "");
    settle_label(list, arrow, labels);
    draw_answer_arrow(context.look, list, arrow, style_of(prediction));
  }
}

bool AnswerLayer::takes_mouse(ViewContext& context, const StageNow& stage, const ScenePlace& place,
                              bool hovered) {
  if (open_question(context, AnswerPicture::Is::contributions) != nullptr)
    return takes_slots(context, stage, place, hovered);
  if (open_question(context, AnswerPicture::Is::messages) != nullptr)
    return takes_arrows(context, stage, place, hovered);
  from_.reset();
  over_ = {};
  return false;
}

void AnswerLayer::draw(const ViewContext& context, ImDrawList& list, const Scene& scene,
                       const StageNow& stage, const ScenePlace& place) {
  too_small_ = false;
  if (open_question(context, AnswerPicture::Is::contributions) != nullptr)
    draw_slots(context, list, stage, place);
  draw_ghosts(context, list, scene, stage, place);
  if (open_question(context, AnswerPicture::Is::messages) == nullptr) return;
  texts_ = texts_of(scene, place);
  if (!context.state.playback.playing)
    for (const Drawn& one : arrows(context, stage, place))
      draw_answer_arrow(context.look, list, one.arrow,
                        one.message.row == hovered_row_ ? ArrowStyle::hovered : ArrowStyle::drawn);
  draw_drag(context, list, stage, place);
}

}  // namespace rankscope::gui
