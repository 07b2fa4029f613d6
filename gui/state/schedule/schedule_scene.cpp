// Draws ranks' chunks after each step, and an arrow for each move.
#include "gui/state/schedule/schedule_scene.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/base/ranges.h"
#include "engine/diagrams/scene/drawing.h"

namespace rankscope::gui {
namespace {

constexpr double kLabels = 64, kTop = 34, kRankGap = 16, kArrows = 84, kLeastCell = 46,
                 kMargin = 12;
constexpr int kMostSlots = 16;  ///< With more ranks, contributions are a bar.
constexpr std::size_t kMostSlotMarks = 40'000;

class ScheduleDrawing {
 public:
  ScheduleDrawing(const ScheduleState& state, const Ruler& ruler)
      : state_(state),
        drawn_(state.editor->drawn()),
        known_(state.facts && state.facts->problem.empty() && state.facts->drawn == drawn_),
        pen_(scene_, ruler) {
    chunk_height_ = drawn_.chunks <= 4 ? 20 : drawn_.chunks <= 8 ? 17 : 13;
    const auto marks = static_cast<std::size_t>(drawn_.steps() + 1) *
                       static_cast<std::size_t>(drawn_.ranks * drawn_.ranks * drawn_.chunks);
    slots_ = drawn_.ranks <= kMostSlots && marks <= kMostSlotMarks;
    cell_width_ = std::max(kLeastCell, slots_ ? drawn_.ranks * 14.0 : 90.0);
  }

  Scene draw() {
    draw_heads();
    for (int step = 0; step <= drawn_.steps() + 1; ++step)
      for (Rank rank = 0; rank < drawn_.ranks; ++rank)
        for (int chunk = 0; chunk < drawn_.chunks; ++chunk) draw_cell({step, rank, chunk});
    for (int move = 0; move < static_cast<int>(drawn_.moves.size()); ++move)
      if (!is_marked(move) && move != state_.selected) draw_move(move);
    if (known_)
      for (const int move : state_.facts->marked) draw_move(move);
    if (state_.selected >= 0 && !is_marked(state_.selected)) draw_move(state_.selected);
    draw_fault();
    if (state_.picked) outline(*state_.picked, {Tone::accent}, 3);
    if (state_.cursor) outline(*state_.cursor, {Tone::accent}, 1.5);
    scene_.title = "Schedule";
    trim(scene_, kMargin);
    return std::move(scene_);
  }

 private:
  double x_of(int step) const { return kLabels + step * (cell_width_ + kArrows); }
  double y_of(Rank rank) const { return kTop + rank * (drawn_.chunks * chunk_height_ + kRankGap); }
  Box box_of(const ScheduleState::Place& at) const {
    return {x_of(at.step), y_of(at.rank) + at.chunk * chunk_height_, cell_width_,
            chunk_height_ - 2};
  }
  bool is_marked(int move) const {
    return known_ && std::ranges::binary_search(state_.facts->marked, move);
  }
  bool is_next(int step) const { return step > drawn_.steps(); }

  void draw_heads() {
    for (Rank rank = 0; rank < drawn_.ranks; ++rank)
      pen_.level(fmt::format("rank {}", rank),
                 {kLabels - 10, y_of(rank) + drawn_.chunks * chunk_height_ / 2.0}, kBodyStrong, {},
                 Anchor::end);
    for (int step = 0; step <= drawn_.steps() + 1; ++step) {
      const double middle = x_of(step) + cell_width_ / 2;
      pen_.level(step == 0                ? "start"
                 : is_next(step)          ? "next step"
                 : step == drawn_.steps() ? "end"
                                          : fmt::format("after {}", step),
                 {middle, 12}, kCaption, {Tone::muted});
      if (step > 0 && !is_next(step))
        pen_.level(fmt::format("step {}", step), {x_of(step) - kArrows / 2, 12}, kCaptionStrong);
    }
  }

  const account::Shares* shares_at(const ScheduleState::Place& at) const {
    return known_ ? &state_.facts->contents.at(std::min(at.step, drawn_.steps()), at.rank, at.chunk)
                  : nullptr;
  }

