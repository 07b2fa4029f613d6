// Puts cards, ways and cargo of a moment together, with the phase's name and what went wrong.
#include "engine/diagrams/stage/stage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "engine/analysis/run_plan.h"
#include "engine/core/base/error.h"
#include "engine/core/base/quantity.h"
#include "engine/core/base/ranges.h"
#include "engine/diagrams/moving/flipbook.h"
#include "engine/diagrams/run/run_outcome.h"
#include "engine/diagrams/scene/compose.h"
#include "engine/diagrams/scene/drawing.h"
#include "engine/diagrams/stage/stage_flight.h"
#include "engine/diagrams/stage/stage_layout.h"
#include "engine/diagrams/stage/stage_trouble.h"
#include "engine/diagrams/stage/stage_wrong.h"

namespace rankscope {
namespace {

class StageWaits {
 public:
  StageWaits(const StageLayout& layout, const StageTrouble& trouble, const Ruler& ruler);

  /// One of them passes there.
  bool cross(const Box& box) const;
  /// With what each waits for beside it, where there is room; who only follows is calm.
  void draw(Drawing& pen) const;

 private:
  struct Arrow {
    const StageTrouble::Wait* wait = nullptr;
    StagePath path;
  };
  void part();
  Box pill_of(const StageTrouble::Wait& wait) const;

  const StageTrouble& trouble_;
  const Ruler& ruler_;
  const bool words_;
  const bool thin_;  ///< Nodes are small: so are the heads of arrows.
  const double scale_;
  const Font font_;
  std::vector<Arrow> arrows_;
};

constexpr double kApart = 12;    // of arrows that leave and arrive at one place
constexpr int kWaySamples = 24;  // of a way, for what it crosses
constexpr double kLargestWords = 1.3;

void move(Point& point, Point by) {
  point.x += by.x;
  point.y += by.y;
}

/// Along the edge of a card at this point, towards `there`.
Point along_edge(Point edge, Point dock, Point there) {
  const bool upright = std::abs(dock.x - edge.x) > std::abs(dock.y - edge.y);
  const double way = upright ? there.y - edge.y : there.x - edge.x;
  const double by = way >= 0 ? kApart : -kApart;
  return upright ? Point{0, by} : Point{by, 0};
}

/// Between two nodes without cards; nothing where they stand so close that no arrow is seen.
std::optional<StagePath> straight(const StageLayout& layout, const StageTrouble::Wait& wait) {
  constexpr double kLeastSeen = 6, kClear = 2;
  const Box &from = layout.cards[static_cast<std::size_t>(wait.rank)],
            &to = layout.cards[static_cast<std::size_t>(wait.on)];
  const Point a = from.center(), b = to.center();
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const double first = from.width / 2 + kClear, last = length - to.width / 2 - kClear;
  if (last - first < kLeastSeen) return std::nullopt;
  const auto at = [&](double along) {
    return Point{a.x + (b.x - a.x) * along / length, a.y + (b.y - a.y) * along / length};
  };
  StagePath path;
  path.leaves = at(first);
  path.arrives = at(last);
  path.curve = {path.leaves, at(first + (last - first) / 3), at(last - (last - first) / 3),
                path.arrives};
  return path;
}

StageWaits::StageWaits(const StageLayout& layout, const StageTrouble& trouble, const Ruler& ruler)
    : trouble_(trouble),
      ruler_(ruler),
      words_(layout.style.words || layout.style.counts),
      thin_(!layout.style.numbered),
      scale_(std::min(layout.style.scale, kLargestWords)),
      font_{kCaptionStrong.size * scale_, kCaptionStrong.weight, false} {
  for (const auto& wait : trouble_.waits) {
    if (wait.on < 0 || wait.on == wait.rank) continue;
    const auto* back = trouble_.of(wait.on);
    const bool both = back != nullptr && back->on == wait.rank;
    const Box pill = pill_of(wait);
    if (layout.style.bars < 0) {
      if (const auto path = straight(layout, wait)) arrows_.push_back({&wait, *path});
      continue;
    }
    arrows_.push_back(
        {&wait, stage_paths(layout, wait.rank, wait.on, pill.width, pill.height, both).front()});
  }
  if (layout.style.bars >= 0) part();
}

Box StageWaits::pill_of(const StageTrouble::Wait& wait) const {
  if (!words_) return {0, 0, 12, 12};
  return {0, 0, ruler_.width(wait.size, font_) + 16 * scale_, 22 * scale_};
}

/// Lines that leave a card keep clear of those that arrive there: each towards its own other end.
void StageWaits::part() {
  const auto parted = arrows_;
  for (std::size_t i = 0; i < parted.size(); ++i)
    for (std::size_t j = 0; j < parted.size(); ++j) {
      const StagePath &from = parted[i].path, &to = parted[j].path;
      if (i == j || std::hypot(from.leaves.x - to.arrives.x, from.leaves.y - to.arrives.y) > kApart)
        continue;
      const Point out = along_edge(from.leaves, from.curve[0], from.arrives);
      const Point in = along_edge(to.arrives, to.curve[3], to.leaves);
      if (out == in) continue;  // both come from there: they would not part
      StagePath &left = arrows_[i].path, &right = arrows_[j].path;
      for (Point* point : {&left.leaves, &left.curve[0], &left.curve[1]}) move(*point, out);
      for (Point* point : {&right.arrives, &right.curve[3], &right.curve[2]}) move(*point, in);
    }
}

bool StageWaits::cross(const Box& box) const {
  return ranges::any_of(arrows_, [&](const Arrow& arrow) {
    for (int i = 0; i <= kWaySamples; ++i)
      if (box.contains(bezier(arrow.path.curve, static_cast<double>(i) / kWaySamples))) return true;
    return false;
  });
}

void StageWaits::draw(Drawing& pen) const {
  std::vector<Box> taken;
  for (const auto& [wait, path] : arrows_) {
    pen.new_group(Group{fmt::format("wait-{}-{}", wait->rank, wait->on),
                        fmt::format("rank {}: {}\n{}", wait->rank, wait->what, wait->why)});
    const Ink ink{wait->root ? Tone::error : Tone::muted};
    Mark& line = pen.path(path.line(), ink, wait->root && !thin_ ? 2.2 : 1.4);
    line.dotted = line.arrow = true;
    if (!words_ || path.cost >= 1 || !wait->root) continue;
    const Point middle = point_along(path.curve, 0.5);
    const Box pill = pill_of(*wait);
    const Box box{middle.x - pill.width / 2, middle.y - pill.height / 2, pill.width, pill.height};
    if (ranges::any_of(taken, [&](const Box& other) { return other.overlaps(box); })) continue;
    taken.push_back(box);
    pen.box(box, Ink{Tone::page}, Ink{Tone::error}, 6, 1.5);
    pen.level(wait->size, box.center(), font_, {Tone::error});
  }
  pen.group(-1);
}

using Times = StageTimes;

constexpr double kWidth = 1280, kHeight = 720, kLeastWidth = 200, kLeastHeight = 120;
constexpr double kMargin = 14, kTitle = 34, kStill = 0.35, kForCaption = 380;
constexpr int kLookedAt = 12;  // rounds, for where the phase's name may stand

}  // namespace

class Stage::Painter {
 public:
  Painter(const TraceAnalysis& analysis, StageOptions options, const Ruler& ruler)
      : options_(std::move(options)),
        ruler_(ruler),
        plan_(options_.plan ? std::make_unique<StageModel>(options_.plan->run, options_.values)
                            : nullptr),
        model_(model_of(analysis)),
        trouble_(options_.live ? StageTrouble() : stage_trouble(analysis)),
        page_{0, 0, size(options_.width, kWidth, kLeastWidth),
              size(options_.height, kHeight, kLeastHeight)} {
    find_banner();
    const double top = kMargin + (options_.heading ? kTitle : 0) + strip() + banner_height_;
    const Box area{kMargin, top, page_.width - 2 * kMargin, page_.height - top - kMargin};
    StageTopology topology = options_.circle ? StageTopology() : stage_topology(whole().analysis());
    const StageWishes wishes{options_.values, !plan_ && trouble_.deadlock()};
    layout_ = stage_layout(whole(), topology, area, wishes, ruler_);
    edges_ = std::move(topology.edges);
    painter_.emplace(*model_, layout_, ruler_);
    if (plan_) planner_.emplace(*plan_, layout_, ruler_);
    note_inside_ = has_room_for_note();
    waits_.emplace(layout_, trouble_, ruler_);
    if (trouble_.story && !plan_ && !options_.values)
      wrong_.emplace(layout_, *trouble_.story, ruler_);
    brief_inside_ = !layout_.note.empty() && !waits_->cross(layout_.note.grown(16));
  }