  std::string story_of(const ScheduleState::Place& at) const {
    std::string out = fmt::format("rank {}, chunk {}, ", at.rank, at.chunk);
    if (is_next(at.step))
      return out + fmt::format("step {}: drop a chunk here for one more step", at.step);
    out += at.step == 0 ? "at the start" : fmt::format("after step {}", at.step);
    const account::Shares* const shares = shares_at(at);
    if (shares == nullptr) return out;
    std::vector<std::string> names;
    for (const account::Share& one : *shares)
      names.push_back(
          fmt::format("{}{}{}", one.rank,
                      one.element == at.chunk ? "" : fmt::format("'s chunk {}", one.element),
                      one.times > 1 ? fmt::format(" ({} times)", one.times) : ""));
    out += names.empty() ? "\nholds nobody's contribution"
                         : fmt::format("\nholds the contribution{} of rank{} {}",
                                       names.size() == 1 ? "" : "s", names.size() == 1 ? "" : "s",
                                       fmt::join(names, ", "));
    if (at.step == drawn_.steps() && !drawn_.moves.empty() &&
        !state_.facts->contents.is_right(at.rank, at.chunk))
      out += "\nwhich is not what it should hold in the end";
    return out;
  }

  void draw_cell(const ScheduleState::Place& at) {
    const Box box = box_of(at);
    pen_.new_group(
        {.id = fmt::format("cell-{}-{}-{}", at.step, at.rank, at.chunk), .story = story_of(at)});
    if (is_next(at.step)) {
      pen_.box(box, Ink{Tone::page});  // invisible: where a chunk is dropped
      pen_.group(-1);
      if (at.chunk + 1 < drawn_.chunks) return;
      const double high = drawn_.chunks * chunk_height_ - 2;
      pen_.box({box.x, y_of(at.rank), box.width, high}, {}, Ink{Tone::grid}, 3).dotted = true;
      return;
    }
    const bool wrong = known_ && !drawn_.moves.empty() && at.step == drawn_.steps() &&
                       !state_.facts->contents.is_right(at.rank, at.chunk);
    pen_.box(box, Ink{Tone::lane}, Ink{wrong ? Tone::error : Tone::frame}, 3, wrong ? 1.5 : 1);
    if (const account::Shares* const shares = shares_at(at))
      slots_ ? draw_slots(box, *shares) : draw_bar(box, *shares);
    pen_.group(-1);
  }

  /// Draws a slot for each rank, filled if its contribution is in the chunk.
  void draw_slots(const Box& box, const account::Shares& shares) {
    const double each = (box.width - 2) / drawn_.ranks;
    const Font font{std::min(11.0, each - 2), Font::Weight::semibold, false};
    for (const account::Share& one : shares) {
      const Box slot{box.x + 1 + one.rank * each, box.y + 1, each, box.height - 2};
      const bool twice = one.times > 1;
      pen_.box(slot, Ink{twice ? Tone::error : Tone::chunk, static_cast<int>(one.element)},
               Ink{Tone::page}, 2, 0.5);
      if (each >= 11 && box.height >= 13)
        pen_.level(fmt::format("{}", one.rank), slot.center(), font,
                   twice ? Ink{Tone::page} : Ink{Tone::on_chunk, static_cast<int>(one.element)});
    }
  }
  void draw_bar(const Box& box, const account::Shares& shares) {
    const bool twice =
        ranges::any_of(shares, [](const account::Share& one) { return one.times > 1; });
    if (shares.empty()) return;
    const double part = std::min(1.0, static_cast<double>(shares.count()) / drawn_.ranks);
    pen_.box({box.x + 1, box.y + 1, (box.width - 2) * part, box.height - 2},
             Ink{twice ? Tone::error : Tone::chunk, static_cast<int>(shares.begin()->element)}, {},
             2);
  }

  std::string story_of(const ScheduleMove& move) const {
    return fmt::format("step {}: rank {} sends chunk {} to rank {}, which {}", move.step, move.from,
                       move.chunk, move.to,
                       move.add ? "adds it" : "keeps it in place of what was there");
  }