  double end() const noexcept { return model_->last(); }
  bool stuck() const noexcept { return trouble_.any(); }
  const StageLayout& layout() const noexcept { return layout_; }

  Scene at(double moment, const StageFocus& focus, const LiveMarks& marks) {
    moment = std::clamp(moment, 0.0, end());
    Moment now;
    now.round = static_cast<int>(std::floor(moment + 1e-9));
    now.share = std::max(0.0, moment - now.round);
    if (now.share < 1e-6) now.share = 0;
    now.ended = now.share == 0 && now.round >= model_->rounds();
    Scene scene;
    scene.marks.reserve(most_marks_);
    scene.groups.reserve(most_groups_);
    scene.width = page_.width;
    scene.height = page_.height;
    scene.title = options_.title.empty()
                      ? run_title(model_->analysis().trace().meta(), model_->world())
                      : options_.title;
    scene.description = caption(now);
    Drawing pen(scene, ruler_);
    heading(pen, scene.title, now);
    for (const StageGroupBox& group : layout_.groups) {
      pen.box(group.box, Ink{Tone::panel, 0, 0.35F}, Ink{Tone::frame}, 8);
      pen.text(group.name, {group.box.right() - 10, group.box.y + 17}, kCaption, {Tone::muted},
               Anchor::end);
    }
    for (const auto& [one, other] : edges_)
      pen.line(layout_.cards[static_cast<std::size_t>(one)].center(),
               layout_.cards[static_cast<std::size_t>(other)].center(), {Tone::frame}, 1.5);
    StageCards cards(pen, *model_, layout_, trouble_, options_.values, focus, kept_);
    if (!trouble_.any())
      cards.hint(
          {page_.width - kMargin, kMargin + (options_.heading ? kTitle : 0) + (roomy() ? 16 : 13)},
          page_.width - kForCaption);
    draw(pen, cards, now, focus, marks);
    most_marks_ = std::max(most_marks_, scene.marks.size());
    most_groups_ = std::max(most_groups_, scene.groups.size());
    return scene;
  }

 private:
  struct Moment {
    int round = 0;     ///< Number of rounds that are over.
    double share = 0;  ///< Share of the next round, 0 to 1.
    bool ended = false;
    /// The round that is under way, or has just ended; 0 before the first.
    int shown() const noexcept { return share > 0 ? round + 1 : round; }
  };

  std::unique_ptr<StageModel> model_of(const TraceAnalysis& analysis) const {
    return plan_ ? std::make_unique<StageModel>(analysis, options_.values, *plan_, *options_.plan)
                 : std::make_unique<StageModel>(analysis, options_.values);
  }
  StageFlightPainter& planner() { return planner_ ? *planner_ : *painter_; }
  /// Returns the model of all rounds, also of those to come.
  StageModel& whole() const { return plan_ ? *plan_ : *model_; }

  static double size(double wanted, double usual, double least) {
    return wanted <= 0 ? usual : std::max(std::round(wanted), least);
  }

  const StageFlights& flights(int round) {
    const auto known = flights_.find(round);
    if (known != flights_.end()) return known->second;
    return flights_
        .emplace(round, plan_ ? planned_flights(round, model_->cargo(round))
                              : painter_->flights(model_->cargo(round)))
        .first->second;
  }

  // Chips and paths are those of the whole round, also while only some of its messages are there.
  StageFlights planned_flights(int round, const std::vector<StageCargo>& cargo) {
    const auto& all = plan_->cargo(round);
    const StageFlights planned = planner_->flights(all);
    StageFlights flights;
    flights.chip = planned.chip;
    for (const StageCargo& one : cargo) {
      const auto at =
          ranges::find(all, options_.plan->planned_of[one.message], &StageCargo::message) -
          all.begin();
      flights.paths.push_back(planned.paths.at(static_cast<std::size_t>(at)));
      flights.sizes.push_back(planned.sizes.at(static_cast<std::size_t>(at)));
    }
    return flights;
  }

  /// Above the ranks there is the name of the step.
  bool roomy() const noexcept { return page_.height >= 360; }
  double strip() const noexcept { return roomy() ? 26 : 20; }

  bool has_room_for_note() {
    if (layout_.note.empty()) return false;
    for (int round = 1; round <= std::min(whole().rounds(), kLookedAt); ++round)
      if (ruler_.width(whole().round(round).phase, kBodyStrong) > layout_.note.width ||
          planner().flights(whole().round(round).cargo).crosses_note)
        return false;
    return true;
  }

  // ---- Words around ------------------------------------------------------------------------------

  // A run that was watched as it grew keeps its places: its trouble is the line that says the step.
  void find_banner() {
    if (!trouble_.any() || plan_) return;
    const double width = page_.width - 2 * kMargin - 24;
    why_ = wrapped(trouble_.why, kBody, width, ruler_);
    const std::size_t most = page_.height > 340 ? 2 : page_.height > 300 ? 1 : 0;
    if (why_.size() > most) {
      why_.resize(most);
      if (most > 0) why_.back() = ruler_.fitted(why_.back() + " …", kBody, width);
    }
    lines_ = options_.heading && page_.height > 430 ? trouble_.lines.size() : 0;
    banner_height_ = 42 + 19 * static_cast<double>(why_.size()) + 18 * static_cast<double>(lines_) +
                     (lines_ > 0 ? 4 : 0);
  }

  /// All rounds are over: the picture shows what all ranks have then, and nothing else.
  bool finished(const Moment& now) const {
    return now.ended && model_->rounds() > 0 && model_->rounds() >= whole().rounds();
  }

  bool shows_story(const Moment& now) const {
    return wrong_ && wrong_->fits() && now.ended && now.round >= model_->last();
  }

  std::string caption(const Moment& now) const {
    const int round = now.shown();
    if (now.ended && trouble_.deadlock()) return trouble_.brief;
    if (now.ended && plan_ && trouble_.any()) return trouble_.headline;
    if (shows_story(now))
      return trouble_.story->chunk < 0
                 ? fmt::format("following element {}", trouble_.story->result.element)
                 : fmt::format("following c{}", trouble_.story->chunk);
    if (round == 0) return "At the start";
    if (round > whole().rounds() || finished(now)) return "At the end";
    const StageRound& of = whole().round(round);
    std::string text = fmt::format("step {} of {}", round, whole().rounds());
    if (!of.phase.empty() && !of.phase.starts_with("step ")) text = of.phase + " · " + text;
    return text;
  }

  void heading(Drawing& pen, const std::string& title, const Moment& now) {
    double y = kMargin;
    if (options_.heading) {
      pen.text(ruler_.fitted(title, kHeading, page_.width - 2 * kMargin), {kMargin, y + 20},
               kHeading);
      y += kTitle;
    }
    if (banner_height_ > 0 && now.ended) banner(pen, y);
    const double below = y + banner_height_;
    const bool stuck = now.ended && trouble_.deadlock();
    if (layout_.note.empty() || shows_story(now) || !(stuck ? brief_inside_ : note_inside_)) {
      const Font font = roomy() ? kEmphasis : kCaptionStrong;
      pen.text(ruler_.fitted(caption(now), font, page_.width - 2 * kMargin),
               {kMargin, below + (roomy() ? 16 : 13)}, font, {Tone::muted});
      return;
    }
    note(pen, now);
  }