  /// Draws an arrow from the chunk before the step to the chunk after it, with a plus if it is added.
  void draw_move(int number) {
    const ScheduleMove& move = drawn_.moves[static_cast<std::size_t>(number)];
    const Box from = box_of({move.step - 1, move.from, move.chunk}),
              to = box_of({move.step, move.to, move.chunk});
    const bool chosen = number == state_.selected;
    const Ink ink = is_marked(number) ? Ink{Tone::error} : Ink{Tone::chunk, move.chunk};
    const double wide = chosen || is_marked(number) ? 3 : 1.75;
    constexpr double kPlus = 6;
    const Point start{from.right() + 1, from.center().y},
        end{to.x - (move.add ? 2 * kPlus + 2 : 1), to.center().y};
    const double bend = (end.x - start.x) * 0.45;
    std::vector<Point> path{start, {start.x + bend, start.y}, {end.x - bend, end.y}, end};
    pen_.new_group({.id = fmt::format("move-{}", number), .story = story_of(move)});
    if (chosen) pen_.path(path, {Tone::accent, 0, 0.45F}, wide + 6);
    pen_.path(std::move(path), ink, wide).arrow = true;
    if (move.add) {
      const Point middle{to.x - kPlus - 1, end.y};
      pen_.circle(middle, kPlus, Ink{Tone::page}, ink).line_width = 1.5;
      pen_.line({middle.x - 3, middle.y}, {middle.x + 3, middle.y}, ink, 1.5);
      pen_.line({middle.x, middle.y - 3}, {middle.x, middle.y + 3}, ink, 1.5);
    }
    pen_.group(-1);
  }

  void outline(const ScheduleState::Place& at, Ink ink, double width) {
    if (at.rank >= drawn_.ranks || at.chunk >= drawn_.chunks || at.step > drawn_.steps() + 1)
      return;
    pen_.box(box_of(at).grown(2), {}, ink, 4, width);
  }
  void draw_fault() {
    if (!known_ || drawn_.moves.empty() || state_.facts->proof.right()) return;
    const account::Fault& fault = state_.facts->proof.faults.front();
    const int chunk = static_cast<int>(fault.place);
    if (chunk < 0 || chunk >= drawn_.chunks) return;
    outline({fault.step > 0 ? fault.step : drawn_.steps(), fault.rank, chunk}, {Tone::error}, 2.5);
  }

  const ScheduleState& state_;
  const DrawnSchedule& drawn_;
  const bool known_;
  Scene scene_;
  Drawing pen_;
  double chunk_height_ = 18, cell_width_ = 60;
  bool slots_ = true;
};

std::optional<ScheduleState::Place> place_of_cell(const Group& group) {
  ScheduleState::Place at;
  if (std::sscanf(group.id.c_str(), "cell-%d-%d-%d", &at.step, &at.rank, &at.chunk) != 3)
    return std::nullopt;
  return at;
}

}  // namespace

Scene schedule_scene(const ScheduleState& state, const Ruler& ruler) {
  return ScheduleDrawing(state, ruler).draw();
}

std::optional<ScheduleState::Place> place_in(const Scene& scene, Point at) {
  constexpr double kReach = 2;
  std::int32_t last = -1;
  for (const Mark& mark : scene.marks) {
    if (mark.group < 0 || mark.group == last || mark.kind != Mark::Kind::box) continue;
    last = mark.group;
    if (!mark.box.grown(kReach).contains(at)) continue;
    if (const auto place = place_of_cell(scene.groups[static_cast<std::size_t>(mark.group)]))
      return place;
  }
  return std::nullopt;
}

Box box_of(const Scene& scene, const ScheduleState::Place& place) {
  const std::string id = fmt::format("cell-{}-{}-{}", place.step, place.rank, place.chunk);
  for (const Mark& mark : scene.marks)
    if (mark.group >= 0 && mark.kind == Mark::Kind::box &&
        scene.groups[static_cast<std::size_t>(mark.group)].id == id)
      return mark.box;
  return {};
}

}  // namespace rankscope::gui