  void note(Drawing& pen, const Moment& now) const {
    const int round = now.shown();
    const Box& box = layout_.note;
    std::string name = "start", step;
    if (round > whole().rounds() || finished(now)) name = "end";
    else if (round > 0) {
      const StageRound& of = whole().round(round);
      name = of.phase.empty() ? fmt::format("step {}", round) : of.phase;
      step = fmt::format("step {} of {}", of.phase.empty() ? round : of.of_phase,
                         of.phase.empty() ? whole().rounds() : of.phase_rounds);
    }
    if (trouble_.any() && now.ended) {
      name = !trouble_.wrong.empty()                                  ? "wrong result"
             : !trouble_.deadlock()                                   ? "lost rank"
             : ruler_.width(trouble_.brief, kBodyStrong) <= box.width ? trouble_.brief
                                                                      : "deadlock";
      step.clear();
    }
    // The banner says it, too.
    if (trouble_.any() && now.ended && ruler_.width(name, kBodyStrong) > box.width) return;
    const Font large{ruler_.width(name, kHeading) <= box.width ? 21.0 : 14.0,
                     Font::Weight::semibold, false};
    pen.level(ruler_.fitted(name, large, box.width),
              {box.center().x, box.center().y - (step.empty() ? 0 : 12)}, large, {Tone::muted});
    if (!step.empty() && box.height > 44)
      pen.level(ruler_.fitted(step, kBody, box.width), {box.center().x, box.center().y + 14}, kBody,
                {Tone::muted});
  }

  void banner(Drawing& pen, double y) const {
    const Box box{kMargin, y, page_.width - 2 * kMargin, banner_height_ - 6};
    pen.box(box, Ink{Tone::error, 0, 0.08F}, Ink{Tone::error}, 8, 1.5);
    pen.text(ruler_.fitted(trouble_.headline, kEmphasis, box.width - 24), {box.x + 12, box.y + 23},
             kEmphasis, {Tone::error});
    double line = box.y + 23;
    for (const std::string& words : why_) pen.text(words, {box.x + 12, line += 19}, kBody);
    line += 3;
    const Font mono{12, Font::Weight::regular, true};
    for (std::size_t i = 0; i < lines_; ++i)
      pen.text(ruler_.fitted(trouble_.lines[i], mono, box.width - 24), {box.x + 12, line += 18},
               mono);
  }

  // ---- The picture -------------------------------------------------------------------------------

  void draw(Drawing& pen, StageCards& cards, const Moment& now, const StageFocus& focus,
            const LiveMarks& marks) {
    if (shows_story(now)) return wrong_->draw(pen);
    const int before = now.round, going = now.round + 1;
    const bool under_way = now.share > 0 && going <= model_->rounds();
    const bool over = before >= 1 && before <= model_->rounds();
    const double fresh = std::clamp(now.share / 0.1, 0.0, 1.0);
    if (over && !finished(now))
      painter_->ways(pen, model_->cargo(before), flights(before), kStill * (1 - fresh), focus);
    if (under_way) {
      const double rest = std::clamp((now.share - Times::landed) / (1 - Times::landed), 0.0, 1.0);
      painter_->ways(pen, model_->cargo(going), flights(going), fresh * (1 - (1 - kStill) * rest),
                     focus);
    }
    for (const LiveOffer& offer : marks.offers) offered(pen, offer);
    if (now.ended && !plan_) waits_->draw(pen);
    if (under_way)
      painter_->cargo(pen, cards, model_->cargo(going), flights(going), now.share, focus, true);
    const auto state = model_->state(now.share >= Times::landed ? going : before);
    const int shown = now.shown();
    find_cards(!finished(now) && shown >= 1 && shown <= model_->rounds() ? shown : 0, now);
    for (Rank rank = 0; rank < model_->world(); ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      cards_[at].badge = marks.badge(rank);
      cards.card(rank, state->cells[at], cards_[at]);
    }
    if (under_way)
      painter_->cargo(pen, cards, model_->cargo(going), flights(going), now.share, focus, false);
  }

  // Dashed, for it has not been sent; where the plan has it, if there is one.
  void offered(Drawing& pen, const LiveOffer& offer) {
    StageCargo cargo;
    cargo.from = offer.from;
    cargo.to = offer.to;
    cargo.empty = offer.bytes == 0;
    cargo.label = amount_text(offer.bytes);
    std::optional<StagePath> path;
    Box size{0, 0, 12, 12};
    bool words = false;
    for (int round = 1; plan_ && !path && round <= plan_->rounds(); ++round) {
      const auto& all = plan_->round(round).cargo;
      const auto found = ranges::find(all, offer.planned, &StageCargo::message);
      if (found == all.end()) continue;
      const auto at = static_cast<std::size_t>(found - all.begin());
      const StageFlights flights = planner_->flights(plan_->cargo(round));
      cargo = plan_->cargo(round)[at];
      path = flights.paths[at];
      size = flights.sizes[at];
      words = flights.chip != StageChip::tile;
    }
    if (!path)
      path = stage_paths(layout_, offer.from, offer.to, size.width, size.height, false).front();
    pen.new_group(Group{offer.id(), offer.story});
    const Ink ink = stage_cargo_ink(cargo);
    Mark& way = pen.path(path->line(), ink, 2);
    way.dotted = way.arrow = true;
    const Font font = layout_.style.letters(kCaptionStrong);
    const std::string& text = cargo.label.empty() ? cargo.brief : cargo.label;
    const double width = ruler_.width(text, font) + 16, height = font.size + 8;
    if (words && !text.empty() && width <= size.width + 1 && path->cost < 1) {
      const Point middle = bezier(path->curve, 0.5);
      const Box pill{middle.x - width / 2, middle.y - height / 2, width, height};
      pen.box(pill, Ink{Tone::page}, ink, height / 2, 1.4).dotted = true;
      pen.level(text, middle, font);
    }
    pen.group(-1);
  }

  // While a run is held, a round gains messages, which makes another stage.
  void find_cards(int round, const Moment& now) {
    const double pulse = round > 0 && now.share > Times::landed - 0.06 && now.share < Times::pulsed
                             ? std::sin(3.14159265 * (now.share - Times::landed + 0.06) /
                                        (Times::pulsed - Times::landed + 0.06))
                             : 0;
    const bool docked = now.share >= Times::docked && now.share < Times::landed;
    const StageCardsOf of{round, now.share > 0, now.ended, docked, pulse};
    if (cards_of_ == of) return;
    cards_of_ = of;
    cards_ = stage_cards_at(of, *model_, layout_.style.words);
  }

  const StageOptions options_;
  const Ruler& ruler_;
  std::unique_ptr<StageModel> plan_;  ///< Null: the run is whole, or nobody knows what is to come.
  std::unique_ptr<StageModel> model_;
  StageTrouble trouble_;
  const Box page_;
  StageLayout layout_;
  std::vector<std::pair<Rank, Rank>> edges_;
  std::optional<StageWaits> waits_;
  std::optional<StageWrong> wrong_;
  std::optional<StageFlightPainter> painter_, planner_;
  std::map<int, StageFlights> flights_;
  StageKeptCards kept_;
  StageCardsOf cards_of_;
  std::vector<StageCardNow> cards_;
  std::size_t most_marks_ = 0, most_groups_ = 0;  ///< The most marks and groups of a scene.
  std::vector<std::string> why_;
  std::size_t lines_ = 0;
  double banner_height_ = 0;
  bool note_inside_ = false, brief_inside_ = false;
};

Stage::Stage(const TraceAnalysis& analysis, StageOptions options, const Ruler& ruler)
    : painter_(std::make_unique<Painter>(analysis, std::move(options), ruler)) {}
Stage::~Stage() = default;

Scene Stage::at(double moment, const StageFocus& focus, const LiveMarks& marks) {
  return painter_->at(moment, focus, marks);
}
double Stage::end() const noexcept { return painter_->end(); }
Box Stage::card(Rank rank) const {
  return painter_->layout().cards.at(static_cast<std::size_t>(rank));
}
Box Stage::row(Rank rank, int chunk) const { return painter_->layout().row(rank, chunk); }
int Stage::chunks() const noexcept { return painter_->layout().rows; }
bool Stage::stuck() const noexcept { return painter_->stuck(); }

std::vector<Scene> stage_scenes(const TraceAnalysis& analysis, const StageOptions& options,
                                int first, int last, int between, const Ruler& ruler) {
  Stage stage(analysis, options, ruler);
  std::vector<Scene> scenes;
  for (int round = first; round <= last; ++round)
    for (int k = 0; k < (round < last ? between : 1); ++k)
      scenes.push_back(stage.at(round + static_cast<double>(k) / between));
  return scenes;
}

}  // namespace rankscope
